extension DiskCache {
    /// The caller's own bytes beside an entry, or nil; `notFound` without an entry. Blocks.
    package func extendedDataNow(for key: CacheKey) throws(ImageError) -> Bytes? { try rowNow(for: key).extendedData }

    /// Keeps bytes beside an entry until it is replaced; nil removes them. `notFound` without an entry. Blocks.
    package func setExtendedDataNow(_ data: Bytes?, for key: CacheKey) throws(ImageError) {
        let data = try data?.kept()
        try changeRowNow(for: key) { row in
            row.extendedData = data
            return true
        }
    }

    /// The key of the entry that a text of a caller names: exactly, or as the printed form of a variant's key.
    package func named(_ text: CacheKey) throws(ImageError) -> CacheKey {
        try text.first { key throws(ImageError) in try containsNow(key) ? key : nil } ?? text
    }

    /// From when on an entry is a miss, nanoseconds since 1970, whatever the age rule says; 0 = by the rule. Blocks.
    package func setExpiryNow(_ date: UInt64, for key: CacheKey) throws(ImageError) {
        try changeRowNow(for: key) { row in
            row.expires = date
            return true
        }
    }

    /// Keeps what a later answer said of an entry, if it is still the one that came with `old`. Blocks.
    package func renewNow(_ key: CacheKey, from old: ResponseRecord, to new: ResponseRecord) throws(ImageError) {
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
        // What waits has no row yet.
        if case .unknown = state.withLock({ $0.pending.answer(for: key) }) {} else { commitAll() }
        let row = try opened().index.perform { store throws(ImageError) in try store.header(for: key) }
        guard let row, row.isIntact, !isExpired(row, at: clock.now) else {
            throw ImageError(.notFound, "no such entry in the cache")
        }
        return row
    }

    /// `change` gives false to leave the row as it is.
    private func changeRowNow(for key: CacheKey, _ change: (inout CacheRow) -> Bool) throws(ImageError) {
        // Between reading and writing another may replace the entry: then the new one is changed.
        for _ in 0..<16 {
            var row = try rowNow(for: key)
            guard change(&row) else { return }
            let changed = row
            if try opened().index.perform({ store throws(ImageError) in try store.update(changed) }) { return }
        }
        throw ImageError(.busy, "the entry is being replaced all the time")
    }
}
