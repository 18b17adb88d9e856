/// Hooks of the host for loads; each is optional. None of them waits.
package final class LoadHooks: Sendable {
    package typealias Processor = @Sendable (ImageRequest) throws(ImageError) -> ImageRequest
    package typealias KeyFilter = @Sendable (ImageRequest) -> [UInt8]?
    package typealias Serializer = @Sendable (ImageRequest, Image, Bytes?) -> Bytes?

    /// Changes a request before all other steps; only for managers.
    package let process: Processor?
    /// The base of the cache key in place of the URL; nil excludes all caches from the load.
    package let cacheKey: KeyFilter?
    /// The bytes to store on disk for an image that came with the given bytes; nil leaves the choice to the library.
    package let serialize: Serializer?
    /// True when a loader may be called.
    package let shouldLoad: (@Sendable (ImageRequest) -> Bool)?
    /// True when a failure is remembered; replaces the decision of the loader.
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
    package func over(_ below: LoadHooks?) -> LoadHooks {
        guard let below else { return self }
        return LoadHooks(
            process: process ?? below.process, cacheKey: cacheKey ?? below.cacheKey, serialize: serialize ?? below.serialize,
            shouldLoad: shouldLoad ?? below.shouldLoad, remembersFailure: remembersFailure ?? below.remembersFailure)
    }
}

extension ImageRequest {
    /// The request to load: with inherited settings filled in, processed, and with the cache key from the filter.
    package func processed(by hooks: LoadHooks?, transformer above: (any ImageTransformer)?) throws(ImageError) -> ImageRequest {
        var request = self
        if let process = hooks?.process {
            if case .inherited = self.transformer, let above { request.transformer = .value(above) }
            request = try process(request)
        }
        request.loadHooks = request.loadHooks?.over(hooks) ?? hooks
        guard request.cacheKey == nil, let filter = request.loadHooks?.cacheKey else { return request }
        request.cacheKey = filter(request)
        if request.cacheKey == nil { (request.cache, request.originalCache) = (.none, .none) }
        return request
    }

    /// True when the host allows a loader to be called.
    package var mayBeLoaded: Bool { self.loadHooks?.shouldLoad?(self) ?? true }
}
