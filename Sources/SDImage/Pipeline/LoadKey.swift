/// The properties that two requests must have in common to be one load.
struct LoadKey: Hashable, Sendable {
    private let image: CacheKey
    /// Nonzero for a load that shares with no other.
    private let alone: UInt64
    private let request: ImageRequest
    private let policy: FreshnessPolicy
    private let loader: ObjectIdentifier?
    private let cache: ObjectIdentifier?
    private let originals: ObjectIdentifier?
    private let memoryImage: ObjectIdentifier?

    init(_ context: LoadContext, isBlocking: Bool) {
        let choices = context.request.choices.all
        let mayShare =
            !isBlocking && !context.isRevalidation && choices.loadHooks == nil && choices.hooks == nil
            && choices.options.count == 0
            && choices.method == ImageRequest.get && context.loader?.sharesEqualLoads != false
        image = context.keys.final
        alone = mayShare ? 0 : UniqueNumber.next()
        request = context.request
        policy = context.policy
        loader = context.loader.map { ObjectIdentifier($0) }
        cache = context.cache.map { ObjectIdentifier($0) }
        originals = context.originals.map { ObjectIdentifier($0) }
        memoryImage = context.memoryImage.map { ObjectIdentifier($0.pixels) }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(image)
        hasher.combine(alone)
    }

    static func == (one: LoadKey, other: LoadKey) -> Bool {
        guard one.alone == other.alone, one.image == other.image else { return false }
        return one.alone != 0
            || one.policy == other.policy && one.loader == other.loader && one.cache == other.cache
                && one.originals == other.originals && one.memoryImage == other.memoryImage && one.request.equals(other.request)
    }
}

extension ImageRequest {
    /// True for a request for the same load. The priority, the dispatcher and objects that are compared elsewhere may differ.
    fileprivate func equals(_ other: ImageRequest) -> Bool {
        let (one, other) = (choices, other.choices)
        return one === other || one.all.equals(other.all)
    }
}

extension RequestChoices {
    fileprivate func equals(_ other: RequestChoices) -> Bool {
        url == other.url && cacheKey == other.cacheKey && isKeyOnly == other.isKeyOnly && decodeOptions == other.decodeOptions
            && coder === other.coder && hasSameLayers(as: other) && hasSameTransfer(as: other)
            && isProgressive == other.isProgressive
            && progressiveIntervalMilliseconds == other.progressiveIntervalMilliseconds
            && transformsAnimated == other.transformsAnimated && transformsVector == other.transformsVector
            && requiresAnimation == other.requiresAnimation && preloadsFrames == other.preloadsFrames
    }

    private func hasSameLayers(as other: RequestChoices) -> Bool {
        sourcePolicy == other.sourcePolicy && queryCacheType == other.queryCacheType && storeCacheType == other.storeCacheType
            && originalQueryCacheType == other.originalQueryCacheType && originalStoreCacheType == other.originalStoreCacheType
            && waitForStore == other.waitForStore && wantsData == other.wantsData && encodeOptions.isStandard
            && other.encodeOptions.isStandard
    }

    private func hasSameTransfer(as other: RequestChoices) -> Bool {
        headers == other.headers && timeoutMilliseconds == other.timeoutMilliseconds && maxBodyBytes == other.maxBodyBytes
            && maxRetries == other.maxRetries && retryFailed == other.retryFailed && handlesCookies == other.handlesCookies
            && acceptsInvalidCertificates == other.acceptsInvalidCertificates
    }
}
