/// Blocking variants for caches that implement only the asynchronous functions.
extension ImageCaching {
    package func dataNow(for key: CacheKey) throws(ImageError) -> CachedData? {
        try Engine.wait { [self] () async throws(ImageError) in try await diskData(for: key) }
    }

    package func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError) {
        try Engine.wait { [self] () async throws(ImageError) in try await storeOnDisk(data, for: key) }
    }

    /// All of the named layers that hold the entry.
    package func containsNow(_ key: CacheKey, in layers: CacheLayers) throws(ImageError) -> CacheLayers {
        let memory: CacheLayers = layers.contains(.memory) && memoryImage(for: key) != nil ? .memory : []
        guard layers.contains(.disk) else { return memory }
        return try Engine.wait { [self] () async throws(ImageError) in
            try await contains(key, in: .disk).union(memory)
        }
    }

    package func removeNow(_ key: CacheKey, from layers: CacheLayers) throws(ImageError) {
        try Engine.wait { [self] () async throws(ImageError) in try await remove(key, from: layers) }
    }

    package func clearNow(_ layers: CacheLayers) throws(ImageError) {
        try Engine.wait { [self] () async throws(ImageError) in try await clear(layers) }
    }
}
