import Synchronization

/// The story of one load that was not in memory: disk, loader, decode, store.
package struct LoadPipeline: Sendable {
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
    /// A picture found in memory, of which the bytes are wanted too.
    let memoryImage: Image?

    /// The final result; an error becomes one too. `local` hears when the load leaves the caches.
    func result(_ local: LocalStage?) async -> ImageResult {
        var timings = StageTimings()
        timings.queued = MonotonicClock.now - task.started
        var found = Found()
        var failure: ImageError?
        do throws(ImageError) {
            found = try await run(local, &timings)
        } catch {
            failure = error.about(url: task.url)
            Log.write(.info, "load failed: \(error.message.string) (\(error.status)) \(task.url.string)")
        }
        timings.total = MonotonicClock.now - task.started
        return ImageResult(
            kind: .final, image: found.image, data: found.data, error: failure, source: found.source, url: task.url,
            cacheKey: CString(keys.final.description), timings: timings,
            transactions: failure?.transactions ?? found.transactions)
    }

    private func run(_ local: LocalStage?, _ timings: inout StageTimings) async throws(ImageError) -> Found {
        if let memoryImage { return try await complete(memoryImage, &timings) }
        try validate()
        if request.sourcePolicy != .loaderOnly, let cached = try await queryDisk(&timings) { return cached }
        guard request.sourcePolicy != .cacheOnly, let chain = loader else { return Found() }
        local?.pass()
        let loader = try chain.chosen(for: request)
        let following = Following(self)
        let loaded: Fetched
        do throws(ImageError) { loaded = try await fetch(loader, following, &timings) } catch {
            following?.end()?.giveUp()
            guard let early = following?.early, !Task.isCancelled else { throw error }
            return keep(early.picture, of: early.source)
        }
        let started = following?.end()
        let image: Image
        do throws(ImageError) {
            defer { loaded.leaveBacklog() }
            image = try await decode(loaded.data, from: .transfer(ObjectIdentifier(loaded)), after: started, &timings)
        } catch {
            // What the request's own coder cannot read, others may.
            if request.coder == nil, loader.remembersFailure(error) { failedURLs.insert(CacheKey(request.url)) }
            throw error.after(loaded.data.transactions)
        }
        if request.retryFailed { failedURLs.remove(CacheKey(request.url)) }
        try await store(image, loaded, &timings)
        return Found(
            image: image, data: keys.isOriginal && loaded.data.image == nil ? loaded.data.bytes : nil,
            source: loaded.data.source, transactions: loaded.data.transactions)
    }

    /// A thumbnail for which the transfer was ended: its bytes are a part of a picture, and never kept.
    private func keep(_ early: Image, of source: ImageSource) -> Found {
        if request.storeCacheType.contains(.memory) { cache?.storeInMemory(early, for: keys.key(of: early, request)) }
        return Found(image: early, source: source)
    }

    private func validate() throws(ImageError) {
        if Task.isCancelled { throw .cancelled }
        if !request.isKeyOnly { try URLText(request.url).validate() }
    }

    // MARK: disk

    /// A picture in memory with its bytes, where the disk has them.
    private func complete(_ image: Image, _ timings: inout StageTimings) async throws(ImageError) -> Found {
        let start = MonotonicClock.now
        let key = keys.isOriginal ? keys.original : keys.variant(request)
        var cached: CachedData?
        if let cache, let key { cached = try await diskData(cache, key) }
        timings.diskQuery = MonotonicClock.now - start
        return Found(image: image, data: cached?.bytes, source: .memory)
    }

    /// The picture from the disk cache: under its own key, or made from the original.
    private func queryDisk(_ timings: inout StageTimings) async throws(ImageError) -> Found? {
        guard let cache else { return nil }
        if request.queryCacheType.contains(.disk), request.coder == nil, let variant = keys.variant(request),
            let found = try await read(variant, isMade: true, cache, &timings)
        {
            return found
        }
        let asked = keys.isOriginal ? request.queryCacheType : request.originalQueryCacheType
        return asked.contains(.disk) ? try await read(keys.original, isMade: false, cache, &timings) : nil
    }

    /// Reads and decodes an entry, the original or (`isMade`) the picture as asked for. Whatever goes wrong is a miss.
    private func read(_ key: CacheKey, isMade: Bool, _ cache: any ImageCaching, _ timings: inout StageTimings)
        async throws(ImageError) -> Found?
    {
        let start = MonotonicClock.now
        let cached = try await diskData(cache, key)
        timings.diskQuery += MonotonicClock.now - start
        guard let cached else { return nil }
        var data = LoadedData(bytes: cached.bytes)
        data.source = .disk
        do throws(ImageError) {
            let image = try await decode(data, isMade: isMade, from: DecodeOrigin(cached, of: cache), &timings)
                .with(extendedData: cached.extendedData)
            if request.storeCacheType.contains(.memory) { cache.storeInMemory(image, for: keys.key(of: image, request)) }
            if !isMade { await storeVariant(image, of: cached, in: cache, &timings) }
            return Found(image: image, data: isMade || keys.isOriginal ? cached.bytes : nil, source: .disk)
        } catch {
            // What the request's own coder cannot read, others may.
            guard request.coder == nil, error.meansUnreadable else { throw error }
            // A poisoned entry heals itself: it goes, and the loader is asked (decisions D7).
            cache.dropDamaged(cached, for: key)
            Log.write(.warning, "undecodable cache entry dropped: \(error.message.string)")
            return nil
        }
    }

    private func diskData(_ cache: any ImageCaching, _ key: CacheKey) async throws(ImageError) -> CachedData? {
        do throws(ImageError) { return try await cache.diskData(for: key) } catch {
            if error.status == .cancelled { throw error }
            return nil
        }
    }

    // MARK: loader

    private func fetch(_ loader: any ImageLoader, _ following: Following?, _ timings: inout StageTimings)
        async throws(ImageError) -> Fetched
    {
        if !request.retryFailed, failedURLs.contains(CacheKey(request.url)) {
            throw ImageError(.failedURL, "failed for good a moment ago; not asked again yet")
        }
        let start = MonotonicClock.now
        defer { timings.load = MonotonicClock.now - start }
        do throws(ImageError) {
            guard let following, request.endsEarly else { return try await transfer(loader, following) }
            return try await following.wait(
                for: Task(executorPreference: engine.executor) { await outcome(loader, following) })
        } catch {
            if loader.remembersFailure(error) { failedURLs.insert(CacheKey(request.url)) }
            throw error
        }
    }

    private func outcome(_ loader: any ImageLoader, _ following: Following) async -> Result<Fetched, ImageError> {
        do throws(ImageError) { return .success(try await transfer(loader, following)) } catch { return .failure(error) }
    }

    /// All bytes, by a transfer shared with all who want the same.
    private func transfer(_ loader: any ImageLoader, _ following: Following?) async throws(ImageError) -> Fetched {
        let request = try await loader.prepared(request)
        let progress = LoadProgress(task.report(received:expected:), arrival: following?.arrival)
        guard let sharing = loader.sharingKey(request) else {
            return Fetched(try await loader.load(request, progress: progress), engine.backlog)
        }
        let key = FetchKey(
            loader: ObjectIdentifier(loader), url: sharing, maxBodyBytes: request.maxBodyBytes,
            timeout: request.timeoutMilliseconds)
        return try await fetches.value(
            for: key, on: engine.executor, progress: progress,
            joined: { loader.raisePriority(sharing, to: request.priority) },
            work: { [request, engine] progress async throws(ImageError) in
                Fetched(try await loader.load(request, progress: progress), engine.backlog)
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
                    try await engine.work.run(request.priority) { () throws(ImageError) in
                        isMade
                            ? try variant(data.bytes, stop)
                            : try keys.transformed(try picture(data, after: started, stop), request, stop)
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

    private func store(_ image: Image, _ loaded: Fetched, _ timings: inout StageTimings) async throws(ImageError) {
        guard let cache, !loaded.data.isUntrusted else { return }
        if request.storeCacheType.contains(.memory) { cache.storeInMemory(image, for: keys.key(of: image, request)) }
        // What has no bytes of its own, or came from the user's own files, stays off the disk.
        guard loaded.data.image == nil, loaded.data.isWorthKeeping else { return }
        let cached = CachedData(loaded.data)
        await storeVariant(image, of: cached, in: cache, &timings)
        let layers = keys.isOriginal ? request.storeCacheType : request.originalStoreCacheType
        guard layers.contains(.disk) else { return }
        // Whoever waits for the commit stores too: the first may not wait, and the same bytes do no harm.
        guard loaded.claimStore(keys.original, in: cache) || request.waitForStore else { return }
        let start = MonotonicClock.now
        guard request.waitForStore else { return cache.enqueueDiskStore(cached, for: keys.original) }
        // A cache that cannot store is the cache's sorrow: it counts and logs it, the load goes on (decisions D5).
        try? await cache.storeOnDisk(cached, for: keys.original)
        timings.store += MonotonicClock.now - start
        if Task.isCancelled { throw .cancelled }
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

extension CachedData {
    /// What a loader brought, as it is stored.
    fileprivate init(_ loaded: LoadedData) {
        self.init(bytes: loaded.bytes)
        entityTag = loaded.entityTag
        lastModified = loaded.lastModified
        cacheControl = loaded.cacheControl
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

/// What a stage came up with.
private struct Found {
    var image: Image?
    var data: Bytes?
    var source: ImageSource = .none
    var transactions: [LoadTransaction] = []
}

/// What must be equal for two loads to share a transfer.
package struct FetchKey: Hashable, Sendable {
    let loader: ObjectIdentifier
    let url: [UInt8]
    let maxBodyBytes: Int
    let timeout: UInt32
}

/// What must be equal for two loads to share a decode.
package struct DecodeKey: Hashable, Sendable {
    let key: CacheKey
    let origin: DecodeOrigin
    let options: DecodeOptions
    let coder: ObjectIdentifier?
    let transformsAnimated: Bool
    let transformsVector: Bool

    init(_ request: ImageRequest, _ keys: LoadKeys, _ origin: DecodeOrigin) {
        key = keys.final
        self.origin = origin
        options = request.decodeOptions
        coder = request.coder.map(ObjectIdentifier.init)
        transformsAnimated = request.transformsAnimated
        transformsVector = request.transformsVector
    }
}

/// Where bytes came from: one key may stand for different bytes at the same moment.
package enum DecodeOrigin: Hashable, Sendable {
    case transfer(ObjectIdentifier)
    /// Of a transfer under way.
    case body(ObjectIdentifier)
    /// One write of one cache, whoever reads it.
    case write(CacheWrite, cache: ObjectIdentifier)
    case bytes(ObjectIdentifier)

    init(_ cached: CachedData, of cache: any ImageCaching) {
        self = cached.write.map { .write($0, cache: ObjectIdentifier(cache)) } ?? .bytes(ObjectIdentifier(cached.bytes))
    }
}

/// The outcome of a transfer, shared by all who waited for it; stored by the first of them in each cache.
package final class Fetched: Sendable {
    let data: LoadedData
    private struct Place: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
    }

    private let stored = Mutex<Set<Place>>([])
    private let ticket: Mutex<Backlog.Ticket?>

    init(_ data: LoadedData, _ backlog: Backlog) {
        self.data = data
        ticket = Mutex(backlog.add(data.bytes.count))
    }

    /// The bytes are decoded, or nobody wants them any more.
    func leaveBacklog() { ticket.withLock { $0 = nil } }

    /// True for the first who asks with this key and cache.
    func claimStore(_ key: CacheKey, in cache: any ImageCaching) -> Bool {
        stored.withLock { $0.insert(Place(cache: ObjectIdentifier(cache), key: key)).inserted }
    }
}
