/// Encoded images on disk: small ones inside the index, large ones as files (docs/decisions.md, "Small entries in the index,
/// large ones as files").
///
/// Stores wait in memory for a shared transaction; queries see them immediately. Problems with the folder are misses for
/// queries: they are counted, and reported to callers that store. Blocking functions are documented as such; none of them may
/// be called on the asynchronous executor.
/// The functions only combine the parts, which own the state. Names of blocking functions end in `Now`, except for `close`.
package final class DiskCache: Sendable {
    /// Result of one change, after its commit.
    package typealias Completion = @Sendable (Result<Void, ImageError>) -> Void

    let lease: EngineLease
    private let configuration: CacheConfiguration
    private let opener: CacheOpener
    private let counters = DiskCacheCounters()
    private let activeLimits: ActiveLimits
    private let accessLog: AccessLog
    private let trimmer: Trimmer
    private let queue: CommitQueue
    private let reader: CacheReader
    private let editor: EntryEditor
    /// Files whose paths were handed out.
    private let pins = Pins()

    /// Opens the folder in the background; stores report an unusable folder.
    package init(
        _ configuration: CacheConfiguration, clock: CacheClock = CacheClock(), store: @escaping CacheStoreFactory
    ) throws(ImageError) {
        self.configuration = configuration
        opener = CacheOpener(configuration, store: store)
        activeLimits = ActiveLimits(configuration.disk)
        lease = try Engine.acquire()
        accessLog = AccessLog(opener, limits: activeLimits, counters: counters, lease: lease)
        trimmer = Trimmer(opener, limits: activeLimits, clock: clock, counters: counters, lease: lease)
        queue = CommitQueue(
            opener, inlineEntryLimit: configuration.inlineEntryLimit, clock: clock, trimmer: trimmer, counters: counters,
            lease: lease)
        reader = CacheReader(
            opener, queue: queue, limits: activeLimits, clock: clock, accessLog: accessLog, counters: counters, lease: lease)
        editor = EntryEditor(opener, queue: queue, limits: activeLimits, clock: clock)
        // The caller does not wait for the disk.
        lease.engine.disk.submit { [weak self] in self?.start() }
    }

    deinit {
        // A log function may release the cache in the middle of a commit, which closing waits for.
        if Log.isInSink, !Engine.isForked { lease.engine.disk.submit(closing) } else { closing() }
    }

    /// `<directory>/<namespace>`.
    package var path: String { configuration.path }

    /// The limits in force.
    package var limits: DiskLimits { activeLimits.current }

    /// Sets new limits; excess entries are removed in the background.
    package func setLimits(_ limits: DiskLimits) {
        guard !Engine.isForked else { return }
        activeLimits.set(limits)
        trimmer.schedule(queue.interlude)
    }

    /// Numbers since the cache was made.
    package var statistics: DiskCacheStatistics {
        guard !Engine.isForked else { return DiskCacheStatistics() }
        // Read first: stores are counted before their bytes are no longer pending.
        let pendingBytes = queue.pendingBytes
        var result = counters.statistics
        result.pendingBytes = pendingBytes
        result.damagedDatabases = opener.damages
        return result
    }

    /// Commits pending changes and closes the folder; blocks. Later calls fail with `shutdown`; a second close does nothing.
    /// Called at the latest when the last reference is released.
    package func close() { closing() }

    /// `close`, which may run after this object is freed. Keeps the engine running.
    private var closing: @Sendable () -> Void {
        { [queue, trimmer, accessLog, opener, lease] in
            guard !Engine.isForked, queue.close() else { return }
            trimmer.stop()
            queue.commitAll()
            accessLog.flush()
            opener.close()
            withExtendedLifetime(lease) {}
        }
    }

    /// Throws `forked` in a child of the process, and `shutdown` after `close`.
    func check() throws(ImageError) {
        if Engine.isForked { throw .forked }
        if queue.isClosed { throw .shutdown }
    }

    /// Records an error for the statistics.
    func note(_ error: ImageError) { counters.note(error) }

    /// First work on the disk thread: opens the folder, and removes what was left or has expired.
    private func start() {
        do throws(ImageError) {
            let site = try opener.site()
            let count = try site.totals().count
            Log.write(.info, ImageError.line("disk cache: \(path) opened with \(count) entries"))
            trimmer.start(count: count, queue.interlude)
            CacheSweep(site).start(on: lease.engine.disk)
        } catch { note(error) }
    }

    // MARK: Stores and removals

    /// Stores bytes; returns when they are committed.
    package func store(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try await queue.perform(.store(key, data))
    }

    /// Removes an entry; returns when that is committed.
    package func remove(_ key: CacheKey) async throws(ImageError) { try await queue.perform(.remove(key)) }

    /// Removes all entries; returns when that is committed.
    package func removeAll() async throws(ImageError) { try await queue.perform(.removeAll) }

    /// Stores bytes with the next shared transaction, at most 5 ms later. Queries see them immediately. `completion` runs
    /// once, after the commit, on the disk thread or on that of a blocking call.
    /// A refused store fails at once.
    package func enqueueStore(_ data: CachedData, for key: CacheKey, completion: Completion? = nil) {
        queue.enqueue(.store(key, data), completion: completion)
    }

    /// Removes an entry in the same way.
    package func enqueueRemove(_ key: CacheKey, completion: Completion? = nil) {
        queue.enqueue(.remove(key), completion: completion)
    }

    package func enqueueRemoveAll(completion: Completion? = nil) { queue.enqueue(.removeAll, completion: completion) }

    /// Stores bytes and commits on the calling thread; blocks.
    package func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError) { try queue.performNow(.store(key, data)) }

    package func removeNow(_ key: CacheKey) throws(ImageError) { try queue.performNow(.remove(key)) }

    package func removeAllNow() throws(ImageError) { try queue.performNow(.removeAll) }

    /// Commits all pending changes on the calling thread; blocks. Throws the first failure of a store since the last flush.
    package func flushNow() throws(ImageError) {
        try check()
        queue.commitAll()
        try counters.throwStoreError()
    }

    // MARK: Reads

    /// The bytes of an entry, or nil. Blocks for one index read and, for large entries, one file read and checksum.
    package func dataNow(for key: CacheKey) throws(ImageError) -> CachedData? {
        try check()
        return reader.dataNow(for: key)
    }

    /// Same as `dataNow`, without blocking the caller.
    package func data(for key: CacheKey) async throws(ImageError) -> CachedData? {
        try check()
        return try await reader.data(for: key)
    }

    /// True when an entry exists. Does not read its bytes and does not count as a use. Blocks.
    package func containsNow(_ key: CacheKey) throws(ImageError) -> Bool {
        try check()
        return reader.containsNow(key)
    }

    /// Removes the entry if it still belongs to this write. For bytes that no coder can read (docs/decisions.md, "A damaged
    /// entry is replaced").
    package func removeDamaged(_ key: CacheKey, write: CacheWrite) {
        guard !Engine.isForked else { return }
        reader.removeDamaged(key, write: write)
    }

    // MARK: Paths

    /// Path of a file with the bytes of an entry (docs/decisions.md, "Paths of entries are pins"). The file survives eviction
    /// until it is unpinned as often as it was handed out, or the cache is closed. Throws `notFound` without an entry. Blocks.
    package func pathNow(for key: CacheKey) throws(ImageError) -> String {
        try check()
        // Pending changes have no row yet. Those that follow are later than this call, and do not hide the row from it.
        if case .unknown = queue.lookUp(for: key) {} else { queue.commitAll() }
        guard let data = reader.committedNow(for: key), let write = data.write else {
            throw ImageError(.notFound, "disk cache: no such entry")
        }
        return try pins.pin(CacheFileName(key: key, write: write), data.bytes, in: opener.site())
    }

    /// Releases a path; the last release removes its file. False for a path that is not pinned. Blocks.
    /// Also false for a path that another cache has handed out.
    package func unpinNow(_ path: String) throws(ImageError) -> Bool {
        try check()
        return pins.unpin(path, in: try? opener.site())
    }

    // MARK: Properties of entries

    /// The caller's own bytes attached to an entry, or nil; throws `notFound` without an entry. Blocks.
    package func extendedDataNow(for key: CacheKey) throws(ImageError) -> Bytes? {
        try check()
        return try editor.rowNow(for: key).extendedData
    }

    /// Attaches bytes to an entry until it is replaced; nil removes them. Throws `notFound` without an entry. Blocks.
    package func setExtendedDataNow(_ data: Bytes?, for key: CacheKey) throws(ImageError) {
        // Bytes that are only lent by the caller may be freed before they are committed.
        let data = try data?.copiedIfLent()
        try check()
        try editor.changeRowNow(for: key) { row in
            row.extendedData = data
            return true
        }
    }

    /// The key of the entry named by a text of the caller: an exact key, or the printed form of a variant's key.
    package func named(_ text: CacheKey) throws(ImageError) -> CacheKey {
        try text.first { key throws(ImageError) in try containsNow(key) ? key : nil } ?? text
    }

    /// Sets the expiry of an entry in nanoseconds since 1970, which overrides the age rule; 0 = by the rule. Blocks.
    package func setExpiryNow(_ date: UInt64, for key: CacheKey) throws(ImageError) {
        try check()
        try editor.changeRowNow(for: key) { row in
            row.expires = date
            return true
        }
    }

    /// The exact expiry of an entry in nanoseconds since 1970; 0 = by the age rule. Throws `notFound` without an entry. Blocks.
    package func expiryNow(of key: CacheKey) throws(ImageError) -> UInt64 {
        try check()
        return try editor.rowNow(for: key).expires
    }

    /// Updates the response metadata of an entry after revalidation, if the entry still has the validators of `old`. Blocks.
    /// `old` has the validators of the record that was revalidated.
    package func updateRecordNow(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) throws(ImageError) {
        try check()
        try editor.changeRowNow(for: key) { row in
            // The entry was replaced by a response that was not revalidated.
            let record = ResponseRecord(
                entityTag: row.entityTag, lastModified: row.lastModified, encoded: row.encodedRecord, created: 0)
            guard row.entityTag == old.storedEntityTag, row.lastModified == old.storedLastModified,
                record.location == old.location
            else { return false }
            row.entityTag = new.storedEntityTag
            row.lastModified = new.storedLastModified
            row.encodedRecord = new.encoded(before: ResponseRecord.attachment(of: row.encodedRecord))
            return true
        }
    }

    /// The next page of a list, with at most `limit` entries; blocks. Each page reflects the state at the time it is read.
    package func entriesNow(_ query: CacheQuery = CacheQuery(), from position: CachePosition = .beginning, limit: Int)
        throws(ImageError) -> CachePage
    {
        try check()
        // Pending changes have no rows.
        queue.commitAll()
        return try opener.site().index.perform { store throws(ImageError) in
            try store.entries(query, from: position, limit: max(1, limit))
        }
    }

    // MARK: Maintenance

    /// Throws the reason why nothing can be stored now; blocks.
    func checkNow() throws(ImageError) {
        try check()
        try opener.check()
    }

    /// Number and size of the entries on disk, after committing pending changes; blocks.
    package func totalsNow() throws(ImageError) -> CacheTotals {
        try check()
        queue.commitAll()
        return try opener.site().totals()
    }

    /// Removes expired entries; if the size limit is exceeded, also the oldest down to half of it. Blocks. Unused pages are
    /// returned later.
    /// Expired by the clock of this moment.
    package func trimNow() throws(ImageError) {
        try check()
        queue.commitAll()
        try trimmer.trim(queue.interlude)
    }

    /// Removes the oldest entries, regardless of the limits, until fewer than `bytes` bytes of disk are used; blocks.
    package func trimNow(below bytes: Int) throws(ImageError) {
        try check()
        queue.commitAll()
        try trimmer.trim(below: bytes, queue.interlude)
    }

    /// Reads every entry and compares every checksum; blocks the caller throughout. With `repairs`, removes or repairs all
    /// problems found.
    /// Includes files that belong to no entry.
    package func verifyNow(repairs: Bool) throws(ImageError) -> CacheReport {
        try check()
        queue.commitAll()
        var verifier = Verifier(try opener.site(), reader: reader, repairs: repairs)
        return try verifier.verify()
    }
}
