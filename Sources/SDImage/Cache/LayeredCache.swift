/// A cache composed of parts of two other caches, so that the host can supply one of them.
/// The parts may be of the library or of the host, and may be parts of other caches, too.
package final class LayeredCache: ImageCaching {
    package let memoryPart: any MemoryCaching
    package let diskPart: any DataCaching

    package init(memory: any MemoryCaching, disk: any DataCaching) {
        memoryPart = memory
        diskPart = disk
    }

    package func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError) {
        if layers.contains(.memory) { try await memoryPart.remove(key, from: .memory) }
        if layers.contains(.disk) { try await diskPart.remove(key, from: .disk) }
    }

    /// The disk is asked only if memory does not have the entry.
    package func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers {
        if layers.contains(.memory), try await !memoryPart.contains(key, in: .memory).isEmpty { return .memory }
        return layers.contains(.disk) ? try await diskPart.contains(key, in: .disk) : []
    }

    package func clear(_ layers: CacheLayers) async throws(ImageError) {
        if layers.contains(.memory) { try await memoryPart.clear(.memory) }
        if layers.contains(.disk) { try await diskPart.clear(.disk) }
    }
}
