import Glibc

/// Removes expired entries of a disk cache, and the oldest ones while it exceeds its size limit. Works in slices, because other
/// users of the database wait for a slice.
/// Part of `DiskCache`. Background trims run on the disk thread, those of a caller on its own.
final class Trimmer: Sendable {
    /// Work between two slices of a trim, so that pending stores do not wait for its end.
    typealias Interlude = @Sendable () -> Void

    /// Phases of a trim, each in slices: entries past their own expiry, entries past the age rule, the oldest entries until
    /// less than half of the limit is used, and returning free pages.
    private enum Phase {
        case expired, aged, oversized, vacuum
    }

    /// Guarded by the lock.
    private struct State {
        /// True while a background trim is submitted or running.
        var isScheduled = false
        /// True if another trim was requested meanwhile: the running one may have passed the phase that the request needs.
        var isRequestedAgain = false
        /// Maximum number of entries that may be removed now because of their age. Limited in the first hour, because the
        /// clock may have been wrong when the cache was opened. Until removed, such entries are misses.
        var agingAllowance = 0
        /// True while a trim by size is under way; it continues down to half of the limit.
        var isShrinking = false
        /// Maximum number of entries removed in one transaction.
        var sliceLimit = 32
        var isStopped = false
    }

    private let opener: CacheOpener
    private let limits: ActiveLimits
    private let clock: CacheClock
    private let counters: DiskCacheCounters
    private let lease: EngineLease
    private let state = Lock(State())

    /// Pause between two slices of a trim, nanoseconds. Without it another process would find the database free only at the
    /// end.
    private static let sliceGap: UInt64 = 400_000
    /// Nanoseconds between two slices that return free pages.
    private static let vacuumDelay: UInt64 = 20_000_000
    /// Nanoseconds between two checks for aged entries: one hour.
    private static let agingInterval: UInt64 = 3_600_000_000_000

    init(
        _ opener: CacheOpener, limits: ActiveLimits, clock: CacheClock, counters: DiskCacheCounters, lease: EngineLease
    ) {
        self.opener = opener
        self.limits = limits
        self.clock = clock
        self.counters = counters
        self.lease = lease
    }

    /// Ends background trims after their current slice; further ones are not started.
    func stop() { state.withLock { $0.isStopped = true } }

    // MARK: Trims of a caller

    /// Removes expired entries; if the size limit is exceeded, also the oldest down to half of it. Blocks. Unused pages are
    /// returned later.
    func trim(_ interlude: @escaping Interlude) throws(ImageError) {
        let site = try opener.site()
        var phase: Phase? = .expired
        // Returning pages is left to the background trim that follows.
        while let current = phase, current != .vacuum {
            phase = try slice(current, in: site, by: clock.now, isRequested: true)
            pause(interlude)
        }
        schedule(interlude)
    }

    /// Removes the oldest entries, regardless of the limits, until fewer than `bytes` bytes of disk are used; blocks.
    /// Ignores the age of entries.
    func trim(below bytes: Int, _ interlude: @escaping Interlude) throws(ImageError) {
        let site = try opener.site()
        var selection = CacheSelection(rule: limits.current.rule)
        selection.footprint = bytes
        while try !remove(selection, in: site).isComplete { pause(interlude) }
        schedule(interlude)
    }

    /// Pause between two slices: stores of this and other processes do not wait for the end of a trim.
    private func pause(_ interlude: Interlude) {
        interlude()
        usleep(UInt32(Trimmer.sliceGap / 1000))
    }

    /// Starts a trim if the size limit is exceeded. Called after a transaction, by its thread.
    func trimIfOver(_ site: CacheSite, _ interlude: @escaping Interlude) {
        let limit = limits.current.maxSize
        guard limit > 0 else { return }
        do throws(ImageError) {
            // Totals are one row, so the check is cheap.
            let use = try site.totals().footprint
            guard use > limit else { return }
            schedule(interlude)
            // A writer that outpaces the trim removes one slice itself.
            if use - limit > limit / 32 {
                var selection = CacheSelection(rule: limits.current.rule)
                selection.footprint = limit / 2
                _ = try remove(selection, in: site)
            }
        } catch { counters.note(error) }
    }

    // MARK: Background trims

    /// Starts a trim on the disk thread. One that is under way begins again once it has nothing left to remove.
    func schedule(_ interlude: @escaping Interlude) {
        guard !Engine.isForked else { return }
        let mustSubmit = state.withLock { state in
            guard !state.isStopped else { return false }
            defer { state.isScheduled = true }
            state.isRequestedAgain = state.isScheduled
            return !state.isScheduled
        }
        if mustSubmit { lease.engine.disk.submit { [weak self] in self?.step(.expired, interlude) } }
    }

    /// Trims a folder of `count` entries that was just opened, and checks for aged entries every hour from then on.
    /// Until the first of these checks, trims may remove an eighth of the entries by age.
    func start(count: Int, _ interlude: @escaping Interlude) {
        state.withLock { $0.agingAllowance = max(1, count / 8) }
        schedule(interlude)
        scheduleAging(interlude)
    }

