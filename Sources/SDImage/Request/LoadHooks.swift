/// A host's say in loads; each part may be absent. None of them waits.
package final class LoadHooks: Sendable {
    package typealias Processor = @Sendable (ImageRequest) throws(ImageError) -> ImageRequest
    package typealias KeyFilter = @Sendable (ImageRequest) -> [UInt8]?
    package typealias Serializer = @Sendable (ImageRequest, Image, Bytes?) -> Bytes?

    /// Changes a request before anything else is done with it; a manager's alone.
    package let process: Processor?
    /// The base of the cache key in place of the URL; nil: no cache has a part in the load.
    package let cacheKey: KeyFilter?
    /// The bytes that a disk keeps of a picture that came with these bytes; nil: it does not care.
    package let serialize: Serializer?
    /// Whether a loader may be asked.
    package let shouldLoad: (@Sendable (ImageRequest) -> Bool)?
    /// Whether a failure is remembered, in place of the loader's opinion.
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

    /// These, and where one is absent that of `below`.
    package func over(_ below: LoadHooks?) -> LoadHooks {
        guard let below else { return self }
        return LoadHooks(
            process: process ?? below.process, cacheKey: cacheKey ?? below.cacheKey, serialize: serialize ?? below.serialize,
            shouldLoad: shouldLoad ?? below.shouldLoad, remembersFailure: remembersFailure ?? below.remembersFailure)
    }
}

extension ImageRequest {
    /// The request that is loaded: what it left to its manager filled in, processed, and under the key that a filter gives it
    ///.
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

    /// Whether the host lets a loader be asked.
    package var mayBeLoaded: Bool { self.loadHooks?.shouldLoad?(self) ?? true }
}
