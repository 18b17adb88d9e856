import SDImage
import TestSupport
import Testing

private func open(_ configure: (inout CacheConfiguration) -> Void = { _ in }) throws -> (ImageCache, CacheFixture) {
    let fixture = CacheFixture(configure)
    return (try ImageCache(fixture.configuration, store: CacheFixture.store), fixture)
}

@Test func defaultsAreThoseOfTheSpecification() {
    let configuration = CacheConfiguration()
    #expect(configuration.disk.maxAge == 604_800 && configuration.disk.maxSize == 0)
    #expect(configuration.maxMemoryCost == 0 && configuration.maxMemoryCount == 0)
    #expect(configuration.inlineEntryLimit == 65536 && configuration.namespace == "default")
    #expect(configuration.directory?.hasSuffix("/sdimage") == true)
    #expect(configuration.keepsImagesInMemory && !configuration.isDurable && !configuration.isMemoryOnly)
}

@Test func memoryIsFoundBeforeTheDisk() async throws {
    let (cache, folder) = try open()
    defer { withExtendedLifetime(folder) {} }
    let key = CacheKey("a")
    #expect(try await cache.contains(key, in: .all) == [])
    try await cache.store(CachedData(bytes: try bytes(1)), for: key)
    #expect(try await cache.contains(key, in: .all) == .disk)
    #expect(try await cache.contains(key, in: .memory) == [])
    cache.store(try picture(), for: key)
    #expect(try await cache.contains(key, in: .all) == .memory)
    #expect(try await cache.contains(key, in: .disk) == .disk)
    #expect(try await cache.contains(key, in: []) == [])
}

@Test func layersAreRemovedAndClearedApart() async throws {
    let (cache, folder) = try open()
    defer { withExtendedLifetime(folder) {} }
    for name in ["a", "b"] {
        cache.store(try picture(), for: CacheKey(name))
        try await cache.store(CachedData(bytes: try bytes(1)), for: CacheKey(name))
    }
    try await cache.remove(CacheKey("a"), from: .memory)
    #expect(cache.image(for: CacheKey("a")) == nil)
    #expect(try await cache.data(for: CacheKey("a")) != nil)
    try await cache.clear(.disk)
    #expect(cache.image(for: CacheKey("b")) != nil)
    #expect(try await cache.data(for: CacheKey("b")) == nil)
    try await cache.clear(.memory)
    #expect(cache.image(for: CacheKey("b")) == nil)
}

@Test func memoryOnlyCacheHasNoFolder() async throws {
    let (cache, fixture) = try open { $0.isMemoryOnly = true }
    cache.store(try picture(), for: CacheKey("a"))
    try await cache.store(CachedData(bytes: try bytes(1)), for: CacheKey("a"))
    #expect(try await cache.data(for: CacheKey("a")) == nil)
    #expect(cache.image(for: CacheKey("a")) != nil)
    #expect(fixture.files.isEmpty)
}

@Test func unusableFolderLeavesMemoryWorking() async throws {
    let (cache, _) = try open { $0.namespace = "../x" }
    cache.store(try picture(), for: CacheKey("a"))
    #expect(cache.image(for: CacheKey("a")) != nil)
    #expect(try await cache.data(for: CacheKey("a")) == nil)
    // Made here: Swift 6.3 fails to compile it in the closure with sanitizers.
    let data = CachedData(bytes: try bytes(1))
    await #expect(throws: ImageError.self) { try await cache.store(data, for: CacheKey("a")) }
    #expect(cache.disk?.statistics.droppedStores == 1)
}

@Test func picturesStayOutOfMemoryWhenSoConfigured() throws {
    let (cache, _) = try open { $0.keepsImagesInMemory = false }
    cache.store(try picture(), for: CacheKey("a"))
    #expect(cache.image(for: CacheKey("a")) == nil)
    cache.setKeepsImagesInMemory(true)
    cache.store(try picture(), for: CacheKey("a"))
    #expect(cache.image(for: CacheKey("a")) != nil)
}

@Test func closedImageCacheIsEmptyAndAnswersShutdown() async throws {
    let (cache, folder) = try open()
    defer { withExtendedLifetime(folder) {} }
    cache.store(try picture(), for: CacheKey("a"))
    cache.close()
    cache.close()
    #expect(cache.isClosed)
    #expect(cache.image(for: CacheKey("a")) == nil)
    await #expect(throws: ImageError.self) { try await cache.data(for: CacheKey("a")) }
    #expect(throws: ImageError.self) { try cache.flushNow(deadline: .max) }
}

@Test func aLayeredCacheUsesTheMemoryOfOneAndTheDiskOfAnother() async throws {
    let (memory, _) = try open()
    let (disk, fixture) = try open()
    let layered = LayeredCache(memory: memory.memoryPart, disk: disk.diskPart)
    let key = CacheKey("a")
    layered.memoryPart.store(try picture(), for: key)
    layered.diskPart.enqueueStore(CachedData(bytes: try bytes(1)), for: key)
    try layered.diskPart.flushNow(deadline: .max)
    #expect(disk.image(for: key) == nil)
    #expect(try await memory.data(for: key) == nil)
    let reopened = try ImageCache(fixture.configuration, store: CacheFixture.store)
    #expect(array(try await reopened.data(for: key)?.bytes) == array(try bytes(1)))
    let blocking = BlockingCache(layered)
    #expect(array(try blocking.data(for: key)?.bytes) == array(try bytes(1)))
    #expect(try blocking.contains(key, in: .all) == .all)
    #expect(try await layered.contains(key, in: .all) == .memory)
    try blocking.remove(key, from: .memory)
    #expect(try blocking.contains(key, in: .all) == .disk)
    try blocking.clear(.all)
    #expect(try blocking.contains(key, in: .all) == [])
}

@Test func sharedFolderIsSharedAndNamespacesAreNot() async throws {
    let (one, fixture) = try open()
    let two = try ImageCache(fixture.configuration, store: CacheFixture.store)
    var other = fixture.configuration
    other.namespace = "other"
    let three = try ImageCache(other, store: CacheFixture.store)
    one.store(try picture(), for: CacheKey("a"))
    try await one.store(CachedData(bytes: try bytes(1)), for: CacheKey("a"))
    #expect(two.image(for: CacheKey("a")) == nil)
    #expect(try await two.data(for: CacheKey("a")) != nil)
    #expect(try await three.data(for: CacheKey("a")) == nil)
}

@Test func sizesPathsAndTrimmingAreAskedForTheDiskLayer() async throws {
    let (cache, fixture) = try open()
    try await cache.store(CachedData(bytes: try bytes(1, count: 100)), for: CacheKey("a.png"))
    let totals = try await cache.diskTotals()
    #expect(totals.count == 1 && totals.bytes == 100)
    let path = try await cache.path(for: CacheKey("a.png"))
    #expect(path.hasPrefix(fixture.root) && path.hasSuffix(".png"))
    await #expect(throws: ImageError.self) { try await cache.path(for: CacheKey("b")) }
    var limits = DiskLimits()
    limits.maxAge = 0
    cache.disk?.setLimits(limits)
    try await cache.trim()
    #expect(try await cache.diskTotals().count == 0)
}
