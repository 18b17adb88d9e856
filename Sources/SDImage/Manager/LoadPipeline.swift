/// The story of one load that was not in memory: disk, loader, decode, store. An object, because every step captures it.
final class LoadPipeline: Sendable {
    let request: ImageRequest
    let keys: LoadKeys
    let task: LoadTask
    let cache: (any ImageCaching)?
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
        self.request = request
        self.keys = keys
        self.task = task
        self.cache = cache
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
            cacheKey: CString(keys.final.description), timings: timings,
            transactions: failure?.transactions ?? found.error?.transactions ?? found.transactions)
    }

    private func run(_ local: LocalStage?, _ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome {
        if policy == .ignore, let memoryImage {
            return LoadOutcome(image: memoryImage, data: try await dataOfMemory(&timings), source: .memory)
        }
        try validate()
        if request.sourcePolicy != .loaderOnly {
            if policy != .ignore {
                if let fresh = try await queryFresh(local, &timings) { return fresh }
            } else if let cached = try await queryDisk(&timings) {
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
            image = try await decode(loaded.data, from: .transfer(ObjectIdentifier(loaded)), after: started, &timings)
        } catch {
            // What the request's own coder cannot read, others may.
            if request.coder == nil { remember(error, of: loader) }
            throw error.after(loaded.data.transactions)
        }
        if request.retryFailed { failedURLs.remove(CacheKey(request.url)) }
        let isStored = try await store(image, loaded, &timings)
        return LoadOutcome(
            image: image, data: keys.isOriginal && loaded.data.image == nil ? loaded.data.bytes : nil,
            source: loaded.data.source, rule: isStored ? .none : .noStore, transactions: loaded.data.transactions)
    }

    /// A thumbnail for which the transfer was ended: its bytes are a part of a picture, and never kept.
    private func keep(_ early: Image, of source: ImageSource) -> LoadOutcome {
        if request.storeCacheType.contains(.memory) { cache?.storeInMemory(early, for: keys.key(of: early, request)) }
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

    /// The picture from the disk cache: under its own key, or made from the original. Whatever goes wrong there is a miss.
    private func queryDisk(_ timings: inout StageTimings) async throws(ImageError) -> LoadOutcome? {
        for entry in entries {
            guard let cache, let cached = try await diskData(cache, entry.key, &timings),
                let image = try await picture(cached, of: entry, &timings)
            else { continue }
            return LoadOutcome(image: image, data: entry.isMade || keys.isOriginal ? cached.bytes : nil, source: .disk)
        }
        return nil
    }

    /// An entry that may have the picture: as it was made (`isMade`), or its original.
    struct Entry {
        let key: CacheKey
        let isMade: Bool
    }

    /// Those that the request asks the disk for, best first.
    var entries: [Entry] {
        var entries: [Entry] = []
        if request.queryCacheType.contains(.disk), request.coder == nil, let variant = keys.variant(request) {
            entries.append(Entry(key: variant, isMade: true))
        }
        let asked = keys.isOriginal ? request.queryCacheType : request.originalQueryCacheType
        if asked.contains(.disk) { entries.append(Entry(key: keys.original, isMade: false)) }
        return entries
    }

    /// The picture of an entry, which is then kept in memory; nil where it is none.
    func picture(_ cached: CachedData, of entry: Entry, _ timings: inout StageTimings) async throws(ImageError) -> Image? {
        guard let cache else { return nil }
        var data = LoadedData(bytes: cached.bytes)
        data.source = .disk
        data.answer = cached.record
        do throws(ImageError) {
            let image = try await decode(data, isMade: entry.isMade, from: DecodeOrigin(cached, of: cache), &timings)
                .with(extendedData: cached.extendedData)
            if request.storeCacheType.contains(.memory) { cache.storeInMemory(image, for: keys.key(of: image, request)) }
            if !entry.isMade { await storeVariant(image, of: cached, in: cache, &timings) }
            return image
        } catch {
            // What the request's own coder cannot read, others may.
            guard request.coder == nil, error.meansUnreadable else { throw error }
            // A poisoned entry heals itself: it goes, and the loader is asked (decisions D7).
            cache.dropDamaged(cached, for: entry.key)
            Log.write(.warning, "undecodable cache entry dropped: \(error.message.string)")
            return nil
        }
    }

    func diskData(_ cache: any ImageCaching, _ key: CacheKey, _ timings: inout StageTimings) async throws(ImageError)
        -> CachedData?
    {
        let start = MonotonicClock.now
        defer { timings.diskQuery += MonotonicClock.now - start }
        do throws(ImageError) { return try await cache.diskData(for: key) } catch {
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

    /// What another method says of the URL holds for that method only.
    private func remember(_ error: ImageError, of loader: any ImageLoader) {
        if request.isGet, loader.remembersFailure(error) { failedURLs.insert(CacheKey(request.url), error) }
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
        let progress = LoadProgress(task.report(received:expected:), arrival: following?.arrival)
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
            work: { [request, engine] progress async throws(ImageError) in
                let data = try await loader.load(request, progress: progress)
                return Fetched(data.selected(by: loader.sentFields(request)), engine.backlog)
            })
    }

    // MARK: decode

    /// Decodes on a worker, once for all equal wishes of the moment. `isMade`: the bytes are of the picture as asked for.
    private func decode(
        _ data: LoadedData, isMade: Bool = false, from origin: DecodeOrigin, after started: Progression? = nil,
        _ timings: inout StageTimings
    ) async throws(ImageError) -> Image {
        let start = MonotonicClock.now
        defer { timings.decode += MonotonicClock.now - start }
        let key = DecodeKey(request, keys, origin)
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
                        let image =
                            isMade
                            ? try variant(data.bytes, stop)
                            : try keys.transformed(try picture(data, after: started, stop), request, stop)
                        return data.answer.isEmpty ? image : image.with(data.answer)
                    })
            } catch { return .failure(error) }
        } onCancel: {
            stop.cancel()
        }
        return try outcome.get()
    }

    /// A thumbnail or transformed picture that was kept as it is.
    private func variant(_ bytes: Bytes, _ stop: StopSignal) throws(ImageError) -> Image {
        let image = try registry.decode(bytes, options: request.decodeOptions.ofVariant, stop: stop)
        var metadata = image.metadata
        metadata.isThumbnail = request.decodeOptions.wantsThumbnail
        return image.with(metadata)
    }

    private func picture(_ data: LoadedData, after started: PictureDecoder?, _ stop: StopSignal) throws(ImageError) -> Image {
        try stop.check()
        if let image = data.image { return try registry.fit(image, options: request.decodeOptions, stop: stop) }
        if let started {
            try started.show(data.bytes, isFinished: true)
            if let image = try started.image(stop: stop) { return image }
        }
        return try registry.decode(data.bytes, options: request.decodeOptions, stop: stop, coder: request.coder)
    }

    // MARK: store

    /// False when the answer forbids that it is stored: then it is kept in memory only.
    private func store(_ image: Image, _ loaded: Fetched, _ timings: inout StageTimings) async throws(ImageError) -> Bool {
        let isStorable = loaded.data.answer.mayBeStored(request.headers)
        guard let cache, !loaded.data.isUntrusted else { return isStorable }
        if request.storeCacheType.contains(.memory) { cache.storeInMemory(image, for: keys.key(of: image, request)) }
        // What has no bytes of its own, or came from the user's own files, stays off the disk.
        guard loaded.data.image == nil, loaded.data.isWorthKeeping else { return isStorable }
        guard isStorable else {
            // What the disk has was replaced by what must not be there.
            if request.sourcePolicy == .loaderOnly || policy != .ignore { await forget(cache) }
            return false
        }
        var cached = CachedData(bytes: loaded.data.bytes)
        cached.record = loaded.data.answer
        await storeVariant(image, of: cached, in: cache, &timings)
        let layers = keys.isOriginal ? request.storeCacheType : request.originalStoreCacheType
        guard layers.contains(.disk) else { return true }
        // Whoever waits for the commit stores too: the first may not wait, and the same bytes do no harm.
        guard loaded.claimStore(keys.original, in: cache) || request.waitForStore else { return true }
        let start = MonotonicClock.now
        guard request.waitForStore else {
            cache.enqueueDiskStore(cached, for: keys.original)
            return true
        }
        // A cache that cannot store is the cache's sorrow: it counts and logs it, the load goes on (decisions D5).
        try? await cache.storeOnDisk(cached, for: keys.original)
        timings.store += MonotonicClock.now - start
        if Task.isCancelled { throw .cancelled }
        return true
    }

    /// Removes from the disk what a request would find there.
    func forget(_ cache: any ImageCaching) async {
        for key in [keys.original, keys.variant(request)] {
            // The cache counts and logs what it could not do.
            if let key { try? await cache.remove(key, from: .disk) }
        }
    }

    /// Keeps what was made of an original beside it.
    private func storeVariant(
        _ image: Image, of origin: CachedData, in cache: any ImageCaching, _ timings: inout StageTimings
    ) async {
        guard request.storeCacheType.contains(.disk), let variant = Variant(image, keys, request, origin: origin) else { return }
        guard request.waitForStore else { return variants.write(variant, into: cache, on: engine.work) }
        let start = MonotonicClock.now
        await variants.writeNow(variant, into: cache, on: engine.work)
        timings.store += MonotonicClock.now - start
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
