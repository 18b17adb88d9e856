/// The properties that two requests must have in common to be one load.
struct LoadKey: Hashable, Sendable {
    private let context: LoadContext
    private let mayShare: Bool

    init(_ context: LoadContext, isBlocking: Bool) {
        self.context = context
        let parameters = context.request.parameters.all
        mayShare =
            !isBlocking && !context.isRevalidation && parameters.loadHooks == nil && parameters.hooks == nil
            && parameters.options.count == 0 && parameters.method == ImageRequest.get
            && context.loader?.sharesEqualLoads != false
    }

    func hash(into hasher: inout Hasher) {
        if mayShare { hasher.combine(context.keys.final) } else { hasher.combine(ObjectIdentifier(context)) }
    }

    static func == (one: LoadKey, other: LoadKey) -> Bool {
        one.context === other.context || one.mayShare && other.mayShare && one.context.equals(other.context)
    }
}

extension LoadContext {
    fileprivate func equals(_ other: LoadContext) -> Bool {
        keys.final == other.keys.final && policy == other.policy && loader === other.loader && cache === other.cache
            && originals === other.originals && memoryImage?.pixels === other.memoryImage?.pixels
            && request.equals(other.request)
    }
}

extension ImageRequest {
    /// True for a request for the same load. The priority, the dispatcher and objects that are compared elsewhere may differ.
    fileprivate func equals(_ other: ImageRequest) -> Bool {
        let (one, other) = (parameters, other.parameters)
        return one === other || one.all.equals(other.all)
    }
}

extension RequestParameters {
    fileprivate func equals(_ other: RequestParameters) -> Bool {
        url == other.url && cacheKey == other.cacheKey && isKeyOnly == other.isKeyOnly && decodeOptions == other.decodeOptions
            && coder === other.coder && hasSameLayers(as: other) && hasSameTransfer(as: other)
            && isProgressive == other.isProgressive
            && progressiveIntervalMilliseconds == other.progressiveIntervalMilliseconds
            && transformsAnimated == other.transformsAnimated && transformsVector == other.transformsVector
            && requiresAnimation == other.requiresAnimation && preloadsFrames == other.preloadsFrames
    }

    private func hasSameLayers(as other: RequestParameters) -> Bool {
        sourcePolicy == other.sourcePolicy && cachePolicy == other.cachePolicy && waitForStore == other.waitForStore
            && includesData == other.includesData && hasStandardEncodeOptions && other.hasStandardEncodeOptions
            && encodeFormat == other.encodeFormat
    }

    private func hasSameTransfer(as other: RequestParameters) -> Bool {
        headers == other.headers && omittedHeaders == other.omittedHeaders && timeoutMilliseconds == other.timeoutMilliseconds
            && maxBodyBytes == other.maxBodyBytes
            && maxRetries == other.maxRetries && retryFailed == other.retryFailed && handlesCookies == other.handlesCookies
            && acceptsInvalidCertificates == other.acceptsInvalidCertificates
    }
}
