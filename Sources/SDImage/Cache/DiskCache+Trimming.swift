import Glibc

extension DiskCache {
    /// Phases of a trim, each in slices: entries past their own expiry, entries past the age rule, the oldest entries until
    /// less than half of the limit is used, and returning free pages.
    private enum Phase {
        case expired, aged, oversized, vacuum
    }

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
        let site = try opener.site()
        var phase: Phase? = .expired
        while let current = phase, current != .vacuum {
            phase = try slice(current, in: site, by: clock.now, isAsked: true)
            letOthersGo()
        }
        scheduleTrim()
    }

    /// Removes the oldest entries, regardless of the limits, until fewer than `bytes` bytes of disk are used; blocks.
    package func trimNow(below bytes: Int) throws(ImageError) {
        try check()
        commitAll()
        let site = try opener.site()
        var selection = CacheSelection(rule: limits.rule)
        selection.footprint = bytes
        while try !remove(selection, in: site) { letOthersGo() }
        scheduleTrim()
    }

    /// Pause between two slices: stores of this and other processes do not wait for the end of a trim.
    private func letOthersGo() {
        commitAll()
        usleep(UInt32(DiskCache.sliceGap / 1000))
    }

    func scheduleTrimIfOver(_ site: CacheSite) {
        let limit = limits.maxSize
        guard limit > 0 else { return }
        do throws(ImageError) {
            let totals = try site.totals()
            let use = totals.footprint
            guard use > limit else { return }
            scheduleTrim()
            // A writer that outpaces the trim removes one slice itself.
            if use - limit > limit / 32 {
                var selection = CacheSelection(rule: limits.rule)
                selection.footprint = limit / 2
                _ = try remove(selection, in: site)
            }
        } catch { note(error) }
    }

    func scheduleTrim() {
        guard !Engine.isForked else { return }
        let mustSubmit = state.withLock { state in
            guard !state.isClosed else { return false }
            defer { state.isTrimScheduled = true }
            return !state.isTrimScheduled
        }
        if mustSubmit { lease.engine.disk.submit { [weak self] in self?.step(.expired) } }
    }

    /// Checks for aged entries every hour; a server has no other occasion for it (docs/decisions.md, "Trimming").
    func scheduleAging() {
        lease.engine.disk.schedule(at: MonotonicClock.now &+ 3_600_000_000_000) { [weak self] in
            self?.state.withLock { $0.agingAllowance = .max }
            self?.scheduleTrim()
            self?.scheduleAging()
        }
    }

    private func step(_ phase: Phase) {
        do throws(ImageError) {
            try check()
            let next = try slice(phase, in: opener.site(), by: clock.steady, isAsked: false)
            commitAll()
            if let next {
                let work: @Sendable () -> Void = { [weak self] in self?.step(next) }
                // No caller waits for unused pages, so stores go first.
                let delay = next == .vacuum ? DiskCache.vacuumDelay : DiskCache.sliceGap
                lease.engine.disk.schedule(at: MonotonicClock.now &+ delay, work)
                return
            }
        } catch { note(error) }
        state.withLock { $0.isTrimScheduled = false }
    }

    /// Runs one slice; returns the next phase, or nil when the trim is complete.
    private func slice(_ phase: Phase, in site: CacheSite, by now: UInt64, isAsked: Bool) throws(ImageError) -> Phase? {
        let limits = limits
        var selection = CacheSelection(rule: limits.rule)
        switch phase {
        case .expired:
            selection.expiredAt = now
            return try age(selection, in: site, isAsked) ? .aged : .expired
        case .aged:
            guard limits.maxAge >= 0 else { return .oversized }
            let age = UInt64(limits.maxAge)
            guard age <= now / 1_000_000_000 else { return .oversized }
            selection.notAfter = now - age * 1_000_000_000
            return try self.age(selection, in: site, isAsked) ? .oversized : .aged
        case .oversized:
            let use = try site.totals().footprint
            // A trim by size that has begun continues down to half of the limit.
            let isTrimming = state.withLock { $0.isShrinking }
            guard limits.maxSize > 0, use > (isTrimming ? limits.maxSize / 2 : limits.maxSize) else { return .vacuum }
            selection.footprint = limits.maxSize / 2
            let isComplete = try remove(selection, in: site)
            state.withLock { $0.isShrinking = !isComplete }
            return isComplete ? .vacuum : .oversized
        case .vacuum:
            return try site.index.perform { store throws(ImageError) in try store.vacuum(pages: 64) } ? .vacuum : nil
        }
    }

    /// Removes one slice of expired or aged entries; true when nothing is left or the allowance is used up.
    private func age(_ selection: CacheSelection, in site: CacheSite, _ isAsked: Bool) throws(ImageError) -> Bool {
        var selection = selection
        let allowance = isAsked ? .max : state.withLock { $0.agingAllowance }
        guard allowance > 0 else { return true }
        selection.limit = min(selection.limit, allowance)
        let removal = try removal(selection, in: site)
        if allowance < .max { state.withLock { $0.agingAllowance -= removal.count } }
        return removal.isComplete
    }

    /// Removes one slice; true when nothing is left to remove.
    private func remove(_ selection: CacheSelection, in site: CacheSite) throws(ImageError) -> Bool {
        try removal(selection, in: site).isComplete
    }

    private func removal(_ selection: CacheSelection, in site: CacheSite) throws(ImageError) -> CacheRemoval {
        var selection = selection
        selection.limit = min(selection.limit, state.withLock { $0.sliceLimit })
        let (slice, begun) = (selection, MonotonicClock.now)
        let removal = try site.index.perform { store throws(ImageError) in try store.removeOldest(slice) }
        adaptSlices(to: MonotonicClock.now &- begun)
        for file in removal.files { site.folder.remove(path: file) }
        counters.countTrimmed(removal.count)
        return removal
    }

    /// Adapts the slice size to about two milliseconds. Other users wait for a slice, and most of its time is its commit.
    private func adaptSlices(to time: UInt64) {
        state.withLock { state in
            if time > 3_000_000 { state.sliceLimit = max(16, state.sliceLimit / 2) }
            if time < 1_500_000 { state.sliceLimit = min(256, state.sliceLimit * 5 / 4) }
        }
    }
}
