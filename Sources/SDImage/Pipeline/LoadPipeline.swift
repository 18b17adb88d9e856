import Synchronization

/// One load of an image that is not in memory: disk, loader, decode, store. A class, because every step captures it.
final class LoadPipeline: Sendable {
    let manager: ImageManager
    let request: ImageRequest
    let keys: LoadKeys
    let task: LoadTask
    let cache: (any ImageCaching)?
    /// The cache of encoded originals: `cache`, unless the request names another one for variants.
    let originals: (any ImageCaching)?
    let loader: (any ImageLoader)?
    let policy: FreshnessPolicy
    /// The image in memory if it is not the whole result: its bytes are requested too, or its freshness is in doubt. Under
    /// `refresh` it was delivered already.
    let memoryImage: Image?
    /// Background revalidation; no caller is waiting for it.
    let isRenewal: Bool
    /// Notified when the load leaves the caches.
    let local: CacheStage?
    /// The latest preview, and whether a worker is preparing one.
    let standIns = Lock<(next: Image?, isBusy: Bool)>((nil, false))
    /// The request as it was sent, and whether it accepted invalid certificates; see `mayFillCaches`.
    let sent = Lock<ImageRequest?>(nil)
    let isUntrusted = Atomic<Bool>(false)

    var engine: Engine { manager.engine }
    var registry: CoderRegistry { manager.registry }

    init(
        _ request: ImageRequest, _ keys: LoadKeys, _ task: LoadTask, of manager: ImageManager, policy: FreshnessPolicy,
        memoryImage: Image?, isRenewal: Bool, local: CacheStage?
    ) {
        self.manager = manager
        self.request = request.scaled(for: keys.original)
        self.keys = keys
        self.task = task
        cache = request.cache.resolved(manager.cache)
        originals = keys.isOriginal ? cache : request.originalCache.resolved(cache)
        loader = request.mayBeLoaded ? request.loader.resolved(manager.loader) : nil
        self.policy = policy
        self.memoryImage = memoryImage
        self.isRenewal = isRenewal
        self.local = local
    }

    /// Starts the load: on the calling thread if no cache is queried and the loader is quick.
    func begin() {
        if policy == .ignore, memoryImage == nil, isForLoaderAlone, let loader, loader.isQuick,
            let chosen = try? loader.chosen(for: request), waitsIdly(for: chosen)
        {
            local?.pass()
            return wait(for: chosen, StageTimings())
        }
        task.attach(Task(executorPreference: engine.executor) { await self.run() }, isFirst: true)
    }

    /// Caches first, then the loader. A load that only waits for bytes ends here and continues in `arrived`.
    private func run() async {
        var timings = StageTimings()
        timings.queued = MonotonicClock.now - task.started
        do throws(ImageError) {
            if let found = try await nearby(&timings) { return end(.success(found), timings) }
            guard request.sourcePolicy != .cacheOnly, let loader else { return end(.success(LoadOutcome()), timings) }
            local?.pass()
            let chosen = try loader.chosen(for: request)
            if waitsIdly(for: chosen) { return wait(for: chosen, timings) }
            end(.success(try await loadAnew(chosen, &timings)), timings)
        } catch { end(.failure(error), timings) }
    }

    /// Continues on a worker when the bytes have arrived.
    func arrived(_ outcome: Result<FetchResult, ImageError>, _ loader: any ImageLoader, _ timings: StageTimings) async {
        var timings = timings
        switch outcome {
        case .success(let loaded):
            do throws(ImageError) { end(.success(try await take(loaded, loader, &timings)), timings) } catch {
                end(.failure(error), timings)
            }
        case .failure(let error):
            remember(error, of: loader)
            end(.failure(error), timings)
        }
    }

