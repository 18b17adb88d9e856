import SDImage

/// An entry of a cache as C holds it.
final class CacheEntryObject: Sendable {
    let entry: CachedData
    /// nil where there was no memory for it: the entry is then kept as bytes alone.
    let metadata: Bytes?

    init(_ entry: CachedData) {
        // A lease ends when the entry is stored, though the host may keep this for ever.
        self.entry = entry.withoutWrite
        metadata = try? Bytes.copying(entry.metadata)
    }
}
