/// Access times that wait to be written to the index (docs/decisions.md, "Dates of access").
/// Used by `CacheReader`, and flushed by `DiskCache.close`. Timers run on the disk thread.
final class AccessLog: Sendable {
    /// Guarded by the lock.
    private struct State {
        /// Latest use of each entry since the last flush, nanoseconds since 1970.
        var times: [CacheKey: UInt64] = [:]
        /// A timer that writes them is set.
        var isFlushScheduled = false
    }

    private let opener: CacheOpener
    private let limits: ActiveLimits
    private let counters: DiskCacheCounters
    private let lease: EngineLease
    private let state = Lock(State())
    /// Nanoseconds between the first recorded use and the write.
    private static let flushDelay: UInt64 = 5_000_000_000

    init(_ opener: CacheOpener, limits: ActiveLimits, counters: DiskCacheCounters, lease: EngineLease) {
        self.opener = opener
        self.limits = limits
        self.counters = counters
        self.lease = lease
    }

    /// Records a use of an entry, written within some seconds.
    /// Does nothing if the stored date is recent enough, so that frequent uses cost no writes.
    func record(_ row: CacheRow, at now: UInt64) {
        // The clock may have been set back since the last use.
        guard now > row.accessed, now - row.accessed >= limits.accessResolution else { return }
        let mustSchedule = state.withLock { state in
            state.times[row.key] = now
            defer { state.isFlushScheduled = true }
            return !state.isFlushScheduled
        }
        guard mustSchedule else { return }
        lease.engine.disk.schedule(at: MonotonicClock.now &+ AccessLog.flushDelay) { [weak self] in self?.flush() }
    }

    /// Writes all recorded times; blocks.
    /// An error loses the times, which only makes the entries seem older.
    func flush() {
        let times = state.withLock { state in
            defer { state.times = [:] }
            state.isFlushScheduled = false
            return state.times
        }
        guard !times.isEmpty else { return }
        do throws(ImageError) {
            let list = times.map { (key: $0.key, time: $0.value) }
            try opener.site().index.perform { store throws(ImageError) in try store.touch(list) }
        } catch { counters.note(error) }
    }
}
