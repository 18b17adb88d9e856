import Synchronization

extension DiskCache {
    /// Commits one transaction on the disk thread, then yields to other work of that thread.
    func commitStep() {
        state.withLock { state in
            state.isCommitSubmitted = false
            state.isCommitScheduled = false
        }
        guard commitBatch() else { return }
        let mustSubmit = state.withLock { state in
            defer { state.isCommitSubmitted = true }
            return !state.isCommitSubmitted
        }
        if mustSubmit { lease.engine.disk.submit { [self] in commitStep() } }
    }

    /// Commits all pending changes. On return, every change accepted before is committed or refused.
    func commitAll() { while commitBatch() {} }

    /// Commits one transaction; false when nothing was pending.
    private func commitBatch() -> Bool {
        let batch = committing.withLock { _ -> [(PendingChanges.Completion?, Result<Void, ImageError>)] in
            let batch = state.withLock { $0.pending.next(limit: DiskCache.batchCount, bytes: DiskCache.batchBytes) }
            guard !batch.isEmpty else { return [] }
            let results = commit(batch)
            for (operation, result) in zip(batch, results) {
                if case .store = operation.change { counters.countStore(result) }
            }
            state.withLock { $0.pending.finish(batch) }
            return zip(batch, results).map { ($0.completion, $1) }
        }
        for (completion, result) in batch { completion?(result) }
        return !batch.isEmpty
    }

    private func commit(_ batch: [PendingChanges.Operation]) -> [Result<Void, ImageError>] {
        do throws(ImageError) {
            var site = try opener.site()
            if opener.closeIfGone(site) { site = try opener.site() }
            if case .removeAll? = batch.first?.change {
                try site.removeAll()
                trimmer.schedule(interlude)
                return [.success(())]
            }
            return try apply(batch, in: site)
        } catch { return batch.map { _ in .failure(error) } }
    }

    private func apply(_ batch: [PendingChanges.Operation], in site: CacheSite) throws(ImageError) -> [Result<Void, ImageError>] {
        var results: [Result<Void, ImageError>] = batch.map { _ in .success(()) }
        var changes: [CacheChange] = []
        var written: [CacheFileName] = []
        let last = DiskCache.lastChanges(batch)
        for (index, operation) in batch.enumerated() {
            switch operation.change {
            case .store(let key, let data) where last[key] == index:
                do throws(ImageError) { changes.append(.put(try row(key, data, in: site, &written))) } catch {
                    results[index] = .failure(error)
                }
            case .remove(let key) where last[key] == index: changes.append(.remove(key, write: nil))
            // Superseded by a later change of the same transaction; shares its result.
            default: break
            }
        }
        do throws(ImageError) {
            try site.apply(changes)
        } catch {
            for name in written { site.folder.remove(name) }
            throw error
        }
        trimmer.trimIfOver(site, interlude)
        return results
    }

    /// Position of the last change of each key.
    private static func lastChanges(_ batch: [PendingChanges.Operation]) -> [CacheKey: Int] {
        var last: [CacheKey: Int] = [:]
        for (index, operation) in batch.enumerated() {
            switch operation.change {
            case .store(let key, _), .remove(let key): last[key] = index
            case .removeAll: break
            }
        }
        return last
    }

    /// The row of an entry. Writes a large entry to its file first.
    private func row(_ key: CacheKey, _ data: CachedData, in site: CacheSite, _ written: inout [CacheFileName])
        throws(ImageError) -> CacheRow
    {
        var row = CacheRow(key: key, write: site.nextWrite())
        row.length = data.bytes.count
        row.checksum = unsafe data.bytes.withUnsafeBytes { unsafe CRC32C.checksum($0) }
        row.created = clock.now
        row.accessed = row.created
        row.expires = data.expires
        row.entityTag = data.entityTag
        row.lastModified = data.lastModified
        row.answer = data.answer
        row.extendedData = data.extendedData
        if data.bytes.count <= configuration.inlineEntryLimit {
            row.inline = data.bytes
        } else {
            let name = CacheFileName(key: key, write: row.write)
            row.allocated = try site.folder.create(name, data.bytes)
            row.file = name.path
            written.append(name)
        }
        return row
    }
}
