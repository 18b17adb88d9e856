import CSystem
import SDImage
import SDImageCodecs
import SDImageCurl
import SDImageHost
import SDImageIsolation
import SDImageModules
import SDImageSQLite
import Synchronization

/// The composition root. Only this type names the coders, loaders and stores of the library, and it owns the instances that the
/// process shares. Any thread may use it: state that changes is atomic, or under one lock, outside which objects are released.
enum Defaults {
    /// The coders of the core and of the modules, made on first use.
    private static let core = BuiltinCoders()
    private static let modules: [any ImageCoder] = [
        ModuleCoder(
            name: "heif", formats: [.heic, .heif], library: .init(name: "libde265", versionFunction: "de265_get_version")),
        ModuleCoder(name: "avif", formats: [.avif], library: .init(name: "libavif", versionFunction: "avifVersion")),
    ]
    /// Listed in registration order; registered only on request of a program.
    static let plugins = [
        PluginCoder(name: "av", formats: [], library: "libavformat"),
        PluginCoder(name: "jxl", formats: [.jxl], library: "libjxl"),
        PluginCoder(name: "pdf", formats: [.pdf], library: "poppler"),
        PluginCoder(name: "svg", formats: [.svg], library: "librsvg"),
        PluginCoder(name: "tiff", formats: [.tiff], library: "libtiff"),
    ]
    /// The initial coders of every registry.
    static let builtinCoders = core.registered + modules
    /// The built-in coders that a program can select by name, including those of a single format.
    static let namedCoders = core.formats + builtinCoders.filter { coder in !core.formats.contains { $0 === coder } }
    /// The registry of the process. Its first use also prepares forks: the handlers hold the locks that decoding takes.
    static let coders = {
        let registry = makeRegistry(isolation: WorkerIsolation())
        ForkHandlers.hold(lock: { FrameBudget.shared.lockForFork() }, unlock: { FrameBudget.shared.unlockAfterFork() })
        ForkHandlers.hold(lock: { registry.lockForFork() }, unlock: { registry.unlockAfterFork() })
        ForkHandlers.hold(lock: { ColorConverter.lockForFork() }, unlock: { ColorConverter.unlockAfterFork() })
        ForkHandlers.add(WebPCoder.forkGate)
        ForkHandlers.install()
        return registry
    }()
    /// Makes a registry of the built-in coders alone.
    static func makeRegistry(isolation: (any CoderIsolation)? = nil) -> CoderRegistry {
        CoderRegistry(builtinCoders, isolation: isolation) { image, options, stop throws(ImageError) in
            try image.rendered(options, stop: stop)
        }
    }
    /// Makes the coder of a name in a worker process: a built-in one, or that of a module or plug-in.
    static func coder(_ name: CoderName) throws(ImageError) -> any ImageCoder {
        guard name.path.isEmpty else {
            return try Module(name: name.name, library: .init(name: "", versionFunction: ""), path: name.path).coder()
        }
        guard let coder = namedCoders.first(where: { $0.name == name.name }) else {
            throw ImageError(.unsupported, "coder: no built-in coder is named \(name.name)")
        }
        return coder
    }

    /// The default byte limit for programs that scale large images down.
    static let limitBytes = Atomic<Int>(60 << 20)
    /// The parameters of the default downloader, and the counts of all loads of the process.
    static let downloader = DownloaderConfiguration()
    static let statistics = LoadStatistics()

    /// The open caches, so that all of them can be emptied. Held weakly: an open cache keeps the engine running.
    private struct Shared {
        var caches: [WeakCache] = []
        var resources: [WeakResources] = []
        /// The cache of managers without one of their own; ends with the last of them.
        weak var defaultCache: ImageCache?
        /// Replacements, set by the program, for the instances that the library would make.
        var cache: (any ImageCaching)?
        var loader: (any ImageLoader)?
        /// The instances that the process shares, made on first use.
        var manager: ManagerObject?
        weak var prefetcher: PrefetcherObject?
    }

    private struct WeakCache { weak var cache: ImageCache? }
    private struct WeakResources { weak var resources: Resources? }

    private static let shared = Lock(Shared())

    /// True if caches are emptied while the system is short of memory.
    private static let watchesMemory = Atomic<Bool>(false)

    /// Versions of the libraries in use.
    static var libraries: [(String, String)] {
        (core.formats + modules).map { ($0.name, $0.libraryVersion) } + [
            ("http", CurlLoader.libraryVersion), ("sqlite", SQLiteStore.libraryVersion),
        ]
    }

    /// Opens the modules: their encoders and the versions of their libraries are known only then.
    static var composition: DiagnosisObject.Composition {
        let coders = coders.coders
        let encodable = ImageFormat.allCases.filter { format in coders.contains { $0.canEncode(format) } }
        return .init(
            coders: coders, encodableFormats: encodable, libraries: libraries,
            plugins: plugins.map { ($0.name, $0.libraryVersion) },
            limits: [
                ("body_bytes", downloader.maxBodyBytes), ("redirects", downloader.maxRedirects),
                ("transfers_per_host", downloader.maxPerHost), ("transfers", downloader.maxTotal),
            ], decoderPath: DecoderProgram.path, workers: DecoderPool.shared.statistics.counts)
    }

