import Foundation
import SDImage
@testable import SDImageCurl
import Synchronization
import TestSupport
import Testing

extension CurlTests {
    @Test func userAgentNamesProgramSystemAndScale() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        #expect(try await Downloader().status(server.url("/")) == .ok)
        #expect(try await Downloader { $0.fields.userAgent = "Mine/2" }.status(server.url("/")) == .ok)
        let agents = server.requests.map { $0.headers["user-agent"] ?? "" }
        let form = try Regex("^[A-Za-z0-9._-]+/[0-9.]+ \\(Linux [!-~]+; Scale/1\\.00\\)$")
        #expect(agents.first?.wholeMatch(of: form) != nil)
        #expect(agents.last == "Mine/2")
    }

    @Test func bearerTokenIsSentAndStaysWithItsOrigin() async throws {
        let target = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        let server = LoopbackServer { [url = target.url("/")] request, connection in
            if request.target == "/away" { return connection.answer(302, ["Location": url]) }
            connection.answer(request.headers["authorization"] == "Bearer t0k" ? 200 : 401, body: [1])
        }
        defer { server.stop(); target.stop() }
        let downloader = try Downloader { $0.bearerToken = "t0k" }
        #expect(await downloader.status(server.url("/")) == .ok)
        #expect(await downloader.status(server.url("/away")) == .ok)
        #expect(target.requests.first?.headers["authorization"] == nil)
        // A header field of the request, or a user in the URL, takes precedence.
        #expect(await downloader.load(server.url("/"), headers: [HeaderField(name: "authorization", value: "x")]).status != .ok)
        #expect(await downloader.status("http://u:p@127.0.0.1:\(server.port)/") == .authenticationFailed)
        #expect(throws: ImageError.self) { try Downloader { $0.bearerToken = "a\r\nEvil: b" } }
    }

    @Test func refusedCredentialsAreToldApartFromNone() async throws {
        let server = LoopbackServer { _, connection in
            connection.answer(401, ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""], body: [1])
        }
        defer { server.stop() }
        let error = try await Downloader { $0.credential = Credential(user: "u", password: "p") }.load(server.url("/")).error
        #expect(error?.status == .authenticationFailed)
        #expect(error?.httpStatus == 401)
        #expect(try await Downloader().status(server.url("/")) == .httpStatus)
    }

    @Test func cookiesAreKeptOnlyWhereTheRequestSaysSo() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, ["Set-Cookie": "a=b"], body: [1]) }
        defer { server.stop() }
        let downloader = try Downloader(), other = try Downloader()
        for handles in [false, true, true, false] {
            #expect(await downloader.status(server.url("/")) { $0.handlesCookies = handles } == .ok)
        }
        #expect(await other.status(server.url("/")) { $0.handlesCookies = true } == .ok)
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, nil, "a=b", nil, nil])
    }

    @Test func hostsOfTheListAreReachedWithoutTheProxy() async throws {
        let proxy = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        let server = LoopbackServer { _, connection in connection.answer(200, body: [2]) }
        defer { proxy.stop(); server.stop() }
        let downloader = try Downloader {
            $0.proxy = "http://127.0.0.1:\(proxy.port)"
            $0.proxyExceptions = "example.org,127.0.0.1"
        }
        #expect(await downloader.bytes(server.url("/")) == [2])
        #expect(await downloader.bytes("http://other.invalid/") == [1])
    }

    // In a process of its own: other threads read the environment while it changes.
    @Test func environmentSaysNothingAboutProxies() async {
        await #expect(processExitsWith: .success) { try await CurlTests().loadWithProxiesInTheEnvironment() }
    }

    private func loadWithProxiesInTheEnvironment() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [2]) }
        defer { server.stop() }
        unsafe setenv("http_proxy", "http://127.0.0.1:1", 1)
        unsafe setenv("all_proxy", "http://127.0.0.1:1", 1)
        #expect(try await Downloader().bytes(server.url("/")) == [2])
    }

    @Test func unixSocketStandsForEveryHost() async throws {
        let folder = TemporaryDirectory()
        let path = folder.path + "/s"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(listen(descriptor, 8) == 0)
        Thread.detachNewThread {
            let accepted = accept(descriptor, nil, nil)
            var buffer = [UInt8](repeating: 0, count: 4096)
            _ = unsafe recv(accepted, &buffer, buffer.count, 0)
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)
            _ = unsafe send(accepted, answer, answer.count, Int32(MSG_NOSIGNAL))
            close(accepted)
        }
        let downloader = try Downloader { $0.unixSocketPath = path }
        #expect(await downloader.bytes("http://no-such-host.invalid/a") == Array("x".utf8))
        let guarded = try Downloader {
            $0.unixSocketPath = path
            $0.addressPolicy = .publicOnly
        }
        #expect(await guarded.status("http://no-such-host.invalid/a") == .addressForbidden)
    }

    @Test func progressIsReportedInStepsOfTheWhole() async throws {
        let calls = Mutex<[Int64]>([])
        let server = LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            for _ in 0..<11 { connection.send([1, 2, 3, 4, 5]) }
            // More than half: the rest follows after this was reported.
            #expect(becomesTrue { calls.withLock { $0.last } == 55 })
            for _ in 0..<9 { connection.send([1, 2, 3, 4, 5]) }
        }
        defer { server.stop() }
        let downloader = try Downloader { $0.minProgressInterval = 0.51 }
        _ = try await downloader.load(server.url("/"), { _ in }) { received, _ in calls.withLock { $0.append(received) } }.get()
        let seen = calls.withLock { $0 }
        #expect(seen == [0, 55, 100])
    }

    @Test func suspendedLoaderStartsNothingAndFinishesWhatRuns() async throws {
        let gate = Gate()
        let server = LoopbackServer { request, connection in
            if request.target == "/first" { gate.wait() }
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let first = Task { await downloader.status(server.url("/first")) }
        #expect(await server.becomes { $0.requests.count == 1 })
        downloader.loader.changeLimits { $0.isSuspended = true }
        #expect(downloader.loader.limits.isSuspended)
        let second = Task { await downloader.status(server.url("/second")) }
        #expect(await server.becomes { _ in downloader.loader.transferCount == 2 })
        gate.open()
        #expect(await first.value == .ok)
        #expect(server.requests.count == 1)
        downloader.loader.changeLimits { $0.isSuspended = false }
        #expect(await second.value == .ok)
        #expect(downloader.loader.transferCount == 0)
    }

    @Test func moreAtOnceIsAllowedWhileTransfersWait() async throws {
        let gate = Gate()
        let server = LoopbackServer { _, connection in
            gate.wait()
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader { $0.maxPerHost = 1 }
        let loads = (0..<4).map { index in Task { await downloader.status(server.url("/\(index)")) } }
        #expect(await server.becomes { $0.requests.count == 1 })
        downloader.loader.changeLimits { $0.maxPerHost = 3 }
        #expect(await server.becomes { $0.requests.count == 3 })
        gate.open()
        for load in loads { #expect(await load.value == .ok) }
    }

    @Test func cancelAllEndsWhatRunsAndWhatWaits() async throws {
        let server = LoopbackServer { _, connection in _ = connection.waitForEnd() }
        defer { server.stop() }
        let downloader = try Downloader { $0.maxPerHost = 1 }, other = try Downloader()
        let loads = (0..<5).map { index in Task { await downloader.status(server.url("/\(index)")) } }
        let stranger = Task { await other.status(server.url("/other")) }
        #expect(await server.becomes { $0.requests.count == 2 && downloader.loader.transferCount == 5 })
        downloader.loader.cancelAll()
        for load in loads { #expect(await load.value == .cancelled) }
        #expect(other.loader.transferCount == 1)
        stranger.cancel()
        #expect(await stranger.value == .cancelled)
    }

    @Test(arguments: [true, false]) func invalidatedLoaderTakesNoMore(cancelling: Bool) async throws {
        let gate = Gate()
        let server = LoopbackServer { _, connection in
            gate.wait()
            connection.answer(200, body: [1])
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let load = Task { await downloader.status(server.url("/")) }
        #expect(await server.becomes { $0.requests.count == 1 })
        downloader.loader.invalidate(cancelling: cancelling)
        #expect(await downloader.status(server.url("/late")) == .invalidRequest)
        gate.open()
        #expect(await load.value == (cancelling ? .cancelled : .ok))
    }

    @Test func transactionsTellWhatWasAskedAndAnswered() async throws {
        let body = [UInt8](repeating: 7, count: 100_000)
        let server = LoopbackServer { request, connection in
            if request.target == "/from" { return connection.answer(302, ["Location": "/to"]) }
            connection.answer(200, ["Content-Encoding": "gzip"], body: Gzip.stored(body))
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let data = try await downloader.load("http://u:secret@127.0.0.1:\(server.port)/from").get()
        #expect(data.transactions.map(\.httpStatus) == [302, 200])
        #expect(data.transactions.map(\.isConnectionReused) == [false, true])
        #expect(data.transactions.map(\.url.string) == [server.url("/from"), server.url("/to")])
        let last = try #require(data.transactions.last)
        #expect("\(last.protocolName)" == "HTTP/1.1")
        #expect(last.remoteAddress.string == "127.0.0.1:\(server.port)")
        #expect(last.bodyBytes == 100_000)
        #expect(last.wireBytes > 100_000 && last.wireBytes < 101_000)
        #expect(last.firstByte > 0 && last.firstByte <= last.total)
        #expect(last.tls == 0)
        let error = try #require(await downloader.load("http://127.0.0.1:1/").error)
        #expect(error.transactions.map(\.httpStatus) == [0])
    }

    @Test(.enabled(if: TLSServer.isAvailable)) func requestMayAcceptAnyCertificateForItselfAlone() async throws {
        let server = try #require(TLSServer(name: "DNS:other.example", answers: ["a": "HTTP/1.0 200 OK\r\n\r\nPIXELS"]))
        defer { server.stop() }
        let url = "https://127.0.0.1:\(server.port)/a"
        let downloader = try Downloader()
        let data = try await downloader.load(url, { $0.acceptsInvalidCertificates = true }).get()
        #expect(data.array == Array("PIXELS".utf8))
        #expect(data.isUntrusted)
        #expect((data.transactions.first?.tls ?? 0) > 0)
        #expect(await downloader.status(url) == .tlsFailed)
        let trusting = ImageRequest(url: Array(url.utf8))
        var lax = trusting
        lax.acceptsInvalidCertificates = true
        #expect(downloader.loader.sharingKey(trusting) != downloader.loader.sharingKey(lax))
    }
}
