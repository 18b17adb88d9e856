import CSDImage
import SDImage

/// Fills a structure of the caller, whose first field is its size: writes as many whole fields as fit.
package func fill<T>(
    _ target: UnsafeMutablePointer<T>?, size: Int, with values: T
) throws(ImageError) {
    guard let target = unsafe target else { throw ImageError(.invalidArgument, "argument: statistics are NULL") }
    let word = MemoryLayout<UInt64>.size
    guard size >= 2 * word else {
        throw ImageError(.invalidArgument, "argument: statistics size is \(size), expected at least \(2 * word)")
    }
    // All fields have eight bytes. A caller of an older version has fewer of them, and its size stays as it is.
    let count = min(size / word * word, MemoryLayout<T>.size)
    unsafe withUnsafeBytes(of: values) { source in
        guard let base = source.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(target).advanced(by: word).copyMemory(from: base + word, byteCount: count - word)
    }
}

extension ImageCache {
    /// The counters of the memory and the disk part; throws if the cache is closed. Those of the disk are 0 without a disk part.
    package func counters() throws(ImageError) -> sdimage_cache_statistics {
        try check()
        var result = sdimage_cache_statistics()
        let memory = memory.statistics
        result.memory_hits = UInt64(clamping: memory.hits)
        result.memory_misses = UInt64(clamping: memory.misses)
        result.memory_evictions = UInt64(clamping: memory.evictions)
        result.memory_ghost_hits = UInt64(clamping: memory.ghostHits)
        result.memory_bytes = UInt64(clamping: memory.bytes)
        result.memory_count = UInt64(clamping: memory.count)
        guard let disk else { return result }
        let used = disk.statistics
        // The totals are in the index, which may be unreadable; they are 0 then.
        let totals = try? disk.totalsNow()
        result.disk_hits = UInt64(clamping: used.hits)
        result.disk_misses = UInt64(clamping: used.misses)
        result.disk_stores = UInt64(clamping: used.stores)
        result.disk_dropped_stores = UInt64(clamping: used.droppedStores)
        result.disk_damaged_entries = UInt64(clamping: used.damagedEntries)
        result.disk_damaged_indexes = UInt64(clamping: used.damagedDatabases)
        result.disk_missing_files = UInt64(clamping: used.missingFiles)
        result.disk_evictions = UInt64(clamping: used.trimmedEntries)
        result.disk_pending_bytes = UInt64(clamping: used.pendingBytes)
        result.disk_bytes = UInt64(clamping: totals?.bytes ?? 0)
        result.disk_count = UInt64(clamping: totals?.count ?? 0)
        result.disk_allocated_bytes = UInt64(clamping: totals?.footprint ?? 0)
        return result
    }
}

extension FrameBudget {
    /// The state of the budget of all animations.
    package var counters: sdimage_frame_budget_statistics {
        let used = statistics
        var result = sdimage_frame_budget_statistics()
        result.limit = UInt64(clamping: used.limit)
        result.animations = UInt64(clamping: used.pools)
        result.frames = UInt64(clamping: used.frames)
        result.bytes = UInt64(clamping: used.bytes)
        result.canvas_bytes = UInt64(clamping: used.canvasBytes)
        result.hits = UInt64(clamping: used.hits)
        result.misses = UInt64(clamping: used.misses)
        result.decodes = UInt64(clamping: used.decodes)
        result.evictions = UInt64(clamping: used.evictions)
        return result
    }
}