    /// Ends the load with its final result, which may be an error.
    func end(_ outcome: Result<LoadOutcome, ImageError>, _ timings: StageTimings) {
        var found = LoadOutcome()
        var failure: ImageError?
        do throws(ImageError) { found = try outcome.get() } catch {
            failure = error.about(url: task.url)
            Log.write(.info, "load failed: \(error.message.string) (\(error.status)) \(URLText(task.url.string).messageText)")
        }
        var timings = timings
        timings.total = MonotonicClock.now - task.started
        let result = ImageResult(
            kind: .final, image: found.image, data: found.data, error: failure ?? found.error?.about(url: task.url),
            source: found.source, isChanged: found.isChanged, isStale: found.isStale, freshness: found.rule, url: task.url,
            cacheKey: keys.text, timings: timings,
            transactions: failure?.transactions ?? found.error?.transactions ?? found.transactions, response: task.response)
        if result.image != nil, mayFillCaches { manager.noteSize(request, keys) }
        if local?.finish(result) != true { task.finish(result) }
        if isRenewal { manager.renewed(keys) }
    }

    /// The image from memory or disk; nil when the request excludes both or neither has it.
    private func nearby(_ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        if policy == .ignore, let memoryImage {
            return LoadOutcome(image: memoryImage, data: try await dataOfMemory(&timings), source: .memory)
        }
        try validate()
        if request.sourcePolicy == .loaderOnly { return nil }
        return policy == .ignore ? try await queryCaches(&timings) : try await queryFresh(&timings)
    }

    /// True when the request excludes every cache that could have the image.
    private var isForLoaderAlone: Bool {
        request.sourcePolicy == .loaderOnly
            || request.sourcePolicy == .any && entries.isEmpty && (keys.isOriginal || originals == nil)
    }

