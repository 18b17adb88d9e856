import SDImage

/// A cache entry as seen from C: `sdimage_cache_entry`. Lent to functions of a `ForeignCache`, which may retain it. Immutable.
package final class CacheEntryObject: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    package let entry: CachedData
    /// The same entry with the date of its metadata, as a query returns it: `replace_entry` compares it with the stored entry.
    package let dated: CachedData
    /// nil if there was no memory for it: the entry is then stored as bytes alone.
    package let metadata: Bytes?

    package init(_ entry: CachedData) {
        // A lease ends when the entry is stored, although the host may retain this object indefinitely.
        self.entry = entry.withoutWrite
        var dated = self.entry
        if dated.created == 0 { dated.created = MonotonicClock.wall }
        self.dated = dated
        metadata = try? Bytes.copying(dated.metadata)
    }
}
