import CSDImage
import Foundation
import TestSupport

/// A transport that runs a closure of the test for each exchange, each on its own thread.
final class HostTransport: @unchecked Sendable {
    /// The request of an exchange.
    struct Asked: Sendable {
        let url: String
        let method: String
        let headers: [String: String]
        let body: [UInt8]
    }

    private let answer: @Sendable (Asked, OpaquePointer?) -> Void
    let asked = Locked<[Asked]>([])
    let cancelled = Locked(0)
    let destroyed = Locked(0)

    init(_ answer: @escaping @Sendable (Asked, OpaquePointer?) -> Void) { self.answer = answer }

    /// Responds to an exchange immediately.
    static func respond(
        _ exchange: OpaquePointer?, _ status: Int32 = 200, _ headers: [(String, String)] = [], body: [UInt8] = [],
        error: sdimage_status = .SDIMAGE_STATUS_OK
    ) {
        let response = sdimage_response_new(status)
        for (name, value) in headers { sdimage_response_add_header(response, name, value) }
        sdimage_exchange_respond(exchange, response, nil)
        sdimage_response_unref(response)
        for start in stride(from: 0, to: body.count, by: 100) {
            let piece = Array(body[start..<min(start + 100, body.count)])
            _ = sdimage_exchange_write(exchange, piece, piece.count, nil)
        }
        finish(exchange, error)
    }

    static func finish(_ exchange: OpaquePointer?, _ status: sdimage_status = .SDIMAGE_STATUS_OK) {
        let error = status == .SDIMAGE_STATUS_OK ? nil : sdimage_error_new(status, "as the test wishes")
        sdimage_exchange_finish(exchange, error)
        sdimage_error_unref(error)
    }

    private static func mine(_ userData: UnsafeMutableRawPointer?) -> HostTransport {
        Unmanaged<HostTransport>.fromOpaque(userData!).takeUnretainedValue()
    }

    private func start(_ request: OpaquePointer?, _ exchange: OpaquePointer?) {
        var headers: [String: String] = [:]
        var value: UnsafePointer<CChar>?
        while let name = sdimage_request_header_at(request, headers.count, &value) {
            headers[String(cString: name)] = value.map { String(cString: $0) }
        }
        let body = sdimage_request_body(request)
        let asked = Asked(
            url: String(cString: sdimage_request_url(request, nil)), method: String(cString: sdimage_request_method(request)),
            headers: headers,
            body: Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(body), count: sdimage_data_length(body))))
        self.asked.change { $0.append(asked) }
        let address = UInt(bitPattern: sdimage_exchange_ref(exchange))
        Thread.detachNewThread { [self] in
            let exchange = OpaquePointer(bitPattern: address)
            answer(asked, exchange)
            sdimage_exchange_unref(exchange)
        }
    }

    func make() throws -> Owned {
        var table = sdimage_transport_vtable()
        table.size = MemoryLayout<sdimage_transport_vtable>.size
        table.start = { userData, request, exchange in
            HostTransport.mine(userData).start(request, exchange)
            return .SDIMAGE_STATUS_OK
        }
        table.cancel = { userData, _ in HostTransport.mine(userData).cancelled.change { $0 += 1 } }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try APITests.make(sdimage_transport_unref) { transport, error in
            sdimage_transport_new_custom(
                &table, userData,
                { userData in
                    let mine = Unmanaged<HostTransport>.fromOpaque(userData!).takeRetainedValue()
                    mine.destroyed.change { $0 += 1 }
                }, transport, error)
        }
    }

    /// A manager whose downloader uses this transport.
    func makeManager(cache: Owned? = nil, _ configure: (OpaquePointer?) -> Void = { _ in }) throws -> Owned {
        let transport = try make()
        let config = sdimage_downloader_config_new()
        defer { sdimage_downloader_config_unref(config) }
        sdimage_downloader_config_set_transport(config, transport.pointer)
        configure(config)
        let loader = try APITests.make(sdimage_loader_unref) { sdimage_downloader_new(config, $0, $1) }
        return try APITests.makeManager(cache: cache, loader: loader)
    }
}
