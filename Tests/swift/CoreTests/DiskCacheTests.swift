import Foundation
import SDImage
import SDImageSQLite
import TestSupport
import Testing

@Test(arguments: [0, 1, 100, 65536, 65537, 300_000])
func storedBytesComeBackTheSame(count: Int) throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    var data = CachedData(bytes: try bytes(1, count: count))
    data.entityTag = Array("\"tag\"".utf8)
    data.lastModified = Array("Sat, 21 Nov 2026 03:00:00 GMT".utf8)
    data.encodedRecord = Array("max-age=60".utf8)
    data.extendedData = try bytes(2, count: 10)
    try cache.storeNow(data, for: CacheKey("http://a/b.png"))
    let found = try #require(try cache.dataNow(for: CacheKey("http://a/b.png")))
    #expect(array(found.bytes) == array(data.bytes))
    #expect(found.entityTag == data.entityTag && found.lastModified == data.lastModified)
    #expect(found.encodedRecord == data.encodedRecord && array(found.extendedData) == array(data.extendedData))
    #expect(found.created > 0)
    #expect(fixture.entryFiles.count == (count > 65536 ? 1 : 0))
}

@Test func replacedEntryLeavesNoFileBehind() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let cache = try fixture.open()
    for seed in 0..<10 { try cache.put(seed, count: 100 + seed, at: "k.jpg") }
    #expect(try cache.get("k.jpg") == array(try bytes(9, count: 109)))
    #expect(fixture.entryFiles.count == 1)
    try cache.put(0, count: 10, at: "k.jpg")
    #expect(fixture.entryFiles.isEmpty)
    let totals = try cache.totalsNow()
    #expect(totals.count == 1 && totals.bytes == 10)
}

@Test func removedEntryIsGoneAndClearEmptiesAll() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let cache = try fixture.open()
    for index in 0..<20 { try cache.put(index, count: index * 10, at: "\(index)") }
    try cache.removeNow(CacheKey("3"))
    try cache.removeNow(CacheKey("absent"))
    #expect(try cache.get("3") == nil)
    #expect(try cache.containsNow(CacheKey("4")))
    #expect(try !cache.containsNow(CacheKey("3")))
    #expect(try cache.totalsNow().count == 19)
    try cache.removeAllNow()
    let totals = try cache.totalsNow()
    #expect(totals.count == 0 && totals.bytes == 0)
    #expect(fixture.entryFiles.isEmpty)
    #expect(try cache.get("4") == nil)
}

@Test func queryFindsWhatWaitsToBeCommitted() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    cache.enqueueStore(CachedData(bytes: try bytes(1)), for: CacheKey("a"))
    #expect(try cache.get("a") == array(try bytes(1)))
    cache.enqueueStore(CachedData(bytes: try bytes(2)), for: CacheKey("a"))
    #expect(try cache.get("a") == array(try bytes(2)))
    cache.enqueueRemove(CacheKey("a"))
    #expect(try cache.get("a") == nil)
    cache.enqueueStore(CachedData(bytes: try bytes(3)), for: CacheKey("a"))
    cache.enqueueRemoveAll()
    #expect(try cache.get("a") == nil)
    cache.enqueueStore(CachedData(bytes: try bytes(4)), for: CacheKey("b"))
    try cache.flushNow()
    #expect(try cache.get("a") == nil)
    #expect(try cache.get("b") == array(try bytes(4)))
    #expect(cache.statistics.pendingBytes == 0)
}

@Test func completionComesOnceAfterTheCommit() async throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    let isFound = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        do {
            cache.enqueueStore(CachedData(bytes: try bytes(1)), for: CacheKey("a")) { result in
                // The entry is committed if another cache on the folder sees it.
                let other = try? fixture.open()
                let found = try? other?.get("a")
                continuation.resume(returning: found != nil && (try? result.get()) != nil)
            }
        } catch { continuation.resume(returning: false) }
    }
    #expect(isFound)
}

@Test func asynchronousCallsReturnAfterTheCommit() async throws {
    let fixture = CacheFixture()
    let (cache, other) = (try fixture.open(), try fixture.open())
    try await cache.store(CachedData(bytes: try bytes(1)), for: CacheKey("a"))
    #expect(array(try await other.data(for: CacheKey("a"))?.bytes) == array(try bytes(1)))
    try await cache.remove(CacheKey("a"))
    #expect(try await other.data(for: CacheKey("a")) == nil)
    cache.enqueueStore(CachedData(bytes: try bytes(2)), for: CacheKey("b"))
    try cache.flushNow()
    #expect(try await other.data(for: CacheKey("b")) != nil)
    try await cache.removeAll()
    #expect(try await other.data(for: CacheKey("b")) == nil)
}

