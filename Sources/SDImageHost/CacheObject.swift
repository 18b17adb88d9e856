import SDImage

/// A cache as seen from C: `sdimage_cache`, built in, of the host, or a chain.
@safe package final class CacheObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let cache: any ImageCaching
    /// The built-in cache; nil for a cache of the host, which supports fewer functions.
    package let builtIn: ImageCache?
    /// The memory part of the built-in cache.
    package let memory: MemoryCache?
    /// `memory` without reference counting, for look-ups; it lives as long as this object.
    private let lookupMemory: Unmanaged<MemoryCache>?
    /// The manager of `lookupManager`; nil before the first use.
    private let lookups = Lock<ImageManager?>(nil)

    package init(_ cache: any ImageCaching) {
        self.cache = cache
        builtIn = cache as? ImageCache
        memory = builtIn?.memory
        unsafe lookupMemory = memory.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// The manager for loads from this cache only. All such loads share it, so equal loads decode once.
    package func lookupManager(_ make: (any ImageCaching) throws(ImageError) -> ImageManager) throws(ImageError) -> ImageManager {
        if let manager = lookups.withLock({ $0 }) { return manager }
        // Made outside the lock; if two threads make one, the first that arrives is used.
        let made = try make(cache)
        return lookups.withLock { manager in
            manager = manager ?? made
            return manager ?? made
        }
    }

    /// The image in memory, also under the other keys of the same entry, with a reference for the caller.
    package func ownedMemoryImage(for key: UnsafeRawBufferPointer) -> Object {
        let image =
            if let memory = unsafe lookupMemory {
                unsafe memory._withUnsafeGuaranteedRef { unsafe $0.image(for: key) }
            } else {
                unsafe cache.memoryPart.image(for: key)
            }
        if let image { return unsafe Handle.own(image) }
        let found = unsafe CacheKey(Array(key)).namesakes.lazy.compactMap { [cache] in cache.memoryPart.image(for: $0) }.first
        return unsafe found.map { unsafe Handle.own($0) } ?? nil
    }
}
