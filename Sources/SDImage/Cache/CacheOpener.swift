/// Opens the folder of a disk cache on first use and keeps it open.
final class CacheOpener: Sendable {
    /// The open folder, or the reason why opening failed.
    private struct State {
        var site: CacheSite?
        var failure: ImageError?
        /// Monotonic time of the last attempt.
        var triedAt: UInt64 = 0
        var isClosed = false
    }

    private let configuration: CacheConfiguration
    private let factory: CacheStoreFactory
    private let state = Lock(State())
    private static let retryDelay: UInt64 = 1_000_000_000

    init(_ configuration: CacheConfiguration, store: @escaping CacheStoreFactory) {
        self.configuration = configuration
        factory = store
    }

    /// The open folder. A failed attempt to open it is repeated after one second at the earliest.
    func site() throws(ImageError) -> CacheSite {
        try state.withLock { state throws(ImageError) in
            if let site = state.site { return site }
            if state.isClosed { throw .shutdown }
            if let failure = state.failure, MonotonicClock.now &- state.triedAt < CacheOpener.retryDelay { throw failure }
            state.triedAt = MonotonicClock.now
            do throws(ImageError) {
                let site = try CacheSite(configuration, store: factory)
                state.site = site
                state.failure = nil
                return site
            } catch {
                // Callers would take "not found" for a missing entry.
                let isMissing = error.status == .notFound || error.status == .notAFile
                let failure =
                    isMissing
                    ? ImageError(
                        .cacheUnusable, "disk cache: folder could not be created", systemError: error.systemError, cause: error)
                    : error
                state.failure = failure
                throw failure
            }
        }
    }

    /// Closes a folder that was removed externally, so that the next use creates it again. True when it was removed.
    func closeIfGone(_ site: CacheSite) -> Bool {
        guard site.folder.isGone else { return false }
        state.withLock { if $0.site === site { $0.site = nil } }
        site.close()
        return true
    }

    /// Number of times the open database was found damaged.
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