    /// Fetches from the loader, whatever is cached.
    private func loadAnew(_ loader: any ImageLoader, _ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome {
        let subscription = ProgressiveSubscription(self)
        let loaded: FetchResult
        do throws(ImageError) {
            loaded = try await fetch(
                loader, request, subscription: subscription, leasing: LeaseRequest(self, loader, newerThan: 0), &timings)
        } catch {
            subscription?.end()?.cancelUnlessShared()
            guard let early = subscription?.early, !Task.isCancelled else { throw error }
            return keep(early.picture, of: early.source)
        }
        var outcome = try await take(loaded, loader, after: subscription?.end(), &timings)
        outcome.isChanged = policy == .refresh
        return outcome
    }

    /// Decodes and stores a response; `started` is its progressive decode so far.
    func take(
        _ loaded: FetchResult, _ loader: any ImageLoader, after started: ProgressiveDecode? = nil, _ timings: inout StageTimings
    ) async throws(ImageError) -> LoadOutcome {
        if loaded.data.isUntrusted { isUntrusted.store(true, ordering: .releasing) }
        if loaded.data.isUnmodified {
            loaded.leaveBacklog()
            throw ImageError(.notModified, "not modified, by a condition of the request's own", httpStatus: 304)
                .after(loaded.data.transactions)
        }
        let image: Image
        do throws(ImageError) {
            defer { loaded.leaveBacklog() }
            let decoded = try await decode(loaded.data, from: loaded.decodeOrigin, after: started, &timings)
            image = loaded.kept.map { decoded.with(extendedData: $0.extendedData) } ?? decoded
            // The task may run before it is registered for cancellation.
            if task.isFinished { throw .cancelled }
        } catch {
            if loaded.kept != nil, error.meansUnreadable { return try await takeAgain(loaded, loader, &timings) }
            // Other coders may read bytes that the request's own coder refuses.
            if request.coder == nil { remember(error, of: loader) }
            throw error.after(loaded.data.transactions)
        }
        forgetFailures()
        let isStored = try await store(image, loaded, &timings)
        return LoadOutcome(
            image: image, data: image.isPlain && !loaded.data.isPicture ? loaded.data.bytes : nil,
            source: loaded.data.source, rule: isStored ? .none : .noStore, transactions: loaded.data.transactions)
    }

    /// Fetches from the origin because the entry of another process is not an image.
    private func takeAgain(_ loaded: FetchResult, _ loader: any ImageLoader, _ timings: inout StageTimings)
        async throws(ImageError) -> LoadOutcome
    {
        if request.coder == nil, let kept = loaded.kept { originals?.dropDamaged(kept, for: keys.original) }
        return try await take(try await fetch(loader, request, &timings), loader, &timings)
    }

    /// An early thumbnail, which ended its transfer. The incomplete bytes are never stored.
    private func keep(_ early: Image, of source: ImageSource) -> LoadOutcome {
        keepInMemory(early)
        return LoadOutcome(image: early, source: source, isChanged: policy == .refresh)
    }

    func validate() throws(ImageError) {
        if Task.isCancelled { throw .cancelled }
        if !request.isKeyOnly { try URLText(request.url).validate() }
    }

    // MARK: disk

    /// The bytes of an image in memory, if the disk has them.
    func dataOfMemory(_ timings: inout StageTimings) async throws(ImageError) -> Bytes? {
        let key = keys.isOriginal ? keys.original : keys.variant(request)
        guard let cache, let key else { return nil }
        return try await diskData(cache, key, &timings)?.bytes
    }

    /// An image missing in memory, from the caches: under its own key, or made from the original. Any error there counts as a
    /// miss.
    private func queryCaches(_ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        for entry in entries where entry.isMade {
            if let outcome = try await queryDisk(entry, &timings) { return outcome }
        }
        if let outcome = try await queryOriginalInMemory(&timings) { return outcome }
        for entry in entries where !entry.isMade {
            if let outcome = try await queryDisk(entry, &timings) { return outcome }
        }
        return nil
    }

    private func queryDisk(_ entry: Entry, _ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        guard let cached = try await diskData(entry.cache, entry.key, &timings),
            let image = try await picture(cached, of: entry, &timings)
        else { return nil }
        return LoadOutcome(image: image, data: entry.isMade || image.isPlain ? cached.bytes : nil, source: cached.source)
    }

    /// A thumbnail or transformed image made from an original in memory.
    private func queryOriginalInMemory(_ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        // Pixels as they are stored in the file cannot be derived from the image in memory.
        guard !keys.isOriginal, request.originalQueryCacheType.contains(.memory), request.decodeOptions.isUpright,
            request.coder == nil, let originals, let original = originals.memoryImage(for: keys.original)
        else { return nil }
        var data = LoadedData(bytes: .empty)
        data.image = original
        data.source = .memory
        data.answer = original.metadata.answer?.record ?? ResponseRecord()
        let image = try await decode(data, from: .bytes(ObjectIdentifier(original)), &timings)
        keepInMemory(image)
        var cached = CachedData(bytes: .empty)
        cached.record = data.answer
        await storeVariant(image, of: cached, &timings)
        return LoadOutcome(image: image, source: .memory)
    }

    /// An entry that may have the image: the variant itself (`isMade`), or its original.
    struct Entry {
        let cache: any ImageCaching
        let key: CacheKey
        let isMade: Bool
    }

    /// The entries that the request looks up on disk, best first.
    var entries: [Entry] {
        var entries: [Entry] = []
        if request.queryCacheType.contains(.disk), request.coder == nil, let cache, let variant = keys.variant(request) {
            entries.append(Entry(cache: cache, key: variant, isMade: true))
        }
        let asked = keys.isOriginal ? request.queryCacheType : request.originalQueryCacheType
        if asked.contains(.disk), let originals {
            entries.append(Entry(cache: originals, key: keys.original, isMade: false))
        }
        return entries
    }

    /// The image of an entry, which is then stored in memory; nil if the bytes are not an image.
    func picture(_ cached: CachedData, of entry: Entry, _ timings: inout StageTimings) async throws(ImageError) -> Image? {
        var data = LoadedData(bytes: cached.bytes)
        data.source = .disk
        data.answer = cached.record
        do throws(ImageError) {
            let image = try await decode(data, isMade: entry.isMade, from: DecodeOrigin(cached, of: entry.cache), &timings)
                .with(extendedData: cached.extendedData)
            keepInMemory(image)
            if !entry.isMade { await storeVariant(image, of: cached, &timings) }
            return image
        } catch {
            // Other coders may read bytes that the request's own coder refuses.
            guard request.coder == nil, error.meansUnreadable else { throw error }
            // The damaged entry is dropped and fetched again (docs/decisions.md, "A damaged entry is replaced").
            entry.cache.dropDamaged(cached, for: entry.key)
            Log.write(.warning, "undecodable cache entry dropped: \(error.message.string)")
            return nil
        }
    }

    func diskData(_ cache: any ImageCaching, _ key: CacheKey, _ timings: inout StageTimings) async throws(ImageError)
        -> CachedData?
    {
        let start = MonotonicClock.now
        defer { timings.diskQuery += MonotonicClock.now - start }
        do throws(ImageError) { return try await cache.diskData(for: key, options: request.decodeOptions.bag) } catch {
            if error.status == .cancelled { throw error }
            return nil
        }
    }

    // MARK: decode

    /// Decodes on a worker, once for all equal concurrent loads; `origin` is nil if no other load can be equal. `isMade`: the
    /// bytes are of the final image.
    private func decode(
        _ data: LoadedData, isMade: Bool = false, from origin: DecodeOrigin?, after started: ProgressiveDecode? = nil,
        _ timings: inout StageTimings
    ) async throws(ImageError) -> Image {
        let start = MonotonicClock.now
        defer { timings.decode += MonotonicClock.now - start }
        guard let origin else { return try await decodeNow(data, isMade, after: await started?.decoder(for: data.bytes)) }
        let key = DecodeKey(request, keys, origin, kept: keepsOriginal(data) ? originals : nil)
        return try await manager.decodes.value(for: key, on: engine.executor) { [self] _ async throws(ImageError) in
            try await decodeNow(data, isMade, after: await started?.decoder(for: data.bytes))
        }
    }

    /// Decodes and transforms in one job of a worker: nothing needs the image between the two.
    private func decodeNow(_ data: LoadedData, _ isMade: Bool, after started: PictureDecoder?) async throws(ImageError) -> Image {
        let stop = StopSignal()
        let limits = request.decodeOptions.limits
        let outcome: Result<Image, ImageError> = await withTaskCancellationHandler {
            do throws(ImageError) {
                return .success(
                    try await engine.work.run(request.priority) { [self] () throws(ImageError) in
                        stop.allow(nanoseconds: limits.workNanoseconds)
                        let image = isMade ? try variant(data.bytes, stop) : try made(of: data, after: started, stop)
                        return try request.taken(data.answer.isEmpty ? image : image.with(data.answer), stop)
                    })
            } catch { return .failure(error) }
        } onCancel: {
            stop.cancel()
        }
        // A coder of the host may have missed the cancellation.
        if Task.isCancelled { throw .cancelled }
        return try outcome.get()
    }

    /// A thumbnail or transformed image, decoded from its own entry.
    private func variant(_ bytes: Bytes, _ stop: StopSignal) throws(ImageError) -> Image {
        let image = try registry.decode(bytes, options: request.decodeOptions.ofVariant, stop: stop)
        var metadata = image.metadata
        metadata.isThumbnail = request.decodeOptions.wantsThumbnail
        metadata.isTransformed = keys.transformer != nil
        return image.with(metadata)
    }

    /// The requested image, made from the encoded original or from an image.
    private func made(of data: LoadedData, after started: PictureDecoder?, _ stop: StopSignal) throws(ImageError) -> Image {
        let image = try picture(data, after: started, stop)
        // The untransformed image is available only here.
        if keepsOriginal(data) {
            originals?.storeInMemory(data.answer.isEmpty ? image : image.with(data.answer), for: keys.original)
        }
        return try keys.transformed(image, request, stop)
    }

    /// True if the image before its transformer is stored in memory.
    private func keepsOriginal(_ data: LoadedData) -> Bool {
        request.originalStoreCacheType.contains(.memory) && !keys.isOriginal && keys.decoded == keys.original
            && data.source != .memory && mayFillCaches
    }

    private func picture(_ data: LoadedData, after started: PictureDecoder?, _ stop: StopSignal) throws(ImageError) -> Image {
        try stop.check()
        if let image = data.image {
            let options = request.decodeOptions
            return try registry.fit(options.firstFrameOnly ? image.still : image, options: options, stop: stop)
        }
        if let started {
            try started.show(data.bytes, isFinished: true, stop: stop)
            if let image = try started.image(stop: stop) { return image }
        }
        let options = data.decodeOptions ?? request.decodeOptions
        return try registry.decode(data.bytes, options: options, stop: stop, coder: request.coder)
    }
}

extension ImageError {
    /// True if no coder can decode the bytes, now or later.
    package var meansUnreadable: Bool {
        switch status {
        case .badData, .truncated, .notAnImage, .emptyData: true
        default: false
        }
    }
}