@Test func entriesOutliveTheCache() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    do {
        let cache = try fixture.open()
        for index in 0..<100 { cache.enqueueStore(CachedData(bytes: try bytes(index, count: index)), for: CacheKey("\(index)")) }
        cache.close()
    }
    let cache = try fixture.open()
    for index in 0..<100 { #expect(try cache.get("\(index)") == array(try bytes(index, count: index))) }
}

@Test func twoCachesOnOneFolderSeeEachOther() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let (one, two) = (try fixture.open(), try fixture.open())
    for index in 0..<50 {
        try patiently { try one.put(index, count: index * 2, at: "one \(index)") }
        try patiently { try two.put(index, count: index * 2, at: "two \(index)") }
        #expect(try two.get("one \(index)") == array(try bytes(index, count: index * 2)))
        #expect(try one.get("two \(index)") == array(try bytes(index, count: index * 2)))
    }
    // Entries replaced by the other cache: never the bytes of the old file, never a miss.
    for round in 0..<50 {
        try patiently { try one.put(round, count: 200, at: "both") }
        #expect(try two.get("both") == array(try bytes(round, count: 200)))
        try patiently { try two.put(round + 1000, count: 200, at: "both") }
        #expect(try one.get("both") == array(try bytes(round + 1000, count: 200)))
    }
    one.close()
    #expect(try two.get("one 49") != nil)
}

@Test func manyThreadsOfTwoCachesNeverReadWrongBytes() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 150 }
    let caches = [try fixture.open(), try fixture.open()]
    let failures = Failures()
    let threads = try (0..<4).map { thread in
        try LibraryThread.start("store") {
            for step in 0..<150 {
                let index = (step &* 7 &+ thread) % 10
                do {
                    if step % 3 == 0 {
                        try patiently {
                            try caches[thread % 2].put(index + 10 * (step % 2), count: 100 + 100 * (step % 2), at: "\(index)")
                        }
                    } else if let found = try caches[thread % 2].get("\(index)") {
                        let candidates = [array(try bytes(index)), array(try bytes(index + 10, count: 200))]
                        if !candidates.contains(found) { failures.add("wrong bytes of \(index)") }
                    }
                } catch { failures.add("\(error)") }
            }
        }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(failures.all.isEmpty)
    #expect(caches.map { $0.statistics.damagedEntries } == [0, 0])
}

@Test func keysAreBytes() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    let keys = [CacheKey("caf\u{e9}"), CacheKey("cafe\u{301}"), CacheKey([0xff]), CacheKey([0xfe]), CacheKey(""), CacheKey([0])]
    for (index, key) in keys.enumerated() { try cache.storeNow(CachedData(bytes: try bytes(index)), for: key) }
    for (index, key) in keys.enumerated() { #expect(array(try cache.dataNow(for: key)?.bytes) == array(try bytes(index))) }
    #expect(try cache.totalsNow().count == keys.count)
}

@Test func expiredEntryIsAMissAndTrimmed() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    var data = CachedData(bytes: try bytes(1))
    data.expires = 1
    try cache.storeNow(data, for: CacheKey("past"))
    data.expires = .max
    try cache.storeNow(data, for: CacheKey("future"))
    #expect(try cache.get("past") == nil)
    #expect(try cache.get("future") != nil)
    try cache.trimNow()
    #expect(try cache.totalsNow().count == 1)
}

@Test func ageOfZeroMakesEverythingOldAndNegativeNothing() throws {
    let fixture = CacheFixture { $0.disk.maxAge = -1 }
    let cache = try fixture.open()
    try cache.put(1, at: "a")
    try cache.trimNow()
    #expect(try cache.get("a") != nil)
    var limits = DiskLimits()
    limits.maxAge = 0
    cache.setLimits(limits)
    #expect(try cache.get("a") == nil)
    try cache.trimNow()
    #expect(try cache.totalsNow().count == 0)
}

