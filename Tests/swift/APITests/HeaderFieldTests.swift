import CSDImage
import TestSupport
import Testing

/// Header fields of requests and of running downloaders.
@Suite struct HeaderFieldTests {
    private let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }

    private func makeDownloader(_ change: (OpaquePointer?) -> Void = { _ in }) throws -> Owned {
        let config = makePatientConfig()
        change(config.pointer)
        return try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
    }

    /// The fields that the server received, by lower-case name.
    private func sent(_ loader: Owned, _ change: (OpaquePointer?) -> Void = { _ in }) throws -> [String: String] {
        #expect(load(loader, change) == .SDIMAGE_STATUS_OK)
        return try #require(server.requests.last).headers
    }

    private func load(_ loader: Owned, _ change: (OpaquePointer?) -> Void) -> sdimage_status {
        let request = makeRequest(server.url("/"))
        change(request.pointer)
        var result: OpaquePointer?
        defer { sdimage_result_unref(result) }
        return sdimage_loader_load_sync(loader.pointer, request.pointer, &result, nil)
    }

    private func text(_ data: OpaquePointer?) -> String? {
        defer { sdimage_data_unref(data) }
        return data.map { String(cString: sdimage_data_bytes($0)!.assumingMemoryBound(to: CChar.self)) }
    }

    private func header(_ loader: Owned, _ name: String) -> String? {
        var value: OpaquePointer?
        sdimage_downloader_get_header(loader.pointer, name, &value)
        return text(value)
    }

    @Test func aRequestOmitsFieldsOfTheDownloader() throws {
        defer { server.stop() }
        let loader = try makeDownloader { sdimage_downloader_config_set_header($0, "X-Mine", "1") }
        let usual = try sent(loader)
        #expect(usual["accept"] != nil && usual["x-mine"] == "1" && usual["user-agent"] != nil)
        let omitted = try sent(loader) { request in
            for name in ["accept", "X-MINE", "User-Agent", "Accept-Encoding"] { sdimage_request_set_header(request, name, nil) }
        }
        #expect(Set(omitted.keys) == ["host"])
        let restored = try sent(loader) { request in
            sdimage_request_set_header(request, "X-Mine", nil)
            sdimage_request_reset_header(request, "x-mine")
            sdimage_request_set_header(request, "Accept", nil)
            sdimage_request_set_header(request, "Accept", "image/png")
        }
        #expect(restored["x-mine"] == "1" && restored["accept"] == "image/png")
    }

    @Test func eachTransferSendsItsOwnFields() throws {
        defer { server.stop() }
        let loader = try makeDownloader()
        // More lists of fields than the transfer thread keeps handles for.
        for value in (0..<7).flatMap({ [$0, $0, 6 - $0] }) {
            let fields = try sent(loader) { sdimage_request_set_header($0, "X-Number", "\(value)") }
            #expect(fields["x-number"] == "\(value)")
            #expect(try sent(loader)["x-number"] == nil)
        }
    }

    @Test func aDownloaderWithoutAcceptSendsNone() throws {
        defer { server.stop() }
        let loader = try makeDownloader {
            sdimage_downloader_config_set_header($0, "Accept", nil)
            sdimage_downloader_config_set_user_agent($0, "")
        }
        let fields = try sent(loader)
        #expect(fields["accept"] == nil && fields["user-agent"] == nil)
    }

    @Test func theFieldsOfARequestCanBeRead() throws {
        let owned = makeRequest("http://localhost/"), request = owned.pointer
        #expect(!sdimage_request_has_header(request, "Accept"))
        sdimage_request_set_header(request, "Accept", nil)
        #expect(sdimage_request_has_header(request, "ACCEPT") && sdimage_request_header(request, "Accept") == nil)
        let copy = Owned(try #require(sdimage_request_copy(request))) { sdimage_request_unref($0) }
        #expect(sdimage_request_has_header(copy.pointer, "Accept"))
        sdimage_request_reset_header(request, "accept")
        #expect(!sdimage_request_has_header(request, "Accept"))
        sdimage_request_set_header(request, "Accept", "image/png")
        #expect(sdimage_request_has_header(request, "accept"))
        sdimage_request_reset_header(request, "Accept")
        #expect(sdimage_request_header_at(request, 0, nil) == nil)
        #expect(!sdimage_request_has_header(nil, "A") && !sdimage_request_has_header(request, nil))
        withExtendedLifetime(owned) {}
    }

    @Test(arguments: ["Host", "content-length", "Transfer-Encoding", "bad name", ""])
    func requiredFieldsCannotBeOmitted(name: String) throws {
        defer { server.stop() }
        let status = load(try makeDownloader()) { sdimage_request_set_header($0, name, nil) }
        #expect(status == .SDIMAGE_STATUS_INVALID_REQUEST)
    }

    @Test func loadsThatOmitDifferentFieldsShareNoTransfer() throws {
        let held = LoopbackServer { _, connection in connection.answer(200, body: makePNG(width: 3, height: 2)) }
        defer {
            held.stop()
            server.stop()
        }
        let manager = try makeManager(cache: nil, loader: try makeDownloader())
        let tasks = try [true, false].map { omits in
            let request = makeRequest(held.url("/"))
            if omits { sdimage_request_set_header(request.pointer, "Accept", nil) }
            return try Listener().load(manager, request)
        }
        for task in tasks { #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK) }
        #expect(held.requests.count == 2)
    }

    @Test func aRunningDownloaderChangesItsFields() throws {
        defer { server.stop() }
        let loader = try makeDownloader()
        #expect(sdimage_downloader_set_header(loader.pointer, "X-Token", "a", nil) == .SDIMAGE_STATUS_OK)
        #expect(try sent(loader)["x-token"] == "a")
        #expect(sdimage_downloader_set_header(loader.pointer, "x-token", "b", nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_downloader_set_header(loader.pointer, "User-Agent", "mine/1", nil) == .SDIMAGE_STATUS_OK)
        let fields = try sent(loader)
        #expect(fields["x-token"] == "b" && fields["user-agent"] == "mine/1")
        #expect(header(loader, "X-Token") == "b" && header(loader, "user-agent") == "mine/1")
        #expect(try sent(loader) { sdimage_request_set_header($0, "X-Token", "own") }["x-token"] == "own")
        #expect(sdimage_downloader_set_header(loader.pointer, "X-Token", nil, nil) == .SDIMAGE_STATUS_OK)
        #expect(try sent(loader)["x-token"] == nil && header(loader, "X-Token") == nil)
    }

    @Test func theFieldsOfARunningDownloaderAreListed() throws {
        let loader = try makeDownloader { sdimage_downloader_config_set_user_agent($0, "me") }
        #expect(sdimage_downloader_set_header(loader.pointer, "X-A", "1", nil) == .SDIMAGE_STATUS_OK)
        var names: [String] = [], values: [String] = [], name: OpaquePointer?, value: OpaquePointer?
        while sdimage_downloader_get_header_at(loader.pointer, names.count, &name, &value) {
            names.append(text(name) ?? "")
            values.append(text(value) ?? "")
        }
        #expect(names == ["User-Agent", "Accept", "X-A"])
        #expect(values.first == "me" && values.last == "1")
        #expect(name == nil && value == nil)
        #expect(sdimage_downloader_get_header_at(loader.pointer, 0, nil, nil))
        #expect(!sdimage_downloader_get_header_at(loader.pointer, .max, nil, nil))
    }

    @Test func fieldsThatCannotBeSentAreRefused() throws {
        let loader = try makeDownloader(), chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        func set(_ loader: Owned?, _ name: String?, _ value: String?) -> sdimage_status {
            sdimage_downloader_set_header(loader?.pointer, name, value, nil)
        }
        #expect(set(loader, "X-A", "1\r\nX-B: 2") == .SDIMAGE_STATUS_INVALID_REQUEST)
        #expect(set(loader, "X A", "1") == .SDIMAGE_STATUS_INVALID_REQUEST)
        #expect(set(loader, "Content-Length", "1") == .SDIMAGE_STATUS_INVALID_REQUEST)
        #expect(set(loader, nil, "1") == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(set(chain, "X-A", "1") == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(set(nil, "X-A", "1") == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(header(loader, "X-A") == nil && header(chain, "Accept") == nil)
    }

    @Test func aRequestAfterAChangeStartsATransferOfItsOwn() throws {
        let started = Gate()
        let held = LoopbackServer { request, connection in
            if request.headers["x-token"] == "a" { started.pass() }
            connection.answer(200, body: makePNG(width: 3, height: 2))
        }
        defer {
            held.stop()
            server.stop()
        }
        let loader = try makeDownloader { sdimage_downloader_config_set_header($0, "X-Token", "a") }
        let manager = try makeManager(cache: nil, loader: loader)
        let first = try Listener().load(manager, makeRequest(held.url("/")))
        #expect(held.wait { !$0.requests.isEmpty })
        #expect(sdimage_downloader_set_header(loader.pointer, "X-Token", "b", nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest(held.url("/"))
        // Another form of the image, for a load of its own.
        sdimage_request_set_thumbnail_size(request.pointer, 1, 1, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let second = try Listener().load(manager, request)
        #expect(sdimage_task_wait(second.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        started.open()
        #expect(sdimage_task_wait(first.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(held.requests.map { $0.headers["x-token"] } == ["a", "b"])
    }
}
