import CSDImage
import Foundation
import TestSupport
import Testing

/// Downloaders are independent of each other.
@Suite struct DownloaderIndependenceTests {
    private func makeDownloader() throws -> Owned {
        let config = makePatientConfig()
        return try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
    }

    private func load(_ downloader: Owned, _ url: String) throws {
        let request = makeRequest(url)
        let manager = try makeManager(cache: nil, loader: downloader)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        #expect(sdimage_result_image(result.pointer) != nil)
    }

    @Test func eachDownloaderHasConnectionsOfItsOwn() throws {
        let server = LoopbackServer { _, connection in connection.answer(body: makePNG(width: 2, height: 2)) }
        defer { server.stop() }
        let (one, other) = (try makeDownloader(), try makeDownloader())
        for name in ["/a", "/b"] {
            try load(one, server.url(name))
            try load(other, server.url(name))
        }
        let connections = server.requests.map(\.connection)
        #expect(connections == [1, 2, 1, 2])
    }

    @Test func theConnectionsOfAReleasedDownloaderAreClosed() throws {
        let server = LoopbackServer { _, connection in connection.answer(body: makePNG(width: 2, height: 2)) }
        defer { server.stop() }
        let other = try makeDownloader()
        try load(other, server.url("/a"))
        try load(try makeDownloader(), server.url("/b"))
        #expect(server.wait { $0.connectionsClosedByPeer == 1 })
        try load(other, server.url("/c"))
        #expect(server.requests.map(\.connection) == [1, 2, 1])
    }

    // Cancelling, suspending and invalidating one leaves the other alone.
    @Test func commandsReachOneDownloaderOnly() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = LoopbackServer { _, connection in
            gate.wait()
            connection.answer(body: makePNG(width: 2, height: 2))
        }
        defer { server.stop() }
        let (one, other) = (try makeDownloader(), try makeDownloader())
        let listeners = [Listener(), Listener()]
        let managers = try [one, other].map { try makeManager(cache: nil, loader: $0) }
        for (manager, listener) in zip(managers, listeners) { _ = try listener.load(manager, makeRequest(server.url("/a"))) }
        #expect(server.wait { $0.requests.count == 2 })
        sdimage_downloader_set_suspended(one.pointer, true)
        #expect(!sdimage_downloader_is_suspended(other.pointer))
        sdimage_downloader_invalidate(one.pointer, true)
        #expect(listeners[0].final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(sdimage_downloader_transfer_count(other.pointer) == 1)
        for _ in 0..<2 { gate.signal() }
        #expect(listeners[1].final()?.status == .SDIMAGE_STATUS_OK)
        gate.signal()
        try load(other, server.url("/b"))
        withExtendedLifetime(managers) {}
    }
}
