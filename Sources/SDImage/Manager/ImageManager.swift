import Synchronization

/// From a URL to pixels: puts caches, loaders and coders together. This is the synchronous head and the set of loads under
/// way; the story of one load is `LoadPipeline.run`.
package final class ImageManager: Sendable {
    private struct State {
        /// Loads whose last callback has not returned yet.
        var tasks: [ObjectIdentifier: LoadTask] = [:]
        /// Pictures for which a load of nobody is under way.
        var renewing: Set<CacheKey> = []
        var isClosed = false
    }

    package let cache: (any ImageCaching)?
    private let loader: (any ImageLoader)?
    private let dispatcher: any Dispatcher
    private let transformer: (any ImageTransformer)?
    private let lease: EngineLease
    private let registry: CoderRegistry
    private let failedURLs: FailedURLs
    private let freshness: FreshnessPolicy
    private let ignoresSignatures: Bool
    package let offline = OfflineSwitch()
    private let fetches = Coalescer<FetchKey, Fetched>()
    private let decodes = Coalescer<DecodeKey, Image>()
    private let variants: VariantWriter
    private let progressions = Progressions()
    let sizes = KnownSizes()
    private let state = Mutex(State())

    package init(
        cache: (any ImageCaching)?, loader: (any ImageLoader)?, dispatcher: any Dispatcher,
        transformer: (any ImageTransformer)?, registry: CoderRegistry, failedURLRetryAfter: Int64,
        freshness: FreshnessPolicy = .ignore,
        ignoresSignatures: Bool = false, lease: EngineLease
    ) {
        self.cache = cache
        self.loader = loader
        self.dispatcher = dispatcher
        self.transformer = transformer
        self.registry = registry
        self.lease = lease
        self.freshness = freshness
        self.ignoresSignatures = ignoresSignatures
        failedURLs = FailedURLs(retryAfter: failedURLRetryAfter)
        variants = VariantWriter(registry: registry)
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
        let policy = request.freshness ?? freshness
        let image = memoryImage(request, keys)
        if let image, !request.wantsData, let rule = ruleToUse(image, policy, request, keys) {
            // So that closing waits for its callback, or the load is refused.
            if handler != nil, !task.deliversInline { try register(task) }
            task.finish(result(.final, image, rule, keys, task), inline: true)
        } else {
            try start(task, request, keys, policy, memoryImage: image)
        }
        return task
    }

    /// The key under which the picture of a request is kept.
    package func cacheKey(for request: ImageRequest) -> CacheKey { keys(request).final }

    func keys(_ request: ImageRequest) -> LoadKeys {
        LoadKeys(
            request, transformer: request.transformer.resolved(transformer), ignoresSignatures: ignoresSignatures)
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

    func memoryImage(_ request: ImageRequest, _ keys: LoadKeys) -> Image? {
        guard request.sourcePolicy != .loaderOnly, request.queryCacheType.contains(.memory),
            let cache = request.cache.resolved(cache)
        else { return nil }
        return cache.memoryImage(for: keys.final) ?? keys.related(request, in: cache)
    }

    private func result(_ kind: DeliveryKind, _ image: Image, _ rule: FreshnessRule, _ keys: LoadKeys, _ task: LoadTask)
        -> ImageResult
    {
        var timings = StageTimings()
        timings.total = MonotonicClock.now - task.started
        return ImageResult(
            kind: kind, image: image, source: .memory, freshness: rule, url: task.url,
            cacheKey: CString(keys.final.description), timings: timings)
    }

    /// By which rule a picture in memory is the result, if it is; otherwise the story is longer.
    private func ruleToUse(_ image: Image, _ policy: FreshnessPolicy, _ request: ImageRequest, _ keys: LoadKeys)
        -> FreshnessRule?
    {
        if policy == .ignore { return FreshnessRule.none }
        guard let record = image.metadata.answer?.record else { return nil }
        let origin = try? request.loader.resolved(loader)?.chosen(for: request)
        let freshness = Freshness(
            of: record, fields: origin?.sentFields(request) ?? request.headers, now: MonotonicClock.wall)
        if policy == .refresh { return freshness.isImmutable ? .immutable : nil }
        if freshness.verdict == .mustAsk { return nil }
        if freshness.verdict == .usable {
            guard request.sourcePolicy != .cacheOnly, origin != nil else { return nil }
            renew(request, keys, image)
        }
        return freshness.rule
    }

    /// Asks the origin for nobody, so that the next load finds the picture fresh.
    private func renew(_ request: ImageRequest, _ keys: LoadKeys, _ image: Image) {
        guard !offline.forbids(request),
            state.withLock({ !$0.isClosed && $0.renewing.insert(keys.final).inserted })
        else { return }
        var request = request
        request.priority = .low
        request.wantsData = false
        request.blockingReads = []
        let task = LoadTask(
            url: URLText(request.url).redacted, token: 0, dispatcher: LibraryDispatcher(lease: lease), handler: nil, owner: nil,
            lease: lease)
        do throws(ImageError) { try start(task, request, keys, .respect, memoryImage: image, isRenewal: true) } catch {
            _ = state.withLock { $0.renewing.remove(keys.final) }
        }
    }

    private func start(
        _ task: LoadTask, _ request: ImageRequest, _ keys: LoadKeys, _ policy: FreshnessPolicy, memoryImage: Image?,
        isRenewal: Bool = false
    ) throws(ImageError) {
        try lease.engine.executor.ensureStarted()
        try register(task)
        // Now: a picture on screen must not flash.
        if policy == .refresh, let memoryImage {
            task.deliver(result(.cached, memoryImage, .refresh, keys, task), inline: true)
        }
        let pipeline = LoadPipeline(
            request: request, keys: keys, task: task, cache: request.cache.resolved(cache),
            loader: request.loader.resolved(loader), engine: lease.engine, registry: registry, failedURLs: failedURLs,
            fetches: fetches, decodes: decodes, progressions: progressions, variants: variants, offline: offline, policy: policy,
            memoryImage: memoryImage, isRenewal: isRenewal, renew: { [weak self] image in self?.renew(request, keys, image) })
        let awaited: BlockingReads = memoryImage == nil ? .disk : .memoryData
        // A thread of the library would wait for itself.
        let isBlocking =
            request.blockingReads.contains(awaited) && request.sourcePolicy != .loaderOnly && !LibraryThread.isCurrent
        let local = isBlocking ? LocalStage() : nil
        let work = Task<Void, Never>(executorPreference: lease.engine.executor) { [weak self] in
            let result = await pipeline.result(local)
            if result.image != nil { self?.noteSize(request, keys) }
            if local?.finish(result) != true { task.finish(result) }
            if isRenewal { _ = self?.state.withLock { $0.renewing.remove(keys.final) } }
        }
        task.attach(work)
        // What was found nearby is delivered by the calling thread, as a memory hit is.
        if let result = local?.wait() { task.finish(result, inline: true) }
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

    /// The encoded original is the picture, but for how many of its frames are wanted.
    package let isOriginal: Bool

    package init(_ request: ImageRequest, transformer: (any ImageTransformer)?, ignoresSignatures: Bool = false) {
        let options = request.decodeOptions
        original = CacheKey(
            request.cacheKey ?? (ignoresSignatures ? SignatureFilter.unsigned(request.url) : request.url))
        let suffixes = LoadKeys.suffixes(options)
        decoded = LoadKeys.composed(original, suffixes)
        isOriginal = transformer?.key.isEmpty != false && !options.wantsThumbnail && !options.choosesPixels
        guard let transformer, !transformer.key.isEmpty else {
            self.transformer = nil
            final = decoded
            return
        }
        self.transformer = transformer
        final = LoadKeys.composed(original, suffixes + [transformer.key])
    }

    private static func composed(_ base: CacheKey, _ suffixes: [String]) -> CacheKey {
        suffixes.isEmpty ? base : CacheKey.composed(base: base.bytes, suffixes: suffixes)
    }

    /// Of the disk's copy of a thumbnail or transformed picture, whatever its pixel format; nil where the disk keeps the
    /// original only.
    func variant(_ request: ImageRequest) -> CacheKey? {
        let options = request.decodeOptions
        guard options.wantsThumbnail || transformer != nil else { return nil }
        guard options.choosesPixels else { return final }
        return LoadKeys.composed(original, LoadKeys.shapeSuffixes(options) + (transformer.map { [$0.key] } ?? []))
    }

    /// Under which key a picture is kept.
    func key(of image: Image, _ request: ImageRequest) -> CacheKey { request.transforms(image) ? final : decoded }

    /// A picture in memory under another key that answers the request: one that its transformer would leave as it is, or an
    /// animation of which only the first frame is wanted (spec CAC-21).
    func related(_ request: ImageRequest, in cache: any ImageCaching) -> Image? {
        if transformer != nil, let image = cache.memoryImage(for: decoded), !request.transforms(image) { return image }
        guard request.decodeOptions.firstFrameOnly, transformer == nil else { return nil }
        var options = request.decodeOptions
        options.firstFrameOnly = false
        let moving = LoadKeys.composed(original, LoadKeys.suffixes(options))
        guard let image = cache.memoryImage(for: moving), image.frames != nil else { return nil }
        return image.still
    }

    /// The picture as asked for. A crop is a view: what is kept for long must not keep the whole picture.
    func transformed(_ image: Image, _ request: ImageRequest, _ stop: StopSignal) throws(ImageError) -> Image {
        guard let transformer, request.transforms(image) else { return image }
        return try image.framesTransformed(by: transformer, cacheKey: final, stop: stop).compacted()
    }

    private static func suffixes(_ options: DecodeOptions) -> [String] {
        var suffixes = shapeSuffixes(options)
        // Other pixels under the same key would be handed to whoever asks next.
        if options.choosesPixels {
            let format = options.pixelFormat?.rawValue ?? 0
            suffixes.append("Pixels(\(format),\(options.applyOrientation ? 1 : 0),\(options.convertToSRGB ? 1 : 0))")
        }
        return suffixes
    }

    /// What an encoded picture of this kind has lost for good.
    private static func shapeSuffixes(_ options: DecodeOptions) -> [String] {
        var suffixes: [String] = []
        if let box = options.thumbnailSize, !box.isEmpty {
            suffixes.append(CacheKey.thumbnailSuffix(box, preserveAspectRatio: options.preserveAspectRatio))
        }
        if options.firstFrameOnly { suffixes.append("FirstFrame") }
        return suffixes
    }
}

extension DecodeOptions {
    /// The pixels are to be others than those of everybody who says nothing.
    fileprivate var choosesPixels: Bool { pixelFormat != nil || !applyOrientation || !convertToSRGB }
}
