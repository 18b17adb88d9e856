import Foundation
import SDImage
import SDImageSQLite
import TestSupport
import Testing

/// A disk cache index whose pages another program changed so that SQLite would read it endlessly.
@Suite struct DamagedIndexTests {
    /// A hundredth of the default limits, still far above the needs of calls on an intact index of this size.
    private static let limits = {
        var limits = SQLiteLimits()
        (limits.lookUp, limits.list, limits.change) = (limits.lookUp / 100, limits.list / 100, limits.change / 100)
        return limits
    }()

    private func open(_ fixture: CacheFixture) throws -> DiskCache {
        try DiskCache(fixture.configuration) { folder, name, isDurable throws(ImageError) in
            try SQLiteStore(in: folder, name: name, isDurable: isDurable, limits: DamagedIndexTests.limits)
        }
    }

    enum Use: CaseIterable {
        case data, contains, stored, accessed, prefix, totals, verify, repair, trim, expired, path, extended, expiry, clear, store
    }

    /// Runs the call until it ends and ignores its result.
    private func apply(_ use: Use, _ cache: DiskCache) {
        let key = CacheKey("0")
        switch use {
        case .data: _ = try? cache.dataNow(for: key)
        case .contains: _ = try? cache.containsNow(key)
        case .stored: list(cache, .stored)
        case .accessed: list(cache, .accessed)
        case .prefix: list(cache, .stored, prefix: "no such key")
        case .totals: _ = try? cache.totalsNow()
        case .verify, .repair: _ = try? cache.verifyNow(repairs: use == .repair)
        case .trim: try? cache.trimNow(below: 1)
        case .expired: try? cache.trimNow()
        case .path: _ = try? cache.pathNow(for: key)
        case .extended: _ = try? cache.extendedDataNow(for: key)
        case .expiry: try? cache.setExpiryNow(1, for: key)
        case .clear: try? cache.removeAllNow()
        case .store: try? cache.put(1, count: 5, at: "0")
        }
    }

    /// Reads all pages of a list.
    private func list(_ cache: DiskCache, _ order: CacheQuery.Order, prefix: String = "") {
        var query = CacheQuery()
        (query.order, query.prefix) = (order, Array(prefix.utf8))
        var place: CachePosition? = .beginning
        while let from = place { place = try? cache.entriesNow(query, from: from, limit: 1000).next }
    }

    @Test(arguments: ["entry", "entry_digest", "entry_accessed"]) func anIndexWithoutAnEndIsGivenUp(tree: String) throws {
        let fixture = CacheFixture()
        // Its limits are those of every cache: a busy machine exceeds the short ones of these tests.
        let cache = try fixture.open()
        for index in 0..<LoopedIndex.rows {
            cache.enqueueStore(CachedData(bytes: try bytes(index, count: 5)), for: CacheKey("\(index)"))
        }
        cache.close()
        let index = LoopedIndex(in: fixture.directory.path + "/default")
        try index.loop(tree)
        let kept = fixture.directory.path + "/kept"
        try FileManager.default.moveItem(atPath: fixture.directory.path + "/default", toPath: kept)
        for use in Use.allCases {
            try FileManager.default.copyItem(atPath: kept, toPath: fixture.directory.path + "/default")
            let cache = try open(fixture)
            apply(use, cache)
            // Later calls and the cache's background work find a working index.
            for _ in 0..<2 { apply(.trim, cache) }
            apply(.store, cache)
            #expect(try cache.get("0") == array(try bytes(1, count: 5)), "\(tree), \(use)")
            #expect(index.isGivenUp, "\(tree), \(use)")
            cache.close()
            // Not removed: connections that are being closed remove files of their own.
            try FileManager.default.moveItem(
                atPath: fixture.directory.path + "/default", toPath: fixture.directory.path + "/used-\(use)")
        }
    }
}
