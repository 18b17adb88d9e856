import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct DownloaderTests {
    private func makeDownloader(_ change: (OpaquePointer?) -> Void = { _ in }) throws -> Owned {
        let config = makePatientConfig()
        sdimage_downloader_config_set_retry_delay_ms(config.pointer, 1, 1)
        change(config.pointer)
        return try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
    }

    /// The final result of a load, owned by the caller.
    private func load(_ loader: Owned, _ url: String, cache: Owned? = nil, _ change: (OpaquePointer?) -> Void = { _ in }) throws
        -> Owned
    {
        let manager = try makeManager(cache: cache, loader: loader), request = makeRequest(url)
        change(request.pointer)
        var result: OpaquePointer?
        var error: OpaquePointer?
        let status = sdimage_manager_load_sync(manager.pointer, request.pointer, &result, &error)
        sdimage_error_unref(error)
        guard let result else { throw CallFailure(status, nil) }
        return Owned(result) { sdimage_result_unref($0) }
    }

    private func status(_ result: Owned) -> sdimage_status { sdimage_error_code(sdimage_result_error(result.pointer)) }

    /// A server whose first response to "/first", and every response to "x-first: always", has `status`; others are images.
    private func flaky(_ status: Int) -> LoopbackServer {
        let picture = makePNG(width: 3, height: 2)
        return LoopbackServer { request, connection in
            let isFirst = request.headers["x-first"] == "always" || request.connection == 1 && request.target == "/first"
            connection.answer(isFirst ? status : 200, ["Set-Cookie": "a=b", "Content-Type": "image/png"], body: picture)
            if isFirst { connection.close() }
        }
    }

    @Test func addressRangesAreAddedReadAndCleared() throws {
        let config = sdimage_downloader_config_new()
        defer { sdimage_downloader_config_unref(config) }
        for range in ["10.0.0.0/8", "[fd00::]/8:9000"] {
            #expect(sdimage_downloader_config_add_allowed_address(config, range, nil) == .SDIMAGE_STATUS_OK)
        }
        var error: OpaquePointer?
        #expect(sdimage_downloader_config_add_allowed_address(config, "10.0.0.1/8", &error) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_error_code(error) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        sdimage_error_unref(error)
        #expect(sdimage_downloader_config_add_allowed_address(config, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let ranges = (0..<2).map { sdimage_downloader_config_allowed_address(config, $0).map { String(cString: $0) } }
        #expect(ranges == ["10.0.0.0/8", "[fd00::]/8:9000"])
        #expect(sdimage_downloader_config_allowed_address(config, 2) == nil)
        #expect(sdimage_downloader_config_allowed_address(config, .max) == nil)
        sdimage_downloader_config_clear_allowed_addresses(config)
        #expect(sdimage_downloader_config_allowed_address(config, 0) == nil)
    }

    @Test(arguments: [("127.0.0.0/8", sdimage_status.SDIMAGE_STATUS_OK), ("10.0.0.0/8", .SDIMAGE_STATUS_ADDRESS_FORBIDDEN)])
    func onlyAllowedAddressesArePermitted(range: String, expected: sdimage_status) throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: makePNG(width: 3, height: 2)) }
        defer { server.stop() }
        let loader = try makeDownloader {
            sdimage_downloader_config_set_address_policy($0, .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY)
            sdimage_downloader_config_add_allowed_address($0, range, nil)
        }
        #expect(status(try load(loader, server.url("/"))) == expected)
    }

    @Test func retriesAreCountedByTheRequestOrTheDownloader() throws {
        let server = flaky(503)
        defer { server.stop() }
        let loader = try makeDownloader()
        let result = try load(loader, server.url("/first"))
        #expect(status(result) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_result_transaction_count(result.pointer) == 2)
        #expect(sdimage_result_transaction_http_status(result.pointer, 0) == 503)
        #expect(sdimage_result_transaction_http_status(result.pointer, 1) == 200)
        let failed = try load(loader, server.url("/x")) {
            sdimage_request_set_max_retries($0, 0)
            sdimage_request_set_header($0, "X-First", "always")
        }
        #expect(status(failed) == .SDIMAGE_STATUS_HTTP_STATUS)
        #expect(sdimage_result_transaction_count(failed.pointer) == 1)
        let inherited = try load(try makeDownloader { sdimage_downloader_config_set_max_retries($0, 4) }, server.url("/x")) {
            sdimage_request_set_max_retries($0, 0)
            sdimage_request_reset_max_retries($0)
            sdimage_request_set_header($0, "X-First", "always")
        }
        #expect(sdimage_result_transaction_count(inherited.pointer) == 5)
    }

    @Test func transactionsTellWhereTheTimeWent() throws {
        let server = flaky(503)
        defer { server.stop() }
        let made = try load(try makeDownloader(), "http://u:secret@127.0.0.1:\(server.port)/a"), result = made.pointer
        #expect(String(cString: sdimage_result_transaction_url(result, 0)) == server.url("/a"))
        #expect(String(cString: sdimage_result_transaction_protocol(result, 0)) == "HTTP/1.1")
        #expect(String(cString: sdimage_result_transaction_remote_address(result, 0)) == "127.0.0.1:\(server.port)")
        #expect(!sdimage_result_transaction_is_connection_reused(result, 0))
        let body = sdimage_result_transaction_body_bytes(result, 0)
        #expect(body == sdimage_data_length(sdimage_result_data(result)))
        #expect(sdimage_result_transaction_wire_bytes(result, 0) > body)
        let first = sdimage_result_transaction_time_ns(result, 0, .SDIMAGE_TRANSACTION_PHASE_FIRST_BYTE)
        #expect(first > 0 && first <= sdimage_result_transaction_time_ns(result, 0, .SDIMAGE_TRANSACTION_PHASE_TOTAL))
        #expect(sdimage_result_transaction_time_ns(result, 0, .SDIMAGE_TRANSACTION_PHASE_TLS) == 0)
        #expect(sdimage_result_transaction_http_status(result, 1) == 0)
        #expect(String(cString: sdimage_result_transaction_url(result, 1)) == "")
    }

    @Test func configurationReachesTheWire() throws {
        let server = flaky(503)
        defer { server.stop() }
        let loader = try makeDownloader {
            sdimage_downloader_config_set_user_agent($0, "Mine/3")
            sdimage_downloader_config_set_bearer_token($0, "t0k")
        }
        for _ in 0..<2 { _ = try load(loader, server.url("/a")) { sdimage_request_set_handle_cookies($0, true) } }
        let last = try #require(server.requests.last?.headers)
        #expect(last["user-agent"] == "Mine/3")
        #expect(last["authorization"] == "Bearer t0k")
        #expect(last["cookie"] == "a=b")
        let fussy = try makeDownloader { sdimage_downloader_config_add_acceptable_type($0, "Image/JPEG") }
        #expect(status(try load(fussy, server.url("/a"))) == .SDIMAGE_STATUS_CONTENT_TYPE)
        let lax = try makeDownloader {
            sdimage_downloader_config_add_acceptable_type($0, "image/jpeg")
            sdimage_downloader_config_add_acceptable_type($0, nil)
            sdimage_downloader_config_clear_acceptable_statuses($0)
            sdimage_downloader_config_add_acceptable_statuses($0, 500, 599)
        }
        #expect(status(try load(lax, server.url("/a"))) == .SDIMAGE_STATUS_HTTP_STATUS)
        #expect(
            status(try load(lax, server.url("/a")) { sdimage_request_set_header($0, "X-First", "always") }) == .SDIMAGE_STATUS_OK)
    }

    @Test func runningDownloaderIsSuspendedCountedAndInvalidated() throws {
        let server = flaky(503)
        defer { server.stop() }
        let loader = try makeDownloader()
        let pointer = loader.pointer
        #expect(!sdimage_downloader_is_suspended(pointer))
        sdimage_downloader_set_suspended(pointer, true)
        #expect(sdimage_downloader_is_suspended(pointer))
        let manager = try makeManager(cache: nil, loader: loader), listener = Listener()
        let task = try listener.load(manager, makeRequest(server.url("/a")))
        #expect(becomesTrue { sdimage_downloader_transfer_count(pointer) == 1 })
        sdimage_downloader_cancel_all(pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        sdimage_downloader_set_suspended(pointer, false)
        sdimage_downloader_set_max_per_host(pointer, 1)
        sdimage_downloader_set_max_total(pointer, 0)
        sdimage_downloader_set_execution_order(pointer, .SDIMAGE_EXECUTION_ORDER_LIFO)
        #expect(status(try load(loader, server.url("/b"))) == .SDIMAGE_STATUS_OK)
        sdimage_downloader_invalidate(pointer, true)
        #expect(status(try load(loader, server.url("/c"))) == .SDIMAGE_STATUS_INVALID_REQUEST)
        #expect(server.requests.map(\.target) == ["/b"])
        _ = task
        // Any other loader ignores the call.
        let file = try make(sdimage_loader_unref) { sdimage_loader_new_file($0, $1) }
        sdimage_downloader_set_suspended(file.pointer, true)
        #expect(!sdimage_downloader_is_suspended(file.pointer))
    }

    @Test(.enabled(if: TLSServer.isAvailable)) func nothingOfAnUntrustedServerIsKept() throws {
        let folder = TemporaryDirectory()
        let server = try #require(TLSServer(name: "DNS:other.example", answers: [:]))
        defer { server.stop() }
        let loader = try makeDownloader(), cache = try makeCache(in: folder.path), url = "https://127.0.0.1:\(server.port)/a"
        #expect(server.answer("a", Data("HTTP/1.0 200 OK\r\n\r\n".utf8) + Data(makePNG(width: 3, height: 2))))
        #expect(status(try load(loader, url, cache: cache)) == .SDIMAGE_STATUS_TLS_FAILED)
        let lax = try load(loader, url, cache: cache) {
            sdimage_request_set_accept_invalid_certificates($0, true)
            sdimage_request_set_wait_for_store($0, true)
        }
        #expect(status(lax) == .SDIMAGE_STATUS_OK)
        #expect(status(try load(loader, url, cache: cache)) == .SDIMAGE_STATUS_TLS_FAILED)
    }
}
