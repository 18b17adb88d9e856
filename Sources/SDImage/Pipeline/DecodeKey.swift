/// What must be equal for two loads to share a decode.
package struct DecodeKey: Hashable, Sendable {
    let key: CacheKey
    let origin: DecodeOrigin
    let options: DecodeOptions
    let coder: ObjectIdentifier?
    let transformsAnimated: Bool
    let transformsVector: Bool
    let requiresAnimation: Bool
    let preloadsFrames: Bool
    /// Where the picture before its transformer is kept.
    let kept: ObjectIdentifier?

    /// Loads with the same key and origin mostly want the same.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(origin)
    }

    init(_ request: ImageRequest, _ keys: LoadKeys, _ origin: DecodeOrigin, kept: (any ImageCaching)? = nil) {
        key = keys.final
        self.origin = origin
        options = request.decodeOptions
        coder = request.coder.map(ObjectIdentifier.init)
        transformsAnimated = request.transformsAnimated
        transformsVector = request.transformsVector
        requiresAnimation = request.requiresAnimation
        preloadsFrames = request.preloadsFrames
        self.kept = kept.map { ObjectIdentifier($0) }
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
