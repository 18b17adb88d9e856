/// Blocking calls to a cache: on the calling thread if the cache works there, otherwise a wait for its asynchronous functions,
/// which throws `wouldDeadlock` on a thread of the library.
/// Used by the blocking functions of the C interface.
package struct BlockingCache: Sendable {
    package let cache: any ImageCaching

    package init(_ cache: any ImageCaching) { self.cache = cache }

    /// nil for an entry that is missing.
    package func data(for key: CacheKey) throws(ImageError) -> CachedData? {
        let disk = cache.diskPart
        if let direct = disk.direct { return try direct.dataNow(for: key) }
        return try Engine.wait { () async throws(ImageError) in try await disk.data(for: key) }
    }

    /// Returns when the entry is committed.
    package func store(_ data: CachedData, for key: CacheKey) throws(ImageError) {
        let disk = cache.diskPart
        if let direct = disk.direct { return try direct.storeNow(data, for: key) }
        try Engine.wait { () async throws(ImageError) in try await disk.store(data, for: key) }
    }

    /// All of the named layers that hold the entry.
    package func contains(_ key: CacheKey, in layers: CacheLayers) throws(ImageError) -> CacheLayers {
        if let direct = cache.direct { return try direct.containsNow(key, in: layers) }
        // A memory part is immediate, so only the disk part may have to be waited for.
        let memory: CacheLayers = layers.contains(.memory) && cache.memoryPart.image(for: key) != nil ? .memory : []
        guard layers.contains(.disk) else { return memory }
        let disk = cache.diskPart
        if let direct = disk.direct { return try direct.containsNow(key, in: .disk).union(memory) }
        return try Engine.wait { () async throws(ImageError) in try await disk.contains(key, in: .disk).union(memory) }
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) throws(ImageError) {
        cache.dropEncodes(for: key, in: layers)
        if let direct = cache.direct { return try direct.removeNow(key, from: layers) }
        try Engine.wait { [cache] () async throws(ImageError) in try await cache.remove(key, from: layers) }
    }

    package func clear(_ layers: CacheLayers) throws(ImageError) {
        cache.dropEncodes(for: nil, in: layers)
        if let direct = cache.direct { return try direct.clearNow(layers) }
        try Engine.wait { [cache] () async throws(ImageError) in try await cache.clear(layers) }
    }
}

extension ImageCaching {
    /// Drops encodes under way that would bring back an entry, or all (nil), which the program is about to remove from the disk.
    package func dropEncodes(for key: CacheKey?, in layers: CacheLayers) {
        guard layers.contains(.disk), let pending = Engine.current?.pendingEncodes else { return }
        pending.drop(key, of: CacheChain.identities(of: diskPart))
    }
}
