/// The request for a lease on a shared cache, made before the origin is contacted.
struct LeaseRequest: Sendable {
    /// The properties that loads must have in common to be satisfied by the same entry.
    struct Identity: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
        let date: UInt64
        let policy: FreshnessPolicy
    }

    let cache: any ImageCaching
    let key: CacheKey
    /// Date of the known response, which is not good enough; 0 for none.
    let date: UInt64
    private let policy: FreshnessPolicy

    /// nil for loads whose response is useless to other processes, or that need a new response in any case.
    init?(_ pipeline: LoadPipeline, _ loader: any ImageLoader, newerThan date: UInt64) {
        let request = pipeline.request
        guard let cache = pipeline.originals, cache.grantsLeases, request.isGet, request.coder == nil, pipeline.mayFillCaches,
            pipeline.policy != .refresh, request.sourcePolicy != .loaderOnly,
            !["file", "data"].contains(URLText(request.url).scheme), ResponseRecord().mayBeStored(request.headers),
            // The response will hardly be shared: other processes would wait for it one after the other.
            !request.carriesCredentials(loader.sentFields(request)),
            pipeline.entries.contains(where: { !$0.isMade }),
            pipeline.diskPlaces.contains(where: { $0.cache === cache && $0.key == pipeline.keys.original })
        else { return nil }
        self.cache = cache
        key = pipeline.keys.original
        self.date = date
        policy = pipeline.policy
    }

    var identity: Identity { Identity(cache: ObjectIdentifier(cache), key: key, date: date, policy: policy) }
}

/// The part of a load that lets several processes ask the origin once (docs/decisions.md, "Several processes ask the origin
/// once").
extension LoadPipeline {
    /// Fetches from the origin, unless another process has stored the response in the shared cache or is about to.
    func obtain(
        _ loader: any ImageLoader, _ request: ImageRequest, _ wish: LeaseRequest, _ progress: LoadProgress,
        _ done: @escaping @Sendable (Result<FetchResult, ImageError>) -> Void
    ) -> any Cancellable {
        Task(executorPreference: engine.executor) {
            do throws(ImageError) { done(.success(try await self.obtain(loader, request, wish, progress))) } catch {
                done(.failure(error))
            }
        }
    }

    private func obtain(_ loader: any ImageLoader, _ request: ImageRequest, _ wish: LeaseRequest, _ progress: LoadProgress)
        async throws(ImageError) -> FetchResult
    {
        var lease: CacheLease?
        switch await wish.cache.lease(wish.key, newerThan: wish.date, options: request.decodeOptions.bag) {
        case .unknown: break
        case .granted(let granted): lease = granted
        case .found(let kept):
            if mayUse(kept, loader, request) { return fetched(kept, wish) }
        }
        if Task.isCancelled { throw .cancelled }
        let data = try await loader.load(request, progress: progress)
        return FetchResult(data.noted(request, loader), engine.backlog, lease: lease)
    }

    /// Under `respect`, a response received by another process must be fresh, like one cached by this process.
    private func mayUse(_ kept: CachedData, _ loader: any ImageLoader, _ request: ImageRequest) -> Bool {
        if policy == .ignore { return true }
        let fields = loader.sentFields(request)
        return Freshness(of: kept.record, fields: fields, now: MonotonicClock.wall).verdict == .fresh
    }

    private func fetched(_ kept: CachedData, _ wish: LeaseRequest) -> FetchResult {
        var data = LoadedData(bytes: kept.bytes)
        data.source = kept.source
        data.answer = kept.record
        let fetched = FetchResult(data, engine.backlog, kept: kept)
        // The shared cache has the entry already.
        _ = fetched.claimStore(wish.key, in: wish.cache)
        return fetched
    }
}
