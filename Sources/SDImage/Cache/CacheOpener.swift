/// Opens the folder of a disk cache on first use and keeps it open.
/// Shared by the parts of `DiskCache`. The lock is held while the folder opens, so that it opens once.
final class CacheOpener: Sendable {
    /// The open folder, or the reason why opening failed.
    private struct State {
        var site: CacheSite?
        var failure: ImageError?
        /// Monotonic time of the last attempt.
        var triedAt: UInt64 = 0
        /// The failure is in the log.
        var isLogged = false
        var isClosed = false
    }

    /// Names the folder.
    private let configuration: CacheConfiguration
    private let factory: CacheStoreFactory
    private let state = Lock(State())
    /// Nanoseconds between two attempts.
    private static let retryDelay: UInt64 = 1_000_000_000

    init(_ configuration: CacheConfiguration, store: @escaping CacheStoreFactory) {
        self.configuration = configuration
        factory = store
    }

    /// The open folder. A failed attempt to open it is repeated after one second at the earliest. The first failure after a
    /// success is logged.
    /// Blocks on the disk for the first call.
    func site() throws(ImageError) -> CacheSite {
        let (outcome, isNew) = state.withLock { state in
            let outcome = site(&state)
            guard case .failure = outcome, !state.isClosed, !state.isLogged else { return (outcome, false) }
            state.isLogged = true
            return (outcome, true)
        }
        // Outside the lock, because the log function may call the cache.
        if isNew, case .failure(let error) = outcome { Log.write(.error, error.message.string) }
        return try outcome.get()
    }

    /// Called under the lock.
    private func site(_ state: inout State) -> Result<CacheSite, ImageError> {
        if let site = state.site { return .success(site) }
        if state.isClosed { return .failure(.shutdown) }
        if let failure = state.failure, MonotonicClock.now &- state.triedAt < CacheOpener.retryDelay { return .failure(failure) }
        state.triedAt = MonotonicClock.now
        do throws(ImageError) {
            let site = try CacheSite(configuration, store: factory)
            (state.site, state.failure, state.isLogged) = (site, nil, false)
            return .success(site)
        } catch {
            let failure = located(error)
            state.failure = failure
            return .failure(failure)
        }
    }

    /// An error of the folder with its path.
    private func located(_ error: ImageError) -> ImageError {
        // Callers would take "not found" for a missing entry.
        let isMissing = error.status == .notFound || error.status == .notAFile
        return ImageError(
            isMissing ? .cacheUnusable : error.status,
            "disk cache: folder \(configuration.path) is unusable (\(error.message.string))", systemError: error.systemError,
            libraryCode: error.libraryCode, cause: error)
    }

    /// Throws the reason why nothing can be stored now. Tries again to open the folder, and writes a file to it.
    /// Blocks. Called for an explicit check, so an earlier failure does not count.
    func check() throws(ImageError) {
        state.withLock { $0.failure = nil }
        var site = try site()
        if closeIfGone(site) { site = try self.site() }
        do throws(ImageError) {
            try site.instance.checkWritable()
            // The index must be readable, too.
            _ = try site.totals()
        } catch { throw located(error) }
    }

    /// Closes a folder that was removed externally, so that the next use creates it again. True when it was removed.
    /// Called before each commit: entries in a removed folder would be lost.
    func closeIfGone(_ site: CacheSite) -> Bool {
        guard site.folder.isGone else { return false }
        state.withLock { if $0.site === site { $0.site = nil } }
        site.close()
        return true
    }

    /// Number of times the open database was found damaged.
    /// 0 while no folder is open.
    var damages: Int { state.withLock { $0.site }?.index.damages ?? 0 }

    /// Closes the folder. Later calls of `site` fail with `shutdown`.
    func close() {
        let site = state.withLock { state in
            state.isClosed = true
            defer { state.site = nil }
            return state.site
        }
        site?.close()
    }
}
