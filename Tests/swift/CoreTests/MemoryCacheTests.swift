import Glibc
import SDImage
import Synchronization
import Testing

@Test func storedPictureIsFoundUntilRemoved() throws {
    let cache = MemoryCache()
    let image = try picture()
    cache.set(image, for: CacheKey("a"))
    #expect(cache.image(for: CacheKey("a")) === image)
    let plain = Array("a".utf8)
    let found = unsafe plain.withUnsafeBytes { unsafe cache.image(for: $0) }
    #expect(found === image)
    cache.remove(CacheKey("a"))
    #expect(cache.image(for: CacheKey("a")) == nil)
    #expect(cache.statistics.count == 0 && cache.statistics.bytes == 0)
    #expect(cache.statistics.hits == 2 && cache.statistics.misses == 1)
}

@Test func leastRecentlyUsedPictureLeavesFirst() throws {
    let cache = MemoryCache(countLimit: 100, eviction: .leastRecentlyUsed)
    for index in 0..<100 { cache.set(try picture(), for: CacheKey("\(index)")) }
    // Every second image is used again, so the others are older.
    for index in stride(from: 0, to: 100, by: 2) { #expect(cache.image(for: CacheKey("\(index)")) != nil) }
    for round in 0..<50 {
        cache.set(try picture(), for: CacheKey("new \(round)"))
        let oldest = CacheKey("\(round * 2 + 1)")
        #expect(!cache.contains(oldest))
        if round < 49 { #expect(cache.contains(CacheKey("\(round * 2 + 3)"))) }
    }
    for index in stride(from: 0, to: 100, by: 2) { #expect(cache.contains(CacheKey("\(index)"))) }
    #expect(cache.statistics.evictions == 50)
}

@Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
func limitsHoldAfterEachStore(eviction: EvictionPolicy) throws {
    let cache = MemoryCache(byteLimit: 10_000, countLimit: 30, eviction: eviction)
    for index in 0..<1000 {
        cache.set(try picture(), for: CacheKey("\(index)"), cost: index * 37 % 2000)
        #expect(cache.statistics.bytes <= 10_000)
        #expect(cache.statistics.count <= 30)
    }
}

@Test func pictureLargerThanTheLimitIsNotKeptAndDisplacesNothing() throws {
    let cache = MemoryCache(byteLimit: 1000)
    cache.set(try picture(), for: CacheKey("small"), cost: 900)
    cache.set(try picture(), for: CacheKey("large"), cost: 1001)
    #expect(cache.contains(CacheKey("small")))
    #expect(!cache.contains(CacheKey("large")))
    // It also removes the image that it was to replace.
    cache.set(try picture(), for: CacheKey("small"), cost: 5000)
    #expect(cache.statistics.count == 0)
}

@Test func newLimitsTakeEffectAtOnce() throws {
    let cache = MemoryCache(eviction: .leastRecentlyUsed)
    for index in 0..<50 { cache.set(try picture(), for: CacheKey("\(index)"), cost: 10) }
    cache.setLimits(bytes: 0, count: 20)
    #expect(cache.statistics.count == 20)
    #expect(!cache.contains(CacheKey("29")) && cache.contains(CacheKey("30")))
    cache.setLimits(bytes: 55, count: 0)
    #expect(cache.statistics.bytes == 50)
    cache.memoryPressure()
    #expect(cache.statistics.count == 0)
}

@Test func replacingChangesTheCost() throws {
    let cache = MemoryCache()
    cache.set(try picture(), for: CacheKey("a"), cost: 10)
    cache.set(try picture(), for: CacheKey("a"), cost: 25)
    #expect(cache.statistics.bytes == 25 && cache.statistics.count == 1)
}

@Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
func aReplacementThatGrowsDisplacesOthersButNotItself(eviction: EvictionPolicy) throws {
    let cache = MemoryCache(byteLimit: 100, eviction: eviction)
    for name in ["a", "b", "c"] { cache.set(try picture(), for: CacheKey(name), cost: 30) }
    let larger = try picture()
    cache.set(larger, for: CacheKey("a"), cost: 100)
    #expect(cache.image(for: CacheKey("a")) === larger)
    #expect(cache.statistics.bytes == 100 && cache.statistics.count == 1)
    #expect(cache.statistics.evictions == 2)
}

@Test func costIsThatOfThePixels() throws {
    let cache = MemoryCache()
    cache.set(try picture(width: 20), for: CacheKey("a"))
    #expect(cache.statistics.bytes == 128)
}

@Test func longKeysCountBeyondTheirFirst4096Bytes() throws {
    let cache = MemoryCache(byteLimit: 1_000_000)
    let image = try picture(width: 20)
    func key(_ letter: String, _ count: Int) -> CacheKey { CacheKey(String(repeating: letter, count: count)) }
    for (letter, count) in [("a", 4096), ("b", 4097), ("c", 300_000)] {
        cache.set(image, for: key(letter, count))
        cache.set(image, for: key(letter, count))
    }
    #expect(cache.statistics.bytes == 3 * 128 + 1 + 300_000 - 4096)
    for letter in ["d", "e", "f", "g"] { cache.set(image, for: key(letter, 300_000), cost: 1) }
    #expect(cache.statistics.bytes <= 1_000_000 && cache.statistics.evictions > 0)
    cache.set(image, for: key("h", 1_004_097), cost: 0)
    #expect(!cache.contains(key("h", 1_004_097)))
    cache.removeAll()
    #expect(cache.statistics.bytes == 0)
}

@Test func keysAreComparedByteByByte() throws {
    let cache = MemoryCache()
    let (composed, decomposed) = (CacheKey("caf\u{e9}"), CacheKey("cafe\u{301}"))
    cache.set(try picture(), for: composed)
    #expect(cache.image(for: decomposed) == nil)
    cache.set(try picture(), for: CacheKey([0xff]))
    #expect(cache.image(for: CacheKey([0xfe])) == nil)
    cache.set(try picture(), for: CacheKey(""))
    #expect(cache.image(for: CacheKey("")) != nil)
}

@Test func keysOfOneHashAreToldApart() throws {
    let cache = MemoryCache()
    let keys = (0..<300).map { CacheKey(Array("key \($0)".utf8), hash: 0x1234_5678_9abc_def0) }
    let pictures = try keys.map { _ in try picture() }
    for (key, image) in zip(keys, pictures) { cache.set(image, for: key) }
    for (key, image) in zip(keys, pictures) { #expect(cache.image(for: key) === image) }
    // Holes in the one run of slots must not hide the slots after them.
    for index in stride(from: 0, to: 300, by: 2) { cache.remove(keys[index]) }
    for (index, key) in keys.enumerated() { #expect(cache.contains(key) == (index % 2 == 1)) }
    #expect(cache.statistics.count == 150)
}

@Test func tenThousandHostileKeysAreTenThousandEntries() throws {
    let cache = MemoryCache()
    let shared = try picture()
    let long = [UInt8](repeating: 0x61, count: 1 << 20)
    func key(_ index: Int) -> CacheKey {
        let number = Array("\(index / 5)".utf8)
        return switch index % 5 {
        case 0: CacheKey([0] + number + [0])
        case 1: CacheKey(Array("../../".utf8) + number)
        case 2: CacheKey(Array("caf\u{e9}".utf8) + number)
        case 3: CacheKey(Array("cafe\u{301}".utf8) + number)
        default: index < 50 ? CacheKey(long + number) : CacheKey([0xff, 0xfe] + number)
        }
    }
    for index in 0..<10_000 { cache.set(shared, for: key(index)) }
    #expect(cache.statistics.count == 10_000)
    for index in 0..<10_000 where cache.image(for: key(index)) !== shared { Issue.record("key \(index) is lost") }
}

/// Compared with a plain dictionary, through growth, removal and runs of colliding slots.
@Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
func tableAgreesWithADictionary(eviction: EvictionPolicy) throws {
    let cache = MemoryCache(eviction: eviction)
    var model: [Int: Image] = [:]
    var seed: UInt64 = 1
    for step in 0..<20_000 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let index = Int(seed >> 33) % 700
        let key = CacheKey("key \(index)")
        switch (seed >> 20) % 3 {
        case 0:
            let image = try picture()
            cache.set(image, for: key)
            model[index] = image
        case 1:
            cache.remove(key)
            model[index] = nil
        default: #expect(cache.image(for: key) === model[index], "step \(step)")
        }
    }
    #expect(cache.statistics.count == model.count)
    for (index, image) in model { #expect(cache.image(for: CacheKey("key \(index)")) === image) }
}

@Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
func manyThreadsMayHammerOneCache(eviction: EvictionPolicy) throws {
    let cache = MemoryCache(countLimit: 200, eviction: eviction)
    let pictures = try (0..<500).map { try picture(width: $0 + 1) }
    let wrong = Atomic<Int>(0)
    let threads = try (0..<4).map { thread in
        try LibraryThread.start("hammer") {
            for step in 0..<20_000 {
                let index = (step &* 7919 &+ thread &* 131) % 500
                let key = CacheKey("\(index)")
                switch step % 4 {
                case 0: cache.set(pictures[index], for: key)
                case 1 where step % 64 == 1: cache.remove(key)
                default:
                    if let found = cache.image(for: key), found !== pictures[index] { wrong.add(1, ordering: .relaxed) }
                }
            }
        }
    }
    for thread in threads { pthread_join(thread, nil) }
    #expect(wrong.load(ordering: .relaxed) == 0)
    #expect(cache.statistics.count <= 200)
    cache.removeAll()
    #expect(cache.statistics.count == 0 && cache.statistics.bytes == 0)
}

/// An image whose memory, when released, calls the cache that held it.
@Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
func destructorMayCallTheSameCache(eviction: EvictionPolicy) throws {
    let cache = MemoryCache(countLimit: 1, eviction: eviction)
    let released = Released()
    func adopting() -> Image {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
        let address = UInt(bitPattern: memory)
        let pixels = unsafe PixelBuffer(adopting: memory, size: PixelSize(width: 1, height: 1), format: .rgba8, stride: 64) {
            for index in 0..<64 { _ = cache.image(for: CacheKey("\(index)")) }
            cache.remove(CacheKey("0"))
            released.count.add(1, ordering: .relaxed)
            unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
        return Image(pixels: pixels, metadata: ImageMetadata())
    }
    for index in 0..<64 { cache.set(adopting(), for: CacheKey("\(index)")) }
    cache.set(adopting(), for: CacheKey("63"))
    cache.remove(CacheKey("63"))
    #expect(released.count.load(ordering: .relaxed) == 65)
}

private final class Released: Sendable {
    let count = Atomic<Int>(0)
}

@Test func heldPictureIsFoundAgainWhereWeakReferencesAreKept() throws {
    let cache = MemoryCache(keepsWeakly: true)
    let held = try picture()
    cache.set(held, for: CacheKey("held"))
    cache.set(try picture(), for: CacheKey("dropped"))
    cache.memoryPressure()
    #expect(cache.statistics.count == 0)
    #expect(cache.image(for: CacheKey("held")) === held)
    #expect(cache.statistics.count == 1)
    #expect(cache.image(for: CacheKey("dropped")) == nil)
    cache.removeAll()
    #expect(cache.image(for: CacheKey("held")) == nil)
    cache.set(held, for: CacheKey("held"))
    cache.setKeepsWeakly(false)
    cache.memoryPressure()
    #expect(cache.image(for: CacheKey("held")) == nil)
}
