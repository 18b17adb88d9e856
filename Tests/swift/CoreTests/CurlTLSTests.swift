import SDImage
@testable import SDImageCurl
import TestSupport
import Testing

extension CurlTests {
    private static let picture = ["a": "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\n\r\nPIXELS"]

    @Test(.enabled(if: TLSServer.isAvailable)) func onlyTrustedCertificatesAreAccepted() async throws {
        let server = try #require(TLSServer(name: "IP:127.0.0.1", answers: CurlTests.picture))
        defer { server.stop() }
        let url = "https://127.0.0.1:\(server.port)/a"
        let refused = try await Downloader().load(url).error
        #expect(refused?.status == .tlsFailed)
        #expect(refused?.libraryCode == 60)
        let trusting = try Downloader { $0.certificateAuthorityFile = server.certificate }
        #expect(await trusting.bytes(url) == Array("PIXELS".utf8))
        #expect(try await Downloader { $0.verifiesTLS = false }.bytes(url) == Array("PIXELS".utf8))
    }

    @Test(.enabled(if: TLSServer.isAvailable)) func connectionOfALaxLoaderIsNotLentToAStrictOne() async throws {
        let server = try #require(TLSServer(name: "IP:127.0.0.1", answers: CurlTests.picture))
        defer { server.stop() }
        let url = "https://127.0.0.1:\(server.port)/a"
        let lax = try Downloader { $0.verifiesTLS = false }, strict = try Downloader()
        #expect(await lax.status(url) == .ok)
        #expect(await strict.status(url) == .tlsFailed)
    }

    @Test(.enabled(if: TLSServer.isAvailable)) func certificateOfAnotherHostIsRefused() async throws {
        let server = try #require(TLSServer(name: "DNS:other.example", answers: CurlTests.picture))
        defer { server.stop() }
        let trusting = try Downloader { $0.certificateAuthorityFile = server.certificate }
        #expect(await trusting.status("https://127.0.0.1:\(server.port)/a") == .tlsFailed)
    }

    @Test(.enabled(if: TLSServer.isAvailable)) func redirectFromTLSToPlainIsRefusedOnTheWire() async throws {
        let plain = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { plain.stop() }
        let answers = ["a": "HTTP/1.0 302 Found\r\nLocation: \(plain.url("/"))\r\n\r\n"]
        let server = try #require(TLSServer(name: "IP:127.0.0.1", answers: answers))
        defer { server.stop() }
        let trusting = try Downloader { $0.certificateAuthorityFile = server.certificate }
        #expect(await trusting.status("https://127.0.0.1:\(server.port)/a") == .redirectForbidden)
        #expect(plain.connections == 0)
    }

    @Test func handshakeThatStallsEndsWithTheConnectTimeout() async throws {
        // The server waits for the empty line after an HTTP header, which never arrives.
        let server = LoopbackServer { _, _ in }
        defer { server.stop() }
        let downloader = try Downloader { $0.connectTimeoutMilliseconds = 2000 }
        #expect(await downloader.status("https://127.0.0.1:\(server.port)/a") == .timeout)
        #expect(await server.becomes { $0.connectionsClosedByPeer == 1 })
    }
}

@Test func namesAreLookedUpOnceAndEightAtATime() {
    var gate = ResolutionGate()
    let hosts = (0..<10).map { Array("host\($0)".utf8) }
    for host in hosts.prefix(8) {
        #expect(gate.admits(host, of: 1, at: 0))
        gate.began(host, of: 1, at: 0)
    }
    #expect(!gate.admits(hosts[0], of: 1, at: 0))
    #expect(!gate.admits(hosts[8], of: 1, at: 0))
    gate.resolved(hosts[0], of: 1, at: 0)
    #expect(gate.admits(hosts[0], of: 1, at: 1))
    #expect(gate.admits(hosts[8], of: 1, at: 1))
    // Another downloader has a cache of its own.
    gate.began(hosts[0], of: 2, at: 1)
    #expect(!gate.admits(hosts[0], of: 2, at: 1))
    gate.forget(2)
    #expect(gate.admits(hosts[0], of: 2, at: 1))
    gate.settled(hosts[1], of: 1)
    #expect(gate.admits(hosts[1], of: 1, at: 1))
    // The result is forgotten before libcurl forgets it.
    for host in hosts[2..<8] { gate.settled(host, of: 1) }
    gate.began(hosts[0], of: 1, at: 60_000_000_000)
    #expect(!gate.admits(hosts[0], of: 1, at: 60_000_000_000))
}

@Test func slowLookUpsHoldBackNoOtherNames() {
    var gate = ResolutionGate()
    let hosts = (0..<20).map { Array("host\($0)".utf8) }
    for host in hosts.prefix(8) { gate.began(host, of: 1, at: 5) }
    #expect(gate.admits(hosts[8], of: 2, at: 5))
    #expect(gate.admits(hosts[0], of: 2, at: 5))
    #expect(gate.opening(hosts[8], of: 1, at: 5) == 5 + ResolutionGate.longestLookUp)
    #expect(!gate.admits(hosts[8], of: 1, at: 4 + ResolutionGate.longestLookUp))
    #expect(gate.admits(hosts[8], of: 1, at: 5 + ResolutionGate.longestLookUp))
    #expect(gate.opening(hosts[0], of: 1, at: 5 + ResolutionGate.longestLookUp) == .max)
    for host in hosts[8..<16] { gate.began(host, of: 1, at: 5 + ResolutionGate.longestLookUp) }
    #expect(!gate.admits(hosts[16], of: 1, at: 6 + ResolutionGate.longestLookUp))
}

@Test(arguments: [
    ("127.0.0.1", true), ("127.1", true), ("0x7f.1", true), ("[::1]", true), ("1.example", false), ("a.b", false), ("", false),
])
func addressesAreToldFromNames(host: String, isAddress: Bool) {
    #expect(ResolutionGate.isAddress(Array(host.utf8)) == isAddress)
}
