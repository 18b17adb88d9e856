/// The story of one load that was not in memory: disk, loader, decode, store. An object, because every step captures it.
final class LoadPipeline: Sendable {
    let request: ImageRequest
    let keys: LoadKeys
    let task: LoadTask
    let cache: (any ImageCaching)?
    /// Where encoded originals are: the same, unless the request names another for what is made of them.
    let originals: (any ImageCaching)?
    let loader: (any ImageLoader)?
    let engine: Engine
    let registry: CoderRegistry
    let failedURLs: FailedURLs
    let fetches: Coalescer<FetchKey, Fetched>
    let decodes: Coalescer<DecodeKey, Image>
    let progressions: Progressions
    let variants: VariantWriter
    let offline: OfflineSwitch
    let policy: FreshnessPolicy
    /// What memory has, where that is not the whole answer: its bytes are wanted too, or its freshness is in doubt. Under
    /// `refresh` it was delivered already.
    let memoryImage: Image?
    /// A load of nobody, to renew what is cached.
    let isRenewal: Bool
    /// Starts such a load, for the picture that is cached.
    let renew: @Sendable (Image) -> Void

    init(
        request: ImageRequest, keys: LoadKeys, task: LoadTask, cache: (any ImageCaching)?, loader: (any ImageLoader)?,
        engine: Engine, registry: CoderRegistry, failedURLs: FailedURLs, fetches: Coalescer<FetchKey, Fetched>,
        decodes: Coalescer<DecodeKey, Image>, progressions: Progressions, variants: VariantWriter, offline: OfflineSwitch,
        policy: FreshnessPolicy, memoryImage: Image?, isRenewal: Bool, renew: @escaping @Sendable (Image) -> Void
    ) {
        self.request = request.scaled(for: keys.original)
        self.keys = keys
        self.task = task
        self.cache = cache
        originals = keys.isOriginal ? cache : request.originalCache.resolved(cache)
        self.loader = loader
        self.engine = engine
        self.registry = registry
        self.failedURLs = failedURLs
        self.fetches = fetches
        self.decodes = decodes
        self.progressions = progressions
        self.variants = variants
        self.offline = offline
        self.policy = policy
        self.memoryImage = memoryImage
        self.isRenewal = isRenewal
        self.renew = renew
    }

    /// The final result; an error becomes one too. `local` hears when the load leaves the caches.
    func result(_ local: LocalStage?) async -> ImageResult {
        var timings = StageTimings()
        timings.queued = MonotonicClock.now - task.started
        var found = LoadOutcome()
        var failure: ImageError?
        do throws(ImageError) {
            found = try await run(local, &timings)
        } catch {
            failure = error.about(url: task.url)
            Log.write(.info, "load failed: \(error.message.string) (\(error.status)) \(task.url.string)")
        }
        timings.total = MonotonicClock.now - task.started
        return ImageResult(
            kind: .final, image: found.image, data: found.data, error: failure ?? found.error?.about(url: task.url),
            source: found.source, isChanged: found.isChanged, isStale: found.isStale, freshness: found.rule, url: task.url,
            cacheKey: keys.text, timings: timings,
            transactions: failure?.transactions ?? found.error?.transactions ?? found.transactions, response: task.response)
    }

