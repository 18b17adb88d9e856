import SDImage
@testable import SDImageCurl
import Synchronization
import TestSupport
import Testing

extension CurlTests {
    /// A downloader that retries at once.
    private func eager(_ count: UInt32 = 2, _ change: (inout DownloaderConfiguration) -> Void = { _ in }) throws -> Downloader {
        try Downloader {
            $0.maxRetries = count
            $0.retryDelayMilliseconds = 1
            change(&$0)
        }
    }

    /// Runs `fail` for the first `failures` requests, then responds.
    private func flaky(_ failures: Int, _ fail: @escaping @Sendable (Connection) -> Void) -> LoopbackServer {
        let asked = Mutex(0)
        return LoopbackServer { _, connection in
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            if number <= failures { fail(connection) } else { connection.answer(200, body: [7]) }
        }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func statusesThatPassAreTriedAgain(status: Int) async throws {
        let server = flaky(2) { $0.answer(status, body: [1]) }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == [7])
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [400, 401, 403, 404, 410, 451, 501, 505])
    func otherStatusesAreToldAtOnce(status: Int) async throws {
        let server = flaky(9) { $0.answer(status, body: [1]) }
        defer { server.stop() }
        #expect(try await eager().load(server.url("/")).error?.httpStatus == Int32(status))
        #expect(server.requests.count == 1)
    }

    @Test func lostConnectionsAreTriedAgainAsOftenAsAllowed() async throws {
        let closing = flaky(2) { $0.close() }, resetting = flaky(9) { $0.reset() }
        defer { closing.stop(); resetting.stop() }
        let downloader = try eager()
        #expect(await downloader.bytes(closing.url("/")) == [7])
        #expect(await downloader.status(resetting.url("/")) == .connectionLost)
        #expect(resetting.requests.count == 3)
        #expect(await downloader.status(resetting.url("/")) { $0.maxRetries = 0 } == .connectionLost)
        #expect(resetting.requests.count == 4)
        #expect(await downloader.bytes(resetting.url("/")) == nil)
        #expect(try await eager(0).status(resetting.url("/")) { $0.maxRetries = 5 } == .ok)
    }

