/// The request for a lease on a shared cache, made before the origin is contacted (docs/decisions.md, "Several processes ask
/// the origin once").
/// A shared cache may be used by several processes; the lease gives one of them the exclusive right to fetch an
/// entry.
struct LeaseRequest: Sendable {
    /// The properties that loads must have in common to be satisfied by the same entry. An object, because few of many waiting
    /// loads have one.
    final class Identity: Equatable, Sendable {
        private let cache: ObjectIdentifier
        private let key: CacheKey
        private let date: UInt64
        private let policy: FreshnessPolicy

        fileprivate init(_ lease: LeaseRequest) {
            cache = ObjectIdentifier(lease.cache)
            key = lease.key
            date = lease.date
            policy = lease.policy
        }

        static func == (one: Identity, other: Identity) -> Bool {
            one.cache == other.cache && one.key == other.key && one.date == other.date && one.policy == other.policy
        }
    }

    private let cache: any DataCaching
    private let leases: any LeaseGranting
    private let key: CacheKey
    /// Date of the known response, which is not good enough; 0 for none.
    private let date: UInt64
    private let policy: FreshnessPolicy

    /// nil for loads whose response is useless to other processes, or that need a new response in any case.
    /// `sent`: the request after the hook. `date`: the time of the cached response that is being revalidated, 0 without one.
    init?(_ context: LoadContext, _ loader: any ImageLoader, _ sent: ImageRequest, newerThan date: UInt64) {
        let request = context.request
        // A refresh must reach the origin, and a response that no cache may store helps no other process.
        guard let cache = context.diskOfOriginals, let leases = cache.leases, request.isGet,
            request.coder == nil, context.mayFillCaches, context.policy != .refresh, request.sourcePolicy != .loaderOnly,
            // Files and data URLs have no origin that could be spared.
            !["file", "data"].contains(request.urlText.scheme), case let fields = loader.sentFields(sent),
            // The response will hardly be shared: other processes would wait for it one after the other.
            ResponseRecord().mayBeStored(fields), !sent.carriesCredentials(fields),
            // The lease is of use only if this load reads and stores the very entry that others wait for.
            CacheStage(context: context).entries.contains(where: { !$0.isVariant }),
            StoreStage(context: context).diskEntries.contains(where: { $0.cache === cache && $0.key == context.keys.original })
        else { return nil }
        self.cache = cache
        self.leases = leases
        key = context.keys.original
        self.date = date
        policy = context.policy
    }

    var identity: Identity { Identity(self) }

    /// Fetches from the origin, unless another process has stored the response in the shared cache or is about to.
    /// Throws `cancelled` and the errors of the loader. The granted lease is part of the result, which holds it until
    /// the store.
    func fetch(_ request: ImageRequest, _ loader: any ImageLoader, _ engine: Engine, progress: LoadProgress)
        async throws(ImageError) -> FetchResult
    {
        var lease: CacheLease?
        switch await leases.lease(key, newerThan: date, options: request.decodeOptions.bag) {
        // The cache cannot grant leases now, so this process fetches without one.
        case .unknown: break
        case .granted(let granted): lease = granted
        case .found(let entry):
            // An entry that may not be used does not block the fetch, which then runs without a lease.
            if mayUse(entry, loader, request) { return result(entry, engine) }
        }
        if Task.isCancelled { throw .cancelled }
        let data = try await loader.load(request, progress: progress)
        return FetchResult(data.noted(request, loader), engine.backlog, lease: lease)
    }

    /// Under `respect`, a response received by another process must be fresh, like one cached by this process.
    private func mayUse(_ entry: CachedData, _ loader: any ImageLoader, _ request: ImageRequest) -> Bool {
        if policy == .ignore { return true }
        let fields = loader.sentFields(request)
        return Freshness(of: entry.record, fields: fields, now: MonotonicClock.wall).verdict == .fresh
    }

    /// The result of an entry that another process stored, without a transfer.
    private func result(_ entry: CachedData, _ engine: Engine) -> FetchResult {
        var data = LoadedData(bytes: entry.bytes)
        data.source = entry.source
        data.record = entry.record
        let result = FetchResult(data, engine.backlog, sharedEntry: entry)
        // The shared cache has the entry already.
        _ = result.claimStore(key, in: cache)
        return result
    }
}
