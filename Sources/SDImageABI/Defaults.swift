import CSystem
import SDImage
import SDImageCodecs
import SDImageCurl
import SDImageSQLite
import Synchronization

/// The composition root: the one place that knows which coders, loaders and stores the library is made of, and the
/// instances that the process shares.
enum Defaults {
    private static let core = BuiltinCoders()
    private static let modules: [any ImageCoder] = [
        ModuleCoder(
            name: "heif", formats: [.heic, .heif], library: .init(name: "libde265", versionFunction: "de265_get_version")),
        ModuleCoder(name: "avif", formats: [.avif], library: .init(name: "libavif", versionFunction: "avifVersion")),
    ]
    /// What every registry starts with.
    static let builtinCoders = core.registered + modules
    /// The built-in coders that a program can name: those of one format each too.
    static let namedCoders = core.formats + builtinCoders.filter { coder in !core.formats.contains { $0 === coder } }
    static let coders = {
        let registry = CoderRegistry(builtinCoders) { image, options, stop throws(ImageError) in
            try image.convertedToSRGB(options, stop: stop)
        }
        ForkHandlers.hold(lock: { registry.lockForFork() }, unlock: { registry.unlockAfterFork() })
        ForkHandlers.hold(lock: { ColorConverter.lockForFork() }, unlock: { ColorConverter.unlockAfterFork() })
        ForkHandlers.install()
        return registry
    }()
    /// For programs that scale large pictures down (spec COD-27).
    static let limitBytes = Atomic<Int>(60 << 20)
    static let downloader = DownloaderConfiguration()

    /// Caches that are open, so that all of them can be emptied. Held weakly: an open cache keeps the engine running.
    private struct Shared {
        var caches: [WeakCache] = []
        weak var defaultCache: ImageCache?
    }

    private struct WeakCache { weak var cache: ImageCache? }

    private static let shared = Mutex(Shared())

    private static let watchesMemory = Atomic<Bool>(false)

    /// Versions of the libraries underneath.
    static var libraries: [(String, String)] {
        (core.formats + modules).map { ($0.name, $0.libraryVersion) } + [
            ("http", CurlLoader.libraryVersion), ("sqlite", SQLiteStore.libraryVersion),
        ]
    }

    static func makeCache(_ configuration: CacheConfiguration) throws(ImageError) -> ImageCache {
        guard !configuration.namespace.isEmpty, !configuration.namespace.contains("/"), configuration.namespace.first != "."
        else {
            throw ImageError(.invalidArgument, "a namespace that is no plain folder name")
        }
        let cache = try ImageCache(configuration) { path, isDurable throws(ImageError) in
            try SQLiteStore(path: path, isDurable: isDurable)
        }
        monitorPressure()
        shared.withLock { shared in
            shared.caches.removeAll { $0.cache == nil }
            shared.caches.append(WeakCache(cache: cache))
        }
        return cache
    }

    static func makeManager(_ configuration: ManagerConfiguration) throws(ImageError) -> ImageManager {
        let lease = try Engine.acquire()
        monitorPressure()
        let cache: (any ImageCaching)? =
            if case .inherited = configuration.cache { try defaultCache() } else { configuration.cache.resolved(nil) }
        let loader: any ImageLoader = if let own = configuration.loader { own } else { try defaultLoader(lease) }
        return ImageManager(
            cache: cache, loader: loader, dispatcher: configuration.dispatcher ?? LibraryDispatcher(lease: lease),
            transformer: configuration.transformer, registry: coders, failedURLRetryAfter: configuration.failedURLRetryAfter,
            freshness: configuration.freshness, ignoresSignatures: configuration.ignoresSignatures, lease: lease)
    }

    /// For loads that ask one cache and nobody else.
    static func makeLookupManager(_ cache: any ImageCaching) throws(ImageError) -> ImageManager {
        let lease = try Engine.acquire()
        return ImageManager(
            cache: cache, loader: nil, dispatcher: LibraryDispatcher(lease: lease), transformer: nil, registry: coders,
            failedURLRetryAfter: 0, lease: lease)
    }

    static func trimMemory(emptyingCaches: Bool) {
        if emptyingCaches, !Engine.isForked {
            for cache in shared.withLock({ $0.caches.compactMap(\.cache) }) { cache.memory.memoryPressure() }
            FrameBudget.shared.empty()
        }
        // After the caches, whose pictures come back to the pool.
        PixelPool.shared.trim()
        if emptyingCaches { csys_trim_heap() }
    }

    /// Takes effect at once where an engine runs, and with the next one otherwise.
    static func watchMemoryPressure(_ watch: Bool) {
        watchesMemory.store(watch, ordering: .relaxed)
        monitorPressure()
    }

    private static func monitorPressure() {
        guard let engine = Engine.current else { return }
        // Making one cannot fail.
        let monitor = try? engine.service { () throws(ImageError) in
            // On a worker: freeing pictures takes longer than timers may wait.
            PressureMonitor(executor: engine.executor) { [weak engine] in
                engine?.work.submit(.low) { trimMemory(emptyingCaches: true) }
            }
        }
        monitor?.setOn(watchesMemory.load(ordering: .relaxed))
    }

    /// One for all managers that name none, as long as there is such a manager.
    private static func defaultCache() throws(ImageError) -> ImageCache {
        if let cache = shared.withLock({ $0.defaultCache }) { return cache }
        let made = try makeCache(CacheConfiguration())
        // Another thread may have been faster: then its cache is everybody's.
        return shared.withLock { shared in
            if let cache = shared.defaultCache { return cache }
            shared.defaultCache = made
            return made
        }
    }

    private static func defaultLoader(_ lease: EngineLease) throws(ImageError) -> any ImageLoader {
        LoaderChain([
            DataURLLoader(pool: lease.engine.blocking, lease: lease), FileLoader(pool: lease.engine.blocking, lease: lease),
            try CurlLoader(downloader, lease: lease),
        ])
    }
}
