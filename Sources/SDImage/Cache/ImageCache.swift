import Synchronization

/// The built-in cache: images in memory above encoded bytes on disk. It never decodes.
///
/// Names of blocking functions end in `Now`. After `close`, calls fail with `shutdown` and memory look-ups find nothing.
/// Made by the C interface, and shared by managers. The part for decoded images is `MemoryCache`, that for bytes
/// `DiskCache`.
package final class ImageCache: ImageCaching, MemoryCaching, DataCaching, DirectCaching {
    package let memory: MemoryCache
    /// The disk layer; nil for a cache in memory only.
    package let disk: DiskCache?
    /// False if loads store no images in memory.
    private let keepsImages: Atomic<Bool>
    /// No disk part was excluded, but there is no home directory for one.
    private let lacksDirectory: Bool
    /// Called on a miss; it may block.
    private let additionalBytes: (@Sendable (CacheKey) -> Bytes?)?
    private let closed = Atomic<Bool>(false)

    /// Creates a cache. An unusable folder is not an error here: stores report it, and memory works.
    package init(_ configuration: CacheConfiguration, store: @escaping CacheStoreFactory) throws(ImageError) {
        memory = MemoryCache(
            byteLimit: configuration.maxMemoryCost, countLimit: configuration.maxMemoryCount,
            keepsWeakly: configuration.keepsWeakImages, eviction: configuration.eviction)
        keepsImages = Atomic(configuration.keepsImagesInMemory)
        additionalBytes = configuration.additionalBytes
        if Engine.isForked { throw .forked }
        lacksDirectory = !configuration.isMemoryOnly && configuration.directory == nil
        if lacksDirectory { Log.write(.error, ImageError.noCacheDirectory.message.string) }
        disk = configuration.isMemoryOnly || configuration.directory == nil ? nil : try DiskCache(configuration, store: store)
    }

    package var direct: (any DirectCaching)? { self }

    // MARK: Memory

    package func image(for key: UnsafeRawBufferPointer) -> Image? { unsafe memory.image(for: key) }
    package func image(for key: CacheKey) -> Image? { memory.image(for: key) }
    package func peek(_ key: CacheKey) -> Image? { memory.peek(key) }

    /// Does nothing if the cache is configured to keep no images in memory; `memory.set` always stores.
    package func store(_ image: Image, for key: CacheKey) {
        guard keepsImages.load(ordering: .relaxed), !closed.load(ordering: .relaxed) else { return }
        memory.set(image, for: key)
    }

    package var keepsImagesInMemory: Bool { keepsImages.load(ordering: .relaxed) }

    package func setKeepsImagesInMemory(_ keeps: Bool) { keepsImages.store(keeps, ordering: .relaxed) }

    // MARK: Both layers

    /// Bytes of the host follow after a miss of the disk.
    package func data(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData? {
        try check()
        if let found = try await disk?.data(for: key) { return found }
        guard let additionalBytes, let engine = Engine.current else { return nil }
        return try await engine.files.run(.normal) { additionalBytes(key) }.map(CachedData.init(bytes:))
    }

    /// Does nothing without a disk part.
    package func store(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try check()
        try await disk?.store(data, for: key)
    }

    /// False for a cache in memory only.
    package var mayHaveData: Bool { disk != nil || additionalBytes != nil }

    package func dataNow(for key: CacheKey) throws(ImageError) -> CachedData? {
        try check()
        return try disk?.dataNow(for: key) ?? additionalBytes?(key).map(CachedData.init(bytes:))
    }

    package func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError) {
        try requiredDisk().storeNow(data, for: key)
    }

    /// The disk part; throws `unsupported` for a cache in memory only.
    package func requiredDisk() throws(ImageError) -> DiskCache {
        try check()
        guard let disk else { throw ImageError(.unsupported, "cache: no disk part") }
        return disk
    }

    package func enqueueStore(_ data: CachedData, for key: CacheKey) { disk?.enqueueStore(data, for: key) }

    /// Bytes without a write did not come from the disk.
    package func dropDamaged(_ data: CachedData, for key: CacheKey) {
        if let write = data.write { disk?.removeDamaged(key, write: write) }
    }

    /// Runs on the disk thread, and waits for it. Errors are only noted in the statistics.
    package func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {
        do throws(ImageError) {
            try await onDiskThread { disk throws(ImageError) in try disk.updateRecordNow(key, from: old, to: new) }
        } catch { disk?.note(error) }
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        try check()
        if layers.contains(.memory) { memory.remove(key) }
        if layers.contains(.disk) { try await disk?.remove(key) }
    }

    /// Empties the named layers.
    package func clear(_ layers: CacheLayers) async throws(ImageError) {
        try check()
        if layers.contains(.memory) { memory.removeAll() }
        if layers.contains(.disk) { try await disk?.removeAll() }
    }

    /// The first of the named layers that has the entry, memory first: a memory hit avoids the disk look-up.
    package func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        try check()
        if layers.contains(.memory), memory.contains(key) { return .memory }
        guard layers.contains(.disk), let disk else { return [] }
        let isFound = try await disk.lease.engine.work.run(.high) { () throws(ImageError) in try disk.containsNow(key) }
        return isFound ? .disk : []
    }

    /// Path of a file with the bytes of an entry (docs/decisions.md, "Paths of entries are pins"); throws `notFound` without
    /// an entry.
    package func path(for key: CacheKey) async throws(ImageError) -> String {
        try await onDiskThread { disk throws(ImageError) in try disk.pathNow(for: key) }
    }

    /// Number and size of the entries on disk; zero for a cache in memory only.
    package func diskTotals() async throws(ImageError) -> CacheTotals {
        guard disk != nil else { return CacheTotals() }
        return try await onDiskThread { disk throws(ImageError) in try disk.totalsNow() }
    }

    /// Removes expired entries; if the size limit is exceeded, also the oldest down to half of it.
    package func trim() async throws(ImageError) {
        guard disk != nil else { return try check() }
        try await onDiskThread { disk throws(ImageError) in try disk.trimNow() }
    }

    /// Removes an entry from the named layers; blocks.
    package func removeNow(_ key: CacheKey, from layers: CacheLayers) throws(ImageError) {
        try check()
        if layers.contains(.memory) { memory.remove(key) }
        if layers.contains(.disk) { try disk?.removeNow(key) }
    }

    /// Empties the named layers; blocks.
    package func clearNow(_ layers: CacheLayers) throws(ImageError) {
        try check()
        if layers.contains(.memory) { memory.removeAll() }
        if layers.contains(.disk) { try disk?.removeAllNow() }
    }

    /// All layers that have the entry, unlike `contains`.
    package func containsNow(_ key: CacheKey, in layers: CacheLayers) throws(ImageError) -> CacheLayers {
        try check()
        var found: CacheLayers = layers.contains(.memory) && memory.contains(key) ? .memory : []
        if layers.contains(.disk), try disk?.containsNow(key) == true { found.insert(.disk) }
        return found
    }

    /// The deadline is ignored.
    package func flushNow(deadline: UInt64) throws(ImageError) {
        try check()
        try disk?.flushNow()
    }

    /// Throws the reason why nothing can be stored on disk now; false for a cache in memory only. Blocks.
    func checkOwnDiskNow() throws(ImageError) -> Bool {
        try check()
        if lacksDirectory { throw .noCacheDirectory }
        try disk?.checkNow()
        return disk != nil
    }

    /// Empties memory, commits pending changes and closes the folder; blocks. A second call does nothing.
    package func close() {
        guard !Engine.isForked, closed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else {
            return
        }
        memory.removeAll()
        disk?.close()
    }

    package var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Runs a blocking function on the disk thread; throws `notFound` without a disk part.
    private func onDiskThread<R: Sendable>(_ body: @escaping @Sendable (DiskCache) throws(ImageError) -> R)
        async throws(ImageError)
        -> R
    {
        try check()
        guard let disk else { throw ImageError(.notFound, "cache: no disk part") }
        let result: Result<R, ImageError> = await suspended { resume in
            disk.lease.engine.disk.submit {
                do throws(ImageError) { resume(.success(try body(disk))) } catch { resume(.failure(error)) }
            }
        }
        return try result.get()
    }

    /// Throws `forked` in a child of the process, and `shutdown` after `close`.
    package func check() throws(ImageError) {
        if Engine.isForked { throw .forked }
        if isClosed { throw .shutdown }
    }
}

extension ImageError {
    static let noCacheDirectory = ImageError(
        .cacheUnusable, "disk cache: no folder set, and the user has no home directory")
}
