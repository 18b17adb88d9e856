import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct OfflineTests {
    @Test func offlineNoLoaderIsAskedForHTTP() throws {
        let fixture = try FreshnessFixture([:])
        #expect(!sdimage_manager_is_offline(fixture.manager.pointer))
        sdimage_manager_set_offline(fixture.manager.pointer, true)
        #expect(sdimage_manager_is_offline(fixture.manager.pointer))
        for freshness in [sdimage_freshness.SDIMAGE_FRESHNESS_IGNORE, .SDIMAGE_FRESHNESS_RESPECT, .SDIMAGE_FRESHNESS_REFRESH] {
            #expect(try fixture.load(freshness).map(\.status) == [.SDIMAGE_STATUS_OFFLINE])
        }
        #expect(fixture.origin.requests.isEmpty)
        // The offline failure is not remembered for the URL.
        sdimage_manager_set_offline(fixture.manager.pointer, false)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.width == 8)
        sdimage_manager_set_offline(fixture.manager.pointer, true)
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        fixture.forgetMemory()
        #expect(try fixture.load(.SDIMAGE_FRESHNESS_IGNORE).last?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(fixture.origin.requests.count == 1)
    }

    @Test func offlineARefreshKeepsWhatItHas() throws {
        let fixture = try FreshnessFixture(["Cache-Control": "max-age=1000"])
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        sdimage_manager_set_offline(fixture.manager.pointer, true)
        let results = try fixture.load(.SDIMAGE_FRESHNESS_REFRESH)
        #expect(results.map(\.kind) == [.SDIMAGE_DELIVERY_KIND_CACHED, .SDIMAGE_DELIVERY_KIND_FINAL])
        #expect(results.last?.status == .SDIMAGE_STATUS_OFFLINE && results.last?.isStale == true && results.last?.width == 8)
        #expect(results.last?.rule == "offline")
    }

    @Test func offlineFilesAndDataAreLoaded() throws {
        let folder = TemporaryDirectory()
        let manager = try makeManager(cache: nil)
        sdimage_manager_set_offline(manager.pointer, true)
        let path = folder.path + "/a.png"
        let picture = makePNG(width: 5, height: 5)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(picture)))
        for url in ["file://" + path, "data:image/png;base64," + Data(picture).base64EncodedString()] {
            let listener = Listener()
            _ = try listener.load(manager, makeRequest(url))
            #expect(listener.final()?.width == 5)
        }
    }

    @Test func offlineAppliesToEveryLoaderOfHTTP() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        sdimage_manager_set_offline(manager.pointer, true)
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("HTTPS://example.test/a.png"))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OFFLINE)
        #expect(held.startCount == 0)
    }
}
