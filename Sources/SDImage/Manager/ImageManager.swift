import Synchronization

/// From a URL to pixels: puts caches, loaders and coders together. This is the synchronous head and the set of loads under
/// way; the story of one load is `LoadPipeline.run`.
package final class ImageManager: Sendable {
    private struct State {
        /// Loads whose last callback has not returned yet.
        var tasks: [ObjectIdentifier: LoadTask] = [:]
        var isClosed = false
    }

    package let cache: (any ImageCaching)?
    private let loader: (any ImageLoader)?
    private let dispatcher: any Dispatcher
    private let transformer: (any ImageTransformer)?
    private let lease: EngineLease
    private let registry: CoderRegistry
    private let failedURLs: FailedURLs
    private let fetches = Coalescer<FetchKey, Fetched>()
    private let decodes = Coalescer<DecodeKey, Image>()
    private let progressions = Progressions()
    private let state = Mutex(State())

    package init(
        cache: (any ImageCaching)?, loader: (any ImageLoader)?, dispatcher: any Dispatcher,
        transformer: (any ImageTransformer)?, registry: CoderRegistry, failedURLRetryAfter: Int64, lease: EngineLease
    ) {
        self.cache = cache
        self.loader = loader
        self.dispatcher = dispatcher
        self.transformer = transformer
        self.registry = registry
        self.lease = lease
        failedURLs = FailedURLs(retryAfter: failedURLRetryAfter)
    }

    /// Starts a load. A picture in memory is its result before this returns (decisions R4, R7).
    package func load(_ request: ImageRequest, handler: (any LoadHandler)?, token: UInt, owner: (any Sendable & AnyObject)? = nil)
        throws(ImageError) -> LoadTask
    {
        if Engine.isForked { throw .forked }
        if state.withLock({ $0.isClosed }) { throw .shutdown }
        let keys = keys(request)
        let dispatcher = request.dispatcher.resolved(dispatcher) ?? LibraryDispatcher(lease: lease)
        if handler != nil { try dispatcher.prepare() }
        let task = LoadTask(
            url: URLText(request.url).redacted, token: token, dispatcher: dispatcher, handler: handler, owner: owner,
            lease: lease)
        if let hit = memoryHit(request, keys, task) {
            // So that closing waits for its callback, or the load is refused.
            if handler != nil, !task.deliversInline { try register(task) }
            task.finish(hit, inline: true)
        } else {
            try start(task, request, keys)
        }
        return task
    }

    /// The key under which the picture of a request is kept.
    package func cacheKey(for request: ImageRequest) -> CacheKey { keys(request).final }

    private func keys(_ request: ImageRequest) -> LoadKeys {
        LoadKeys(request, transformer: request.transformer.resolved(transformer))
    }

    package func forgetFailed(_ url: [UInt8]?) {
        if let url { failedURLs.remove(CacheKey(url)) } else { failedURLs.removeAll() }
    }

    /// Loads without a final result.
    package var runningCount: Int { tasks.count { !$0.isFinished } }

    package func cancelAll() {
        for task in tasks { task.cancel() }
    }

    /// Takes no more loads and ends the running ones with `shutdown`. Those whose last callback has not returned are
    /// returned, to be waited for.
    @discardableResult
    package func close() -> [LoadTask] {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel(.shutdown) }
        return tasks
    }

    private var tasks: [LoadTask] { state.withLock { Array($0.tasks.values) } }

    private func memoryHit(_ request: ImageRequest, _ keys: LoadKeys, _ task: LoadTask) -> ImageResult? {
        guard request.sourcePolicy != .loaderOnly, request.queryCacheType.contains(.memory),
            let cache = request.cache.resolved(cache),
            let image = cache.memoryImage(for: keys.final) ?? keys.untransformed(request, in: cache)
        else { return nil }
        var timings = StageTimings()
        timings.total = MonotonicClock.now - task.started
        return ImageResult(
            kind: .final, image: image, source: .memory, url: task.url, cacheKey: CString(keys.final.description),
            timings: timings)
    }

    private func start(_ task: LoadTask, _ request: ImageRequest, _ keys: LoadKeys) throws(ImageError) {
        try lease.engine.executor.ensureStarted()
        try register(task)
        let pipeline = LoadPipeline(
            request: request, keys: keys, task: task, cache: request.cache.resolved(cache),
            loader: request.loader.resolved(loader), engine: lease.engine, registry: registry, failedURLs: failedURLs,
            fetches: fetches, decodes: decodes, progressions: progressions)
        let work = Task<Void, Never>(executorPreference: lease.engine.executor) { task.finish(await pipeline.result()) }
        task.attach(work)
    }

    private func register(_ task: LoadTask) throws(ImageError) {
        let isClosed = state.withLock { state -> Bool in
            if !state.isClosed { state.tasks[ObjectIdentifier(task)] = task }
            return state.isClosed
        }
        if isClosed { throw .shutdown }
        task.whenDelivered { [weak self, unowned task] in
            _ = self?.state.withLock { $0.tasks.removeValue(forKey: ObjectIdentifier(task)) }
        }
    }
}

/// The cache keys of one load.
package struct LoadKeys: Sendable {
    /// Of the encoded original: the request's own key, or the URL.
    package let original: CacheKey
    /// Of the picture as asked for: the original's, with what changes its pixels before the extension.
    package let final: CacheKey
    /// The same without the transformer: of what it is not applied to.
    package let decoded: CacheKey
    /// nil where there is none, or one that does nothing.
    package let transformer: (any ImageTransformer)?

    package init(_ request: ImageRequest, transformer: (any ImageTransformer)?) {
        original = CacheKey(request.cacheKey ?? request.url)
        let suffixes = LoadKeys.suffixes(request.decodeOptions)
        decoded = suffixes.isEmpty ? original : CacheKey.composed(base: original.bytes, suffixes: suffixes)
        guard let transformer, !transformer.key.isEmpty else {
            self.transformer = nil
            final = decoded
            return
        }
        self.transformer = transformer
        final = CacheKey.composed(base: original.bytes, suffixes: suffixes + [transformer.key])
    }

    package var isOriginal: Bool { final == original }

    /// Under which key a picture is kept.
    func key(of image: Image, _ request: ImageRequest) -> CacheKey { request.transforms(image) ? final : decoded }

    /// A picture in memory that the request's transformer would leave as it is.
    func untransformed(_ request: ImageRequest, in cache: any ImageCaching) -> Image? {
        guard transformer != nil, let image = cache.memoryImage(for: decoded), !request.transforms(image) else { return nil }
        return image
    }

    /// The picture as asked for. A crop is a view: what is kept for long must not keep the whole picture.
    func transformed(_ image: Image, _ request: ImageRequest, _ stop: StopSignal) throws(ImageError) -> Image {
        guard let transformer, request.transforms(image) else { return image }
        return try image.framesTransformed(by: transformer, cacheKey: final, stop: stop).compacted()
    }

    private static func suffixes(_ options: DecodeOptions) -> [String] {
        var suffixes: [String] = []
        if let box = options.thumbnailSize, !box.isEmpty {
            suffixes.append(CacheKey.thumbnailSuffix(box, preserveAspectRatio: options.preserveAspectRatio))
        }
        // Other pixels under the same key would be handed to whoever asks next.
        if options.pixelFormat != nil || !options.applyOrientation || !options.convertToSRGB {
            let format = options.pixelFormat?.rawValue ?? 0
            suffixes.append("Pixels(\(format),\(options.applyOrientation ? 1 : 0),\(options.convertToSRGB ? 1 : 0))")
        }
        return suffixes
    }
}
