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
    /// In the order in which they are registered; a program asks for them.
    static let plugins = [
        PluginCoder(name: "av", formats: [], library: "libavformat"),
        PluginCoder(name: "jxl", formats: [.jxl], library: "libjxl"),
        PluginCoder(name: "pdf", formats: [.pdf], library: "poppler"),
        PluginCoder(name: "svg", formats: [.svg], library: "librsvg"),
        PluginCoder(name: "tiff", formats: [.tiff], library: "libtiff"),
    ]
    /// What every registry starts with.
    static let builtinCoders = core.registered + modules
    /// The built-in coders that a program can name: those of one format each too.
    static let namedCoders = core.formats + builtinCoders.filter { coder in !core.formats.contains { $0 === coder } }
    static let coders = {
        let registry = makeRegistry()
        ForkHandlers.hold(lock: { FrameBudget.shared.lockForFork() }, unlock: { FrameBudget.shared.unlockAfterFork() })
        ForkHandlers.hold(lock: { registry.lockForFork() }, unlock: { registry.unlockAfterFork() })
        ForkHandlers.hold(lock: { ColorConverter.lockForFork() }, unlock: { ColorConverter.unlockAfterFork() })
        ForkHandlers.install()
        return registry
    }()
    /// A registry of the built-in coders alone.
    static func makeRegistry() -> CoderRegistry {
        CoderRegistry(builtinCoders) { image, options, stop throws(ImageError) in
            try image.convertedToSRGB(options, stop: stop)
        }
    }
    /// For programs that scale large pictures down.
    static let limitBytes = Atomic<Int>(60 << 20)
    static let downloader = DownloaderConfiguration()
    static let statistics = LoadStatistics()

    /// Caches that are open, so that all of them can be emptied. Held weakly: an open cache keeps the engine running.
    private struct Shared {
        var caches: [WeakCache] = []
        var resources: [WeakResources] = []
        weak var defaultCache: ImageCache?
        /// In place of those that the library would make.
        var cache: (any ImageCaching)?
        var loader: (any ImageLoader)?
        var manager: ManagerObject?
        weak var prefetcher: PrefetcherObject?
    }

    private struct WeakCache { weak var cache: ImageCache? }
    private struct WeakResources { weak var resources: Resources? }

    private static let shared = Lock(Shared())

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
        // With its handlers for forks, which caches need as much as decoding.
        _ = coders
        let cache = try ImageCache(configuration) { folder, name, isDurable throws(ImageError) in
            try SQLiteStore(in: folder, name: name, isDurable: isDurable)
        }
        monitorPressure()
        // Reading a weak reference may leave this thread with the last strong one, which must not be released under the lock:
        // the end of a cache may stop the engine, whose threads may ask for the lock.
        let open = shared.withLock { shared in
            let open = shared.caches.compactMap(\.cache)
            shared.caches = (open + [cache]).map { WeakCache(cache: $0) }
            return open
        }
        withExtendedLifetime(open) {}
        return cache
    }

    static func makeResources(_ folder: [UInt8], _ options: DecodeOptions) throws(ImageError) -> Resources {
        let resources = try Resources(folder: folder, options: options, registry: coders)
        let open = shared.withLock { shared in
            let open = shared.resources.compactMap(\.resources)
            shared.resources = (open + [resources]).map { WeakResources(resources: $0) }
            return open
        }
        withExtendedLifetime(open) {}
        return resources
    }

    static func makeManager(_ configuration: ManagerConfiguration) throws(ImageError) -> ImageManager {
        let lease = try Engine.acquire()
        monitorPressure()
        let cache: (any ImageCaching)? =
            if case .inherited = configuration.cache { try defaultCache() } else { configuration.cache.resolved(nil) }
        let named = configuration.loader ?? shared.withLock { $0.loader }
        let loader: any ImageLoader = if let named { named } else { try defaultLoader(lease) }
        return ImageManager(
            cache: cache, loader: loader, dispatcher: configuration.dispatcher ?? LibraryDispatcher(lease: lease),
            transformer: configuration.transformer, registry: coders, failedURLRetryAfter: configuration.failedURLRetryAfter,
            freshness: configuration.freshness, ignoresSignatures: configuration.ignoresSignatures, hooks: configuration.hooks,
            observers: LoadObservers(statistics, configuration.observer), lease: lease)
    }

    /// For loads that ask one cache and nobody else.
    static func makeLookupManager(_ cache: any ImageCaching) throws(ImageError) -> ImageManager {
        let lease = try Engine.acquire()
        return ImageManager(
            cache: cache, loader: nil, dispatcher: LibraryDispatcher(lease: lease), transformer: nil, registry: coders,
            failedURLRetryAfter: 0, observers: LoadObservers(statistics), lease: lease)
    }

    /// Those that are open now.
    static var caches: [ImageCache] { shared.withLock { $0.caches.compactMap(\.cache) } }

    static func trimMemory(emptyingCaches: Bool) {
        if emptyingCaches, !Engine.isForked {
            for cache in caches { cache.memory.memoryPressure() }
            for resources in shared.withLock({ $0.resources.compactMap(\.resources) }) { resources.clear() }
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

    // MARK: What programs set and share
    //
    // In a child of fork these answer before anything else, without key paths: what looks a type up for the first time may wait
    // for a thread of the parent.

    /// For managers that name none, from now on; nil: one that the library makes. What was there is let go of outside the lock:
    /// with it something of the host may go.
    static func setCache(_ cache: (any ImageCaching)?) {
        if Engine.isForked { return }
        let old = shared.withLock { shared in
            defer { shared.cache = cache }
            return shared.cache
        }
        withExtendedLifetime(old) {}
    }

    /// The same; nil: the built-in ones.
    static func setLoader(_ loader: (any ImageLoader)?) {
        if Engine.isForked { return }
        let old = shared.withLock { shared in
            defer { shared.loader = loader }
            return shared.loader
        }
        withExtendedLifetime(old) {}
    }

    /// The manager that the process shares: made when it is first asked for, and kept until it is closed.
    static func sharedManager() throws(ImageError) -> ManagerObject {
        // A child has neither its threads nor a say about who held the lock.
        if Engine.isForked { throw .forked }
        if let object = shared.withLock({ $0.manager }), !object.manager.isClosed { return object }
        let made = ManagerObject(try makeManager(ManagerConfiguration()))
        // Another thread may have been faster: then its manager is everybody's.
        let (object, old) = shared.withLock { shared -> (ManagerObject, ManagerObject?) in
            if let other = shared.manager, !other.manager.isClosed { return (other, nil) }
            defer { shared.manager = made }
            return (made, shared.manager)
        }
        withExtendedLifetime(old) {}
        return object
    }

    /// The prefetcher that the process shares, as long as somebody holds it.
    static func sharedPrefetcher() throws(ImageError) -> PrefetcherObject {
        if Engine.isForked { throw .forked }
        if let object = shared.withLock({ $0.prefetcher }) { return object }
        let made = try PrefetcherObject(ManagerObject(try makeManager(ManagerConfiguration())), nil)
        return shared.withLock { shared in
            if let other = shared.prefetcher { return other }
            shared.prefetcher = made
            return made
        }
    }

    /// No longer kept, where it is the shared one: whoever asks next gets another.
    static func letGo(of manager: ImageManager) {
        let old = shared.withLock { shared -> ManagerObject? in
            guard shared.manager?.manager === manager else { return nil }
            defer { shared.manager = nil }
            return shared.manager
        }
        withExtendedLifetime(old) {}
    }

    /// One for all managers that name none, as long as there is such a manager.
    private static func defaultCache() throws(ImageError) -> any ImageCaching {
        if let cache = shared.withLock({ $0.cache ?? $0.defaultCache }) { return cache }
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
