/// A cache composed of the memory layer of one cache and the disk layer of another, so that the host can supply one of them.
package final class LayeredCache: ImageCaching {
    private let memory: any ImageCaching
    private let disk: any ImageCaching

    package init(memory: any ImageCaching, disk: any ImageCaching) {
        self.memory = memory
        self.disk = disk
    }

    /// The two caches, for the detection of chains that would contain themselves.
    package var members: [any ImageCaching] { [memory, disk] }

    package func memoryImage(for key: UnsafeRawBufferPointer) -> Image? { unsafe memory.memoryImage(for: key) }
    package func peek(_ key: CacheKey) -> Image? { memory.peek(key) }

    package func storeInMemory(_ image: Image, for key: CacheKey) { memory.storeInMemory(image, for: key) }

    package func diskData(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData? {
        try await disk.diskData(for: key, options: options)
    }

    package func storeOnDisk(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try await disk.storeOnDisk(data, for: key)
    }

    package func enqueueDiskStore(_ data: CachedData, for key: CacheKey) { disk.enqueueDiskStore(data, for: key) }

    package func dropDamaged(_ data: CachedData, for key: CacheKey) { disk.dropDamaged(data, for: key) }

    package func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {
        await disk.updateRecord(key, from: old, to: new)
    }

    package var isShared: Bool { memory.isShared || disk.isShared }

    package var grantsLeases: Bool { disk.grantsLeases }

    package func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing {
        await disk.lease(key, newerThan: date, options: options)
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        if layers.contains(.memory) { try await memory.remove(key, from: .memory) }
        if layers.contains(.disk) { try await disk.remove(key, from: .disk) }
    }

    package func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        if layers.contains(.memory), try await !memory.contains(key, in: .memory).isEmpty { return .memory }
        return layers.contains(.disk) ? try await disk.contains(key, in: .disk) : []
    }

    package func clear(_ layers: CacheLayers) async throws(ImageError) {
        if layers.contains(.memory) { try await memory.clear(.memory) }
        if layers.contains(.disk) { try await disk.clear(.disk) }
    }
}
