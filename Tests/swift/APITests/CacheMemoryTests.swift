import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct CacheMemoryTests {
    private func makeCache(_ configure: (OpaquePointer?) -> Void) throws -> Owned {
        let config = sdimage_cache_config_new()
        defer { sdimage_cache_config_unref(config) }
        sdimage_cache_config_set_memory_only(config, true)
        configure(config)
        return try make(sdimage_cache_unref) { sdimage_cache_new(config, $0, $1) }
    }

    private func makeImage() throws -> Owned {
        try make(sdimage_image_unref) { sdimage_image_new(1, 1, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, [1, 2, 3, 4], $0, $1) }
    }

    private func set(_ cache: Owned, _ key: String, _ image: Owned? = nil) throws {
        let image = try image ?? makeImage()
        #expect(sdimage_cache_set_memory_image(cache.pointer, key, -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
    }

    private func has(_ cache: Owned, _ key: String) -> Bool {
        let image = memoryImage(cache.pointer, key, -1)
        defer { sdimage_image_unref(image) }
        return image != nil
    }

    private func statistics(_ cache: Owned) throws -> [String: Int] {
        let json = try make(sdimage_data_unref) { sdimage_cache_statistics_to_json(cache.pointer, $0, $1) }
        let bytes = Data(bytes: try #require(sdimage_data_bytes(json.pointer)), count: sdimage_data_length(json.pointer))
        let report = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        return try #require(report?["memory"] as? [String: Int])
    }

    @Test func theJSONHasTheNamesOfTheFields() throws {
        let folder = TemporaryDirectory()
        let config = Owned(sdimage_cache_config_new()) { sdimage_cache_config_unref($0) }
        sdimage_cache_config_set_directory(config.pointer, folder.path)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config.pointer, $0, $1) }
        let json = try make(sdimage_data_unref) { sdimage_cache_statistics_to_json(cache.pointer, $0, $1) }
        let bytes = Data(bytes: try #require(sdimage_data_bytes(json.pointer)), count: sdimage_data_length(json.pointer))
        let report = try JSONSerialization.jsonObject(with: bytes) as? [String: [String: Any]]
        let memory = ["hits", "misses", "evictions", "ghost_hits", "bytes", "count"]
        let disk = [
            "hits", "misses", "stores", "dropped_stores", "damaged_entries", "damaged_indexes", "missing_files", "evictions",
            "pending_bytes", "bytes", "count", "allocated_bytes", "last_error",
        ]
        #expect(report?["memory"]?.keys.sorted() == memory.sorted())
        #expect(report?["disk"]?.keys.sorted() == disk.sorted())
    }

    @Test func theOldestLeavesWhereThatIsTheWish() throws {
        let cache = try makeCache {
            sdimage_cache_config_set_max_memory_count($0, 3)
            sdimage_cache_config_set_eviction($0, .SDIMAGE_EVICTION_LRU)
        }
        for key in ["a", "b", "c"] { try set(cache, key) }
        #expect(has(cache, "a"))
        try set(cache, "d")
        let kept = ["a", "b", "c", "d"].filter { has(cache, $0) }
        #expect(kept == ["a", "c", "d"])
    }

    @Test func aScanLeavesWhatIsAskedForAgain() throws {
        let cache = try makeCache { sdimage_cache_config_set_max_memory_count($0, 100) }
        let often = (0..<50).map { "often \($0)" }
        for key in often { try set(cache, key) }
        for _ in 0..<2 { for key in often { #expect(has(cache, key)) } }
        for number in 0..<1000 { try set(cache, "once \(number)") }
        let kept = often.filter { has(cache, $0) }
        #expect(kept.count == 50)
        #expect(try statistics(cache)["count"] == 100)
    }

    @Test func countersTellWhatHappened() throws {
        let cache = try makeCache { sdimage_cache_config_set_max_memory_count($0, 10) }
        for number in 0..<12 { try set(cache, "\(number)") }
        try set(cache, "0")
        #expect(has(cache, "11") && !has(cache, "missing"))
        let expected = ["hits": 1, "misses": 1, "evictions": 3, "ghost_hits": 1, "bytes": 640, "count": 10]
        let told = try statistics(cache)
        #expect(told == expected)
    }

    @Test func aHeldPictureIsFoundAgainAfterItLeft() throws {
        let cache = try makeCache {
            sdimage_cache_config_set_keep_weakly($0, true)
            sdimage_cache_config_set_max_memory_count($0, 1)
        }
        let held = try makeImage()
        for key in ["held", "dropped", "last"] { try set(cache, key, key == "held" ? held : nil) }
        #expect(!has(cache, "dropped"))
        #expect(has(cache, "held") && !has(cache, "last"))
        try set(cache, "last")
        sdimage_cache_set_keep_weakly(cache.pointer, false)
        #expect(!has(cache, "held"))
    }

    @Test func aCacheThatKeepsNothingInMemoryStillDoesWhatItIsTold() throws {
        let folder = TemporaryDirectory()
        let config = sdimage_cache_config_new()
        defer { sdimage_cache_config_unref(config) }
        sdimage_cache_config_set_directory(config, folder.path)
        sdimage_cache_config_set_keep_in_memory(config, false)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config, $0, $1) }
        let png = makePNG(width: 2, height: 2)
        let data = try make(sdimage_data_unref) { sdimage_data_new(png, png.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "a", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        _ = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "a", -1, nil, $0, $1) }
        #expect(!has(cache, "a"))
        try set(cache, "a")
        #expect(has(cache, "a"))
        sdimage_cache_set_keep_in_memory(cache.pointer, true)
        #expect(sdimage_cache_remove(cache.pointer, "a", -1, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        _ = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "a", -1, nil, $0, $1) }
        #expect(has(cache, "a"))
    }

    // In a process of its own: under pressure, the caches of all tests would be emptied.
    @Test func watchingForPressureNeedsNoCacheAndCanEnd() async {
        await #expect(processExitsWith: .success) {
            sdimage_watch_memory_pressure(true)
            let tests = CacheMemoryTests(), cache = try tests.makeCache { _ in }
            sdimage_watch_memory_pressure(false)
            // Stored after the end, because the machine that runs the test may be short of memory.
            try tests.set(cache, "a")
            #expect(tests.has(cache, "a"))
        }
    }
}
