import CSDImage
import Foundation
import TestSupport
import Testing

/// Requests other than GET, and their changes by hooks.
@Suite struct MethodTests {
    private let picture = makePNG(width: 6, height: 5)

    private func load(_ manager: Owned, _ request: Owned) throws -> Delivered {
        let listener = Listener()
        _ = try listener.load(manager, request)
        return try #require(listener.final())
    }

    private func post(_ url: String, _ text: String, method: String = "POST") throws -> Owned {
        let request = makeRequest(url)
        sdimage_request_set_method(request.pointer, method)
        let body = try make(sdimage_data_unref) { sdimage_data_new(text, text.utf8.count, $0, $1) }
        sdimage_request_set_body(request.pointer, body.pointer)
        return request
    }

    @Test func aRequestIsSentWithItsMethodAndBody() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        defer { server.stop() }
        let manager = try makeManager(cache: nil)
        let request = try post(server.url("/draw"), "{\"w\":6}")
        sdimage_request_set_header(request.pointer, "Content-Type", "application/json")
        #expect(try load(manager, request).status == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, makeRequest(server.url("/plain"))).status == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, try post(server.url("/untyped"), "x", method: "QUERY")).status == .SDIMAGE_STATUS_OK)
        let seen = server.requests
        #expect(seen.map(\.method) == ["POST", "GET", "QUERY"])
        #expect(seen.map { String(decoding: $0.body, as: UTF8.self) } == ["{\"w\":6}", "", "x"])
        #expect(seen[0].headers["content-type"] == "application/json" && seen[2].headers["content-type"] == nil)
        #expect(seen.allSatisfy { $0.headers["expect"] == nil })
        #expect(String(cString: sdimage_request_method(request.pointer)) == "POST")
        #expect(sdimage_data_length(sdimage_request_body(request.pointer)) == 7)
    }

    @Test(arguments: ["", "PO ST", "CONNECT", "TRACE", "HEAD", "A\r\nB: c"])
    func aMethodThatCannotBringAPictureIsRefused(method: String) throws {
        let manager = try makeManager(cache: nil)
        let request = makeRequest("http://127.0.0.1:1/a.png")
        sdimage_request_set_method(request.pointer, method)
        #expect(try load(manager, request).status == .SDIMAGE_STATUS_INVALID_REQUEST)
    }

    @Test func aBodyOfAGetIsRefused() throws {
        let manager = try makeManager(cache: nil)
        let status = try load(manager, try post("http://127.0.0.1:1/a.png", "x", method: "GET")).status
        #expect(status == .SDIMAGE_STATUS_INVALID_REQUEST)
    }

    @Test(arguments: [
        (303, "PUT", "GET"), (302, "POST", "GET"), (301, "POST", "GET"), (302, "PUT", "PUT"), (307, "POST", "POST"),
    ])
    func redirectsKeepOrDropTheMethod(status: Int, method: String, next: String) throws {
        let server = LoopbackServer { [picture] request, connection in
            if request.target == "/a" { return connection.answer(status, ["Location": "/b"]) }
            connection.answer(body: picture)
        }
        defer { server.stop() }
        let result = try load(try makeManager(cache: nil), try post(server.url("/a"), "body", method: method))
        #expect(result.status == .SDIMAGE_STATUS_OK)
        #expect(server.requests.map(\.method) == [method, next])
        #expect(server.requests.last?.body.count == (next == "GET" ? 0 : 4))
    }

    @Test func aBodyIsNotSentToAnotherOrigin() throws {
        let other = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        let server = LoopbackServer { [url = other.url("/b")] _, connection in connection.answer(307, ["Location": url]) }
        defer {
            server.stop()
            other.stop()
        }
        let result = try load(try makeManager(cache: nil), try post(server.url("/a"), "secret"))
        #expect(result.status == .SDIMAGE_STATUS_REDIRECT_FORBIDDEN && other.requests.isEmpty)
    }

    @Test(arguments: [("POST", 1), ("PUT", 3), ("GET", 3)])
    func onlyWhatMayBeDoneTwiceIsTriedAgain(method: String, requests: Int) throws {
        let server = LoopbackServer { _, connection in connection.answer(503, ["Retry-After": "0"]) }
        defer { server.stop() }
        let request = makeRequest(server.url("/a"))
        sdimage_request_set_method(request.pointer, method)
        #expect(try load(try makeManager(cache: nil), request).httpStatus == 503)
        #expect(server.requests.count == requests)
    }

    @Test func loadsThatAreNotGetShareNothingAndRememberNoFailure() throws {
        let mayAnswer = Gate()
        let server = LoopbackServer { _, connection in
            mayAnswer.pass()
            connection.answer(404)
        }
        defer { server.stop() }
        let config = makePatientConfig()
        let downloader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: nil, loader: downloader)
        let (one, two) = (Listener(), Listener())
        _ = try one.load(manager, try post(server.url("/a"), "1"))
        _ = try two.load(manager, try post(server.url("/a"), "1"))
        #expect(server.wait { $0.requests.count == 2 })
        mayAnswer.open()
        #expect(try #require(one.final()).httpStatus == 404)
        #expect(try #require(two.final()).httpStatus == 404)
        #expect(server.requests.count == 2)
        #expect(try load(manager, makeRequest(server.url("/a"))).status == .SDIMAGE_STATUS_HTTP_STATUS)
        #expect(server.requests.count == 3)
    }

    @Test func hooksMayChangeMethodAndBody() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.request = { request, reply in
            sdimage_request_set_method(request, "POST")
            var body: OpaquePointer?
            _ = sdimage_data_new("made", 4, &body, nil)
            sdimage_request_set_body(request, body)
            sdimage_data_unref(body)
            HostHooks.complete(reply)
        }
        #expect(try load(try hooks.makeManager(), makeRequest(server.url("/a.png"))).status == .SDIMAGE_STATUS_OK)
        #expect(server.requests.first?.method == "POST" && server.requests.first?.body == Array("made".utf8))
    }

    @Test func fixedHooksSayTheSameOfEveryRequestAndAnswer() throws {
        let server = LoopbackServer { [picture] request, connection in
            connection.answer(request.target == "/404" ? 404 : 200, ["Biz": "server"], body: picture)
        }
        defer { server.stop() }
        let template = try post("", "same", method: "PUT")
        sdimage_request_set_header(template.pointer, "X-Fixed", "yes")
        let response = Owned(sdimage_response_new(200)) { sdimage_response_unref($0) }
        sdimage_response_set_header(response.pointer, "Biz", "Bazz")
        let hooks = try make(sdimage_download_hooks_unref) {
            sdimage_download_hooks_new_fixed(template.pointer, response.pointer, $0, $1)
        }
        let request = makeRequest(server.url("/404"))
        sdimage_request_set_header(request.pointer, "x-fixed", "no")
        sdimage_request_set_hooks(request.pointer, hooks.pointer)
        #expect(try load(try makeManager(cache: nil), request).status == .SDIMAGE_STATUS_OK)
        let seen = try #require(server.requests.first)
        #expect(seen.method == "PUT" && seen.body == Array("same".utf8) && seen.headers["x-fixed"] == "yes")
    }

    @Test func aSinkThatRestartsForgetsWhatWasWritten() throws {
        let loader = ScriptedLoader { [picture] _, sink in
            _ = sdimage_load_sink_write(sink, "wrong bytes", 11, nil)
            sdimage_load_sink_restart(sink)
            let status = sdimage_load_sink_write(sink, picture, picture.count, nil)
            sdimage_load_sink_finish(sink, nil)
            sdimage_load_sink_restart(sink)
            return status
        }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        let result = try load(manager, makeRequest("own:a"))
        #expect(result.status == .SDIMAGE_STATUS_OK && result.width == 6)
    }
}
