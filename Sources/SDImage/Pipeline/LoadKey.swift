/// The properties that two requests must have in common to be one load.
/// Made by `ImageManager.start` and kept by `Load` in parts. Hashes the cache key, and compares everything else.
struct LoadKey: Hashable, Sendable {
    let context: LoadContext
    /// False for a load that equals no other one.
    let mayShare: Bool

    init(context: LoadContext, mayShare: Bool) {
        self.context = context
        self.mayShare = mayShare
    }

    /// `isBlocking`: a call waits for this load's look-up alone, which another load may have passed already.
    init(_ context: LoadContext, isBlocking: Bool) {
        self.context = context
        // A background revalidation delivers to no caller, so no load may join it.
        mayShare =
            !isBlocking && !context.isRevalidation && context.request.mayShareLoad
            && context.loader?.sharesEqualLoads != false
    }

    func hash(into hasher: inout Hasher) {
        if mayShare { hasher.combine(context.keys.final) } else { hasher.combine(ObjectIdentifier(context)) }
    }

    static func == (one: LoadKey, other: LoadKey) -> Bool {
        one.context === other.context || one.mayShare && other.mayShare && one.context.equals(other.context)
    }
}

/// Objects are compared by identity: two loaders or caches with the same options may behave differently.
extension LoadContext {
    fileprivate func equals(_ other: LoadContext) -> Bool {
        keys.final == other.keys.final && policy == other.policy && loader === other.loader && cache === other.cache
            && originals === other.originals && memoryImage?.pixels === other.memoryImage?.pixels
            && request.equals(other.request)
    }
}

/// The comparison covers every property that changes the result, the stores or the transfer.
extension ImageRequest {
    /// False for a request that may be unlike others with the same properties, or that changes something at the server.
    fileprivate var mayShareLoad: Bool {
        !self.hasRareOptions || self.loadHooks == nil && self.hooks == nil && self.options.count == 0 && isGet
    }

    /// True for a request for the same load. The priority, the dispatcher and objects that are compared elsewhere may differ.
    fileprivate func equals(_ other: ImageRequest) -> Bool {
        // Copies of one request share their parameters, which makes the common comparison one of pointers.
        parameters === other.parameters || hasSameImage(as: other) && hasSameLayers(as: other) && hasSameTransfer(as: other)
    }

    /// Properties of the decode and of its deliveries.
    private func hasSameImage(as other: ImageRequest) -> Bool {
        url == other.url && self.cacheKey == other.cacheKey && self.isKeyOnly == other.isKeyOnly
            && self.decodeOptions == other.decodeOptions
            && self.coder === other.coder
            && self.isProgressive == other.isProgressive
            && self.progressiveIntervalMilliseconds == other.progressiveIntervalMilliseconds
            && self.transformsAnimated == other.transformsAnimated && self.transformsVector == other.transformsVector
            && self.requiresAnimation == other.requiresAnimation && self.preloadsFrames == other.preloadsFrames
    }

    /// Properties of caches. Encode options are compared with the standard ones only: two others count as different.
    private func hasSameLayers(as other: ImageRequest) -> Bool {
        self.sourcePolicy == other.sourcePolicy && self.cachePolicy == other.cachePolicy
            && self.waitForStore == other.waitForStore
            && self.includesData == other.includesData && hasStandardEncodeOptions && other.hasStandardEncodeOptions
            && self.encodeFormat == other.encodeFormat
    }

    /// Properties of the transfer; the loader's own key is compared later, by `FetchKey`.
    private func hasSameTransfer(as other: ImageRequest) -> Bool {
        self.headers == other.headers && omittedHeaders == other.omittedHeaders
            && self.timeoutMilliseconds == other.timeoutMilliseconds
            && maxBodyBytes == other.maxBodyBytes
            && maxRetries == other.maxRetries && self.retryFailed == other.retryFailed
            && self.handlesCookies == other.handlesCookies
            && self.acceptsInvalidCertificates == other.acceptsInvalidCertificates
    }
}
