/// Reads entries of a disk cache: pending ones from the commit queue, others from the index and their files.
/// Part of `DiskCache`. Failures of the folder are counted and appear as misses.
struct CacheReader: Sendable {
    /// Bytes of a row after verification.
    enum StoredBytes {
        case intact(Bytes)
        /// The bytes or the row differ from the stored ones.
        case damaged
        /// The file does not exist.
        case missing
    }

    private let opener: CacheOpener
    private let queue: CommitQueue
    private let limits: ActiveLimits
    private let clock: CacheClock
    private let accessLog: AccessLog
    private let counters: DiskCacheCounters
    private let lease: EngineLease

    init(
        _ opener: CacheOpener, queue: CommitQueue, limits: ActiveLimits, clock: CacheClock, accessLog: AccessLog,
        counters: DiskCacheCounters, lease: EngineLease
    ) {
        self.opener = opener
        self.queue = queue
        self.limits = limits
        self.clock = clock
        self.accessLog = accessLog
        self.counters = counters
        self.lease = lease
    }

    /// The bytes of an entry, or nil. Blocks for one index read and, for large entries, one file read and checksum.
    /// Must not be called on the asynchronous thread.
    func dataNow(for key: CacheKey) -> CachedData? {
        switch queue.lookUp(for: key) {
        case .stored(let data): return count(isExpired(data) ? nil : data)
        case .removed: return count(nil)
        case .unknown: return count(read(key))
        }
    }

    /// Same as `dataNow`, regardless of pending changes.
    /// The entry has a write.
    func committedNow(for key: CacheKey) -> CachedData? { count(read(key)) }

    /// Same as `dataNow`, without blocking the caller.
    ///
    /// Pending stores are returned immediately. Rows are read on the work pool: the image will be decoded there next, so a
    /// full pool delays nothing that would not wait anyway, and no store delays the read.
    func data(for key: CacheKey) async throws(ImageError) -> CachedData? {
        switch queue.lookUp(for: key) {
        case .stored(let data): return count(isExpired(data) ? nil : data)
        case .removed: return count(nil)
        case .unknown: return try await lease.engine.work.run(.high) { [self] () throws(ImageError) in count(read(key)) }
        }
    }

    /// True when an entry exists. Does not read its bytes and does not count as a use. Blocks.
    /// False for an entry whose row is damaged.
    func containsNow(_ key: CacheKey) -> Bool {
        switch queue.lookUp(for: key) {
        case .stored(let data): return !isExpired(data)
        case .removed: return false
        case .unknown: break
        }
        do throws(ImageError) {
            let row = try opener.site().index.perform { store throws(ImageError) in try store.header(for: key) }
            return row.map { $0.isIntact && !limits.isExpired($0, at: clock.now) } ?? false
        } catch {
            counters.note(error)
            return false
        }
    }

    /// True for a pending store after its own date. It has no row, so the rules of the cache cannot expire it.
    private func isExpired(_ pending: CachedData) -> Bool { pending.expires != 0 && pending.expires <= clock.now }

    /// Counts the look-up as a hit or a miss.
    private func count(_ data: CachedData?) -> CachedData? {
        counters.countLookUp(isHit: data != nil)
        return data
    }

    /// nil for a miss of any kind.
    private func read(_ key: CacheKey) -> CachedData? {
        do throws(ImageError) {
            let site = try opener.site()
            // A row may be replaced between reading it and opening its file; then it is re-read (docs/decisions.md, "The row
            // is the commit").
            var damaged: CacheWrite?
            for _ in 0..<4 {
                guard let row = try site.index.perform({ store throws(ImageError) in try store.row(for: key) }) else {
                    return nil
                }
                let now = clock.now
                if limits.isExpired(row, at: now) { return nil }
                // The same write is damaged twice, so it was not replaced meanwhile.
                if row.write == damaged {
                    drop(key, row.write, from: site)
                    Log.write(.warning, "cache: damaged entry removed")
                    return nil
                }
                if case .intact(let bytes) = try bytes(of: row, in: site) {
                    accessLog.record(row, at: now)
                    return cachedData(row, bytes)
                }
                damaged = row.write
            }
            return nil
        } catch {
            counters.note(error)
            return nil
        }
    }

    /// Reads and verifies the bytes of a row, and counts problems.
    /// Throws errors of the disk, which say nothing about the entry.
    func bytes(of row: CacheRow, in site: CacheSite) throws(ImageError) -> StoredBytes {
        let stored = try verifiedBytes(of: row, in: site)
        switch stored {
        case .intact: break
        case .damaged: counters.countDamagedEntry()
        case .missing: counters.countMissingFile()
        }
        return stored
    }

    /// Compares all that can be compared: the seal of the row, the length, and the checksum of the bytes.
    private func verifiedBytes(of row: CacheRow, in site: CacheSite) throws(ImageError) -> StoredBytes {
        guard row.isIntact else { return .damaged }
        if row.file.isEmpty {
            guard let inline = row.inline, inline.count == row.length else { return .damaged }
            return verify(inline, row)
        }
        // A row may name only the file of its own write.
        guard let name = CacheFileName(path: row.file), name.write == row.write, row.length > 0 else { return .damaged }
        do throws(ImageError) {
            // Verified on every read: another process may have written to the file since.
            return verify(try site.folder.read(name, length: row.length), row)
        } catch {
            switch error.status {
            case .notFound: return .missing
            case .badData, .notAFile: return .damaged
            default: throw error
            }
        }
    }

    private func verify(_ bytes: Bytes, _ row: CacheRow) -> StoredBytes {
        unsafe bytes.withUnsafeBytes { unsafe CRC32C.checksum($0) } == row.checksum ? .intact(bytes) : .damaged
    }

    /// The entry as callers see it.
    private func cachedData(_ row: CacheRow, _ bytes: Bytes) -> CachedData {
        var data = CachedData(bytes: bytes)
        data.entityTag = row.entityTag
        data.lastModified = row.lastModified
        data.encodedRecord = row.encodedRecord
        data.extendedData = row.extendedData
        data.created = row.created
        data.expires = row.expires
        data.write = row.write
        return data
    }

    // MARK: Damaged entries

    /// Removes an entry on the disk thread if it still belongs to this write.
    func removeDamaged(_ key: CacheKey, write: CacheWrite) {
        // The queued closure must not keep the cache alive.
        lease.engine.disk.submit { [weak opener, counters] in
            guard let site = try? opener?.site() else { return }
            CacheReader.drop(key, write, from: site, counters)
        }
    }

    /// Removes an entry if it still belongs to this write; blocks.
    func drop(_ key: CacheKey, _ write: CacheWrite, from site: CacheSite) {
        CacheReader.drop(key, write, from: site, counters)
    }

    /// A static function, so that a queued removal keeps neither the reader nor the engine alive.
    private static func drop(_ key: CacheKey, _ write: CacheWrite, from site: CacheSite, _ counters: DiskCacheCounters) {
        do throws(ImageError) { try site.apply([.remove(key, write: write)]) } catch { counters.note(error) }
    }
}
