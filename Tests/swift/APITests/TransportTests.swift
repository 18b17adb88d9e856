import CSDImage
import Foundation
import TestSupport
import Testing

/// The downloader on top of the host's own HTTP client.
@Suite struct TransportTests {
    private let picture = makePNG(width: 60, height: 50)

    private func load(_ manager: Owned, _ request: Owned) throws -> Delivered {
        let listener = Listener()
        _ = try listener.load(manager, request)
        return try #require(listener.final())
    }

    @Test func anExchangeBringsAnImageAndGetsFieldsAndCredentials() throws {
        let transport = HostTransport { [picture] _, exchange in HostTransport.respond(exchange, body: picture) }
        do {
            let manager = try transport.makeManager { sdimage_downloader_config_set_credential($0, "me", "pass:word") }
            let request = makeRequest("https://pictures.test/a.png#part")
            sdimage_request_set_header(request.pointer, "X-Own", "mine")
            let result = try load(manager, request)
            #expect(result.status == .SDIMAGE_STATUS_OK && result.width == 60 && result.hasData)
            #expect(result.source == .SDIMAGE_IMAGE_SOURCE_NETWORK)
        }
        let asked = try #require(transport.asked.get().first)
        #expect(asked.url == "https://pictures.test/a.png" && asked.method == "GET")
        #expect(asked.headers["X-Own"] == "mine" && asked.headers["Accept"] == "image/*,*/*;q=0.8")
        #expect(asked.headers["Authorization"] == "Basic bWU6cGFzczp3b3Jk" && asked.headers["User-Agent"]?.isEmpty == false)
        #expect(transport.destroyed.wait { $0 == 1 })
    }

    @Test func methodAndBodyReachTheTransport() throws {
        let transport = HostTransport { [picture] _, exchange in HostTransport.respond(exchange, body: picture) }
        let manager = try transport.makeManager()
        let request = makeRequest("http://pictures.test/draw")
        sdimage_request_set_method(request.pointer, "POST")
        let body = try make(sdimage_data_unref) { sdimage_data_new("wish", 4, $0, $1) }
        sdimage_request_set_body(request.pointer, body.pointer)
        #expect(try load(manager, request).status == .SDIMAGE_STATUS_OK)
        #expect(transport.asked.get().first?.method == "POST" && transport.asked.get().first?.body == Array("wish".utf8))
    }

    @Test func redirectsStatusesAndTypesAreJudgedByTheDownloader() throws {
        let transport = HostTransport { [picture] asked, exchange in
            switch URL(string: asked.url)?.path {
            case "/away": HostTransport.respond(exchange, 302, [("Location", "http://other.test/b")])
            case "/gone": HostTransport.respond(exchange, 404)
            case "/page": HostTransport.respond(exchange, 200, [("Content-Type", "text/html")], body: picture)
            case "/down": HostTransport.respond(exchange, 302, [("Location", "http://pictures.test/b")])
            default: HostTransport.respond(exchange, body: picture)
            }
        }
        let manager = try transport.makeManager { config in
            sdimage_downloader_config_set_bearer_token(config, "secret")
            sdimage_downloader_config_add_acceptable_type(config, "image/png")
        }
        #expect(try load(manager, makeRequest("http://pictures.test/away")).status == .SDIMAGE_STATUS_OK)
        #expect(transport.asked.get().map { $0.headers["Authorization"] } == ["Bearer secret", nil])
        #expect(try load(manager, makeRequest("http://pictures.test/gone")).httpStatus == 404)
        #expect(try load(manager, makeRequest("http://pictures.test/page")).status == .SDIMAGE_STATUS_CONTENT_TYPE)
        #expect(try load(manager, makeRequest("https://pictures.test/down")).status == .SDIMAGE_STATUS_REDIRECT_FORBIDDEN)
    }

    @Test func aBrokenExchangeGoesOnWhereItBrokeOff() throws {
        let transport = HostTransport { [picture] asked, exchange in
            let half = picture.count / 2
            let fields = [("ETag", "\"1\""), ("Accept-Ranges", "bytes"), ("Content-Length", "\(picture.count)")]
            guard asked.headers["Range"] == "bytes=\(half)-" else {
                return HostTransport.respond(exchange, 200, fields, body: Array(picture.prefix(half)))
            }
            let range = ("Content-Range", "bytes \(half)-\(picture.count - 1)/\(picture.count)")
            HostTransport.respond(exchange, 206, [("ETag", "\"1\""), range], body: Array(picture.dropFirst(half)))
        }
        let manager = try transport.makeManager { sdimage_downloader_config_set_retry_delay_ms($0, 1, 1) }
        let result = try load(manager, makeRequest("http://pictures.test/a.png"))
        #expect(result.status == .SDIMAGE_STATUS_OK && result.width == 60)
        #expect(transport.asked.get().last?.headers["If-Range"] == "\"1\"" && transport.asked.get().count == 2)
    }

    @Test(arguments: [
        (sdimage_status.SDIMAGE_STATUS_CONNECT_FAILED, 3), (.SDIMAGE_STATUS_TIMEOUT, 3), (.SDIMAGE_STATUS_TLS_FAILED, 1),
    ])
    func failuresOfATransportAreTriedAgainLikeOthers(status: sdimage_status, tries: Int) throws {
        let transport = HostTransport { _, exchange in HostTransport.finish(exchange, status) }
        let manager = try transport.makeManager { sdimage_downloader_config_set_retry_delay_ms($0, 1, 1) }
        #expect(try load(manager, makeRequest("http://pictures.test/a.png")).status == status)
        #expect(transport.asked.get().count == tries)
    }

