import Glibc

/// Encoded images on disk: small ones inside the index, large ones as files (docs/decisions.md, "Small entries in the index,
/// large ones as files").
///
/// Stores wait in memory for a shared transaction; queries see them immediately. Problems with the folder are misses for
/// queries: they are counted, and reported to callers that store. Blocking functions are documented as such; none of them may
/// be called on the asynchronous executor.
package final class DiskCache: Sendable {
    package typealias Completion = @Sendable (Result<Void, ImageError>) -> Void

    struct State {
        var pending = PendingChanges()
        var limits: DiskLimits
        var statistics = DiskCacheStatistics()
        /// Access times not yet written to the index (docs/decisions.md, "Dates of access").
        var accesses: [CacheKey: UInt64] = [:]
        /// Number of times each path was handed out.
        var pins: [String: Int] = [:]
        /// A commit on the disk thread is pending: submitted for its next turn, or scheduled by a timer.
        var isCommitSubmitted = false
        var isCommitScheduled = false
        var isTouchScheduled = false
        var isTrimScheduled = false
        /// Maximum number of entries that may be removed now because of their age. Limited in the first hour, because the
        /// clock may have been wrong when the cache was opened. Until removed, such entries are misses.
        var agingAllowance = 0
        /// True while a trim by size is under way; it continues down to half of the limit.
        var isShrinking = false
        var isClosed = false
        /// Maximum number of entries removed in one transaction.
        var sliceLimit = 32
    }

    /// The opened folder, or the reason why opening failed.
    struct Site {
        var opened: CacheSite?
        var failure: ImageError?
        /// Monotonic time of the last attempt.
        var triedAt: UInt64 = 0
        var isClosed = false
    }

    let configuration: CacheConfiguration
    let lease: EngineLease
    let clock: CacheClock
    let state: Lock<State>
    private let site = Lock(Site())
    private let factory: CacheStoreFactory
    /// Held by the thread that commits.
    let committing = Lock(())

    static let commitDelay: UInt64 = 5_000_000
    static let vacuumDelay: UInt64 = 20_000_000
    /// Pause between two slices of a trim, nanoseconds. Without it another process would find the database free only at the
    /// end.
    static let sliceGap: UInt64 = 400_000
    static let touchDelay: UInt64 = 5_000_000_000
    static let batchCount = 64
    static let batchBytes = 8 << 20
    /// Pending bytes from which stores are committed without delay.
    static let pendingBytes = 32 << 20
    /// Pending bytes above which stores are dropped, because the disk is too slow.
    static let pendingLimit = 128 << 20
    private static let retryDelay: UInt64 = 1_000_000_000

    /// Opens the folder in the background; stores report an unusable folder.
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

    /// Sets new limits; excess entries are removed in the background.
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

    /// Commits pending changes and closes the folder; blocks. Later calls fail with `shutdown`; a second close does nothing.
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

    /// The open folder. A failed attempt to open it is repeated after one second at the earliest.
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
                // Callers would take "not found" for a missing entry.
                let isMissing = error.status == .notFound || error.status == .notAFile
                let failure =
                    isMissing
                    ? ImageError(
                        .cacheUnusable, "disk cache: folder could not be created", systemError: error.systemError, cause: error)
                    : error
                site.failure = failure
                throw failure
            }
        }
    }

    /// Closes a folder that was removed externally, so that the next use creates it again.
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
