import Foundation
import SDImage
import SDImageCurl
import Synchronization
import TestSupport
import Testing

extension CurlTests {
    @Test func answerArrivesWithItsBytesAndFields() async throws {
        let body = pattern(300_000)
        let server = LoopbackServer { _, connection in
            connection.answer(
                200, ["Content-Type": "IMAGE/PNG; x=y", "ETag": "\"e\"", "Last-Modified": "then", "Cache-Control": "max-age=5"],
                body: body)
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let data = try await downloader.load(server.url("/a.png#mark")).get()
        #expect(data.array == body)
        #expect(data.source == .network)
        #expect(data.httpStatus == 200)
        #expect(data.mediaType == "image/png")
        #expect(data.record.entityTag == Array("\"e\"".utf8))
        #expect(data.record.lastModified == Array("then".utf8))
        #expect(data.record.cacheControl == Array("max-age=5".utf8))
        #expect(data.finalURL == Array(server.url("/a.png#mark").utf8))
        let request = try #require(server.requests.first)
        #expect(request.target == "/a.png")
        #expect(request.headers["accept"] == "image/*,*/*;q=0.8")
        #expect(request.headers["user-agent"]?.contains("(Linux ") == true)
        #expect(request.headers["cookie"] == nil)
    }

    @Test func longFieldsOfAnAnswerAreNotKept() async throws {
        let long = String(repeating: "a", count: 40_000)
        let server = LoopbackServer { _, connection in
            connection.answer(
                200, ["Cache-Control": "max-age=5, \(long)", "Vary": long, "ETag": "\"\(long)\"", "Expires": long], body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let record = try await downloader.load(server.url("/a")).get().record
        #expect(record.cacheControl == Array("no-cache, private".utf8) && record.vary == Array("*".utf8))
        #expect(record.entityTag.isEmpty && record.expires == [])
    }

    @Test func chunkedAndPackedBodiesAreUndone() async throws {
        let body = pattern(100_000)
        let server = LoopbackServer { request, connection in
            switch request.target {
            case "/chunked", "/status-in-trailer":
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for start in stride(from: 0, to: body.count, by: 10_000) {
                    connection.send(Array("2710\r\n".utf8) + body[start..<start + 10_000] + Array("\r\n".utf8))
                }
                let trailer = request.target == "/chunked" ? "ETag" : "HTTP/1.1 404 Not Found"
                connection.send("0\r\n\(trailer): too late\r\n\r\n")
            case "/until-close":
                connection.send(Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + body)
                connection.close()
            default: connection.answer(200, ["Content-Encoding": "gzip"], body: Gzip.stored(body))
            }
        }
        defer { server.stop() }
        let downloader = try Downloader()
        for target in ["/chunked", "/status-in-trailer", "/gzip", "/until-close"] {
            let data = try await downloader.load(server.url(target)).get()
            #expect(data.httpStatus == 200)
            #expect(data.array == body)
            #expect(data.record.entityTag.isEmpty)
        }
    }

    @Test(arguments: [
        ("/404", Status.httpStatus, 404), ("/500", .httpStatus, 500), ("/304", .httpStatus, 304), ("/206", .invalidResponse, 206),
        ("/empty", .emptyData, 200), ("/short", .connectionLost, 0), ("/reset", .connectionLost, 0),
        ("/badgzip", .invalidResponse, 0), ("/gzip-of-nothing", .invalidResponse, 0),
        ("/junk", .invalidResponse, 0), ("/close", .connectionLost, 0), ("/cutchunk", .connectionLost, 0),
        ("/long404", .httpStatus, 404),
        ("/manyencodings", .invalidResponse, 0), ("/hints-then-close", .connectionLost, 0),
    ])
    func brokenAnswersAreErrors(target: String, status: Status, httpStatus: Int) async throws {
        // Made before the request, whose inactivity timeout runs while the server makes a response.
        let long = target == "/long404" ? pattern(10_000_000) : []
        let server = LoopbackServer { request, connection in
            switch request.target {
            case "/404", "/500", "/206": connection.answer(Int(request.target.dropFirst()) ?? 0, body: pattern(100))
            case "/304": connection.send("HTTP/1.1 304 Not Modified\r\n\r\n")
            case "/long404": connection.answer(404, body: long)
            case "/empty": connection.answer(200)
            case "/short":
                connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8) + pattern(999))
                connection.close()
            case "/reset":
                connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8) + pattern(500))
                connection.reset()
            case "/cutchunk":
                connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
                connection.close()
            case "/badgzip": connection.answer(200, ["Content-Encoding": "gzip"], body: pattern(100))
            case "/gzip-of-nothing":
                connection.answer(200, ["Content-Encoding": "gzip, gzip"], body: Gzip.emptyBlocks(atLeast: 8 << 20))
            case "/manyencodings":
                connection.answer(
                    200, ["Content-Encoding": Array(repeating: "gzip", count: 1000).joined(separator: ",")], body: [1])
            case "/hints-then-close":
                connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                connection.close()
            case "/junk":
                connection.send(pattern(1000))
                connection.close()
            default: connection.close()
            }
        }
        defer { server.stop() }
        let result = try await Downloader().load(server.url(target))
        #expect(result.status == status)
        #expect(result.error?.httpStatus == Int32(httpStatus))
        #expect(result.error?.url.string == server.url(target))
    }

    @Test func interimAnswersAreSkipped() async throws {
        let server = LoopbackServer { _, connection in
            connection.send("HTTP/1.1 103 Early Hints\r\nETag: early\r\n\r\n")
            connection.answer(200, body: [1, 2])
        }
        defer { server.stop() }
        let data = try await Downloader().load(server.url("/")).get()
        #expect(data.array == [1, 2])
        #expect(data.record.entityTag.isEmpty)
    }

    @Test func digestAuthenticationNeedsOneMoreRound() async throws {
        let server = LoopbackServer { request, connection in
            guard request.headers["authorization"]?.hasPrefix("Digest username=\"u\"") == true else {
                return connection.answer(
                    401, ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""], body: pattern(10))
            }
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader { $0.credential = Credential(user: "u", password: "p") }
        #expect(await downloader.bytes(server.url("/")) == [1])
        #expect(server.requests.count == 2)
        #expect(try await Downloader().load(server.url("/")).error?.httpStatus == 401)
    }

    @Test func theCodingOfARefusalIsNotThatOfTheAnswer() async throws {
        let server = LoopbackServer { request, connection in
            guard request.headers["authorization"] == nil else { return connection.answer(200, body: [1, 2]) }
            connection.answer(
                401, ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"", "Content-Encoding": "gzip"],
                body: [0x1F, 0x8B])
        }
        defer { server.stop() }
        let downloader = try Downloader {
            $0.credential = Credential(user: "u", password: "p")
            $0.acceptableStatuses = nil
        }
        #expect(await downloader.bytes(server.url("/")) == [1, 2])
        #expect(server.requests.count == 2)
    }

    @Test func conditionalRequestMayBeAnsweredWithNotModified() async throws {
        let server = LoopbackServer { _, connection in
            connection.send("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=9\r\n\r\n")
        }
        defer { server.stop() }
        let data = try await Downloader().load(server.url("/"), headers: [HeaderField(name: "If-None-Match", value: "\"e\"")])
            .get()
        #expect(data.httpStatus == 304)
        #expect(data.bytes.isEmpty)
        #expect(data.record.cacheControl == Array("max-age=9".utf8))
    }

    @Test func acceptableTypesAndStatusesAreConfigurable() async throws {
        let server = LoopbackServer { request, connection in
            connection.answer(request.target == "/404" ? 404 : 200, ["Content-Type": "text/html; charset=utf-8"], body: [1])
        }
        defer { server.stop() }
        #expect(try await Downloader().status(server.url("/")) == .ok)
        #expect(try await Downloader { $0.acceptableContentTypes = ["image/png"] }.status(server.url("/")) == .contentType)
        #expect(try await Downloader { $0.acceptableContentTypes = ["text/html"] }.status(server.url("/")) == .ok)
        #expect(try await Downloader { $0.acceptableStatuses = nil }.status(server.url("/404")) == .ok)
    }

    @Test func bodyAboveTheLimitIsTooLarge() async throws {
        let bomb = Gzip.zeros(atLeast: 50 << 20), piece = pattern(65536), exact = pattern(1 << 20)
        let server = LoopbackServer { request, connection in
            switch request.target {
            case "/announced": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\nx")
            case "/endless":
                connection.send("HTTP/1.1 200 OK\r\n\r\n")
                while connection.send(piece) {}
            case "/exact": connection.answer(200, body: exact)
            default: connection.answer(200, ["Content-Encoding": "gzip"], body: bomb)
            }
        }
        defer { server.stop() }
        let downloader = try Downloader { $0.maxBodyBytes = 1 << 20 }
        #expect(await downloader.status(server.url("/exact")) == .ok)
        for target in ["/announced", "/endless", "/bomb"] {
            let error = await downloader.load(server.url(target)).error
            #expect(error?.status == .tooLarge)
            #expect(error?.message.string.contains("1048576") == true)
        }
        #expect(await downloader.status(server.url("/exact")) { $0.maxBodyBytes = 1000 } == .tooLarge)
    }

    @Test(arguments: ["/many", "/long"]) func hugeHeaderIsTooLarge(target: String) async throws {
        let server = LoopbackServer { request, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            if request.target == "/long" { connection.send("X-Filler: " + String(repeating: "x", count: 500_000)) }
            for _ in 0..<10_000 where !connection.send("X-Filler: " + String(repeating: "x", count: 90) + "\r\n") { return }
        }
        defer { server.stop() }
        #expect(try await Downloader().status(server.url(target)) == .tooLarge)
    }

    @Test(arguments: ["/silent", "/stalled"])
    func silenceEndsWithTimeout(target: String) async throws {
        let server = LoopbackServer { request, connection in
            if request.target == "/stalled" { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
            _ = connection.waitForEnd()
        }
        defer { server.stop() }
        // Each with the other limit beyond the time limit of this suite.
        let inactivity = try Downloader { ($0.inactivityTimeoutMilliseconds, $0.totalTimeoutMilliseconds) = (200, 3_600_000) }
        #expect(await inactivity.status(server.url(target)) == .timeout)
        let total = try Downloader { $0.inactivityTimeoutMilliseconds = 3_600_000 }
        #expect(await total.status(server.url(target)) { $0.timeoutMilliseconds = 100 } == .timeout)
    }

    @Test func tricklingEndsWithTheTotalTimeout() async throws {
        let server = LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while connection.send([1]) { usleep(20_000) }
        }
        defer { server.stop() }
        let downloader = try Downloader {
            $0.inactivityTimeoutMilliseconds = 200
            $0.totalTimeoutMilliseconds = 400
        }
        // A busy machine may delay a byte for longer than the inactivity timeout, which then ends that attempt.
        var (longest, attempts): (UInt64, Int) = (0, 0)
        while longest < 400_000_000, attempts < 100 {
            let start = MonotonicClock.now
            #expect(await downloader.status(server.url("/")) == .timeout)
            longest = max(longest, MonotonicClock.now - start)
            attempts += 1
        }
        #expect(longest >= 400_000_000)
    }

    @Test func progressBeginsAtZeroAndEndsWithAll() async throws {
        let body = pattern(2_000_000)
        let server = LoopbackServer { _, connection in connection.answer(200, body: body) }
        defer { server.stop() }
        let calls = Mutex<[(Int64, Int64)]>([])
        _ = try await Downloader().load(server.url("/"), { _ in }) { received, expected in
            calls.withLock { $0.append((received, expected)) }
        }.get()
        let seen = calls.withLock { $0 }
        #expect(try #require(seen.first) == (0, -1))
        #expect(try #require(seen.last) == (2_000_000, 2_000_000))
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.0 < $1.0 })
    }

    @Test func unreachablePortAndUnknownHostAreTold() async throws {
        let server = LoopbackServer { _, _ in }
        server.stop()
        let refused = try await Downloader().load("http://127.0.0.1:1/a").error
        #expect(refused?.status == .connectFailed)
        #expect(refused?.systemError == ECONNREFUSED)
        #expect(refused?.libraryCode == 7)
        #expect(try await Downloader().status("http://no-such-host.invalid/") == .resolveFailed)
    }

    @Test func secretsOfTheURLAreSentAndNotShown() async throws {
        let server = LoopbackServer { request, connection in
            connection.answer(request.headers["authorization"] == nil ? 401 : 404)
        }
        defer { server.stop() }
        let url = "http://us%40er:pass@127.0.0.1:\(server.port)/a"
        let error = try #require(await Downloader().load(url).error)
        #expect(error.httpStatus == 404)
        #expect(error.url.string == server.url("/a"))
        #expect(server.requests.last?.headers["authorization"] == "Basic " + Data("us@er:pass".utf8).base64EncodedString())
    }

    @Test func headerFieldsOfTheRequestReplaceThoseOfTheLoader() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        let downloader = try Downloader { $0.fields.set("X-Default", "d") }
        _ = await downloader.load(
            server.url("/"), headers: [HeaderField(name: "ACCEPT", value: "image/webp"), HeaderField(name: "X-Empty", value: "")])
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["accept"] == "image/webp")
        #expect(headers["x-default"] == "d")
        #expect(headers["x-empty"] == "")
    }

    @Test(arguments: [
        ("X", "a\r\nEvil: b"), ("X", "a\nb"), ("X", "a\0b"), ("X\r\nEvil", "a"), ("X Y", "a"), ("", "a"), ("X:", "a"),
        ("Content-Length", "5"), ("transfer-encoding", "chunked"),
    ])
    func injectedHeaderFieldsAreRefused(name: String, value: String) async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        #expect(
            try await Downloader().status(server.url("/")) { $0.headers = [HeaderField(name: name, value: value)] }
                == .invalidRequest)
        #expect(server.requests.isEmpty)
    }

    @Test func noTextInjectsALine() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        let downloader = try Downloader()
        var random = Randoms(seed: 1)
        let alphabet = Array("\r\n\t\0 :/?#[]@%0dA\\\"<>{}|^`é\u{7f}\u{85}\u{2028}".utf8)
        var accepted = 0
        for _ in 0..<1000 {
            let path = random.bytes(random.below(12), from: alphabet), value = random.bytes(random.below(8), from: alphabet)
            let url = String(decoding: Array(server.url("/").utf8) + path, as: UTF8.self)
            let header = HeaderField(name: "X-Value", value: String(decoding: value, as: UTF8.self))
            let status = await downloader.load(url, headers: [header]).status
            #expect([.ok, .invalidURL, .invalidRequest].contains(status))
            if status == .ok { accepted += 1 }
        }
        #expect(accepted > 20)
        #expect(server.requests.count == accepted)
        for request in server.requests {
            #expect(Set(request.headers.keys).isSubset(of: ["host", "user-agent", "accept", "accept-encoding", "x-value"]))
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/a", "gopher://127.0.0.1/a"])
    func otherSchemesAreNotTaken(url: String) async throws {
        let downloader = try Downloader()
        #expect(!downloader.loader.canLoad(ImageRequest(url: Array(url.utf8))))
        #expect(await downloader.status(url) == .unsupported)
    }

    @Test func proxyIsAskedForTheWholeURL() async throws {
        let proxy = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { proxy.stop() }
        let downloader = try Downloader { $0.proxy = "http://127.0.0.1:\(proxy.port)" }
        #expect(await downloader.status("http://no-such-host.invalid/a?b") == .ok)
        #expect(proxy.requests.map(\.target) == ["http://no-such-host.invalid/a?b"])
        // A proxy would bypass the address policy.
        let guarded = try Downloader {
            $0.proxy = "http://127.0.0.1:\(proxy.port)"
            $0.addressPolicy = .publicOnly
        }
        #expect(await guarded.status("http://no-such-host.invalid/") == .resolveFailed)
        #expect(proxy.connections == 1)
    }

    @Test func pathOutsideASCIIIsEscapedOnTheWire() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        let url = server.url("/ü/%20.png?ö#ä")
        let data = try await Downloader().load(url).get()
        #expect(server.requests.map(\.target) == ["/%C3%BC/%20.png?%C3%B6"])
        #expect(data.finalURL == Array(url.utf8))
    }

    @Test func sharingKeyNamesWhatChangesTheBytes() throws {
        let downloader = try Downloader(), other = try Downloader()
        func key(_ url: String, _ change: (inout ImageRequest) -> Void = { _ in }) -> SharingKey? {
            var request = ImageRequest(url: Array(url.utf8))
            change(&request)
            return downloader.loader.sharingKey(request)
        }
        #expect(key("http://h/a#x") == key("http://h/a#y"))
        #expect(key("http://h/a") != key("http://h/b"))
        #expect(key("http://h/a") != key("http://h/a") { $0.headers = [HeaderField(name: "A", value: "b")] })
        #expect(
            key("http://h/a") { $0.headers = [HeaderField(name: "A", value: "b")] }
                == key("http://h/a") { $0.headers = [HeaderField(name: "a", value: "b")] })
        let changes: [(inout ImageRequest) -> Void] = [
            { $0.timeoutMilliseconds = 5 }, { $0.handlesCookies = true }, { $0.acceptsInvalidCertificates = true },
            { $0.maxBodyBytes = 5 }, { $0.maxRetries = 5 }, { $0.omittedHeaders = ["Accept"] },
        ]
        for change in changes { #expect(key("http://h/a") != key("http://h/a", change)) }
        // The same condition of the host, of the URL itself, and of two URLs to which it redirects.
        let condition = HeaderField(name: "If-None-Match", value: "a")
        let others = ["b", "c"].map { ConditionTarget.redirected(MD5(of: Array($0.utf8))) }
        let targets = [ConditionTarget.unknown, .requested] + others
        let conditional = targets.map { target in
            key("http://h/a") { ($0.headers, $0.conditionTarget) = ([condition], target) }
        }
        #expect(Set(conditional.compactMap(\.self)).count == targets.count)
        #expect(key("http://h/a") == key("http://h/a") { $0.encodeFormat = .bmp })
        #expect(key("http://h/a") != other.loader.sharingKey(ImageRequest(url: Array("http://h/a".utf8))))
    }
}
