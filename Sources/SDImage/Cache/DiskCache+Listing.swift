extension DiskCache {
    /// The next entries of a list, at most `limit`; blocks. Each page is what was there when it was read.
    package func entriesNow(_ query: CacheQuery = CacheQuery(), from place: CachePosition = .beginning, limit: Int)
        throws(ImageError) -> CachePage
    {
        try check()
        commitAll()
        return try opened().index.perform { store throws(ImageError) in
            try store.entries(query, from: place, limit: max(1, limit))
        }
    }
}
