import CSDImage
import Foundation
import TestSupport
import Testing

/// Thumbnails that end their transfer early.
@Suite struct EarlyThumbnailTests {
    /// The file, the maximum size of its first scan or pass, and a box of an eighth of its size.
    private static let files: [(name: String, needed: Int, box: UInt32)] = [
        ("jpeg/large_progressive.jpg", 4050, 100), ("pictures/contour-map.png", 60_000, 60),
    ]

    private func early(_ url: String, _ box: UInt32) -> Owned {
        let request = makeRequest(url)
        sdimage_request_set_thumbnail_size(request.pointer, box, box, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        sdimage_request_set_early_thumbnail(request.pointer, true)
        return request
    }

    @Test(arguments: files) func theTransferEndsWhenTheThumbnailIsGood(name: String, needed: Int, box: UInt32) throws {
        let bytes = try Fixtures.bytes(name)
        let server = LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 Fine\r\nContent-Length: \(bytes.count)\r\n\r\n")
            connection.send(Array(bytes.prefix(needed)))
            // The rest is sent only if the client keeps the connection open.
            if !connection.waitForEnd() { connection.send(Array(bytes.dropFirst(needed))) }
        }
        defer { server.stop() }
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let config = makePatientConfig()
        let loader = try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
        let manager = try makeManager(cache: cache, loader: loader)
        let request = early(server.url("/\(name)"), box)
        let listener = Listener()
        _ = try listener.load(manager, request)
        let final = try #require(listener.final())
        #expect(final.status == .SDIMAGE_STATUS_OK && max(final.width, final.height) == box)
        #expect(final.source == .SDIMAGE_IMAGE_SOURCE_NETWORK && !final.hasData && !final.isIncremental)
        #expect(server.wait { $0.connectionsClosedByPeer == 1 })

        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        let url = server.url("/\(name)")
        #expect(sdimage_cache_contains(cache.pointer, url, url.utf8.count) == .SDIMAGE_CACHE_LAYERS_NONE)
        let again = Listener()
        _ = try again.load(manager, request)
        #expect(again.final()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(server.requests.count == 1)
    }

    @Test func theTransferGoesOnWhereAnotherLoadNeedsAll() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large_progressive.jpg")
        let small = Listener(), large = Listener()
        _ = try large.load(manager, makeRequest("test://a.jpg"))
        let sink = held.next()
        _ = try small.load(manager, early("test://a.jpg", 100))
        #expect(sdimage_load_sink_write(sink, bytes, 4050, nil) == .SDIMAGE_STATUS_OK)
        #expect(small.final()?.width == 100)
        #expect(held.cancelCount == 0)
        let rest = Array(bytes.dropFirst(4050))
        #expect(sdimage_load_sink_write(sink, rest, rest.count, nil) == .SDIMAGE_STATUS_OK)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(large.final()?.width == 1024)
        #expect(held.startCount == 1 && held.cancelCount == 0)
    }

    @Test func otherPicturesAreLoadedToTheEnd() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        for name in ["jpeg/large.jpg", "pictures/orbits.gif", "pictures/leaf.webp"] {
            let listener = Listener()
            _ = try listener.load(manager, early("test://\(name)", 32))
            #expect(held.answer(try Fixtures.bytes(name)))
            let final = listener.final()
            #expect(final?.status == .SDIMAGE_STATUS_OK && final.map { max($0.width, $0.height) } == 32)
        }
        #expect(held.cancelCount == 0)
    }

    @Test func whatIsNotGoodBeforeTheEndIsJudgedByAllBytes() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let listener = Listener()
        _ = try listener.load(manager, early("test://cut.jpg", 32))
        #expect(held.answer(Array(bytes.prefix(bytes.count / 2))))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_TRUNCATED)
    }
}
