extension DiskCache {
    /// The next page of a list, with at most `limit` entries; blocks. Each page reflects the state at the time it is read.
    package func entriesNow(_ query: CacheQuery = CacheQuery(), from place: CachePosition = .beginning, limit: Int)
        throws(ImageError) -> CachePage
    {
        try check()
        queue.commitAll()
        return try opener.site().index.perform { store throws(ImageError) in
            try store.entries(query, from: place, limit: max(1, limit))
        }
    }
}