@Test func oversizedCacheIsTrimmedBelowHalfOldestFirst() async throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 1000 }
    let cache = try fixture.open()
    for index in 0..<40 { try cache.put(index, count: 40_000, at: "\(index)") }
    var limits = DiskLimits()
    limits.maxSize = 1_000_000
    cache.setLimits(limits)
    try cache.trimNow()
    let totals = try cache.totalsNow()
    #expect(totals.footprint < 500_000 && totals.footprint > 400_000)
    #expect(try cache.get("0") == nil)
    #expect(try cache.get("39") != nil)
    // The disk thread also received the limits: its pending trim is complete when it reaches this removal.
    _ = await withCheckedContinuation { continuation in
        cache.enqueueRemove(CacheKey("none")) { continuation.resume(returning: $0) }
    }
    #expect(fixture.entryFiles.count == totals.count)
    // From now on stores themselves enforce the limit.
    for index in 100..<200 { try cache.put(index, count: 40_000, at: "\(index)") }
    try cache.trimNow()
    #expect(try cache.totalsNow().footprint <= 1_000_000)
}

// On a busy machine, the other thread may have no processor during a trim. Another one follows then.
@Test func storesElsewhereAreCommittedWhileATrimGoesOn() throws {
    #expect(try becomesTrue { try storesElsewhereDuringATrim() > 3 })
}

// Two caches on one folder behave like two processes.
private func storesElsewhereDuringATrim() throws -> Int {
    let fixture = CacheFixture()
    let trimmed = try fixture.open()
    for index in 0..<4000 {
        trimmed.enqueueStore(CachedData(bytes: try bytes(index, count: 2000)), for: CacheKey("\(index)"))
    }
    try trimmed.flushNow()
    let other = try fixture.open()
    let (isDone, stores) = (Monitor(false), Monitor(0))
    Thread {
        while !isDone.withLock({ $0 }), (try? patiently { try other.put(1, at: "elsewhere") }) != nil {
            stores.withLock { $0 += 1 }
        }
    }.start()
    // The other thread has started.
    while stores.withLock({ $0 }) == 0 { sched_yield() }
    let before = stores.withLock { $0 }
    try patiently { try trimmed.trimNow(below: 0) }
    let during = stores.withLock { $0 } - before
    isDone.withLock { $0 = true }
    #expect(try patiently { try trimmed.totalsNow().count } <= 1)
    return during
}

@Test func closedCacheAnswersShutdown() async throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    try cache.put(1, at: "a")
    cache.close()
    cache.close()
    #expect(status { try cache.get("a") } == .shutdown)
    #expect(status { try cache.put(1, at: "a") } == .shutdown)
    #expect(status { try cache.flushNow() } == .shutdown)
    let late = await withCheckedContinuation { continuation in
        cache.enqueueRemove(CacheKey("a")) { continuation.resume(returning: $0) }
    }
    #expect(status { try late.get() } == .shutdown)
}

@Test func pathNamesAFileWithTheBytesThatStays() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 150 }
    let cache = try fixture.open()
    try cache.put(1, count: 100, at: "http://a/small.png")
    try cache.put(2, count: 200, at: "http://a/large.jpg")
    let paths = [try cache.pathNow(for: CacheKey("http://a/small.png")), try cache.pathNow(for: CacheKey("http://a/large.jpg"))]
    #expect(paths[0].hasSuffix(".png") && paths[1].hasSuffix(".jpg"))
    #expect(try cache.pathNow(for: CacheKey("http://a/small.png")) == paths[0])
    try cache.removeAllNow()
    #expect(FileManager.default.contents(atPath: paths[0]).map(Array.init) == array(try bytes(1, count: 100)))
    #expect(FileManager.default.contents(atPath: paths[1]).map(Array.init) == array(try bytes(2, count: 200)))
    #expect(status { try cache.pathNow(for: CacheKey("absent")) } == .notFound)
    cache.close()
    #expect(!FileManager.default.fileExists(atPath: paths[0]))
}

@Test func durableCacheStoresAndReads() throws {
    let fixture = CacheFixture {
        $0.isDurable = true
        $0.inlineEntryLimit = 150
    }
    let cache = try fixture.open()
    try cache.put(1, count: 100, at: "a")
    try cache.put(2, count: 200, at: "b")
    #expect(try cache.get("a") != nil)
    #expect(try cache.get("b") != nil)
}

/// Repeats a call that failed because another cache held a lock for two seconds, as a thread without a processor does.
@discardableResult
func patiently<R>(_ call: () throws -> R) throws -> R {
    while true {
        do { return try call() } catch let error as ImageError where error.status == .busy { usleep(10_000) }
    }
}

/// The status of the error that `body` throws.
func status<R>(_ body: () throws -> R) -> Status? {
    do {
        _ = try body()
        return nil
    } catch { return (error as? ImageError)?.status }
}

/// Failures found by threads.
final class Failures: Sendable {
    private let found = Monitor<[String]>([])

    func add(_ text: String) { found.withLock { $0.append(text) } }

    var all: [String] { found.withLock { $0 } }
}
