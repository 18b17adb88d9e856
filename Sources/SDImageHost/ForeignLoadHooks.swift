import CSDImage
import SDImage

/// Load hooks of the host: the adapter of `sdimage_load_hooks_vtable` (include/sdimage/hooks.h). Hooks run on the thread that
/// needs the answer.
package final class ForeignLoadHooks: Sendable {
    private let host: ForeignTable<sdimage_load_hooks_vtable>

    package init(_ table: UnsafePointer<sdimage_load_hooks_vtable>?, _ foreign: Foreign) throws(ImageError) {
        let size = unsafe table?.pointee.size ?? 0
        let copy = unsafe try Input.table(
            table, size: size, required: MemoryLayout<Int>.size, empty: sdimage_load_hooks_vtable())
        host = ForeignTable(copy, foreign)
    }

    /// The hooks that the table contains.
    package var hooks: LoadHooks {
        let table = host.table
        let process: LoadHooks.Processor = { [self] request throws(ImageError) in try processed(request) }
        let cacheKey: LoadHooks.KeyFilter = { [self] request in key(of: request) }
        let serialize: LoadHooks.Serializer = { [self] request, image, data in serialized(request, image, data) }
        let shouldLoad: @Sendable (ImageRequest) -> Bool = { [self] request in mayLoad(request) }
        let remembersFailure: @Sendable (ImageRequest, ImageError) -> Bool = { [self] request, error in
            remembers(request, error)
        }
        return unsafe LoadHooks(
            process: table.process_request == nil ? nil : process, cacheKey: table.cache_key == nil ? nil : cacheKey,
            serialize: table.serialize == nil ? nil : serialize, shouldLoad: table.should_load == nil ? nil : shouldLoad,
            remembersFailure: table.should_remember_failure == nil ? nil : remembersFailure)
    }

    /// Runs the host's hook on a copy of the request, and checks the result like any request.
    private func processed(_ request: ImageRequest) throws(ImageError) -> ImageRequest {
        let copy = RequestObject(request)
        unsafe host.table.process_request?(host.userData, Handle.lend(copy))
        return try copy.submitted()
    }

    /// A key is text of at least one byte (docs/decisions.md, "Keys are bytes"); nil for anything else.
    private func key(of request: ImageRequest) -> [UInt8]? {
        let lent = RequestObject(request)
        let key = unsafe taken(host.table.cache_key?(host.userData, Handle.lend(lent)))
        withExtendedLifetime(lent) {}
        // The limit of texts of the host (`Input`).
        guard let key, key.count > 0, key.count <= 64 << 20 else { return nil }
        let bytes = unsafe key.withUnsafeBytes { unsafe Array($0) }
        return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
    }

    /// The bytes to store for a loaded image; nil if the host returns none.
    private func serialized(_ request: ImageRequest, _ image: Image, _ data: Bytes?) -> Bytes? {
        let lent = RequestObject(request)
        defer { withExtendedLifetime(lent) {} }
        let bytes = unsafe taken(
            host.table.serialize?(host.userData, Handle.lend(lent), Handle.lend(image), Handle.lend(data)))
        return bytes.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// False if the host refuses the load.
    private func mayLoad(_ request: ImageRequest) -> Bool {
        let lent = RequestObject(request)
        defer { withExtendedLifetime(lent) {} }
        return unsafe host.table.should_load?(host.userData, Handle.lend(lent)) ?? true
    }

    /// True if the host wants the URL to be refused for a while after this error.
    private func remembers(_ request: ImageRequest, _ error: ImageError) -> Bool {
        let lent = RequestObject(request)
        defer { withExtendedLifetime(lent) {} }
        return unsafe host.table.should_remember_failure?(host.userData, Handle.lend(lent), Handle.lend(error)) ?? false
    }

    /// Takes over the reference of a data object.
    private func taken(_ data: Object?) -> Bytes? {
        guard let data = unsafe data else { return nil }
        defer { unsafe Handle.unref(data, as: Bytes.self) }
        return unsafe Handle.find(data, as: Bytes.self)
    }
}
