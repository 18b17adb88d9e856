extension DiskCache {
    /// Number and size of the entries on disk, after committing pending changes; blocks.
    package func totalsNow() throws(ImageError) -> CacheTotals {
        try check()
        commitAll()
        return try opener.site().totals()
    }

    /// Removes expired entries; if the size limit is exceeded, also the oldest down to half of it. Blocks. Unused pages are
    /// returned later.
    package func trimNow() throws(ImageError) {
        try check()
        commitAll()
        try trimmer.trim(interlude)
    }

    /// Removes the oldest entries, regardless of the limits, until fewer than `bytes` bytes of disk are used; blocks.
    package func trimNow(below bytes: Int) throws(ImageError) {
        try check()
        commitAll()
        try trimmer.trim(below: bytes, interlude)
    }

    /// Commits pending changes between two slices of a trim.
    var interlude: Trimmer.Interlude { { [weak self] in self?.commitAll() } }
}
