/// The properties that two loads must have in common to share a decode.
package struct DecodeKey: Hashable, Sendable {
    let key: CacheKey
    let origin: DecodeOrigin
    let options: DecodeOptions
    let coder: ObjectIdentifier?
    let transformsAnimated: Bool
    let transformsVector: Bool
    let requiresAnimation: Bool
    let preloadsFrames: Bool
    /// The cache that stores the image before its transformer.
    let originals: ObjectIdentifier?

    /// Hashes only the key and the origin: loads that share both mostly have equal options too.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(origin)
    }

    init(_ request: ImageRequest, _ keys: LoadKeys, _ origin: DecodeOrigin, storing originals: (any MemoryCaching)? = nil) {
        key = keys.final
        self.origin = origin
        options = request.decodeOptions
        coder = request.coder.map(ObjectIdentifier.init)
        transformsAnimated = request.transformsAnimated
        transformsVector = request.transformsVector
        requiresAnimation = request.requiresAnimation
        preloadsFrames = request.preloadsFrames
        self.originals = originals.map { ObjectIdentifier($0) }
    }
}

/// Origin of encoded bytes. At one moment a cache key may stand for different bytes.
package enum DecodeOrigin: Hashable, Sendable {
    case transfer(ObjectIdentifier)
    /// The growing body of a transfer.
    case body(ObjectIdentifier)
    /// One write of one cache.
    case write(CacheWrite, cache: ObjectIdentifier)
    case bytes(ObjectIdentifier)

    init(_ cached: CachedData, of cache: any DataCaching) {
        self = cached.write.map { .write($0, cache: ObjectIdentifier(cache)) } ?? .bytes(ObjectIdentifier(cached.bytes))
    }
}
