import Glibc

/// Encoded pictures on disk: small ones inside the index, large ones as files (docs/decisions.md, "Small entries in the index,
/// large ones as files").
///
/// Stores wait in memory for a common transaction and are seen by queries at once. Nothing that goes wrong with the folder
/// is an error for a query; it is counted, and told to those who store. Blocking calls say so; none of them may be
/// made on the asynchronous executor.
package final class DiskCache: Sendable {
    package typealias Completion = @Sendable (Result<Void, ImageError>) -> Void

    struct State {
        var pending = PendingChanges()
        var limits: DiskLimits
        var statistics = DiskCacheStatistics()
        /// Uses not yet written to the index (docs/decisions.md, "Dates of access").
        var accesses: [CacheKey: UInt64] = [:]
        /// How often each path was handed out.
        var pins: [String: Int] = [:]
        /// The disk thread will commit: at its next turn, or when a timer fires.
        var isCommitSubmitted = false
        var isCommitScheduled = false
        var isTouchScheduled = false
        var isTrimScheduled = false
        /// So many entries may be removed for their age now. In the first hour not all: the clock that tells their age may have
        /// been wrong when the cache was opened. Until then they are misses.
        var agingAllowance = 0
        /// Trimming by size has begun and goes on down to half the limit.
        var isShrinking = false
        var isClosed = false
        /// Entries removed in one transaction.
        var sliceLimit = 32
    }

    /// The folder once it could be opened, or why it could not.
    struct Site {
        var opened: CacheSite?
        var failure: ImageError?
        /// Moment of the last try, monotonic.
        var triedAt: UInt64 = 0
        var isClosed = false
    }

    let configuration: CacheConfiguration
    let lease: EngineLease
    let clock: CacheClock
    let state: Lock<State>
    private let site = Lock(Site())
    private let factory: CacheStoreFactory
    /// Held by whoever is committing.
    let committing = Lock(())

    static let commitDelay: UInt64 = 5_000_000
    static let vacuumDelay: UInt64 = 20_000_000
    /// Between two slices of a trim, nanoseconds: without it another process would find the database free only at the end.
    static let sliceGap: UInt64 = 400_000
    static let touchDelay: UInt64 = 5_000_000_000
    static let batchCount = 64
    static let batchBytes = 8 << 20
    /// From here on stores are committed without delay.
    static let pendingBytes = 32 << 20
    /// More than this means that the disk cannot follow: stores are dropped.
    static let pendingLimit = 128 << 20
    private static let retryDelay: UInt64 = 1_000_000_000

    /// Opens the folder in the background; an unusable one is reported by stores.
    package init(
        _ configuration: CacheConfiguration, clock: CacheClock = CacheClock(), store: @escaping CacheStoreFactory
    ) throws(ImageError) {
        self.configuration = configuration
        self.clock = clock
        factory = store
        lease = try Engine.acquire()
        state = Lock(State(limits: configuration.disk))
        lease.engine.disk.submit { [weak self] in self?.start() }
    }

    deinit { close() }

    /// `<directory>/<namespace>`.
    package var path: String { (configuration.directory ?? "") + "/" + configuration.namespace }

    package var limits: DiskLimits { Engine.isForked ? configuration.disk : state.withLock { $0.limits } }

    /// New limits; what no longer fits is removed in the background.
    package func setLimits(_ limits: DiskLimits) {
        guard !Engine.isForked else { return }
        state.withLock { $0.limits = limits }
        scheduleTrim()
    }

    package var statistics: DiskCacheStatistics {
        guard !Engine.isForked else { return DiskCacheStatistics() }
        var result = state.withLock { state in
            var result = state.statistics
            result.pendingBytes = state.pending.bytes
            return result
        }
        result.damagedDatabases = site.withLock { $0.opened }?.index.damages ?? 0
        return result
    }

    /// Commits what waits and closes the folder; blocks. Later calls fail with `shutdown`; a second one does nothing.
    package func close() {
        guard !Engine.isForked else { return }
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        commitAll()
        flushAccesses()
        let opened = site.withLock { site in
            site.isClosed = true
            defer { site.opened = nil }
            return site.opened
        }
        opened?.close()
    }

    func check() throws(ImageError) {
        if Engine.isForked { throw .forked }
        if state.withLock({ $0.isClosed }) { throw .shutdown }
    }

    /// The open folder. After a failure the next try is made a second later at the earliest.
    func opened() throws(ImageError) -> CacheSite {
        try site.withLock { site throws(ImageError) in
            if let opened = site.opened { return opened }
            if site.isClosed { throw .shutdown }
            if let failure = site.failure, MonotonicClock.now &- site.triedAt < DiskCache.retryDelay { throw failure }
            site.triedAt = MonotonicClock.now
            do throws(ImageError) {
                let opened = try CacheSite(configuration, store: factory)
                site.opened = opened
                site.failure = nil
                return opened
            } catch {
                // "Not found" would read as a missing entry.
                let isMissing = error.status == .notFound || error.status == .notAFile
                let failure =
                    isMissing
                    ? ImageError(.cacheUnusable, "cache folder could not be made", systemError: error.systemError, cause: error)
                    : error
                site.failure = failure
                throw failure
            }
        }
    }

    /// Gives up a folder that was removed under us, so that the next use makes it anew.
    func leaveIfGone(_ opened: CacheSite) -> Bool {
        guard opened.folder.isGone else { return false }
        site.withLock { if $0.opened === opened { $0.opened = nil } }
        opened.close()
        return true
    }

    func note(_ error: ImageError) { state.withLock { $0.statistics.lastError = error } }

    private func start() {
        do throws(ImageError) {
            let opened = try opened()
            let count = try opened.index.perform { store throws(ImageError) in try store.totals().count }
            state.withLock { $0.agingAllowance = max(1, count / 8) }
            scheduleTrim()
            scheduleAging()
            CacheSweep(opened).start(on: lease.engine.disk)
        } catch { note(error) }
    }
}