    /// Opens a cache and adds it to those that `trimMemory` empties.
    static func makeCache(_ configuration: CacheConfiguration) throws(ImageError) -> ImageCache {
        guard !configuration.namespace.isEmpty, !configuration.namespace.contains("/"), configuration.namespace.first != "."
        else {
            throw ImageError(.invalidArgument, "disk cache: namespace is not a plain folder name")
        }
        // Initialized here for its fork handlers, which caches need as much as decoding.
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

    /// Makes the images of a folder available, and adds them to those that `trimMemory` empties.
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

    /// Makes a manager; parameters that are not set are those of the program, or else of the library.
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

    /// The same for a C program, with its dispatcher.
    static func makeManagerObject(_ configuration: ManagerConfiguration) throws(ImageError) -> ManagerObject {
        ManagerObject(try makeManager(configuration), dispatcher: configuration.dispatcher)
    }

    /// Makes a manager for loads from one cache alone.
    static func makeLookupManager(_ cache: any ImageCaching) throws(ImageError) -> ImageManager {
        let lease = try Engine.acquire()
        return ImageManager(
            cache: cache, loader: nil, dispatcher: LibraryDispatcher(lease: lease), transformer: nil, registry: coders,
            failedURLRetryAfter: 0, observers: LoadObservers(statistics), lease: lease)
    }

    /// The caches that are open now.
    static var caches: [ImageCache] { shared.withLock { $0.caches.compactMap(\.cache) } }

    /// Returns unused memory to the system; with `emptyingCaches`, also that of images in memory.
    static func trimMemory(emptyingCaches: Bool) {
        if emptyingCaches, !Engine.isForked {
            for cache in caches { cache.memory.memoryPressure() }
            for resources in shared.withLock({ $0.resources.compactMap(\.resources) }) { resources.clear() }
            FrameBudget.shared.empty()
        }
        // After the caches, whose images return their pixels to the pool.
        PixelPool.shared.trim()
        if emptyingCaches { csys_trim_heap() }
    }

    /// Takes effect immediately if an engine runs, otherwise with the next engine.
    static func watchMemoryPressure(_ watch: Bool) {
        watchesMemory.store(watch, ordering: .relaxed)
        monitorPressure()
    }

    /// Passes the setting to the running engine. Called whenever one may have started.
    private static func monitorPressure() {
        guard let engine = Engine.current else { return }
        // Making a monitor cannot fail.
        let monitor = try? engine.service { () throws(ImageError) in
            // Runs on a worker: freeing images takes longer than timers may wait.
            PressureMonitor(executor: engine.executor) { [weak engine] in
                engine?.work.submit(.low) { trimMemory(emptyingCaches: true) }
            }
        }
        monitor?.setOn(watchesMemory.load(ordering: .relaxed))
    }

    // MARK: Instances set and shared by programs
    //
    // In a forked child these functions return before anything else, and use no key paths: the first look-up of a type may wait
    // for a thread of the parent.

    /// Sets the cache of managers made from now on without one of their own; nil: the library makes one. The old cache is
    /// released outside the lock, because an object of the host may be freed with it.
    static func setCache(_ cache: (any ImageCaching)?) {
        if Engine.isForked { return }
        let old = shared.withLock { shared in
            defer { shared.cache = cache }
            return shared.cache
        }
        withExtendedLifetime(old) {}
    }

    /// The same for the loader; nil: the built-in loaders.
    static func setLoader(_ loader: (any ImageLoader)?) {
        if Engine.isForked { return }
        let old = shared.withLock { shared in
            defer { shared.loader = loader }
            return shared.loader
        }
        withExtendedLifetime(old) {}
    }

    /// The cache and the loader set by the program; nil for none.
    static var cacheSet: (any ImageCaching)? { Engine.isForked ? nil : shared.withLock { $0.cache } }
    static var loaderSet: (any ImageLoader)? { Engine.isForked ? nil : shared.withLock { $0.loader } }

    /// The manager shared by the process: made on first use, and kept until it is closed.
    static func sharedManager() throws(ImageError) -> ManagerObject {
        // A child has none of its threads and cannot tell whether the lock was held.
        if Engine.isForked { throw .forked }
        if let object = shared.withLock({ $0.manager }), !object.manager.isClosed { return object }
        let made = ManagerObject(try makeManager(ManagerConfiguration()))
        // Another thread may have been faster: then all callers get its manager.
        let (object, old) = shared.withLock { shared -> (ManagerObject, ManagerObject?) in
            if let other = shared.manager, !other.manager.isClosed { return (other, nil) }
            defer { shared.manager = made }
            return (made, shared.manager)
        }
        withExtendedLifetime(old) {}
        return object
    }

    /// The prefetcher shared by the process; it lives while a reference to it exists.
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

    /// Stops sharing this manager if it is the shared one: the next caller gets another.
    static func release(of manager: ImageManager) {
        let old = shared.withLock { shared -> ManagerObject? in
            guard shared.manager?.manager === manager else { return nil }
            defer { shared.manager = nil }
            return shared.manager
        }
        withExtendedLifetime(old) {}
    }

    /// The cache shared by all managers without one of their own, as long as such a manager exists.
    private static func defaultCache() throws(ImageError) -> any ImageCaching {
        if let cache = shared.withLock({ $0.cache ?? $0.defaultCache }) { return cache }
        let made = try makeCache(CacheConfiguration())
        // Another thread may have been faster: then all callers get its cache.
        return shared.withLock { shared in
            if let cache = shared.defaultCache { return cache }
            shared.defaultCache = made
            return made
        }
    }

    /// The built-in loaders for data, file, and http URLs. Each manager without a loader gets new ones.
    private static func defaultLoader(_ lease: EngineLease) throws(ImageError) -> any ImageLoader {
        LoaderChain([
            DataURLLoader(pool: lease.engine.files, lease: lease), FileLoader(pool: lease.engine.files, lease: lease),
            try CurlLoader(downloader, lease: lease),
        ])
    }
}
