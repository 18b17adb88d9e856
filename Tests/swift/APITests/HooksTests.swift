import CSDImage
import Foundation
import TestSupport
import Testing

/// Downloader hooks of a host.
@Suite struct HooksTests {
    private let picture = makePNG(width: 6, height: 5)

    private func load(_ manager: Owned, _ request: Owned) throws -> Delivered {
        let listener = Listener()
        _ = try listener.load(manager, request)
        return try #require(listener.final())
    }

    @Test func aModifierChangesWhatIsSentAndNotWhatItIsCalled() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.request = { request, reply in
            #expect(sdimage_request_header(request, "x-own").map { String(cString: $0) } == "mine")
            let url = String(cString: sdimage_request_url(request, nil)) + "?signed"
            sdimage_request_set_url(request, url, url.utf8.count)
            sdimage_request_set_header(request, "Authorization", "Bearer t")
            HostHooks.complete(reply)
        }
        let cache = try makeCache(in: nil)
        let manager = try hooks.makeManager(cache: cache)
        let url = server.url("/a.png")
        let request = makeRequest(url)
        sdimage_request_set_header(request.pointer, "X-Own", "mine")
        #expect(try load(manager, request).status == .SDIMAGE_STATUS_OK)
        let seen = try #require(server.requests.first)
        #expect(seen.target == "/a.png?signed" && seen.headers["authorization"] == "Bearer t")
        #expect(sdimage_cache_contains(cache.pointer, url, url.utf8.count) == .SDIMAGE_CACHE_LAYERS_MEMORY)
    }

    @Test func aModifierMayAnswerLaterAndMayRefuse() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.request = { request, reply in
            let isGood = String(cString: sdimage_request_url(request, nil)).hasSuffix("good.png")
            let address = UInt(bitPattern: reply)
            Thread.detachNewThread {
                let reply = OpaquePointer(bitPattern: address)
                if isGood { HostHooks.complete(reply) } else { HostHooks.refuse(reply) }
            }
        }
        let manager = try hooks.makeManager()
        #expect(try load(manager, makeRequest(server.url("/good.png"))).status == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, makeRequest(server.url("/bad.png"))).status == .SDIMAGE_STATUS_INVALID_REQUEST)
        #expect(server.requests.count == 1)
    }

    @Test func whatAModifierMakesIsCheckedLikeAnyRequest() throws {
        let hooks = HostHooks()
        hooks.request = { request, reply in
            let url = String(cString: sdimage_request_url(request, nil))
            if url.hasSuffix("scheme") { sdimage_request_set_url(request, "file:///etc/passwd", -1) }
            if url.hasSuffix("line") { sdimage_request_set_header(request, "X-Bad", "a\r\nb") }
            HostHooks.complete(reply)
        }
        let manager = try hooks.makeManager()
        #expect(try load(manager, makeRequest("http://127.0.0.1:1/scheme")).status.rawValue < 0)
        #expect(try load(manager, makeRequest("http://127.0.0.1:1/line")).status == .SDIMAGE_STATUS_INVALID_REQUEST)
    }

    @Test func loadsShareATransferWhereWhatWasMadeOfThemIsEqual() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let server = LoopbackServer { [picture] _, connection in
            mayAnswer.wait()
            mayAnswer.signal()
            connection.answer(body: picture)
        }
        defer { server.stop() }
        let arrived = DispatchSemaphore(value: 0)
        let hooks = HostHooks()
        hooks.request = { request, reply in
            let url = String(cString: sdimage_request_url(request, nil))
            let plain = String(url.prefix { $0 != "?" })
            sdimage_request_set_url(request, plain, plain.utf8.count)
            if url.hasSuffix("other") { sdimage_request_set_header(request, "X-User", "other") }
            HostHooks.complete(reply)
            arrived.signal()
        }
        let manager = try hooks.makeManager()
        // One after the other: when the last request arrives, the second load has joined the first one's transfer.
        let listeners = ["?1", "?2", "?other"].map { ($0, Listener()) }
        for (query, listener) in listeners {
            _ = try listener.load(manager, makeRequest(server.url("/a.png\(query)")))
            arrived.wait()
        }
        #expect(server.wait { $0.requests.contains { $0.headers["x-user"] == "other" } })
        mayAnswer.signal()
        for (_, listener) in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(server.requests.count == 2)
    }

    @Test func anAnswerIsChangedBeforeItIsJudged() throws {
        let server = LoopbackServer { [picture] request, connection in
            connection.answer(404, ["X-Tag": "seen"], body: request.target == "/none" ? [] : picture)
        }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.response = { response, reply in
            let url = String(cString: sdimage_response_url(response))
            if url.hasSuffix("refused") { return HostHooks.refuse(reply) }
            #expect(sdimage_response_status(response) == 404)
            #expect(sdimage_response_header(response, "x-tag").map { String(cString: $0) } == "seen")
            if url.hasSuffix("good.png") { sdimage_response_set_status(response, 200) }
            HostHooks.complete(reply)
        }
        let manager = try hooks.makeManager()
        #expect(try load(manager, makeRequest(server.url("/good.png"))).width == 6)
        #expect(try load(manager, makeRequest(server.url("/bad.png"))).status == .SDIMAGE_STATUS_HTTP_STATUS)
        #expect(try load(manager, makeRequest(server.url("/refused"))).status == .SDIMAGE_STATUS_INVALID_RESPONSE)
    }

    @Test func aBodyIsDecryptedBeforeItIsDecodedAndKept() throws {
        let picture = picture
        let server = LoopbackServer { request, connection in
            connection.answer(200, ["X-Mask": "90"], body: request.target == "/bad" ? picture : picture.map { $0 ^ 90 })
        }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.decrypt = { bytes, response in
            let mask = sdimage_response_header(response, "X-Mask").flatMap { UInt8(String(cString: $0)) } ?? 0
            return String(cString: sdimage_response_url(response)).hasSuffix("bad") ? nil : bytes.map { $0 ^ mask }
        }
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache)
        let url = server.url("/a.png")
        let request = makeRequest(url)
        sdimage_request_set_wait_for_store(request.pointer, true)
        sdimage_request_set_progressive(request.pointer, true)
        #expect(try load(manager, request).width == 6)
        let kept = try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, url, url.utf8.count, $0, $1) }
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(kept.pointer), count: sdimage_data_length(kept.pointer))
        #expect(Array(bytes) == picture)
        #expect(try load(manager, makeRequest(server.url("/bad"))).status == .SDIMAGE_STATUS_BAD_DATA)
    }

    @Test func bodiesInBase64AreDecodedByABuiltInHook() throws {
        let picture = picture
        let server = LoopbackServer { request, connection in
            let text = Data(picture).base64EncodedString(options: .lineLength76Characters)
            connection.answer(body: request.target == "/bad" ? Array("not base64!".utf8) : Array(text.utf8))
        }
        defer { server.stop() }
        let hooks = try make(sdimage_download_hooks_unref) { sdimage_download_hooks_new_base64($0, $1) }
        let manager = try makeManager(cache: nil, loader: try make(sdimage_loader_unref) { sdimage_downloader_new(nil, $0, $1) })
        for (target, status) in [("/a", sdimage_status.SDIMAGE_STATUS_OK), ("/bad", .SDIMAGE_STATUS_BAD_DATA)] {
            let request = makeRequest(server.url(target))
            sdimage_request_set_hooks(request.pointer, hooks.pointer)
            #expect(try load(manager, request).status == status)
        }
    }

    @Test func aRedirectIsFollowedRefusedOrLedElsewhere() throws {
        let server = LoopbackServer { [picture] request, connection in
            if request.target.hasPrefix("/from") {
                connection.answer(302, ["Location": "/to"])
            } else {
                connection.answer(body: picture)
            }
        }
        defer { server.stop() }
        let other = server.url("/other")
        let hooks = HostHooks()
        hooks.redirect = { from, to, status, reply in
            #expect(to.hasSuffix("/to") && status == 302)
            if from.hasSuffix("refused") { return HostHooks.refuse(reply) }
            let other = from.hasSuffix("long") ? other + String(repeating: "a", count: 64 << 10) : other
            guard from.hasSuffix("elsewhere") || from.hasSuffix("long") else { return HostHooks.complete(reply) }
            var data: OpaquePointer?
            _ = sdimage_data_new(other, other.utf8.count, &data, nil)
            sdimage_reply_complete_with_data(reply, data)
            sdimage_data_unref(data)
            sdimage_reply_unref(reply)
        }
        let manager = try hooks.makeManager()
        #expect(try load(manager, makeRequest(server.url("/from/followed"))).status == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, makeRequest(server.url("/from/refused"))).status == .SDIMAGE_STATUS_REDIRECT_FORBIDDEN)
        #expect(try load(manager, makeRequest(server.url("/from/elsewhere"))).status == .SDIMAGE_STATUS_OK)
        // Never cut.
        #expect(try load(manager, makeRequest(server.url("/from/long"))).status == .SDIMAGE_STATUS_REDIRECT_FORBIDDEN)
        let targets = ["/from/followed", "/to", "/from/refused", "/from/elsewhere", "/other", "/from/long"]
        #expect(server.requests.map(\.target) == targets)
    }

    @Test func eventsComeInTheirOrder() throws {
        let server = LoopbackServer { [picture] request, connection in
            connection.answer(request.target == "/none" ? 404 : 200, body: picture)
        }
        defer { server.stop() }
        let hooks = HostHooks()
        hooks.hearsEvents = true
        let manager = try hooks.makeManager()
        _ = try load(manager, makeRequest(server.url("/a.png")))
        #expect(hooks.events.wait { $0.count == 4 })
        _ = try load(manager, makeRequest(server.url("/none")))
        #expect(hooks.events.wait { $0.count == 7 })
        #expect(
            hooks.events.get() == [
                "started 0", "responded 200", "stopped 200", "finished 200", "started 0", "responded 404", "stopped 404",
            ])
    }

    @Test func theRequestsHooksComeBeforeTheDownloaders() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        defer { server.stop() }
        let general = HostHooks(), own = HostHooks()
        general.hearsEvents = true
        general.request = { request, reply in
            sdimage_request_set_header(request, "X-By", "downloader")
            HostHooks.complete(reply)
        }
        own.request = { request, reply in
            sdimage_request_set_header(request, "X-By", "request")
            HostHooks.complete(reply)
        }
        let manager = try general.makeManager()
        let request = makeRequest(server.url("/a.png"))
        do {
            let hooks = try own.make()
            sdimage_request_set_hooks(request.pointer, hooks.pointer)
        }
        _ = try load(manager, request)
        sdimage_request_set_hooks(request.pointer, nil)
        #expect(own.destroyed.wait { $0 == 1 })
        _ = try load(manager, request)
        #expect(server.requests.map { $0.headers["x-by"] } == ["request", "downloader"])
        // Hooks missing in the request's table are called in the downloader's.
        #expect(general.events.wait { $0.count == 8 })
    }

    @Test func aLoadThatIsCancelledWhileAHookThinksEndsAtOnce() throws {
        let hooks = HostHooks()
        let held = Locked<OpaquePointer?>(nil)
        hooks.request = { _, reply in held.set(reply) }
        let manager = try hooks.makeManager()
        let listener = Listener()
        let task = try listener.load(manager, makeRequest("http://127.0.0.1:1/a.png"))
        #expect(held.wait { $0 != nil })
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(held.wait { sdimage_reply_is_cancelled($0) })
        HostHooks.complete(held.get())
    }

    @Test(arguments: ["/image", "/redirect"]) func theTotalTimeoutEndsALoadWhoseHookDoesNotReply(target: String) throws {
        let server = LoopbackServer { [picture] request, connection in
            if request.target == "/redirect" {
                connection.answer(302, ["Location": "/image"])
            } else {
                connection.answer(body: picture)
            }
        }
        defer { server.stop() }
        let hooks = HostHooks()
        let held = Locked<OpaquePointer?>(nil)
        hooks.response = { _, reply in held.set(reply) }
        hooks.redirect = { _, _, _, reply in held.set(reply) }
        let manager = try hooks.makeManager()
        let request = makeRequest(server.url(target))
        sdimage_request_set_retry_failed(request.pointer, true)
        // On a busy machine, the time may pass before the hook is called.
        for milliseconds: UInt32 in [1000, 10_000, 100_000] where held.get() == nil {
            sdimage_request_set_timeout_ms(request.pointer, milliseconds)
            let listener = Listener()
            _ = try listener.load(manager, request)
            #expect(listener.final()?.status == .SDIMAGE_STATUS_TIMEOUT)
        }
        try #require(held.get() != nil)
        #expect(held.wait { sdimage_reply_is_cancelled($0) })
        HostHooks.complete(held.get())
    }

    @Test func aReplyThatIsDroppedIsARefusal() throws {
        let hooks = HostHooks()
        hooks.request = { _, reply in sdimage_reply_unref(reply) }
        let manager = try hooks.makeManager()
        #expect(try load(manager, makeRequest("http://127.0.0.1:1/a.png")).status == .SDIMAGE_STATUS_INVALID_REQUEST)
    }
}
