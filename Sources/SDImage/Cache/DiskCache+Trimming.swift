extension DiskCache {
    /// Number and size of the entries on disk, after committing pending changes; blocks.
    package func totalsNow() throws(ImageError) -> CacheTotals {
        try check()
        queue.commitAll()
        return try opener.site().totals()
    }

    /// Removes expired entries; if the size limit is exceeded, also the oldest down to half of it. Blocks. Unused pages are
    /// returned later.
    package func trimNow() throws(ImageError) {
        try check()
        queue.commitAll()
        try trimmer.trim(queue.interlude)
    }

    /// Removes the oldest entries, regardless of the limits, until fewer than `bytes` bytes of disk are used; blocks.
    package func trimNow(below bytes: Int) throws(ImageError) {
        try check()
        queue.commitAll()
        try trimmer.trim(below: bytes, queue.interlude)
    }
}
