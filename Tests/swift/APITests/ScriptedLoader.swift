import CSDImage
import Foundation

/// A loader that runs a closure of the test for each request.
final class ScriptedLoader: @unchecked Sendable {
    private let body: @Sendable (OpaquePointer?, OpaquePointer?) -> sdimage_status

    init(_ body: @escaping @Sendable (_ request: OpaquePointer?, _ sink: OpaquePointer?) -> sdimage_status) { self.body = body }

    /// Responds to every request with the same bytes.
    static func answering(_ bytes: [UInt8]) -> ScriptedLoader {
        ScriptedLoader { _, sink in
            let status = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            return status
        }
    }

    func makeLoader() throws -> Owned {
        var table = sdimage_loader_vtable()
        table.size = MemoryLayout<sdimage_loader_vtable>.size
        table.can_load = { _, _ in true }
        table.load = { userData, request, sink in
            Unmanaged<ScriptedLoader>.fromOpaque(userData!).takeUnretainedValue().body(request, sink)
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_loader_unref) { loader, error in
            sdimage_loader_new_custom(
                "scripted", &table, userData, { Unmanaged<ScriptedLoader>.fromOpaque($0!).release() }, loader, error)
        }
    }
}
