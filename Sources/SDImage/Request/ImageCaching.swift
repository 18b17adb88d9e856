/// A cache used by the manager: built-in, or supplied by the host. A cache never decodes.
package protocol ImageCaching: AnyObject, Sendable {
    /// Looks up an image in memory, immediately and on the caller's thread; never blocks.
    func memoryImage(for key: UnsafeRawBufferPointer) -> Image?
    /// Looks up an image in memory without counting as a use, neither in statistics nor for eviction.
    func peek(_ key: CacheKey) -> Image?
    /// Stores an image in memory immediately.
    func storeInMemory(_ image: Image, for key: CacheKey)
    /// The bytes of an entry, or nil. `options` are values of the host for its own caches.
    func diskData(for key: CacheKey, options: FrozenOptions?) async throws(ImageError) -> CachedData?
    /// Stores bytes; returns when they are committed.
    func storeOnDisk(_ data: CachedData, for key: CacheKey) async throws(ImageError)
    /// Stores bytes in the background; the cache counts errors and reports them to no caller.
    func enqueueDiskStore(_ data: CachedData, for key: CacheKey)
    /// Removes exactly the write that `data` came from, because its bytes are not an image.
    func dropDamaged(_ data: CachedData, for key: CacheKey)
    /// Updates the response metadata of the entry stored with `old`, leaving its bytes unchanged; returns when the update is
    /// committed. Errors stay inside the cache: their only effect is another request to the origin.
    func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async
    /// True for a shared cache (RFC 9111), whose entries other users or machines read. It stores no private responses.
    var isShared: Bool { get }
    /// True when `lease` coordinates with other processes.
    var grantsLeases: Bool { get }
    /// Called before a request to the origin for an entry that is missing or stale. One process sends the request, the others
    /// wait for its result (docs/decisions.md, "Several processes ask the origin once"). An entry is a result if its response
    /// is newer than `date`, nanoseconds since 1970.
    func lease(_ key: CacheKey, newerThan date: UInt64, options: FrozenOptions?) async -> CacheLeasing
    /// Removes an entry from the named layers.
    func remove(_ key: CacheKey, from layers: CacheLayers) async throws(ImageError)
    /// The named layers found to have the entry. A memory hit avoids the disk look-up.
    func contains(_ key: CacheKey, in layers: CacheLayers) async throws(ImageError) -> CacheLayers
    /// Empties the named layers.
    func clear(_ layers: CacheLayers) async throws(ImageError)

    // Blocking variants; throw `wouldDeadlock` when the wait would never end.
    func dataNow(for key: CacheKey) throws(ImageError) -> CachedData?
    func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError)
    /// All of the named layers that hold the entry.
    func containsNow(_ key: CacheKey, in layers: CacheLayers) throws(ImageError) -> CacheLayers
    func removeNow(_ key: CacheKey, from layers: CacheLayers) throws(ImageError)
    func clearNow(_ layers: CacheLayers) throws(ImageError)
    /// Returns when the stores accepted so far are committed.
    func flushNow() throws(ImageError)
}

extension ImageCaching {
    /// Does nothing; sufficient for caches that store only bytes.
    package func updateRecord(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) async {}

    package var isShared: Bool { false }

    package func flushNow() throws(ImageError) {}

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

/// Bytes stored by a cache, with their metadata.
package struct CachedData: Sendable {
    package var bytes: Bytes
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    /// Remaining response metadata, as `ResponseRecord.encoded`.
    package var encodedRecord: [UInt8] = []
    package var extendedData: Bytes?
    /// Time of the store, nanoseconds since 1970; set by the cache.
    package var created: UInt64 = 0
    /// Time from which the entry is a miss, nanoseconds since 1970; 0 = determined by the age rule of the cache.
    package var expires: UInt64 = 0
    /// The write that these bytes came from. A reader uses it to remove exactly the damaged write.
    package var write: CacheWrite?
    /// Values of the host from the request, for caches of the host; never stored.
    package var options: FrozenOptions?
    /// The lease, which ends with the last store of these bytes; never stored.
    package var lease: CacheLease?
    /// True for an entry from a cache shared by several machines; set by that cache, never stored.
    package var isShared = false
    /// True when the stored image came with a private response, which these bytes alone do not show. Never stored.
    package var isOfPrivateImage = false
    /// The member of a chain that has the entry.
    package var holder: (any ImageCaching)?

    package init(bytes: Bytes) { self.bytes = bytes }

    package var source: ImageSource { isShared ? .remote : .disk }

    /// Metadata of the response that delivered the bytes.
    package var record: ResponseRecord {
        get { ResponseRecord(entityTag: entityTag, lastModified: lastModified, encoded: encodedRecord, created: created) }
        set {
            entityTag = newValue.storedEntityTag
            lastModified = newValue.storedLastModified
            encodedRecord = newValue.encoded
        }
    }

    /// True when a shared cache must not store the entry.
    package var isPrivate: Bool { isOfPrivateImage || record.isPrivate }

    /// Time of the response; without one, time of the store.
    package var date: UInt64 {
        let answered = record.responseTime
        return answered == 0 ? created : answered
    }

    /// A copy for storing in another cache.
    package var withoutWrite: CachedData {
        var data = self
        data.write = nil
        data.lease = nil
        data.isShared = false
        data.holder = nil
        return data
    }
}
