import SDImage

/// An entry of a cache as C holds it.
final class CacheEntryObject: Sendable {
    let entry: CachedData
    /// The same with the date that its metadata has, as a query returns it: `replace_entry` compares it with what was stored.
    let dated: CachedData
    /// nil where there was no memory for it: the entry is then kept as bytes alone.
    let metadata: Bytes?

    init(_ entry: CachedData) {
        // A lease ends when the entry is stored, though the host may keep this for ever.
        self.entry = entry.withoutWrite
        var dated = self.entry
        if dated.created == 0 { dated.created = MonotonicClock.wall }
        self.dated = dated
        metadata = try? Bytes.copying(dated.metadata)
    }
}