    /// Checks for aged entries every hour; a server has no other occasion for it (docs/decisions.md, "Trimming").
    private func scheduleAging(_ interlude: @escaping Interlude) {
        lease.engine.disk.schedule(at: MonotonicClock.now &+ Trimmer.agingInterval) { [weak self] in
            // After an hour the wall clock is trusted.
            self?.state.withLock { $0.agingAllowance = .max }
            self?.schedule(interlude)
            self?.scheduleAging(interlude)
        }
    }

    /// One slice on the disk thread; schedules the next one, unless the trim is complete.
    private func step(_ phase: Phase, _ interlude: @escaping Interlude) {
        do throws(ImageError) {
            if state.withLock({ $0.isStopped }) { throw .shutdown }
            let phase = phase == .vacuum && takeRequest() ? .expired : phase
            let next = try slice(phase, in: opener.site(), by: clock.steady, isRequested: false)
            interlude()
            if let next {
                // No caller waits for unused pages, so stores go first.
                let delay = next == .vacuum ? Trimmer.vacuumDelay : Trimmer.sliceGap
                lease.engine.disk.schedule(at: MonotonicClock.now &+ delay) { [weak self] in self?.step(next, interlude) }
                return
            }
        } catch { counters.note(error) }
        let isRequested = state.withLock { state in
            state.isScheduled = state.isRequestedAgain && !state.isStopped
            state.isRequestedAgain = false
            return state.isScheduled
        }
        if isRequested { lease.engine.disk.submit { [weak self] in self?.step(.expired, interlude) } }
    }

    /// True if another trim was requested, which then begins.
    private func takeRequest() -> Bool {
        state.withLock { state in
            defer { state.isRequestedAgain = false }
            return state.isRequestedAgain
        }
    }

    // MARK: Slices

    /// Runs one slice; returns the next phase, or nil when the trim is complete. `isRequested`: a caller asked for the trim, so
    /// the allowance for aging does not apply.
    private func slice(_ phase: Phase, in site: CacheSite, by now: UInt64, isRequested: Bool) throws(ImageError) -> Phase? {
        let limits = limits.current
        var selection = CacheSelection(rule: limits.rule)
        switch phase {
        case .expired:
            selection.expiredAt = now
            return try removeAged(selection, in: site, isRequested) ? .aged : .expired
        case .aged:
            guard limits.maxAge >= 0 else { return .oversized }
            let age = UInt64(limits.maxAge)
            guard age <= now / 1_000_000_000 else { return .oversized }
            selection.notAfter = now - age * 1_000_000_000
            // Not `now`: the time of background trims may be behind the clock that dates entries.
            selection.now = clock.now
            return try removeAged(selection, in: site, isRequested) ? .oversized : .aged
        case .oversized:
            let use = try site.totals().footprint
            // A trim by size that has begun, on this thread or another one, continues down to half of the limit.
            // Otherwise a cache at its limit would trim a few entries after each store.
            let isShrinking = state.withLock { state in
                state.isShrinking = limits.maxSize > 0 && use > (state.isShrinking ? limits.maxSize / 2 : limits.maxSize)
                return state.isShrinking
            }
            guard isShrinking else { return .vacuum }
            selection.footprint = limits.maxSize / 2
            guard try remove(selection, in: site).isComplete else { return .oversized }
            state.withLock { $0.isShrinking = false }
            return .vacuum
        case .vacuum:
            return try site.index.perform { store throws(ImageError) in try store.vacuum(pages: 64) } ? .vacuum : nil
        }
    }

    /// Removes one slice of expired or aged entries; true when nothing is left or the allowance is used up.
    private func removeAged(_ selection: CacheSelection, in site: CacheSite, _ isRequested: Bool) throws(ImageError) -> Bool {
        var selection = selection
        let allowance = isRequested ? .max : state.withLock { $0.agingAllowance }
        // The allowance is used up until the next hourly check.
        guard allowance > 0 else { return true }
        selection.limit = min(selection.limit, allowance)
        let removal = try remove(selection, in: site)
        if allowance < .max { state.withLock { $0.agingAllowance -= removal.count } }
        return removal.isComplete
    }

    /// Removes one slice.
    private func remove(_ selection: CacheSelection, in site: CacheSite) throws(ImageError) -> CacheRemoval {
        var selection = selection
        selection.limit = min(selection.limit, state.withLock { $0.sliceLimit })
        let (slice, begun) = (selection, MonotonicClock.now)
        let removal = try site.index.perform { store throws(ImageError) in try store.removeOldest(slice) }
        // The time is measured, because it depends on the disk.
        adaptSlices(to: MonotonicClock.now &- begun)
        for file in removal.files { site.folder.remove(path: file) }
        counters.countTrimmed(removal.count)
        return removal
    }

    /// Adapts the slice size to about two milliseconds. Other users wait for a slice, and most of its time is its commit.
    /// `time`: nanoseconds of the last slice.
    private func adaptSlices(to time: UInt64) {
        state.withLock { state in
            if time > 3_000_000 { state.sliceLimit = max(16, state.sliceLimit / 2) }
            if time < 1_500_000 { state.sliceLimit = min(256, state.sliceLimit * 5 / 4) }
        }
    }
}
