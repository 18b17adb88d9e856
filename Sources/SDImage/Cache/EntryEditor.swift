/// Reads and changes rows of a disk cache without their bytes.
/// Part of `DiskCache`. Changes of a row keep its bytes and its file.
struct EntryEditor: Sendable {
    private let opener: CacheOpener
    private let queue: CommitQueue
    private let limits: ActiveLimits
    private let clock: CacheClock

    init(_ opener: CacheOpener, queue: CommitQueue, limits: ActiveLimits, clock: CacheClock) {
        self.opener = opener
        self.queue = queue
        self.limits = limits
        self.clock = clock
    }

    /// The row of an entry; throws `notFound` without one. Blocks.
    func rowNow(for key: CacheKey) throws(ImageError) -> CacheRow {
        // Pending changes have no row yet.
        if case .unknown = queue.lookUp(for: key) {} else { queue.commitAll() }
        let row = try opener.site().index.perform { store throws(ImageError) in try store.header(for: key) }
        guard let row, row.isIntact, !limits.isExpired(row, at: clock.now) else {
            throw ImageError(.notFound, "disk cache: no such entry")
        }
        return row
    }

    /// Changes the row of an entry; throws `notFound` without one. `change` returns false to leave the row as it is. Blocks.
    func changeRowNow(for key: CacheKey, _ change: (inout CacheRow) -> Bool) throws(ImageError) {
        // Another writer may replace the entry between the read and the update; then the new row is changed.
        for _ in 0..<16 {
            var row = try rowNow(for: key)
            // The seal covers the changed fields, and is computed when the row is written.
            guard change(&row) else { return }
            let changed = row
            if try opener.site().index.perform({ store throws(ImageError) in try store.update(changed) }) { return }
        }
        throw ImageError(.busy, "disk cache: entry replaced during each of 16 attempts to change it")
    }
}