    @Test func silenceBeforeTheAnswerIsTriedAgainAndSilenceInItIsNot() async throws {
        let silent = flaky(1) { _ = $0.waitForEnd() }
        let stalled = flaky(1000) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            _ = $0.waitForEnd()
        }
        defer { silent.stop(); stalled.stop() }
        // On a busy machine an attempt may also time out before the server responds.
        let downloader = try eager(100) {
            ($0.inactivityTimeoutMilliseconds, $0.longestRetryDelayMilliseconds, $0.totalTimeoutMilliseconds) = (200, 1, .max)
        }
        #expect(await downloader.bytes(silent.url("/")) == [7])
        let error = await downloader.load(stalled.url("/")).error
        #expect(error?.status == .timeout)
        let statuses = error?.transactions.map(\.httpStatus) ?? []
        #expect(statuses.last == 200 && statuses.count { $0 == 200 } == 1)
    }

    @Test func triesBeginAgainAtTheFirstURL() async throws {
        let asked = Mutex(0)
        let server = LoopbackServer { request, connection in
            if request.target == "/" { return connection.answer(302, ["Location": "/mirror"]) }
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            connection.answer(number == 1 ? 503 : 200, body: [7])
        }
        defer { server.stop() }
        let data = try await eager().load(server.url("/")).get()
        #expect(server.requests.map(\.target) == ["/", "/mirror", "/", "/mirror"])
        #expect(data.transactions.map(\.httpStatus) == [302, 503, 302, 200])
    }

    @Test func waitingForARetryHoldsNoPlaceAndIsCancelledAtOnce() async throws {
        let server = LoopbackServer { request, connection in
            connection.answer(request.target == "/bad" ? 503 : 200, ["Retry-After": "3600"], body: [7])
        }
        defer { server.stop() }
        let downloader = try eager {
            ($0.maxPerHost, $0.longestRetryAfterMilliseconds, $0.totalTimeoutMilliseconds) = (1, .max, .max)
        }
        let task = Task { await downloader.status(server.url("/bad")) }
        #expect(await server.becomes { $0.requests.count == 1 })
        #expect(await downloader.bytes(server.url("/good")) == [7])
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.requests.map(\.target) == ["/bad", "/good"])
    }

    @Test func serverThatAsksForALongWaitIsNotAskedAgain() async throws {
        let server = flaky(9) { $0.answer(503, ["Retry-After": "3600"], body: [1]) }
        defer { server.stop() }
        #expect(try await eager().load(server.url("/")).error?.httpStatus == 503)
        // Within the retry-after limit, but past the total timeout.
        let hasty = try eager {
            $0.longestRetryAfterMilliseconds = .max
            $0.totalTimeoutMilliseconds = 60_000
        }
        #expect(await hasty.load(server.url("/")).error?.httpStatus == 503)
        #expect(server.requests.count == 2)
    }

    @Test func waitThatTheServerAsksForIsKept() async throws {
        let server = flaky(1) { $0.answer(429, ["Retry-After": "1"], body: [1]) }
        defer { server.stop() }
        let start = MonotonicClock.now
        #expect(try await eager().bytes(server.url("/")) == [7])
        #expect(MonotonicClock.now - start >= 1_000_000_000)
    }

    @Test func triesEndWithTheTotalTimeout() async throws {
        let server = flaky(1000) { $0.answer(503, body: [1]) }
        defer { server.stop() }
        let downloader = try Downloader {
            $0.maxRetries = 1000
            $0.retryDelayMilliseconds = 50
            $0.longestRetryDelayMilliseconds = 50
        }
        let status = await downloader.status(server.url("/")) { $0.timeoutMilliseconds = 500 }
        // The timeout may also expire during an attempt.
        #expect([.httpStatus, .timeout].contains(status))
        // Without the timeout there would be a thousand attempts.
        #expect(server.requests.count < 100)
    }

    // MARK: resumption

    private static let whole = pattern(400_000)

    /// Breaks off after half of the body the first time, then passes the next request to `rest`.
    private func breaking(
        _ headers: [String: String], chunked: Bool = false,
        rest: @escaping @Sendable (LoopbackServer.Request, Connection) -> Void
    ) -> LoopbackServer {
        let asked = Mutex(0)
        return LoopbackServer { request, connection in
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            guard number == 1 else { return rest(request, connection) }
            let half = Array(CurlTests.whole[..<200_000])
            var head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
            head += chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 400000\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            connection.send(Array((head + "\r\n").utf8) + (chunked ? Array("30D40\r\n".utf8) : []) + half)
            connection.close()
        }
    }

    private static let tagged = ["Accept-Ranges": "bytes", "ETag": "\"v1\""]

    private static func part(_ request: LoopbackServer.Request, _ connection: Connection, _ headers: [String: String] = [:]) {
        let first = Int(request.headers["range"]?.dropFirst(6).dropLast() ?? "") ?? 0
        let range = ["Content-Range": "bytes \(first)-399999/400000"]
        connection.answer(206, range.merging(headers) { $1 }, body: Array(whole[first...]))
    }

    @Test(
        arguments: [
            ["Accept-Ranges": "bytes", "ETag": "\"v1\""],
            [
                "Accept-Ranges": "bytes", "Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT",
                "Date": "Tue, 15 Nov 1994 12:45:28 GMT",
            ],
        ], [false, true])
    func brokenBodyGoesOnWhereItBrokeOff(headers: [String: String], chunked: Bool) async throws {
        let server = breaking(headers, chunked: chunked) { CurlTests.part($0, $1) }
        defer { server.stop() }
        let data = try await eager().load(server.url("/")).get()
        #expect(data.array == CurlTests.whole)
        #expect(data.httpStatus == 200)
        #expect(data.mediaType == "image/png")
        #expect(data.transactions.map(\.httpStatus) == [200, 206])
        let request = try #require(server.requests.last)
        #expect(request.headers["range"] == "bytes=200000-")
        #expect(request.headers["if-range"] == headers["ETag"] ?? headers["Last-Modified"])
    }

    @Test(arguments: [
        ["ETag": "\"v1\""], ["Accept-Ranges": "none", "ETag": "\"v1\""], ["Accept-Ranges": "bytes", "ETag": "W/\"v1\""],
        ["Accept-Ranges": "bytes"],
        // Last-Modified equal to Date: the body may have changed again within that second.
        ["Accept-Ranges": "bytes", "Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT", "Date": "Tue, 15 Nov 1994 12:45:26 GMT"],
        ["Accept-Ranges": "bytes", "Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT"],
    ])
    func withoutAnOfferOrAStrongValidatorTheCompleteBodyIsLoadedAgain(headers: [String: String]) async throws {
        let server = breaking(headers) { _, connection in connection.answer(200, body: CurlTests.whole) }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == CurlTests.whole)
        #expect(server.requests.last?.headers["range"] == nil)
    }

    @Test func changedContentTakesThePlaceOfTheOld() async throws {
        let other = pattern(300_000, seed: 5)
        let server = breaking(CurlTests.tagged) { _, connection in connection.answer(200, ["ETag": "\"v2\""], body: other) }
        defer { server.stop() }
        let data = try await eager().load(server.url("/")).get()
        #expect(data.array == other)
        #expect(data.record.entityTag == Array("\"v2\"".utf8))
    }

    @Test(arguments: [
        ["Content-Range": "bytes 200001-399999/400000"], ["Content-Range": "bytes 199999-399999/400000"],
        ["Content-Range": "bytes 200000-399998/400000"], ["Content-Range": "bytes 200000-399999/400001"],
        ["Content-Range": "bytes 200000-399999/*"], ["Content-Range": "bytes */400000"], ["Content-Range": "rubbish"],
        ["ETag": "\"v2\""], ["Content-Encoding": "gzip"], ["Content-Range": "bytes 200000-/400000"],
    ])
    func partThatDoesNotContinueIsThrownAway(headers: [String: String]) async throws {
        let server = breaking(CurlTests.tagged) { request, connection in
            guard request.headers["range"] != nil else { return connection.answer(200, body: CurlTests.whole) }
            CurlTests.part(request, connection, headers)
        }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == CurlTests.whole)
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=200000-", nil])
    }

    @Test func unsatisfiableRangeRestarts() async throws {
        let server = breaking(CurlTests.tagged) { request, connection in
            guard request.headers["range"] != nil else { return connection.answer(200, body: CurlTests.whole) }
            connection.answer(416, ["Content-Range": "bytes */10"])
        }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == CurlTests.whole)
        #expect(server.requests.count == 3)
    }

    @Test func partOfAPartGoesOnOnceMore() async throws {
        let server = breaking(CurlTests.tagged) { request, connection in
            guard request.headers["range"] == "bytes=200000-" else { return CurlTests.part(request, connection) }
            let body = Array(CurlTests.whole[200_000..<300_000])
            connection.send(
                Array("HTTP/1.1 206 P\r\nContent-Length: 200000\r\nContent-Range: bytes 200000-399999/400000\r\n\r\n".utf8) + body
            )
            connection.close()
        }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == CurlTests.whole)
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=200000-", "bytes=300000-"])
    }

    @Test func receivedBytesOutlastATryWithoutABody() async throws {
        let tries = Mutex(0)
        let server = breaking(CurlTests.tagged) { request, connection in
            let number = tries.withLock { count in
                count += 1
                return count
            }
            if number == 1 { connection.close() } else { CurlTests.part(request, connection) }
        }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == CurlTests.whole)
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=200000-", "bytes=200000-"])
    }

    @Test func chunkedPartThatIsTooShortIsAnError() async throws {
        let server = breaking(CurlTests.tagged) { _, connection in
            let head = "HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 200000-399999/400000\r\n\r\n"
            connection.send(head + "3\r\nabc\r\n0\r\n\r\n")
        }
        defer { server.stop() }
        #expect(try await eager(1).status(server.url("/")) == .connectionLost)
    }

    @Test func encodedBodiesAreNeverResumed() async throws {
        let packed = Gzip.stored(CurlTests.whole)
        let asked = Mutex(0)
        let server = LoopbackServer { _, connection in
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            var head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n"
            head += "Accept-Ranges: bytes\r\nETag: \"v\"\r\n\r\n"
            connection.send(Array(head.utf8) + (isFirst ? Array(packed[..<200_000]) : packed))
            if isFirst { connection.close() }
        }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == CurlTests.whole)
        #expect(server.requests.last?.headers["range"] == nil)
    }

    @Test func redirectElsewhereMeanwhileIsNotResumed() async throws {
        let asked = Mutex(0)
        let server = LoopbackServer { request, connection in
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            switch request.target {
            case "/": connection.answer(302, ["Location": number == 1 ? "/a" : "/b"])
            case "/a":
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 400000\r\nAccept-Ranges: bytes\r\nETag: \"v\"\r\n\r\n"
                connection.send(Array(head.utf8) + Array(CurlTests.whole[..<200_000]))
                connection.close()
            default: connection.answer(200, body: [7, 8])
            }
        }
        defer { server.stop() }
        #expect(try await eager().bytes(server.url("/")) == [7, 8])
        #expect(server.requests.allSatisfy { $0.headers["range"] == nil })
    }
}

