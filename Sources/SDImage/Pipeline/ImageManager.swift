import Synchronization

/// Turns URLs into pixels: connects caches, loaders and coders. Contains the synchronous start of loads and the set of loads
/// under way; `Load` runs a single load.
package final class ImageManager: Sendable {
    /// The loads under way, which hold this until they are delivered. They must not hold the manager: a queue that is never
    /// emptied holds its loads, and the manager holds the queue.
    final class Loads: Sendable {
        /// Guarded by `Loads.state`.
        fileprivate struct State {
            /// Loads whose last callback has not returned yet.
            var tasks: [ObjectIdentifier: LoadTask] = [:]
            /// Keys of images with a background revalidation under way.
            var revalidating: Set<CacheKey> = []
        }

        fileprivate let state = Lock(State())
        /// Written under the lock of `state`; memory hits read it without.
        fileprivate let isClosed = Atomic<Bool>(false)

        /// Removes a load whose last callback has returned.
        func remove(_ task: LoadTask) { _ = state.withLock { $0.tasks.removeValue(forKey: ObjectIdentifier(task)) } }
    }

    /// nil for a manager without a cache.
    package let cache: (any ImageCaching)?
    /// The parts of `cache`.
    let memory: (any MemoryCaching)?
    let disk: (any DataCaching)?
    /// The loader of requests that do not set one; nil: such requests find cached images only.
    package let loader: (any ImageLoader)?
    /// The dispatcher of requests that do not set one. Of a pollable one this is the queue, because calls that are queued may hold
    /// the manager.
    private let dispatcher: any Dispatcher
    /// The transformer of requests that do not set one.
    let transformer: (any ImageTransformer)?
    /// Keeps the threads of the library running while the manager exists.
    private let lease: EngineLease
    let registry: CoderRegistry
    let failedURLs: FailedURLs
    /// The policy of requests that do not set one.
    let freshness: FreshnessPolicy
    let observers: LoadObservers
    /// True if parameters of a URL that only sign it are left out of cache keys.
    private let ignoresSignatures: Bool
    let hooks: LoadHooks?
    package let offline = OfflineSwitch()
    /// Loads under way, by the properties that equal loads share.
    let inFlight = Coalescer<LoadKey, Load, LoadTask>()
    let transfers = Transfers()
    let decodes = Decodes()
    /// The order of transfers, one for each `LoadPriority` from low to high.
    private let orders: [TransferOrder]
    /// Encodes thumbnails and transformed images for the disk.
    let variants: VariantWriter
    /// Updates of the entries of revalidated responses.
    let updates = PendingStores()
    let progressiveDecodes = ProgressiveDecodes()
    /// Thumbnails in memory by the key of their full-size image.
    let sizes = KnownSizes()
    /// A number that no other manager has.
    let number = ImageManager.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    private static let lastNumber = Atomic<UInt64>(0)
    private let loads = Loads()

    package init(
        cache: (any ImageCaching)?, loader: (any ImageLoader)?, dispatcher: any Dispatcher,
        transformer: (any ImageTransformer)?, registry: CoderRegistry, failedURLRetryAfter: Int64,
        freshness: FreshnessPolicy = .ignore, ignoresSignatures: Bool = false, hooks: LoadHooks? = nil,
        observers: LoadObservers, lease: EngineLease
    ) {
        self.observers = observers
        self.cache = cache
        memory = cache?.memoryPart
        disk = cache?.diskPart
        self.loader = loader
        self.dispatcher = dispatcher.target
        self.transformer = transformer
        self.registry = registry
        self.lease = lease
        self.freshness = freshness
        self.ignoresSignatures = ignoresSignatures
        self.hooks = hooks
        failedURLs = FailedURLs(retryAfter: failedURLRetryAfter)
        variants = VariantWriter(registry: registry, pending: lease.engine.pendingEncodes)
        orders = (0..<3).map { _ in TransferOrder(lease.engine.executor) }
    }

    /// Starts a load. An image in memory is its result before this returns (docs/decisions.md, "A memory hit is delivered
    /// before the call returns").
    /// Throws only if no load could start: for a closed manager, a forked process, a refused request or a dispatcher.
    /// `owner` is retained until the last callback has returned, and by events of the load.
    package func load(_ request: ImageRequest, handler: (any LoadHandler)?, token: UInt, owner: (any Sendable & AnyObject)? = nil)
        throws(ImageError) -> LoadTask
    {
        try load(PreparedRequest(request), handler: handler, token: token, owner: owner)
    }

    /// `hasMissed`: `found` has already looked in memory.
    /// Applies the request hooks, on the calling thread.
    package func load(
        _ prepared: PreparedRequest, handler: (any LoadHandler)?, token: UInt, owner: (any Sendable & AnyObject)? = nil,
        hasMissed: Bool = false
    )
        throws(ImageError) -> LoadTask
    {
        if Engine.isForked { throw .forked }
        // A request without hooks needs no copy, and its prepared keys stay valid.
        guard hooks != nil || prepared.request.loadHooks != nil else {
            return try begin(prepared, handler, token, owner, hasMissed: hasMissed)
        }
        if isClosed { throw .shutdown }
        let processed = try prepared.request.processed(by: hooks, transformer: transformer)
        return try begin(PreparedRequest(processed), handler, token, owner)
    }

    /// Outcome of the look-up that precedes a load.
    package enum Finding {
        case found(LoadTask, ImageResult)
        case missed
        /// Memory was not queried: an image in memory might not be the whole result.
        case skipped
    }

    /// The load of an image in memory, for a caller that delivers the result itself on this thread. Every redraw of a screen
    /// full of images uses it.
    /// `isHandled`: the caller has a callback. The returned task counts as delivered after `LoadTask.foundDelivered`.
    package func found(_ prepared: PreparedRequest, isHandled: Bool, token: UInt) -> Finding {
        guard prepared.isContentWithMemory, hooks == nil, prepared.request.freshness != nil || freshness == .ignore,
            !Engine.isForked, !isClosed, isDeliveredHere(prepared.request, isHandled: isHandled)
        else { return .skipped }
        // A closure, because a reference to the method would count one to the manager.
        let keys = prepared.keys(for: number) { self.keys($0) }
        guard let image = imageInMemory(prepared.request, keys.final) else { return .missed }
        let result = ImageResult(kind: .final, image: image, source: .memory, url: prepared.url, cacheKey: keys.printed)
        observers.loadEnded(result)
        return .found(
            LoadTask(found: result, token: token, priority: prepared.request.priority, isHandled: isHandled), result)
    }

    // The next two do not count a reference to the object that they use: threads that find images in memory would contend for
    // its reference count.

    /// True if the calling thread runs the callback, or if there is none and the load is no event.
    private func isDeliveredHere(_ request: ImageRequest, isHandled: Bool) -> Bool {
        switch request.dispatcher {
        case .inherited: isHandled ? dispatcher.isCurrent : !dispatcher.takesEvents
        case .none: false
        case .value(let dispatcher): isHandled ? dispatcher.isCurrent : !dispatcher.takesEvents
        }
    }

    /// `MemoryStage.lookUpFinal` for a request that queries memory.
    /// Switches over the request instead of resolving it: `resolved` would count a reference to the cache.
    private func imageInMemory(_ request: ImageRequest, _ key: CacheKey) -> Image? {
        switch request.cache {
        case .inherited: memory?.image(for: key)
        case .none: nil
        case .value(let cache): cache.memoryPart.image(for: key)
        }
    }

    /// The synchronous start of a load, after the request hooks.
    /// A hit in memory finishes the task here; every other load gets a `Load` of its own or joins one.
    private func begin(
        _ prepared: PreparedRequest, _ handler: (any LoadHandler)?, _ token: UInt, _ owner: (any Sendable & AnyObject)?,
        hasMissed: Bool = false
    ) throws(ImageError) -> LoadTask {
        if isClosed { throw .shutdown }
        let request = prepared.request
        let keys = prepared.keys(for: number, keys)
        let dispatcher = request.dispatcher.resolved(dispatcher) ?? LibraryDispatcher(lease: lease)
        // Fails here rather than at the first delivery: an error of the queue must reach the caller.
        if handler != nil { try dispatcher.prepare() }
        let task = LoadTask(
            url: prepared.url, token: token, dispatcher: dispatcher, priority: request.priority, handler: handler, owner: owner,
            observers: observers, lease: lease)
        let hit = MemoryStage(manager: self, request: request, keys: keys).lookUp(hasMissed: hasMissed)
        if let hit, let rule = hit.rule, !request.includesData {
            // Closing waits for the callbacks of registered loads.
            if handler != nil, !task.deliversInline { try register(task) }
            task.finish(result(.final, hit.image, rule, keys, task), inline: true)
        } else {
            // An image that must be revalidated, or whose bytes are requested too, is passed on to the load.
            try start(task, request, keys, request.freshness ?? freshness, memoryImage: hit?.image)
        }
        return task
    }

    /// The cache key of the image of a request.
    /// Hooks are applied first, because they may change the request.
    package func cacheKey(for request: ImageRequest) throws(ImageError) -> CacheKey {
        keys(try request.processed(by: hooks, transformer: transformer)).final
    }

    /// The keys of a request to which hooks have been applied.
    func keys(_ request: ImageRequest) -> LoadKeys {
        LoadKeys(
            request, transformer: request.transformer.resolved(transformer), ignoresSignatures: ignoresSignatures)
    }

    /// Permits requests of a URL, or of all (nil), that are refused because they failed recently.
    package func forgetFailed(_ url: [UInt8]?) {
        if let url { failedURLs.remove(CacheKey(url)) } else { failedURLs.removeAll() }
    }

    /// Loads without a final result.
    package var runningCount: Int { tasks.count { !$0.isFinished } }

    /// Every load under way ends with `cancelled`; its result is delivered as usual.
    package func cancelAll() {
        for task in tasks { task.cancel() }
    }

    package var isClosed: Bool { loads.isClosed.load(ordering: .acquiring) }

    /// Refuses further loads and ends the running ones with `shutdown`. Returns the loads whose last callback has not returned,
    /// so that the caller can wait for them.
    @discardableResult
    package func close() -> [LoadTask] {
        let tasks = loads.state.withLock { state in
            // Set under the lock: a load either sees it in `register` or is in the list of this call.
            loads.isClosed.store(true, ordering: .releasing)
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel(.shutdown) }
        return tasks
    }

    /// Completes the queued encodes of a manager that was closed, as far as they end before `deadline` and soon.
    package func finishEncodes(deadline: UInt64) {
        let end = min(deadline, MonotonicClock.now.addingSaturated(CallTimeLimits.closing))
        if !engine.pendingEncodes.wait(deadline: end) { variants.abandon() }
    }

    /// Commits the stores accepted so far, queued encodes and updates included; blocks.
    /// Throws `timeout` when these have not ended at `deadline`, and the first failure of a store on disk since the last flush.
    package func flush(deadline: UInt64) throws(ImageError) {
        if Engine.isForked { throw .forked }
        // The thread may be the one that encodes or commits.
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "manager: flush on a thread of the library") }
        // The message may come from the middle of a commit.
        if Log.isInSink { throw ImageError(.wouldDeadlock, "manager: flush in a log handler") }
        guard engine.pendingEncodes.wait(deadline: deadline) else {
            throw ImageError(.timeout, "manager: encodes for the cache are still queued")
        }
        guard updates.wait(deadline: deadline) else {
            throw ImageError(.timeout, "manager: entries of the cache are still being updated")
        }
        try cache?.diskPart.flushNow(deadline: deadline)
    }

    /// Loads whose last callback has not returned yet.
    var tasks: [LoadTask] { loads.state.withLock { Array($0.tasks.values) } }

    /// The result of a hit in memory, whose only duration is the total.
    private func result(_ kind: DeliveryKind, _ image: Image, _ rule: FreshnessRule, _ keys: LoadKeys, _ task: LoadTask)
        -> ImageResult
    {
        var timings = StageTimings()
        timings.total = MonotonicClock.now - task.started
        return ImageResult(
            kind: kind, image: image, source: .memory, freshness: rule, url: task.url,
            cacheKey: keys.printed, timings: timings)
    }

    /// Revalidates in the background; no caller is waiting for it.
    /// The load runs at low priority; its result updates the caches and the observers only.
    /// Does nothing while a revalidation of the same image is under way, offline, or after `close`.
    func revalidate(_ request: ImageRequest, _ keys: LoadKeys, _ image: Image) {
        guard !offline.forbids(request), !request.acceptsInvalidCertificates,
            // Under the same lock as `isClosed`: a closing manager must not start loads.
            loads.state.withLock({ !isClosed && $0.revalidating.insert(keys.final).inserted })
        else { return }
        var request = request
        request.priority = .low
        request.includesData = false
        request.blockingReads = []
        let task = LoadTask(
            url: request.urlText.redacted, token: 0, dispatcher: LibraryDispatcher(lease: lease), priority: .low,
            handler: nil,
            owner: nil, observers: observers, lease: lease)
        do throws(ImageError) { try start(task, request, keys, .respect, memoryImage: image, isRevalidation: true) } catch {
            _ = loads.state.withLock { $0.revalidating.remove(keys.final) }
        }
    }

    /// Registers the task and joins it to an equal `Load`, or starts a new one.
    /// `memoryImage`: the image in memory that is not yet the whole result; nil for a miss.
    private func start(
        _ task: LoadTask, _ request: ImageRequest, _ keys: LoadKeys, _ policy: FreshnessPolicy, memoryImage: Image?,
        isRevalidation: Bool = false
    ) throws(ImageError) {
        let request = request.withoutPollableDispatcher
        try lease.engine.executor.ensureStarted()
        try register(task)
        // Delivered immediately: an image on screen must not flash.
        if policy == .refresh, let memoryImage {
            task.deliver(result(.cached, memoryImage, .refresh, keys, task), inline: true)
        }
        // With the image in memory, only its bytes are read from disk.
        let awaited: BlockingReads = memoryImage == nil ? .disk : .memoryData
        // A thread of the library would wait for itself.
        let isBlocking =
            request.blockingReads.contains(awaited) && request.sourcePolicy != .loaderOnly && !LibraryThread.isCurrent
        let lookup = isBlocking ? BlockingLookup() : nil
        let context = LoadContext(
            request, keys, of: self, policy: policy, memoryImage: memoryImage, isRevalidation: isRevalidation)
        let key = LoadKey(context, isBlocking: isBlocking)
        let (load, isNew) = inFlight.join(task, key) { Load(key, lookup) }
        // The priority must be counted before the task can leave, which `attach` makes possible.
        load.changePriority(from: nil, to: task.priority)
        task.attach(load)
        // A task that joined late receives what the others have received.
        if isNew { load.start() } else { load.update(task) }
        // The calling thread delivers an image from a cache, as it does a memory hit.
        if let result = lookup?.wait() { task.finish(result, inline: true) }
    }

    /// A background revalidation has ended.
    /// Permits another revalidation of the same image.
    func revalidated(_ keys: LoadKeys) { _ = loads.state.withLock { $0.revalidating.remove(keys.final) } }

    var engine: Engine { lease.engine }

    /// Raw values of priorities start at -1.
    func order(_ priority: LoadPriority) -> TransferOrder { orders[Int(priority.rawValue + 1)] }

    /// Adds the load to those that `close` waits for. Throws `shutdown` after `close`.
    private func register(_ task: LoadTask) throws(ImageError) {
        let isClosed = loads.state.withLock { state in
            if !self.isClosed { state.tasks[ObjectIdentifier(task)] = task }
            return self.isClosed
        }
        if isClosed { throw .shutdown }
        task.attach(loads)
    }
}
