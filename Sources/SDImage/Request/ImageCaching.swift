/// A cache used by the manager: images in memory above encoded entries on disk, built-in or supplied by the host. A cache never
/// decodes.
/// The parts may be one object: see the extension below.
/// Both parts are called by several threads at once.
package protocol ImageCaching: CachePart {
    /// The part for decoded images; it never blocks.
    var memoryPart: any MemoryCaching { get }
    /// The part for encoded bytes; its functions may wait.
    var diskPart: any DataCaching { get }
}

/// One or both parts of a cache. A part ignores the layer that it does not have.
package protocol CachePart: AnyObject, Sendable {
    /// Removes an entry from the named layers.
    /// An entry that is missing is no error.
    func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError)
    /// The named layers found to have the entry. A memory hit avoids the disk look-up.
    /// Damage of the bytes is not detected here.
    func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers
    /// Empties the named layers.
    func clear(_ layers: CacheLayers) async throws(ImageError)
    /// The same cache for blocking calls; nil if these wait for the asynchronous functions (`BlockingCache`).
    var direct: (any DirectCaching)? { get }
}

/// Images in memory. These functions are immediate, run on the caller's thread and never block.
/// Evictions may happen in any call.
package protocol MemoryCaching: CachePart {
    /// Looks up an image by the bytes of its key, without a copy of them.
    func image(for key: UnsafeRawBufferPointer) -> Image?
    func image(for key: CacheKey) -> Image?
    /// Looks up an image without counting as a use, neither in statistics nor for eviction.
    func peek(_ key: CacheKey) -> Image?
    /// Replaces an image with the same key.
    func store(_ image: Image, for key: CacheKey)
}

/// Encoded entries, on disk or in another process.
package protocol DataCaching: CachePart {
    /// The bytes of an entry, or nil. `options` are values of the host for its own caches.
    /// nil also for an entry that has expired. Throws when the cache cannot be read.
    func data(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData?
    /// Stores bytes; returns when they are committed.
    /// Replaces an entry with the same key.
    func store(_ data: CachedData, for key: CacheKey) async throws(ImageError)
    /// Stores bytes in the background; the cache counts errors and reports them to no caller.
    /// Returns at once; the caller may not rely on the entry.
    func enqueueStore(_ data: CachedData, for key: CacheKey)
    /// Removes exactly the write that `data` came from, because its bytes are not an image.
    func dropDamaged(_ data: CachedData, for key: CacheKey)
    /// Updates the response metadata of the entry stored with `old`, leaving its bytes unchanged; returns when the update is
    /// committed. Errors stay inside the cache: their only effect is another request to the origin.
    func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async
    /// Commits the stores accepted so far; blocks. Those of a cache of the host fail with `timeout` after `deadline`.
    /// `deadline`: monotonic nanoseconds. Throws the first failure of a store on disk since the last call.
    func flushNow(deadline: UInt64) throws(ImageError)
    /// False if `data` never has an entry, so that no load needs to ask.
    var mayHaveData: Bool { get }
    /// Leases that coordinate requests with other processes; nil for a cache without them.
    var leases: (any LeaseGranting)? { get }
}

/// A cache of entries that several processes share.
package protocol LeaseGranting: AnyObject, Sendable {
    /// Called before a request to the origin for an entry that is missing or stale. One process sends the request, the others
    /// wait for its result (docs/decisions.md, "Several processes ask the origin once"). An entry is a result if its response
    /// is newer than `date`, nanoseconds since 1970.
    func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing
}

/// A cache with blocking functions that work on the calling thread, which may be a thread of the library. A read of 1 KB from
/// disk takes 11 µs of processor time there, and 88 µs with a wait for `data` (`sdimage-bench diskcache op=get`).
/// Errors are those of the asynchronous functions.
package protocol DirectCaching: AnyObject, Sendable {
    /// nil for an entry that is missing or has expired.
    func dataNow(for key: CacheKey) throws(ImageError) -> CachedData?
    /// Returns when the entry is committed.
    func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError)
    /// All of the named layers that hold the entry.
    func containsNow(_ key: CacheKey, in layers: CacheLayers) throws(ImageError) -> CacheLayers
    func removeNow(_ key: CacheKey, from layers: CacheLayers) throws(ImageError)
    func clearNow(_ layers: CacheLayers) throws(ImageError)
}

/// For a cache that is both parts itself, such as `ImageCache`.
extension ImageCaching where Self: MemoryCaching & DataCaching {
    package var memoryPart: any MemoryCaching { self }
    package var diskPart: any DataCaching { self }
}

extension CachePart {
    package var direct: (any DirectCaching)? { nil }
}

/// Defaults for caches without a cheaper way.
extension MemoryCaching {
    package func peek(_ key: CacheKey) -> Image? { image(for: key) }

    package func image(for key: CacheKey) -> Image? {
        unsafe key.bytes.withUnsafeBytes { unsafe image(for: $0) }
    }
}

/// Defaults for caches that store only bytes.
extension DataCaching {
    /// Does nothing; sufficient for caches that store only bytes.
    package func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {}

    package var leases: (any LeaseGranting)? { nil }

    package var mayHaveData: Bool { true }

    package func data(for key: CacheKey) async throws(ImageError) -> CachedData? {
        try await data(for: key, options: nil)
    }
}