@Test(
    arguments: [
        ("0", 0), ("7", 7000), ("999999999", 999_999_999_000), ("9999999999", UInt64.max), ("-1", nil), ("1.5", nil), ("", nil),
        ("soon", nil), ("Tue, 15 Nov 1994 12:45:30 GMT", 4000), ("Tuesday, 15-Nov-94 12:45:30 GMT", 4000),
        ("Tue Nov 15 12:45:30 1994", 4000), ("Tue, 15 Nov 1994 12:45:00 GMT", 0),
        ("Tue, 15 Nov 600000000 12:45:30 GMT", nil), ("15 Nov 2147483647 12:45:30", nil), ("0000000000000007", 7000),
        ("99999999999999999999999999999999", UInt64.max), ("Fri, 31 Dec 9999 23:59:59 GMT", 252_617_397_273_000),
    ] as [(String, UInt64?)])
func retryAfterIsSecondsOrADate(field: String, milliseconds: UInt64?) {
    #expect(RetryRules.wait(Array(field.utf8), now: 784_903_526) == milliseconds)
}

@Test(arguments: [
    ("bytes 0-0/1", true), ("bytes 5-9/10", true), ("BYTES 5-9/10", true), ("bytes 5-10/10", false), ("bytes 9-5/10", false),
    ("bytes 5-9/*", false), ("bytes */10", false), ("bytes -5-9/10", false), ("bytes 5-9/+10", false), ("items 5-9/10", false),
    ("bytes 0-99999999999999999999/999999999999999999999", false), ("", false), ("bytes 5-9", false), ("bytes5-9/10", false),
])
func contentRangeIsReadStrictly(text: String, isRange: Bool) {
    #expect((ContentRange(Array(text.utf8)) != nil) == isRange)
}
