import CSDImage
import Foundation
import TestSupport
import Testing

/// Loads of a loader without a manager.
@Suite struct LoaderFetchTests {
    private static let text = Array("no image, but bytes".utf8)

    private func makeDownloader() throws -> Owned {
        try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) }
    }

    /// The bytes and the status of a load.
    private func fetch(_ loader: Owned, _ request: Owned) throws -> (bytes: [UInt8]?, status: sdimage_status, result: Owned) {
        var result: OpaquePointer?
        let status = sdimage_loader_load_sync(loader.pointer, request.pointer, &result, nil)
        let owned = Owned(try #require(result)) { sdimage_result_unref($0) }
        #expect(sdimage_result_kind(result) == .SDIMAGE_DELIVERY_KIND_FINAL)
        #expect(sdimage_error_code(sdimage_result_error(result)) == status)
        return (contents(sdimage_result_data(result)), status, owned)
    }

    private func contents(_ data: OpaquePointer?) -> [UInt8]? {
        data.map { Array(UnsafeRawBufferPointer(start: sdimage_data_bytes($0), count: sdimage_data_length($0))) }
    }

    private func result(_ task: Owned) throws -> Owned {
        #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        var result: OpaquePointer?
        sdimage_task_get_result(task.pointer, &result)
        return Owned(try #require(result)) { sdimage_result_unref($0) }
    }

    @Test func theLimitOfARequestHoldsForBytesByReference() throws {
        let scripted = ScriptedLoader { _, sink in
            var data: OpaquePointer?
            let status = sdimage_data_new(Self.text, Self.text.count, &data, nil)
            sdimage_load_sink_finish_with_data(sink, data)
            sdimage_data_unref(data)
            return status
        }
        let loader = try scripted.makeLoader()
        let limits: [(bytes: Int, status: sdimage_status)] = [
            (0, .SDIMAGE_STATUS_OK), (Self.text.count, .SDIMAGE_STATUS_OK), (Self.text.count - 1, .SDIMAGE_STATUS_TOO_LARGE),
        ]
        for limit in limits {
            let request = makeRequest("lamp:one")
            sdimage_request_set_max_body_bytes(request.pointer, limit.bytes)
            #expect(try fetch(loader, request).status == limit.status, "\(limit.bytes)")
        }
    }

    @Test(arguments: [false, true]) func aRefusedWriteFailsALoadThatDoesNotRestart(restarts: Bool) throws {
        let scripted = ScriptedLoader { _, sink in
            _ = sdimage_load_sink_write(sink, Self.text, 5, nil)
            let status = sdimage_load_sink_write(sink, Self.text, Self.text.count, nil)
            if restarts {
                sdimage_load_sink_restart(sink)
                _ = sdimage_load_sink_write(sink, Self.text, Self.text.count, nil)
            }
            sdimage_load_sink_finish(sink, nil)
            return status == .SDIMAGE_STATUS_TOO_LARGE ? .SDIMAGE_STATUS_OK : .SDIMAGE_STATUS_INTERNAL_ERROR
        }
        let request = makeRequest("lamp:one")
        sdimage_request_set_max_body_bytes(request.pointer, Self.text.count)
        let fetched = try fetch(try scripted.makeLoader(), request)
        #expect(fetched.status == (restarts ? .SDIMAGE_STATUS_OK : .SDIMAGE_STATUS_TOO_LARGE))
        #expect(fetched.bytes == (restarts ? Self.text : nil))
    }

    @Test func bytesOfAServerAreDeliveredWithItsResponse() throws {
        let server = LoopbackServer { request, connection in
            connection.answer(request.target == "/missing" ? 404 : 200, ["X-Served": request.target], body: Self.text)
        }
        defer { server.stop() }
        let loader = try makeDownloader()
        let found = try fetch(loader, makeRequest(server.url("/a")))
        #expect(found.status == .SDIMAGE_STATUS_OK && found.bytes == Self.text)
        #expect(sdimage_result_image(found.result.pointer) == nil)
        #expect(sdimage_result_source(found.result.pointer) == .SDIMAGE_IMAGE_SOURCE_NETWORK)
        #expect(sdimage_result_transaction_count(found.result.pointer) == 1)
        #expect(sdimage_result_time_ns(found.result.pointer, .SDIMAGE_STAGE_LOAD) > 0)
        var response: OpaquePointer?
        sdimage_result_get_response(found.result.pointer, &response)
        defer { sdimage_response_unref(response) }
        #expect(sdimage_response_header(response, "x-served").map { String(cString: $0) } == "/a")
        let missing = try fetch(loader, makeRequest(server.url("/missing")))
        #expect(missing.status == .SDIMAGE_STATUS_HTTP_STATUS && missing.bytes == nil)
        // No failure is remembered.
        #expect(try fetch(loader, makeRequest(server.url("/missing"))).status == .SDIMAGE_STATUS_HTTP_STATUS)
    }

    @Test func aConditionOfTheCallerMayFindNothingNew() throws {
        let server = LoopbackServer { _, connection in connection.answer(304, ["ETag": "\"a\""], body: []) }
        defer { server.stop() }
        let request = makeRequest(server.url("/"))
        sdimage_request_set_header(request.pointer, "If-None-Match", "\"a\"")
        let found = try fetch(try makeDownloader(), request)
        #expect(found.status == .SDIMAGE_STATUS_NOT_MODIFIED && found.bytes == nil)
        #expect(sdimage_error_http_status(sdimage_result_error(found.result.pointer)) == 304)
    }

    @Test func otherLoadersFetchToo() throws {
        let folder = TemporaryDirectory()
        let path = folder.path + "/a b%.txt"
        try Data(Self.text).write(to: URL(fileURLWithPath: path))
        let file = try make(sdimage_loader_unref) { sdimage_loader_new_file($0, $1) }
        let request = Owned(try #require(sdimage_request_new_file(path))) { sdimage_request_unref($0) }
        #expect(try fetch(file, request).bytes == Self.text)
        let inline = try make(sdimage_loader_unref) { sdimage_loader_new_data_url($0, $1) }
        #expect(try fetch(inline, makeRequest("data:text/plain,abc")).bytes == Array("abc".utf8))
        let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
        for member in [file, inline] { sdimage_loader_chain_add(chain.pointer, member.pointer, nil) }
        #expect(try fetch(chain, request).bytes == Self.text)
        #expect(try fetch(chain, makeRequest("data:,x")).bytes == Array("x".utf8))
        #expect(try fetch(chain, makeRequest("http://localhost/")).status == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(try fetch(chain, makeRequest("ftp://localhost/")).status == .SDIMAGE_STATUS_SCHEME_FORBIDDEN)
        #expect(try fetch(chain, makeRequest("no url")).status == .SDIMAGE_STATUS_INVALID_URL)
    }

    @Test func aCustomLoaderDeliversBytesOrAnImage() throws {
        let held = HeldLoader()
        let loader = try held.makeLoader(), listener = Listener()
        let task = try listener.fetch(loader, makeRequest("test://a"))
        let sink = try #require(held.next())
        #expect(sdimage_load_sink_write(sink, Self.text, Self.text.count, nil) == .SDIMAGE_STATUS_OK)
        // A final result takes the place of progress that waits.
        #expect(listener.waitForProgress())
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        let final = try #require(listener.final())
        #expect(final.status == .SDIMAGE_STATUS_OK && final.hasData)
        let result = try self.result(task)
        #expect(contents(sdimage_result_data(result.pointer)) == Self.text)
        #expect(sdimage_result_source(result.pointer) == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(listener.waitForDestroy())
    }

    @Test func anImageOfALoaderIsDelivered() throws {
        let held = HeldLoader()
        let task = try Listener().fetch(try held.makeLoader(), makeRequest("test://a"))
        let sink = try #require(held.next())
        let png = makePNG(width: 3, height: 2)
        let image = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        sdimage_load_sink_finish_with_image(sink, image.pointer)
        sdimage_load_sink_unref(sink)
        let result = try self.result(task)
        #expect(sdimage_image_width(sdimage_result_image(result.pointer)) == 3)
        #expect(sdimage_result_data(result.pointer) == nil)
    }

    @Test func aCancelledLoadEndsAtOnce() throws {
        let held = HeldLoader(), listener = Listener()
        let task = try listener.fetch(try held.makeLoader(), makeRequest("test://a"))
        let sink = try #require(held.next())
        sdimage_task_cancel(task.pointer)
        #expect(held.waitForCancel())
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        sdimage_load_sink_unref(sink)
        #expect(listener.finals.count == 1 && listener.waitForDestroy())
    }

    @Test func refusedCallsReleaseTheirData() throws {
        let listener = Listener()
        var result: OpaquePointer?
        // A request is no loader.
        #expect(throws: CallFailure.self) { try listener.fetch(makeRequest("data:,"), makeRequest("data:,")) }
        #expect(listener.waitForDestroy())
        let request = makeRequest("data:,"), loader = try makeDownloader()
        #expect(sdimage_loader_load_sync(nil, request.pointer, &result, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_loader_load_sync(loader.pointer, nil, &result, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(result == nil)
    }

    @Test func aCallbackMustNotWait() throws {
        let loader = try make(sdimage_loader_unref) { sdimage_loader_new_data_url($0, $1) }
        let listener = Listener()
        listener.onResult = { _, _ in
            var result: OpaquePointer?
            let request = makeRequest("data:,x")
            let status = sdimage_loader_load_sync(loader.pointer, request.pointer, &result, nil)
            #expect(status == .SDIMAGE_STATUS_WOULD_DEADLOCK && result == nil)
        }
        _ = try listener.fetch(loader, makeRequest("data:,x"))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        // The callback has returned.
        #expect(listener.waitForDestroy())
    }

    @Test func waitingTransfersStartByTheirPriority() throws {
        let first = Gate()
        let server = LoopbackServer { request, connection in
            if request.target == "/first" { first.pass() }
            connection.answer(200, body: Self.text)
        }
        defer { server.stop() }
        let config = makePatientConfig()
        sdimage_downloader_config_set_max_total(config.pointer, 1)
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let tasks = try ["/first", "/second", "/third"].map { target in
            let request = makeRequest(server.url(target))
            let task = try make(sdimage_task_unref) { task, error in
                sdimage_loader_load(loader.pointer, request.pointer, nil, nil, nil, task, error)
            }
            #expect(server.wait { $0.requests.count == 1 })
            return task
        }
        // The thread that begins this fetch has begun the others: a priority reaches those that are waiting.
        let inline = try make(sdimage_loader_unref) { sdimage_loader_new_data_url($0, $1) }
        #expect(try fetch(inline, makeRequest("data:,x")).status == .SDIMAGE_STATUS_OK)
        #expect(sdimage_downloader_transfer_count(loader.pointer) == 3)
        sdimage_task_set_priority(tasks[2].pointer, .SDIMAGE_PRIORITY_HIGH)
        first.open()
        for task in tasks { #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK) }
        #expect(server.requests.map { $0.target } == ["/first", "/third", "/second"])
    }

    @Test func ofTwoChainsOnlyOneBecomesAMemberOfTheOther() throws {
        let pairs = try (0..<1_000).map { _ in
            let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
            return (chain, try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) })
        }
        Race.run(rounds: pairs.count) { round in
            sdimage_loader_chain_add(pairs[round].0.pointer, pairs[round].1.pointer, nil)
        } against: { round in
            sdimage_loader_chain_add(pairs[round].1.pointer, pairs[round].0.pointer, nil)
        }
        for (a, b) in pairs {
            #expect(sdimage_loader_chain_count(a.pointer) + sdimage_loader_chain_count(b.pointer) == 1)
        }
    }

    @Test func ofTwoRemovalsOfAMemberOneFindsIt() throws {
        let member = try make(sdimage_loader_unref) { sdimage_loader_new_data_url($0, $1) }
        let chains = try (0..<1_000).map { _ in
            let chain = try make(sdimage_loader_unref) { sdimage_loader_new_chain($0, $1) }
            #expect(sdimage_loader_chain_add(chain.pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK)
            return chain
        }
        let removed = Locked([Int](repeating: 0, count: chains.count))
        let remove: @Sendable (Int) -> Void = { round in
            if sdimage_loader_chain_remove(chains[round].pointer, member.pointer, nil) == .SDIMAGE_STATUS_OK {
                removed.change { $0[round] += 1 }
            }
        }
        Race.run(rounds: chains.count, remove, against: remove)
        #expect(removed.get().allSatisfy { $0 == 1 })
    }
}
