import CSDImage
import Foundation
import TestSupport
import Testing

/// Partial images whose transfer breaks off and is retried.
@Suite struct ProgressiveRetryTests {
    private func makeManager() throws -> Owned {
        // The response is held while the partial image waits for a worker.
        let config = makePatientConfig()
        sdimage_downloader_config_set_retry_delay_ms(config.pointer, 1, 1)
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        return try APITests.makeManager(cache: nil, loader: loader)
    }

    /// The first attempt breaks off after a partial image. The second sends the rest, or all, of `second`.
    private func load(_ first: [UInt8], _ second: [UInt8], resumes: Bool) throws -> (Listener, [LoopbackServer.Request]) {
        let mayEnd = DispatchSemaphore(value: 0)
        let tag = resumes ? "ETag: \"a\"\r\nAccept-Ranges: bytes\r\n" : ""
        let server = LoopbackServer { request, connection in
            if let range = request.headers["range"], let start = Int(range.dropFirst(6).dropLast()) {
                connection.answer(
                    206, ["ETag": "\"a\"", "Content-Range": "bytes \(start)-\(second.count - 1)/\(second.count)"],
                    body: Array(second.dropFirst(start)))
            } else if request.connection == 1 {
                connection.send("HTTP/1.1 200 Fine\r\n\(tag)Content-Length: \(first.count)\r\n\r\n")
                connection.send(Array(first.prefix(first.count / 2)))
                mayEnd.wait()
                connection.close()
            } else {
                connection.answer(body: second)
            }
        }
        defer { server.stop() }
        let manager = try makeManager()
        let listener = Listener()
        let request = makeRequest(server.url("/a.jpg"))
        sdimage_request_set_progressive(request.pointer, true)
        sdimage_request_set_progressive_interval_ms(request.pointer, 1)
        let task = try listener.load(manager, request)
        let part = listener.part()
        mayEnd.signal()
        #expect(part?.width == 1024)
        _ = listener.final()
        withExtendedLifetime(task) {}
        return (listener, server.requests)
    }

    @Test func aTransferThatRestartsRestartsItsDecoder() throws {
        let bytes = try Fixtures.bytes("jpeg/large.jpg"), other = try Fixtures.bytes("pictures/balloons.jpg")
        let (listener, requests) = try load(bytes, other, resumes: false)
        #expect(requests.count == 2)
        // The second response is another image: it must contain nothing of the first.
        #expect(listener.finals.map(\.status) == [.SDIMAGE_STATUS_OK])
        #expect(listener.finals.first?.width == 800)
    }

    @Test func aTransferThatGoesOnGoesOnWithItsDecoder() throws {
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let (listener, requests) = try load(bytes, bytes, resumes: true)
        #expect(requests.map { $0.headers["range"] != nil } == [false, true])
        #expect(listener.finals.map(\.width) == [1024] && listener.finals.first?.isIncremental == false)
    }
}
