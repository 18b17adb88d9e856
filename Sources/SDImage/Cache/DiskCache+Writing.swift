extension DiskCache {
    /// Stores bytes; returns when they are committed.
    package func store(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try await queue.perform(.store(key, data))
    }

    /// Removes an entry; returns when that is committed.
    package func remove(_ key: CacheKey) async throws(ImageError) { try await queue.perform(.remove(key)) }

    /// Removes all entries; returns when that is committed.
    package func removeAll() async throws(ImageError) { try await queue.perform(.removeAll) }

    /// Commits all changes accepted before this call.
    package func flush() async throws(ImageError) {
        try check()
        await queue.flush()
    }

    /// Stores bytes with the next shared transaction, at most 5 ms later. Queries see them immediately. `completion` runs
    /// once, after the commit, on the disk thread or on that of a blocking call.
    package func enqueueStore(_ data: CachedData, for key: CacheKey, completion: Completion? = nil) {
        queue.enqueue(.store(key, data), completion: completion)
    }

    package func enqueueRemove(_ key: CacheKey, completion: Completion? = nil) {
        queue.enqueue(.remove(key), completion: completion)
    }

    package func enqueueRemoveAll(completion: Completion? = nil) { queue.enqueue(.removeAll, completion: completion) }

    /// Stores bytes and commits on the calling thread; blocks.
    package func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError) { try queue.performNow(.store(key, data)) }

    package func removeNow(_ key: CacheKey) throws(ImageError) { try queue.performNow(.remove(key)) }

    package func removeAllNow() throws(ImageError) { try queue.performNow(.removeAll) }

    /// Commits all pending changes on the calling thread; blocks.
    package func flushNow() throws(ImageError) {
        try check()
        queue.commitAll()
    }
}