    @Test func aTransportThatForgetsItsExchangeFailsTheLoad() throws {
        let transport = HostTransport { _, _ in }
        let manager = try transport.makeManager { sdimage_downloader_config_set_max_retries($0, 0) }
        #expect(try load(manager, makeRequest("http://pictures.test/a.png")).status == .SDIMAGE_STATUS_CONNECTION_LOST)
    }

    @Test func theRulesOfAnExchangeHold() throws {
        let statuses = Locked<[sdimage_status]>([])
        let transport = HostTransport { [picture] _, exchange in
            let response = sdimage_response_new(200), interim = sdimage_response_new(101)
            let said = [
                sdimage_exchange_write(exchange, picture, 5, nil), sdimage_exchange_respond(exchange, interim, nil),
                sdimage_exchange_respond(exchange, response, nil), sdimage_exchange_respond(exchange, response, nil),
                sdimage_exchange_write(exchange, picture, picture.count, nil),
                sdimage_exchange_write(exchange, picture, picture.count, nil),
            ]
            HostTransport.finish(exchange)
            statuses.change { $0 = said + [sdimage_exchange_write(exchange, picture, 5, nil)] }
            sdimage_response_unref(response)
            sdimage_response_unref(interim)
        }
        let manager = try transport.makeManager { sdimage_downloader_config_set_max_body_bytes($0, picture.count + 99) }
        // The transport ends without an error, but the body is not complete.
        #expect(try load(manager, makeRequest("http://pictures.test/a.png")).status == .SDIMAGE_STATUS_TOO_LARGE)
        let refused = sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT
        #expect(statuses.wait { $0.count == 7 })
        #expect(
            statuses.get() == [
                refused, refused, .SDIMAGE_STATUS_OK, refused, .SDIMAGE_STATUS_OK, .SDIMAGE_STATUS_TOO_LARGE, refused,
            ])
    }

    @Test func cancellingReachesTheTransportAndFreesItsPlace() throws {
        let transport = HostTransport { [picture] asked, exchange in
            guard asked.url.hasSuffix("stuck") else { return HostTransport.respond(exchange, body: picture) }
            while !sdimage_exchange_is_cancelled(exchange) { usleep(1000) }
        }
        let manager = try transport.makeManager { sdimage_downloader_config_set_max_total($0, 1) }
        let listener = Listener()
        let task = try listener.load(manager, makeRequest("http://pictures.test/stuck"))
        #expect(transport.asked.wait { $0.count == 1 })
        sdimage_task_cancel(task.pointer)
        #expect(try #require(listener.final()).status == .SDIMAGE_STATUS_CANCELLED)
        #expect(try load(manager, makeRequest("http://pictures.test/next")).status == .SDIMAGE_STATUS_OK)
        #expect(transport.cancelled.wait { $0 == 1 })
    }

    @Test func aSilentTransportIsGivenUp() throws {
        let transport = HostTransport { _, exchange in
            while !sdimage_exchange_is_cancelled(exchange) { usleep(1000) }
        }
        let manager = try transport.makeManager { config in
            sdimage_downloader_config_set_inactivity_timeout_ms(config, 100)
            sdimage_downloader_config_set_max_retries(config, 0)
        }
        #expect(try load(manager, makeRequest("http://pictures.test/a.png")).status == .SDIMAGE_STATUS_TIMEOUT)
    }

    @Test func whatOnlyConnectionsCouldDoIsRefused() throws {
        let transport = HostTransport { _, exchange in HostTransport.finish(exchange) }
        let failure = #expect(throws: CallFailure.self) {
            try transport.makeManager { sdimage_downloader_config_set_address_policy($0, .SDIMAGE_ADDRESS_POLICY_PUBLIC_ONLY) }
        }
        #expect(failure?.status == .SDIMAGE_STATUS_UNSUPPORTED)
        let manager = try transport.makeManager()
        let request = makeRequest("http://pictures.test/a.png")
        sdimage_request_set_handle_cookies(request.pointer, true)
        #expect(try load(manager, request).status == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(transport.asked.get().isEmpty)
    }

    @Test func partsAreShownAndConditionsAskedThroughATransport() throws {
        let transport = HostTransport { [picture] asked, exchange in
            if asked.headers["If-None-Match"] == "\"7\"" { return HostTransport.respond(exchange, 304, [("ETag", "\"7\"")]) }
            HostTransport.respond(exchange, 200, [("ETag", "\"7\"")], body: picture)
        }
        let manager = try transport.makeManager(cache: try makeCache(in: nil))
        #expect(try load(manager, makeRequest("http://pictures.test/a.png")).status == .SDIMAGE_STATUS_OK)
        let again = makeRequest("http://pictures.test/a.png")
        sdimage_request_set_freshness(again.pointer, .SDIMAGE_FRESHNESS_REFRESH)
        let result = try load(manager, again)
        #expect(result.status == .SDIMAGE_STATUS_OK && !result.isChanged && !result.isStale)
        #expect(transport.asked.get().count == 2)
    }

    @Test func hundredsOfExchangesGetTheirOwnPictures() throws {
        let transport = HostTransport { asked, exchange in
            let width = Int(asked.url.split(separator: "/").last ?? "") ?? 1
            HostTransport.respond(exchange, body: makePNG(width: width, height: 1))
        }
        let manager = try transport.makeManager()
        let listeners = try (1...300).map { width in
            let listener = Listener()
            _ = try listener.load(manager, makeRequest("http://pictures.test/\(width)"))
            return (width, listener)
        }
        for (width, listener) in listeners { #expect(try #require(listener.final()).width == UInt32(width)) }
    }
}
