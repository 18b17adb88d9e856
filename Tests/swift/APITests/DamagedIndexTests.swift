import CSDImage
import TestSupport
import Testing

/// A damaged disk cache index that SQLite would read endlessly, with the default limits. CoreTests cover every call, with shorter
/// limits.
@Suite struct DamagedIndexTests {
    @Test func aLookUpInAnIndexWithoutAnEndEnds() throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        for index in 0..<LoopedIndex.rows {
            #expect(
                sdimage_cache_store_data_async(cache.pointer, "\(index)", -1, data.pointer, nil, nil, nil, nil)
                    == .SDIMAGE_STATUS_OK)
        }
        #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        let index = LoopedIndex(in: folder.path + "/default")
        try index.loop("entry_digest")
        let damaged = try makeCache(in: folder.path)
        #expect(sdimage_cache_contains(damaged.pointer, "0", -1).rawValue == 0)
        #expect(index.isGivenUp)
        #expect(sdimage_cache_store_data(damaged.pointer, "0", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        let found = try make(sdimage_data_unref) { sdimage_cache_get_data(damaged.pointer, "0", -1, $0, $1) }
        #expect(sdimage_data_length(found.pointer) == 5)
    }
}
