extension DiskCache {
    /// The caller's own bytes attached to an entry, or nil; throws `notFound` without an entry. Blocks.
    package func extendedDataNow(for key: CacheKey) throws(ImageError) -> Bytes? { try rowNow(for: key).extendedData }

    /// Attaches bytes to an entry until it is replaced; nil removes them. Throws `notFound` without an entry. Blocks.
    package func setExtendedDataNow(_ data: Bytes?, for key: CacheKey) throws(ImageError) {
        let data = try data?.kept()
        try changeRowNow(for: key) { row in
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
        try changeRowNow(for: key) { row in
            row.expires = date
            return true
        }
    }

    /// Updates the response metadata of an entry after revalidation, if the entry still has the validators of `old`. Blocks.
    package func updateRecordNow(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) throws(ImageError) {
        try changeRowNow(for: key) { row in
            guard row.entityTag == old.storedEntityTag, row.lastModified == old.storedLastModified else { return false }
            row.entityTag = new.storedEntityTag
            row.lastModified = new.storedLastModified
            row.answer = new.encoded
            return true
        }
    }

    private func rowNow(for key: CacheKey) throws(ImageError) -> CacheRow {
        try check()
        // Pending changes have no row yet.
        if case .unknown = queue.answer(for: key) {} else { queue.commitAll() }
        let row = try opener.site().index.perform { store throws(ImageError) in try store.header(for: key) }
        guard let row, row.isIntact, !activeLimits.isExpired(row, at: clock.now) else {
            throw ImageError(.notFound, "no such entry in the cache")
        }
        return row
    }

    /// Changes the row of an entry. `change` returns false to leave the row as it is.
    private func changeRowNow(for key: CacheKey, _ change: (inout CacheRow) -> Bool) throws(ImageError) {
        // Another writer may replace the entry between the read and the update; then the new row is changed.
        for _ in 0..<16 {
            var row = try rowNow(for: key)
            guard change(&row) else { return }
            let changed = row
            if try opener.site().index.perform({ store throws(ImageError) in try store.update(changed) }) { return }
        }
        throw ImageError(.busy, "the entry is being replaced all the time")
    }
}
