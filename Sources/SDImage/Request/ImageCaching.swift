/// What the manager asks of a cache, built-in or the host's own. A cache never decodes.
package protocol ImageCaching: AnyObject, Sendable {
    /// Answers at once, on the caller's thread; never blocks.
    func memoryImage(for key: UnsafeRawBufferPointer) -> Image?
    /// The same without being a use: neither counted nor noted for eviction.
    func peek(_ key: CacheKey) -> Image?
    /// Puts a picture into memory, at once.
    func storeInMemory(_ image: Image, for key: CacheKey)
    /// The bytes of an entry, or nil. `options` are the host's own, for caches of the host.
    func diskData(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData?
    /// Stores bytes; returns when they are committed.
    func storeOnDisk(_ data: CachedData, for key: CacheKey) async throws(ImageError)
    /// Stores bytes in the background; what goes wrong is counted by the cache, and told to nobody.
    func enqueueDiskStore(_ data: CachedData, for key: CacheKey)
    /// Drops exactly the write that `data` came from: it turned out not to be a picture.
    func dropDamaged(_ data: CachedData, for key: CacheKey)
    /// Keeps what a later answer said of the entry that came with `old`, without touching its bytes; returns when that is
    /// committed. What goes wrong is the cache's sorrow: the origin is asked once more.
    func renew(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async
    /// True for a cache whose entries other users or machines read (RFC 9111): private responses are not stored there.
    var isShared: Bool { get }
    /// Whether it is worth asking for a `lease`.
    var grantsLeases: Bool { get }
    /// Asked before the origin is, for what is not here or no longer good: one process is to ask, the others wait for it
    /// (docs/decisions.md, "Several processes ask the origin once"). An entry is an answer where its own is newer than `date`,
    /// nanoseconds since 1970.
    func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing
    /// Removes from the named layers.
    func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError)
    /// The layers among those named where the entry is found; memory spares the look at the disk.
    func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers
    /// Empties the named layers.
    func clear(_ layers: CacheLayers) async throws(ImageError)

    // The same for callers who wait; `wouldDeadlock` where that would be for ever.
    func dataNow(for key: CacheKey) throws(ImageError) -> CachedData?
    func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError)
    /// Of the layers named, all that hold the entry.
    func containsNow(_ key: CacheKey, in layers: CacheLayers) throws(ImageError) -> CacheLayers
    func removeNow(_ key: CacheKey, from layers: CacheLayers) throws(ImageError)
    func clearNow(_ layers: CacheLayers) throws(ImageError)
}

extension ImageCaching {
    /// For caches that keep nothing but bytes.
    package func renew(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {}

    package var isShared: Bool { false }

    package var grantsLeases: Bool { false }

    package func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing { .unknown }

    package func diskData(for key: CacheKey) async throws(ImageError) -> CachedData? {
        try await diskData(for: key, options: nil)
    }

    package func peek(_ key: CacheKey) -> Image? { memoryImage(for: key) }

    package func memoryImage(for key: CacheKey) -> Image? {
        unsafe key.bytes.withUnsafeBytes { unsafe memoryImage(for: $0) }
    }
}

/// Bytes as kept by a cache, with what is known about them.
package struct CachedData: Sendable {
    package var bytes: Bytes
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    /// The rest of what the answer said of itself, as `ResponseRecord.encoded`.
    package var answer: [UInt8] = []
    package var extendedData: Bytes?
    /// When the entry was written, nanoseconds since 1970; set by the cache.
    package var created: UInt64 = 0
    /// From when on the entry is a miss, nanoseconds since 1970; 0 = by the cache's age rule.
    package var expires: UInt64 = 0
    /// Which write these bytes came from; lets a reader drop exactly what it found damaged.
    package var write: CacheWrite?
    /// Values of the host that came with the request, for a cache of the host; never kept.
    package var options: FrozenOptions?
    /// Ends when the last store of these bytes has; never kept.
    package var lease: CacheLease?
    /// From a cache that several machines share; set by it, never kept.
    package var isShared = false
    /// The image that is stored came with a private response; these bytes alone do not tell. Never kept.
    package var isOfPrivateImage = false
    /// The member of a chain that has it.
    package var holder: (any ImageCaching)?

    package init(bytes: Bytes) { self.bytes = bytes }

    package var source: ImageSource { isShared ? .remote : .disk }

    /// What the answer said that brought the bytes.
    package var record: ResponseRecord {
        get { ResponseRecord(entityTag: entityTag, lastModified: lastModified, encoded: answer, created: created) }
        set {
            entityTag = newValue.storedEntityTag
            lastModified = newValue.storedLastModified
            answer = newValue.encoded
        }
    }

    /// Whether a shared cache must not be given the entry.
    package var isPrivate: Bool { isOfPrivateImage || record.isPrivate }

    /// When the origin gave the answer; without one, when the entry was made.
    package var date: UInt64 {
        let answered = record.responseTime
        return answered == 0 ? created : answered
    }

    /// As it is stored anew.
    package var withoutWrite: CachedData {
        var data = self
        data.write = nil
        data.lease = nil
        data.isShared = false
        data.holder = nil
        return data
    }
}
