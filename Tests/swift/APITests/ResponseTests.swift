import CSDImage
import Foundation
import TestSupport
import Testing

/// The HTTP response of a task and of a result.
@Suite struct ResponseTests {
    private let picture = makePNG(width: 60, height: 60)

    private func taken(_ response: OpaquePointer?) -> Owned? { response.map { Owned($0) { sdimage_response_unref($0) } } }

    private func response(of task: Owned) -> Owned? {
        var response: OpaquePointer?
        sdimage_task_get_response(task.pointer, &response)
        return taken(response)
    }

    private func status(of task: Owned) -> Int32 {
        let response = response(of: task)
        return withExtendedLifetime(response) { sdimage_response_status(response?.pointer) }
    }

    private func header(_ response: Owned?, _ name: String) -> String? {
        withExtendedLifetime(response) { sdimage_response_header(response?.pointer, name).map { String(cString: $0) } }
    }

    // During the body's transfer, and afterwards.
    @Test func aTaskTellsTheAnswerWhileItsBodyComes() throws {
        let mayGoOn = DispatchSemaphore(value: 0)
        let server = LoopbackServer { [picture] _, connection in
            connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(picture.count)\r\nX-Tag:  of it \r\nx-two: 1\r\nX-Two: 2\r\n\r\n")
            connection.send(Array(picture.prefix(100)))
            mayGoOn.wait()
            connection.send(Array(picture.dropFirst(100)))
        }
        defer { server.stop() }
        let config = makePatientConfig()
        let downloader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: nil, loader: downloader)
        let listener = Listener()
        let task = try listener.load(manager, makeRequest(server.url("/a.png")))
        #expect(Locked(0).wait { _ in response(of: task) != nil })
        let early = response(of: task)
        #expect(listener.finals.isEmpty)
        #expect(sdimage_response_status(early?.pointer) == 200)
        #expect(header(early, "x-tag") == "of it" && header(early, "X-Two") == "1" && header(early, "X-None") == nil)
        // A waiter that joins the transfer sees the same response.
        let other = Listener()
        let joined = try other.load(manager, makeRequest(server.url("/a.png")))
        #expect(Locked(0).wait { _ in header(response(of: joined), "x-tag") == "of it" })
        mayGoOn.signal()
        #expect(listener.final()?.width == 60 && other.final()?.width == 60)
        #expect(header(response(of: task), "Content-Length") == "\(picture.count)")
        #expect(server.requests.count == 1)
    }

    // Responses of redirects are skipped; the response of a failure is reported.
    @Test func aResultTellsTheLastAnswerOfAFailureToo() throws {
        let server = LoopbackServer { request, connection in
            if request.target == "/from" { return connection.answer(302, ["Location": "/to", "X-Place": "from"]) }
            connection.answer(404, ["X-Place": "to", "Retry-After": "7"])
        }
        defer { server.stop() }
        let manager = try makeManager(cache: nil)
        let request = makeRequest(server.url("/from"))
        var result: OpaquePointer?
        #expect(sdimage_manager_load_sync(manager.pointer, request.pointer, &result, nil) == .SDIMAGE_STATUS_HTTP_STATUS)
        let final = Owned(try #require(result)) { sdimage_result_unref($0) }
        var response: OpaquePointer?
        sdimage_result_get_response(final.pointer, &response)
        let last = taken(response)
        #expect(sdimage_response_status(last?.pointer) == 404)
        #expect(String(cString: sdimage_response_url(last?.pointer)) == server.url("/to"))
        #expect(header(last, "X-Place") == "to" && header(last, "retry-after") == "7")
        #expect(sdimage_result_transaction_count(final.pointer) == 2)
        // The caller owns the response: the result may be released, and the response may be changed.
        sdimage_response_set_status(last?.pointer, 200)
        #expect(sdimage_response_status(last?.pointer) == 200)
    }

    // The response of a refresh is the 304 that validated the entry.
    @Test func notModifiedIsTheAnswerOfARefresh() throws {
        let fixture = try FreshnessFixture(["ETag": "\"a\""])
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        let listener = Listener()
        let task = try listener.load(fixture.manager, fixture.request(.SDIMAGE_FRESHNESS_REFRESH))
        #expect(listener.final()?.isChanged == false)
        #expect(status(of: task) == 304)
    }

    // Without a download there is no response.
    @Test func whatWasNotDownloadedHasNoAnswer() throws {
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try ScriptedLoader.answering(picture).makeLoader())
        for _ in 0..<2 {
            let listener = Listener()
            let task = try listener.load(manager, makeRequest("test://a"))
            #expect(listener.final()?.width == 60)
            #expect(response(of: task) == nil)
        }
    }

    // The response reported is the one changed by the hook.
    @Test func anAnswerThatAHookChangedIsToldAsChanged() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(404, body: picture) }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.response = { response, reply in
            sdimage_response_set_status(response, 200)
            sdimage_response_set_header(response, "X-By", "hook")
            HostHooks.complete(reply)
        }
        let manager = try hooks.makeManager()
        let listener = Listener()
        let task = try listener.load(manager, makeRequest(server.url("/a.png")))
        #expect(listener.final()?.width == 60)
        #expect(status(of: task) == 200)
        #expect(header(response(of: task), "x-by") == "hook")
    }
}
