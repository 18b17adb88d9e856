import SDImage
import SDImageCurl
import TestSupport
import Testing

extension CurlTests {
    /// A server that sets 50 cookies of 4 KB with each response, as many as libcurl takes. `grows`: each under another name.
    /// A small one is set by the first response.
    private func fill(grows: Bool) -> LoopbackServer {
        let value = String(repeating: "x", count: 3900)
        return LoopbackServer { request, connection in
            let path = grows ? request.target : "/"
            let large = (0..<50).map { "Set-Cookie: c\($0)=\(value); path=/large\(path)\r\n" }.joined()
            let small = request.target == "/0" ? "Set-Cookie: small=1; path=/\r\n" : ""
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\(small)\(large)\r\nx")
        }
    }

    @Test(arguments: [true, false]) func tooManyCookiesAreRemoved(grows: Bool) async throws {
        let server = fill(grows: grows)
        defer { server.stop() }
        let downloader = try Downloader()
        for number in 0..<18 {
            let status = await downloader.status(server.url("/\(number)")) { $0.handlesCookies = true }
            #expect(status == .ok)
        }
        let sent = server.requests.map { $0.headers["cookie"] }
        #expect(sent.count == 18 && sent[0] == nil && sent[1] == "small=1")
        #expect(sent[17] == (grows ? nil : "small=1"))
    }
}
