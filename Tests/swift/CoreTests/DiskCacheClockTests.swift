import Glibc
import SDImage
import Synchronization
import TestSupport
import Testing

private let day: UInt64 = 86_400_000_000_000
private let today: UInt64 = 20_000 * 86_400_000_000_000

/// A clock set by the test.
private final class SetClock: Sendable {
    private let time = Mutex(today)

    var clock: CacheClock { CacheClock { self.time.withLock { $0 } } }

    func set(_ date: UInt64) { time.withLock { $0 = date } }
}

@Test(arguments: [UInt64(0), today - 10_000 * day, today + 20_000 * day])
func clockSetAndSetBackLosesLittle(wrong: UInt64) async throws {
    let clock = SetClock()
    let fixture = CacheFixture()
    let cache = try fixture.open(clock.clock)
    for index in 0..<50 { try cache.put(index, at: "\(index)") }
    clock.set(wrong)
    // Makes the cache search for expired entries.
    cache.setLimits(DiskLimits())
    try await cache.settle()
    try cache.put(50, at: "50")
    // Another process starts while the clock is wrong.
    let other = try fixture.open(clock.clock)
    try await other.settle()
    try await other.settle()
    clock.set(today + day)
    // Up to an eighth may be lost, because the second process cannot detect the wrong clock.
    var lost = 0
    for index in 0..<50 where try cache.get("\(index)") != array(try bytes(index)) { lost += 1 }
    #expect(lost <= 51 / 8)
}

@Test func entryOfTheFutureIsStillRemovedBySize() throws {
    let clock = SetClock()
    let fixture = CacheFixture { $0.inlineEntryLimit = 100 }
    let cache = try fixture.open(clock.clock)
    clock.set(today + 30_000 * day)
    for index in 0..<20 { try cache.put(index, count: 40_000, at: "future \(index)") }
    clock.set(today)
    for index in 0..<20 { try cache.put(index, count: 40_000, at: "now \(index)") }
    #expect(try cache.get("future 3") != nil)
    try cache.trimNow(below: 0)
    #expect(try cache.totalsNow().count == 0)
}

/// More entries than a slice of a trim examines.
@Test func entriesOfTheFutureDoNotKeepOthersFromExpiring() throws {
    let clock = SetClock()
    let fixture = CacheFixture { $0.disk.rule = .modification }
    let cache = try fixture.open(clock.clock)
    clock.set(today + 30_000 * day)
    for index in 0..<300 { cache.enqueueStore(CachedData(bytes: try bytes(index)), for: CacheKey("\(index)")) }
    #expect(try cache.totalsNow().count == 300)
    clock.set(today)
    try cache.put(1, at: "a")
    clock.set(today + 8 * day)
    try cache.trimNow()
    #expect(try cache.totalsNow().count == 300)
    #expect(try cache.get("299") != nil)
}

@Test func aPendingStoreIsAMissAfterItsOwnExpiry() async throws {
    let clock = SetClock()
    let fixture = CacheFixture()
    let cache = try fixture.open(clock.clock)
    var data = CachedData(bytes: try bytes(1))
    data.expires = today
    cache.enqueueStore(data, for: CacheKey("a"))
    #expect(try cache.get("a") == nil)
    cache.enqueueStore(data, for: CacheKey("a"))
    let found = try await cache.data(for: CacheKey("a"))
    #expect(found == nil)
    cache.enqueueStore(data, for: CacheKey("a"))
    #expect(try !cache.containsNow(CacheKey("a")))
    data.expires = today + 1
    cache.enqueueStore(data, for: CacheKey("a"))
    #expect(try cache.get("a") != nil)
}

@Test func askedForTrimmingGoesByTheClockAsItIs() throws {
    let clock = SetClock()
    let fixture = CacheFixture()
    let cache = try fixture.open(clock.clock)
    try cache.put(1, at: "a")
    clock.set(today + 8 * day)
    #expect(try cache.get("a") == nil)
    try cache.trimNow()
    #expect(try cache.totalsNow().count == 0)
}

@Test func folderThatWasNotUsedForLongIsNotEmptiedAtOnce() async throws {
    let clock = SetClock()
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open(clock.clock)
        for index in 0..<80 { try cache.put(1, at: "\(index)") }
        cache.close()
    }
    clock.set(today + 100 * day)
    let cache = try fixture.open(clock.clock)
    // A trim pauses between its slices, here until it has none left; nothing more is removed after that.
    #expect(try becomesTrue { try cache.totalsNow().count <= 70 })
    for _ in 0..<10 {
        try await cache.settle()
        usleep(2000)
    }
    #expect(try cache.get("79") == nil)
    #expect(try cache.totalsNow().count == 70)
}
