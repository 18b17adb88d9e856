import Foundation
import SDImage
import Synchronization
import TestSupport
import Testing

/// All entries of a list, read in pages.
private func all(_ query: CacheQuery = CacheQuery(), of cache: DiskCache, limit: Int = 10) throws -> [CacheEntry] {
    var (found, place): ([CacheEntry], CachePosition?) = ([], .beginning)
    while let from = place {
        let page = try cache.entriesNow(query, from: from, limit: limit)
        #expect(page.entries.count <= limit)
        found += page.entries
        place = page.next
    }
    return found
}

@Test func entriesCanBeListedPageByPage() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let cache = try fixture.open()
    for index in 0..<25 { try cache.put(index, count: index * 4, at: "\(index)") }
    let found = try all(of: cache)
    #expect(found.map(\.key) == (0..<25).map { CacheKey("\($0)") })
    #expect(found.map(\.length) == (0..<25).map { $0 * 4 })
    #expect(found.filter(\.isFile).count == 12)
}

@Test func listFindsByPrefixLengthAndDate() throws {
    let time = Mutex<UInt64>(1_000_000_000_000)
    let fixture = CacheFixture()
    let cache = try fixture.open(CacheClock { time.withLock { $0 } })
    for index in 0..<30 {
        time.withLock { $0 += 1_000_000_000 }
        try cache.put(index, count: 10 * index, at: index % 3 == 0 ? "http://a/\(index)" : "http://b/\(index)")
    }
    var query = CacheQuery()
    query.prefix = Array("http://a/".utf8)
    #expect(try all(query, of: cache, limit: 4).map(\.key) == stride(from: 0, to: 30, by: 3).map { CacheKey("http://a/\($0)") })
    query.lengths = 100...200
    #expect(try all(query, of: cache).map(\.length) == [120, 150, 180])
    query = CacheQuery()
    query.order = .accessed
    query.accessedUntil = 1_005_000_000_000
    let oldest = ["a/0", "b/1", "b/2", "a/3", "b/4"].map { CacheKey("http://" + $0) }
    #expect(try all(query, of: cache, limit: 2).map(\.key) == oldest)
}

@Test func leastRecentlyUsedIsListedFirst() async throws {
    let time = Mutex<UInt64>(1_000_000_000_000)
    let fixture = CacheFixture()
    let cache = try fixture.open(CacheClock { time.withLock { $0 } })
    for key in ["a", "b", "c"] {
        time.withLock { $0 += 1_000_000_000 }
        try cache.put(1, at: key)
    }
    time.withLock { $0 += 3_700_000_000_000 }
    _ = try cache.get("a")
    // Access times are written at the latest when the cache is closed.
    cache.close()
    var query = CacheQuery()
    query.order = .accessed
    let reopened = try fixture.open(CacheClock { time.withLock { $0 } })
    #expect(try all(query, of: reopened, limit: 1).map(\.key) == ["b", "c", "a"].map { CacheKey($0) })
}

/// Reads change the date of an entry after an hour, or a sixtieth of its maximum age.
@Test(arguments: [(604_800, 3600), (-1, 3600), (36_000, 600), (100, 60)])
func datesOfAccessHaveAResolution(age: Int, seconds: UInt64) throws {
    let start: UInt64 = 1_000_000_000_000
    let time = Mutex(start)
    let fixture = CacheFixture { $0.disk.maxAge = age }
    func accessed(after seconds: UInt64) throws -> UInt64? {
        let cache = try fixture.open(CacheClock { time.withLock { $0 } })
        if try all(of: cache).isEmpty { try cache.put(1, at: "a") }
        time.withLock { $0 = start + seconds * 1_000_000_000 }
        _ = try cache.get("a")
        cache.close()
        return try all(of: fixture.open(CacheClock { time.withLock { $0 } })).first?.accessed
    }
    #expect(try accessed(after: seconds - 1) == start)
    #expect(try accessed(after: seconds) == start + seconds * 1_000_000_000)
}

@Test func onePageOfManyEntriesLooksAtSomeOnly() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    let count = CacheQuery.longestLook + 500
    for index in 0..<count { cache.enqueueStore(CachedData(bytes: .empty), for: CacheKey("\(index)")) }
    var query = CacheQuery()
    query.prefix = Array("\(count - 1)".utf8)
    let first = try cache.entriesNow(query, limit: 10)
    #expect(first.entries.isEmpty)
    #expect(first.next != nil)
    #expect(try all(query, of: cache).map(\.key) == [CacheKey("\(count - 1)")])
}

