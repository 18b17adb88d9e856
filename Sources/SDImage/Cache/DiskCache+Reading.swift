import Glibc

extension DiskCache {
    /// The bytes of an entry, or nil. Blocks for one index read and, for large entries, one file read and checksum.
    package func dataNow(for key: CacheKey) throws(ImageError) -> CachedData? {
        try check()
        switch queue.answer(for: key) {
        case .stored(let data): return count(data)
        case .removed: return count(nil)
        case .unknown: return count(read(key))
        }
    }

    /// Same as `dataNow`, without blocking the caller.
    ///
    /// Pending stores are returned immediately. Rows are read on the work pool: the image will be decoded there next, so a
    /// full pool delays nothing that would not wait anyway, and no store delays the read.
    package func data(for key: CacheKey) async throws(ImageError) -> CachedData? {
        try check()
        switch queue.answer(for: key) {
        case .stored(let data): return count(data)
        case .removed: return count(nil)
        case .unknown: return try await lease.engine.work.run(.high) { [self] () throws(ImageError) in count(read(key)) }
        }
    }

    /// True when an entry exists. Does not read its bytes and does not count as a use. Blocks.
    package func containsNow(_ key: CacheKey) throws(ImageError) -> Bool {
        try check()
        switch queue.answer(for: key) {
        case .stored(let data): return data.expires == 0 || data.expires > clock.now
        case .removed: return false
        case .unknown: break
        }
        do throws(ImageError) {
            let row = try opener.site().index.perform { store throws(ImageError) in try store.header(for: key) }
            return row.map { $0.isIntact && !activeLimits.isExpired($0, at: clock.now) } ?? false
        } catch {
            note(error)
            return false
        }
    }

    /// Removes the entry if it still belongs to this write. For bytes that no coder can read (docs/decisions.md, "A damaged
    /// entry is replaced").
    package func removeDamaged(_ key: CacheKey, write: CacheWrite) {
        guard !Engine.isForked else { return }
        lease.engine.disk.submit { [weak self] in
            guard let self, let site = try? opener.site() else { return }
            drop(key, write, from: site)
        }
    }

    /// Path of a file with the bytes of an entry (docs/decisions.md, "Paths of entries are pins"). The file survives eviction
    /// until it is unpinned as often as it was handed out, or the cache is closed. Throws `notFound` without an entry. Blocks.
    package func pathNow(for key: CacheKey) throws(ImageError) -> String {
        try check()
        if case .stored = queue.answer(for: key) { queue.commitAll() }
        guard let data = try dataNow(for: key), let write = data.write else {
            throw ImageError(.notFound, "no such entry in the cache")
        }
        return try pins.pin(CacheFileName(key: key, write: write), data.bytes, in: opener.site())
    }

    /// Releases a path; the last release removes its file. False for a path that is not pinned. Blocks.
    package func unpinNow(_ path: String) throws(ImageError) -> Bool {
        try check()
        return pins.unpin(path, in: try? opener.site())
    }

    private func count(_ data: CachedData?) -> CachedData? {
        counters.countLookUp(isHit: data != nil)
        return data
    }

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
                if activeLimits.isExpired(row, at: now) { return nil }
                if row.write == damaged {
                    drop(key, row.write, from: site)
                    return nil
                }
                if let bytes = try bytes(of: row, in: site) {
                    accessLog.record(row, at: now)
                    return cachedData(row, bytes)
                }
                damaged = row.write
            }
            return nil
        } catch {
            note(error)
            return nil
        }
    }

    /// The bytes of a row; nil when they differ from the stored ones or the file is missing.
    func bytes(of row: CacheRow, in site: CacheSite) throws(ImageError) -> Bytes? {
        guard row.isIntact else { return countDamage() }
        if row.file.isEmpty {
            guard let inline = row.inline, inline.count == row.length, isIntact(inline, row) else { return countDamage() }
            return inline
        }
        guard let name = CacheFileName(path: row.file), name.write == row.write, row.length > 0 else { return countDamage() }
        do throws(ImageError) {
            // Verified on every read: another process may have written to the file since.
            let bytes = try site.folder.read(name, length: row.length)
            return isIntact(bytes, row) ? bytes : countDamage()
        } catch {
            switch error.status {
            case .notFound:
                counters.countMissingFile()
                return nil
            case .badData, .notAFile: return countDamage()
            default: throw error
            }
        }
    }

    private func isIntact(_ bytes: Bytes, _ row: CacheRow) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe CRC32C.checksum($0) } == row.checksum
    }

    private func countDamage() -> Bytes? {
        counters.countDamagedEntry()
        return nil
    }

    func drop(_ key: CacheKey, _ write: CacheWrite, from site: CacheSite) {
        do throws(ImageError) { try site.apply([.remove(key, write: write)]) } catch { note(error) }
    }

    private func cachedData(_ row: CacheRow, _ bytes: Bytes) -> CachedData {
        var data = CachedData(bytes: bytes)
        data.entityTag = row.entityTag
        data.lastModified = row.lastModified
        data.answer = row.answer
        data.extendedData = row.extendedData
        data.created = row.created
        data.expires = row.expires
        data.write = row.write
        return data
    }
}
