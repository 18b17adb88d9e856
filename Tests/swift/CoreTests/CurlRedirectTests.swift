import SDImage
@testable import SDImageCurl
import TestSupport
import Testing

extension CurlTests {
    @Test func redirectsAreFollowedToTheEnd() async throws {
        let server = LoopbackServer { request, connection in
            let step = Int(request.target.dropFirst()) ?? 0
            if step == 0 { return connection.answer(200, body: [7]) }
            connection.answer([301, 302, 303, 307, 308][step % 5], ["Location": "../\(step - 1)"], body: pattern(step * 10_000))
        }
        defer { server.stop() }
        let downloader = try Downloader()
        let data = try await downloader.load(server.url("/10")).get()
        #expect(data.array == [7])
        #expect(data.finalURL == Array(server.url("/0").utf8))
        #expect(await downloader.status(server.url("/11")) == .tooManyRedirects)
        #expect(try await Downloader { $0.maxRedirects = 0 }.status(server.url("/1")) == .tooManyRedirects)
    }

    @Test func redirectLoopEnds() async throws {
        let server = LoopbackServer { request, connection in connection.answer(302, ["Location": request.target]) }
        defer { server.stop() }
        #expect(try await Downloader().status(server.url("/")) == .tooManyRedirects)
        #expect(server.requests.count == 11)
    }

    @Test(arguments: [
        ("file:///etc/passwd", Status.redirectForbidden), ("ftp://h/a", .redirectForbidden), ("data:,x", .redirectForbidden),
        ("http://", .redirectForbidden), ("http://h:99999/", .redirectForbidden), ("", .invalidResponse),
    ])
    func redirectsElsewhereAreRefused(location: String, status: Status) async throws {
        let server = LoopbackServer { _, connection in connection.answer(302, ["Location": location], body: [1]) }
        defer { server.stop() }
        #expect(try await Downloader().status(server.url("/")) == status)
    }

    @Test func redirectFromHTTPSToHTTPIsRefused() throws {
        let secure = URLText("https://h/a")
        let next = try RedirectRules.next(from: secure, location: Array("https://i/b".utf8), hops: 0, limit: 1)
        #expect(next == URLText("https://i/b"))
        do {
            _ = try RedirectRules.next(from: secure, location: Array("http://h/b".utf8), hops: 0, limit: 1)
            Issue.record("allowed")
        } catch { #expect(error.status == .redirectForbidden) }
    }

    @Test func secretsStayWithTheirOrigin() async throws {
        let target = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        let source = LoopbackServer { [port = target.port] request, connection in
            switch request.target {
            case "/same": connection.answer(302, ["Location": "/cross"])
            default: connection.answer(302, ["Location": "http://127.0.0.1:\(port)/"])
            }
        }
        defer { source.stop(); target.stop() }
        let downloader = try Downloader {
            $0.credential = Credential(user: "u", password: "p")
            $0.fields.set("X-Default", "d")
        }
        let result = await downloader.load(
            "http://a:b@127.0.0.1:\(source.port)/same",
            headers: [HeaderField(name: "Cookie", value: "c"), HeaderField(name: "X-Token", value: "t")])
        #expect(result.status == .ok)
        for request in source.requests {
            #expect(request.headers["authorization"] == "Basic YTpi")
            #expect(request.headers["x-token"] == "t")
        }
        let arrived = try #require(target.requests.first?.headers)
        for name in ["authorization", "cookie", "x-token", "x-default"] { #expect(arrived[name] == nil) }
        #expect(arrived["accept"] != nil)
    }

    @Test(arguments: [
        "http://127.0.0.1", "http://127.1", "http://0x7f.1", "http://2130706433", "http://0177.0.0.1", "http://[::1]",
        "http://[::ffff:127.0.0.1]", "http://localhost", "http://0.0.0.0", "http://[::]", "http://[::ffff:7f00:1]",
    ])
    func privateAddressesAreForbiddenInEverySpelling(prefix: String) async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        let downloader = try Downloader { $0.addressPolicy = .publicOnly }
        #expect(await downloader.status("\(prefix):\(server.port)/") == .addressForbidden)
        #expect(server.connections == 0)
    }

    @Test func keptConnectionToPrivateAddressIsForbiddenToo() async throws {
        let server = LoopbackServer { _, connection in connection.answer(200, body: [1]) }
        defer { server.stop() }
        let open = try Downloader(), guarded = try Downloader { $0.addressPolicy = .publicOnly }
        #expect(await open.status(server.url("/")) == .ok)
        #expect(await guarded.status(server.url("/")) == .addressForbidden)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        ("8.8.8.8", true), ("1.1.1.1", true), ("10.0.0.1", false), ("172.16.0.1", false), ("172.31.255.255", false),
        ("172.32.0.1", true),
        ("192.168.1.1", false), ("169.254.169.254", false), ("100.64.0.1", false), ("100.128.0.1", true), ("127.255.0.1", false),
        ("224.0.0.1", false), ("255.255.255.255", false), ("0.1.2.3", false), ("198.18.0.1", false), ("192.0.0.8", false),
        ("::1", false), ("::", false), ("fe80::1", false), ("fc00::1", false), ("fd12::1", false), ("ff02::1", false),
        ("::ffff:8.8.8.8", false), ("64:ff9b::7f00:1", false), ("2002:7f00:1::", false), ("2001:0::1", false),
        ("2001:db8::1", false),
        ("2606:4700::1111", true), ("2001:4860:4860::8888", true), ("nonsense", false),
    ])
    func publicAddressesAreToldFromOthers(address: String, isPublic: Bool) {
        #expect((AddressRules.address(text: address).map { AddressRules.isPublic($0) } ?? false) == isPublic)
    }
}
