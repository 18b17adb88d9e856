/// Encoded images on disk: small ones inside the index, large ones as files (docs/decisions.md, "Small entries in the index,
/// large ones as files").
///
/// Stores wait in memory for a shared transaction; queries see them immediately. Problems with the folder are misses for
/// queries: they are counted, and reported to callers that store. Blocking functions are documented as such; none of them may
/// be called on the asynchronous executor.
package final class DiskCache: Sendable {
    package typealias Completion = @Sendable (Result<Void, ImageError>) -> Void

    let configuration: CacheConfiguration
    let lease: EngineLease
    let clock: CacheClock
    let opener: CacheOpener
    let counters = DiskCacheCounters()
    let activeLimits: ActiveLimits
    let accessLog: AccessLog
    let pins = Pins()
    let trimmer: Trimmer
    let queue: CommitQueue

    /// Opens the folder in the background; stores report an unusable folder.
    package init(
        _ configuration: CacheConfiguration, clock: CacheClock = CacheClock(), store: @escaping CacheStoreFactory
    ) throws(ImageError) {
        self.configuration = configuration
        self.clock = clock
        opener = CacheOpener(configuration, store: store)
        activeLimits = ActiveLimits(configuration.disk)
        lease = try Engine.acquire()
        accessLog = AccessLog(opener, counters: counters, lease: lease)
        trimmer = Trimmer(opener, limits: activeLimits, clock: clock, counters: counters, lease: lease)
        queue = CommitQueue(
            opener, inlineEntryLimit: configuration.inlineEntryLimit, clock: clock, trimmer: trimmer, counters: counters,
            lease: lease)
        lease.engine.disk.submit { [weak self] in self?.start() }
    }

    deinit { close() }

    /// `<directory>/<namespace>`.
    package var path: String { (configuration.directory ?? "") + "/" + configuration.namespace }

    package var limits: DiskLimits { activeLimits.current }

    /// Sets new limits; excess entries are removed in the background.
    package func setLimits(_ limits: DiskLimits) {
        guard !Engine.isForked else { return }
        activeLimits.set(limits)
        trimmer.schedule(queue.interlude)
    }

    package var statistics: DiskCacheStatistics {
        guard !Engine.isForked else { return DiskCacheStatistics() }
        // Read first: stores are counted before their bytes are no longer pending.
        let pendingBytes = queue.pendingBytes
        var result = counters.statistics
        result.pendingBytes = pendingBytes
        result.damagedDatabases = opener.damages
        return result
    }

    /// Commits pending changes and closes the folder; blocks. Later calls fail with `shutdown`; a second close does nothing.
    package func close() {
        guard !Engine.isForked else { return }
        guard queue.close() else { return }
        trimmer.stop()
        queue.commitAll()
        accessLog.flush()
        opener.close()
    }

    func check() throws(ImageError) {
        if Engine.isForked { throw .forked }
        if queue.isClosed { throw .shutdown }
    }

    func note(_ error: ImageError) { counters.note(error) }

    private func start() {
        do throws(ImageError) {
            let site = try opener.site()
            let count = try site.totals().count
            trimmer.start(count: count, queue.interlude)
            CacheSweep(site).start(on: lease.engine.disk)
        } catch { note(error) }
    }
}
