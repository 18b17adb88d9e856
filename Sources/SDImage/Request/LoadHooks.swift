/// Hooks of the host for loads; each is optional. None of them waits.
/// Those of a request take precedence over those of the manager. Called on the threads named below.
package final class LoadHooks: Sendable {
    /// Throws to refuse the request.
    package typealias Processor = @Sendable (ImageRequest) throws(ImageError) -> ImageRequest
    /// Returns nil to exclude caches.
    package typealias KeyFilter = @Sendable (ImageRequest) -> [UInt8]?
    /// Arguments are the request, the decoded image, and the received bytes, which are nil for a variant.
    package typealias Serializer = @Sendable (ImageRequest, Image, Bytes?) -> Bytes?

    /// Changes a request before all other steps; only for managers.
    /// Called on the thread that starts the load.
    package let process: Processor?
    /// The base of the cache key in place of the URL; nil excludes all caches from the load.
    /// Called on the thread that starts the load, if the request has no key of its own.
    package let cacheKey: KeyFilter?
    /// The bytes to store on disk for an image that came with the given bytes; nil leaves the choice to the library.
    /// Called on a worker, just before the store.
    package let serialize: Serializer?
    /// True when a loader may be called.
    /// Called on the thread that starts the load, once.
    package let shouldLoad: (@Sendable (ImageRequest) -> Bool)?
    /// True when a failure is remembered; replaces the decision of the loader.
    /// Called on the thread that continues the failed load.
    package let remembersFailure: (@Sendable (ImageRequest, ImageError) -> Bool)?

    package init(
        process: Processor? = nil, cacheKey: KeyFilter? = nil, serialize: Serializer? = nil,
        shouldLoad: (@Sendable (ImageRequest) -> Bool)? = nil,
        remembersFailure: (@Sendable (ImageRequest, ImageError) -> Bool)? = nil
    ) {
        self.process = process
        self.cacheKey = cacheKey
        self.serialize = serialize
        self.shouldLoad = shouldLoad
        self.remembersFailure = remembersFailure
    }

    /// These hooks; hooks that are absent here come from `below`.
    /// Both remain unchanged.
    package func over(_ below: LoadHooks?) -> LoadHooks {
        guard let below else { return self }
        return LoadHooks(
            process: process ?? below.process, cacheKey: cacheKey ?? below.cacheKey, serialize: serialize ?? below.serialize,
            shouldLoad: shouldLoad ?? below.shouldLoad, remembersFailure: remembersFailure ?? below.remembersFailure)
    }
}

/// Hooks run in the order of the steps: process, key, loader.
extension ImageRequest {
    /// The request to load: with inherited settings filled in, processed, and with the cache key from the filter.
    /// `above`: the transformer of the manager, which the hook sees as one of the request.
    package func processed(by hooks: LoadHooks?, transformer above: (any ImageTransformer)?) throws(ImageError) -> ImageRequest {
        var request = self
        if let process = hooks?.process {
            if case .inherited = self.transformer, let above { request.transformer = .value(above) }
            request = try process(request)
        }
        request.loadHooks = request.loadHooks?.over(hooks) ?? hooks
        // A key of the request takes precedence over the filter.
        guard request.cacheKey == nil, let filter = request.loadHooks?.cacheKey else { return request }
        request.cacheKey = filter(request)
        // Without a key nothing may be looked up or stored.
        if request.cacheKey == nil { (request.cache, request.originalCache) = (.none, .none) }
        return request
    }

    /// True when the host allows a loader to be called.
    package var mayBeLoaded: Bool { self.loadHooks?.shouldLoad?(self) ?? true }
}