    private func run(_ local: LocalStage?, _ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome {
        if policy == .ignore, let memoryImage {
            return LoadOutcome(image: memoryImage, data: try await dataOfMemory(&timings), source: .memory)
        }
        try validate()
        if request.sourcePolicy != .loaderOnly {
            if policy != .ignore {
                if let fresh = try await queryFresh(local, &timings) { return fresh }
            } else if let cached = try await queryCaches(&timings) {
                return cached
            }
        }
        return try await loadAnew(local, &timings)
    }

    /// From the loader, whatever is cached.
    private func loadAnew(_ local: LocalStage?, _ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome {
        guard request.sourcePolicy != .cacheOnly, let chain = loader else { return LoadOutcome() }
        local?.pass()
        let loader = try chain.chosen(for: request)
        let following = Following(self)
        let loaded: Fetched
        do throws(ImageError) { loaded = try await fetch(loader, request, following: following, &timings) } catch {
            following?.end()?.giveUp()
            guard let early = following?.early, !Task.isCancelled else { throw error }
            return keep(early.picture, of: early.source)
        }
        var outcome = try await take(loaded, loader, after: following?.end(), &timings)
        outcome.isChanged = policy == .refresh
        return outcome
    }

    /// Makes the picture of what was fetched, and stores it. What was `started` of it helps.
    func take(
        _ loaded: Fetched, _ loader: any ImageLoader, after started: Progression? = nil, _ timings: inout StageTimings
    ) async throws(ImageError) -> LoadOutcome {
        if loaded.data.isUnmodified {
            loaded.leaveBacklog()
            throw ImageError(.notModified, "not modified, by a condition of the request's own", httpStatus: 304)
                .after(loaded.data.transactions)
        }
        let image: Image
        do throws(ImageError) {
            defer { loaded.leaveBacklog() }
            image = try await decode(loaded.data, from: loaded.decodeOrigin, after: started, &timings)
        } catch {
            // What the request's own coder cannot read, others may.
            if request.coder == nil { remember(error, of: loader) }
            throw error.after(loaded.data.transactions)
        }
        if request.retryFailed { failedURLs.remove(CacheKey(request.url)) }
        let isStored = try await store(image, loaded, &timings)
        return LoadOutcome(
            image: image, data: image.isPlain && !loaded.data.isPicture ? loaded.data.bytes : nil,
            source: loaded.data.source, rule: isStored ? .none : .noStore, transactions: loaded.data.transactions)
    }

    /// A thumbnail for which the transfer was ended: its bytes are a part of a picture, and never kept.
    private func keep(_ early: Image, of source: ImageSource) -> LoadOutcome {
        keepInMemory(early)
        return LoadOutcome(image: early, source: source, isChanged: policy == .refresh)
    }

    private func validate() throws(ImageError) {
        if Task.isCancelled { throw .cancelled }
        if !request.isKeyOnly { try URLText(request.url).validate() }
    }

    // MARK: disk

    /// The bytes of a picture in memory, where the disk has them.
    func dataOfMemory(_ timings: inout StageTimings) async throws(ImageError) -> Bytes? {
        let key = keys.isOriginal ? keys.original : keys.variant(request)
        guard let cache, let key else { return nil }
        return try await diskData(cache, key, &timings)?.bytes
    }

    /// The picture that is not in memory, from the caches: under its own key, or made from the original. Whatever goes wrong
    /// there is a miss.
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
        return LoadOutcome(image: image, data: entry.isMade || image.isPlain ? cached.bytes : nil, source: .disk)
    }

    /// What is made of an original that memory has: shrunk and transformed, never the original itself (spec MGR-15).
    private func queryOriginalInMemory(_ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        // Pixels as they are stored cannot be made of others.
        guard !keys.isOriginal, request.originalQueryCacheType.contains(.memory), request.decodeOptions.isUpright,
            request.coder == nil, let originals, let original = originals.memoryImage(for: keys.original)
        else { return nil }
        var data = LoadedData(bytes: .empty)
        data.image = original
        data.source = .memory
        data.answer = original.metadata.answer?.record ?? AnswerRecord()
        let image = try await decode(data, from: .bytes(ObjectIdentifier(original)), &timings)
        keepInMemory(image)
        var cached = CachedData(bytes: .empty)
        cached.record = data.answer
        await storeVariant(image, of: cached, &timings)
        return LoadOutcome(image: image, source: .memory)
    }

    /// An entry that may have the picture: as it was made (`isMade`), or its original.
    struct Entry {
        let cache: any ImageCaching
        let key: CacheKey
        let isMade: Bool
    }

    /// Those that the request asks the disk for, best first.
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

    /// The picture of an entry, which is then kept in memory; nil where it is none.
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
            // What the request's own coder cannot read, others may.
            guard request.coder == nil, error.meansUnreadable else { throw error }
            // A poisoned entry heals itself: it goes, and the loader is asked (decisions D7).
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

    // MARK: loader

    /// Asks the loader for `request`: the load's own, or that under conditions.
    func fetch(
        _ loader: any ImageLoader, _ request: ImageRequest, following: Following? = nil, _ timings: inout StageTimings
    ) async throws(ImageError) -> Fetched {
        if offline.forbids(request) { throw ImageError(.offline, "loading over the network is switched off") }
        if !request.retryFailed, request.isGet, let failure = failedURLs.failure(of: CacheKey(request.url)) {
            throw ImageError(
                .failedURL, "failed for good a moment ago; not asked again yet", httpStatus: failure.httpStatus, cause: failure)
        }
        let start = MonotonicClock.now
        defer { timings.load = MonotonicClock.now - start }
        do throws(ImageError) {
            guard let following, request.endsEarly else { return try await transfer(loader, request, following) }
            return try await following.wait(
                for: Task(executorPreference: engine.executor) { [self] in await outcome(loader, request, following) })
        } catch {
            remember(error, of: loader)
            throw error
        }
    }

    /// Does not ask again for a while where that is in vain; the host's word counts before the loader's (spec MGR-3). What another
    /// method says of the URL holds for that method only.
    private func remember(_ error: ImageError, of loader: any ImageLoader) {
        guard request.isGet, ![.cancelled, .shutdown, .noMemory].contains(error.status) else { return }
        if request.loadHooks?.remembersFailure?(request, error) ?? loader.remembersFailure(error) {
            failedURLs.insert(CacheKey(request.url), error)
        }
    }

    private func outcome(_ loader: any ImageLoader, _ request: ImageRequest, _ following: Following) async
        -> Result<Fetched, ImageError>
    {
        do throws(ImageError) { return .success(try await transfer(loader, request, following)) } catch {
            return .failure(error)
        }
    }

    /// All bytes, by a transfer shared with all who want the same.
    private func transfer(_ loader: any ImageLoader, _ request: ImageRequest, _ following: Following?)
        async throws(ImageError) -> Fetched
    {
        let request = try await loader.prepared(request)
        let progress = LoadProgress(
            task.report(received:expected:), arrival: following?.arrival, response: task.note, picture: show)
        guard let sharing = loader.sharingKey(request) else {
            let data = try await loader.load(request, progress: progress)
            return Fetched(data.selected(by: loader.sentFields(request)), engine.backlog)
        }
        let key = FetchKey(
            loader: ObjectIdentifier(loader), url: sharing, maxBodyBytes: request.maxBodyBytes,
            timeout: request.timeoutMilliseconds)
        return try await fetches.value(
            for: key, on: engine.executor, progress: progress,
            joined: { loader.raisePriority(sharing, to: request.priority) },
            shared: { $0.noteShared() },
            work: { [request, engine] progress async throws(ImageError) in
                let data = try await loader.load(request, progress: progress)
                return Fetched(data.selected(by: loader.sentFields(request)), engine.backlog)
            })
    }

    /// Delivers what stands for the final picture, made on a worker into what the request wants.
    private func show(_ standIn: Image) {
        engine.work.submit(request.priority) { [self] in
            guard !task.isFinished else { return }
            let stop = StopSignal()
            // Where it cannot be shown, the final picture will be.
            guard let fitted = try? registry.fit(standIn.still, options: request.decodeOptions, stop: stop),
                let image = try? keys.transformed(fitted, request, stop)
            else { return }
            var timings = StageTimings()
            timings.total = MonotonicClock.now - task.started
            task.show(
                ImageResult(
                    kind: .partial, image: image, source: .loader, url: task.url, cacheKey: keys.text, timings: timings))
        }
    }

    // MARK: decode

    /// Decodes on a worker, once for all equal wishes of the moment; `origin` is nil where there can be no other. `isMade`: the
    /// bytes are of the picture as asked for.
    private func decode(
        _ data: LoadedData, isMade: Bool = false, from origin: DecodeOrigin?, after started: Progression? = nil,
        _ timings: inout StageTimings
    ) async throws(ImageError) -> Image {
        let start = MonotonicClock.now
        defer { timings.decode += MonotonicClock.now - start }
        guard let origin else { return try await decodeNow(data, isMade, after: await started?.decoder(for: data.bytes)) }
        let key = DecodeKey(request, keys, origin, kept: keepsOriginal(data) ? originals : nil)
        return try await decodes.value(for: key, on: engine.executor) { [self] _ async throws(ImageError) in
            try await decodeNow(data, isMade, after: await started?.decoder(for: data.bytes))
        }
    }

    /// Decodes and transforms, in one go on one worker: between the two nobody needs the picture.
    private func decodeNow(_ data: LoadedData, _ isMade: Bool, after started: PictureDecoder?) async throws(ImageError) -> Image {
        let stop = StopSignal()
        let outcome: Result<Image, ImageError> = await withTaskCancellationHandler {
            do throws(ImageError) {
                return .success(
                    try await engine.work.run(request.priority) { [self] () throws(ImageError) in
                        let image = isMade ? try variant(data.bytes, stop) : try made(of: data, after: started, stop)
                        return try request.taken(data.answer.isEmpty ? image : image.with(data.answer), stop)
                    })
            } catch { return .failure(error) }
        } onCancel: {
            stop.cancel()
        }
        // A coder of the host may not have heard of it.
        if Task.isCancelled { throw .cancelled }
        return try outcome.get()
    }

    /// A thumbnail or transformed picture that was kept as it is.
    private func variant(_ bytes: Bytes, _ stop: StopSignal) throws(ImageError) -> Image {
        let image = try registry.decode(bytes, options: request.decodeOptions.ofVariant, stop: stop)
        var metadata = image.metadata
        metadata.isThumbnail = request.decodeOptions.wantsThumbnail
        metadata.isTransformed = keys.transformer != nil
        return image.with(metadata)
    }

    /// The picture as asked for, of the encoded original or of the picture itself.
    private func made(of data: LoadedData, after started: PictureDecoder?, _ stop: StopSignal) throws(ImageError) -> Image {
        let image = try picture(data, after: started, stop)
        // Only here is it at hand as it was before its transformer.
        if keepsOriginal(data) {
            originals?.storeInMemory(data.answer.isEmpty ? image : image.with(data.answer), for: keys.original)
        }
        return try keys.transformed(image, request, stop)
    }

    /// Whether memory is to have the picture as it is before its transformer (spec MGR-18).
    private func keepsOriginal(_ data: LoadedData) -> Bool {
        request.originalStoreCacheType.contains(.memory) && !keys.isOriginal && keys.decoded == keys.original
            && data.source != .memory && !data.isUntrusted
    }

    private func picture(_ data: LoadedData, after started: PictureDecoder?, _ stop: StopSignal) throws(ImageError) -> Image {
        try stop.check()
        if let image = data.image {
            let options = request.decodeOptions
            return try registry.fit(options.firstFrameOnly ? image.still : image, options: options, stop: stop)
        }
        if let started {
            try started.show(data.bytes, isFinished: true)
            if let image = try started.image(stop: stop) { return image }
        }
        let options = data.decodeOptions ?? request.decodeOptions
        return try registry.decode(data.bytes, options: options, stop: stop, coder: request.coder)
    }
}

extension ImageError {
    /// No coder makes a picture of the bytes, now or later.
    package var meansUnreadable: Bool {
        switch status {
        case .badData, .truncated, .notAnImage, .emptyData: true
        default: false
        }
    }
}