@Test func extendedDataStaysWithItsEntryUntilThatIsReplaced() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 150 }
    for size in [100, 200] {
        let cache = try fixture.open()
        try cache.put(1, count: size, at: "a")
        #expect(try cache.extendedDataNow(for: CacheKey("a")) == nil)
        try cache.setExtendedDataNow(try bytes(7, count: 20), for: CacheKey("a"))
        #expect(array(try cache.extendedDataNow(for: CacheKey("a"))) == array(try bytes(7, count: 20)))
        cache.close()
        let reopened = try fixture.open()
        #expect(array(try reopened.dataNow(for: CacheKey("a"))?.extendedData) == array(try bytes(7, count: 20)))
        #expect(try reopened.get("a") == array(try bytes(1, count: size)))
        try reopened.setExtendedDataNow(nil, for: CacheKey("a"))
        #expect(try reopened.extendedDataNow(for: CacheKey("a")) == nil)
        try reopened.setExtendedDataNow(try bytes(8), for: CacheKey("a"))
        try reopened.put(2, count: size, at: "a")
        #expect(try reopened.extendedDataNow(for: CacheKey("a")) == nil)
        #expect(status { try reopened.setExtendedDataNow(.empty, for: CacheKey("absent")) } == .notFound)
        #expect(status { try reopened.extendedDataNow(for: CacheKey("absent")) } == .notFound)
    }
}

@Test func extendedDataCanBeSetForWhatStillWaits() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    cache.enqueueStore(CachedData(bytes: try bytes(1)), for: CacheKey("a"))
    try cache.setExtendedDataNow(try bytes(2), for: CacheKey("a"))
    #expect(array(try cache.extendedDataNow(for: CacheKey("a"))) == array(try bytes(2)))
    cache.enqueueRemove(CacheKey("a"))
    #expect(status { try cache.extendedDataNow(for: CacheKey("a")) } == .notFound)
}

@Test func expiryOfAnEntryOverridesTheAgeRule() throws {
    let time = Mutex<UInt64>(10_000_000_000_000)
    let fixture = CacheFixture { $0.disk.maxAge = 100 }
    let cache = try fixture.open(CacheClock { time.withLock { $0 } })
    for key in ["short", "long", "plain"] { try cache.put(1, at: key) }
    try cache.setExpiryNow(10_010_000_000_000, for: CacheKey("short"))
    try cache.setExpiryNow(20_000_000_000_000, for: CacheKey("long"))
    time.withLock { $0 += 50_000_000_000 }
    #expect(try ["short", "long", "plain"].map { try cache.get($0) != nil } == [false, true, true])
    time.withLock { $0 += 100_000_000_000 }
    #expect(try ["short", "long", "plain"].map { try cache.get($0) != nil } == [false, true, false])
    try cache.trimNow()
    #expect(try all(of: cache).map(\.key) == [CacheKey("long")])
}

@Test func trimmingBelowATargetTakesTheOldestOnly() throws {
    for rule in [ExpiryRule.access, .modification] {
        let fixture = CacheFixture { $0.disk.rule = rule }
        let cache = try fixture.open()
        for index in 0..<100 { try cache.put(index, count: 30_000, at: "\(index)") }
        let before = try cache.totalsNow()
        try cache.trimNow(below: before.footprint * 9 / 10)
        let after = try cache.totalsNow()
        #expect(after.footprint < before.footprint * 9 / 10)
        #expect(after.count > 80 && after.count < 95)
        #expect(try all(of: cache).map(\.key) == ((100 - after.count)..<100).map { CacheKey("\($0)") })
    }
}

@Test func unpinnedFileGoesWithTheLastOfItsPins() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 150 }
    let cache = try fixture.open()
    for (key, count) in [("small", 100), ("large", 200)] {
        try cache.put(1, count: count, at: key)
        let path = try cache.pathNow(for: CacheKey(key))
        #expect(try cache.pathNow(for: CacheKey(key)) == path)
        try cache.removeAllNow()
        #expect(try cache.unpinNow(path))
        #expect(FileManager.default.contents(atPath: path).map(Array.init) == array(try bytes(1, count: count)))
        #expect(try cache.unpinNow(path))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try !cache.unpinNow(path))
    }
    #expect(try !cache.unpinNow("/etc/passwd"))
}

@Test func modesAreThoseAskedForButNeverWritableByOthers() throws {
    let fixture = CacheFixture {
        $0.inlineEntryLimit = 10
        $0.modes = CacheModes(folder: 0o777, file: 0o666)
    }
    let cache = try fixture.open()
    try cache.put(1, at: "a")
    let file = try #require(fixture.entryFiles.first)
    let pin = try cache.pathNow(for: CacheKey("a"))
    for (path, mode) in [
        (file, 0o644), (pin, 0o644), (fixture.root, 0o755), (fixture.root + "/pins", 0o755),
        ((file as NSString).deletingLastPathComponent, 0o755),
    ] {
        let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(found?.intValue == mode, "\(path)")
    }
}
