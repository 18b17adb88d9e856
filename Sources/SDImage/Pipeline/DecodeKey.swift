/// The properties that two loads must have in common to share a decode.
/// Key of the table `Decodes`; loads with equal keys receive the same `Image` object.
package struct DecodeKey: Hashable, Sendable {
    /// The key of the requested image, with its transformer.
    let key: CacheKey
    let origin: DecodeOrigin
    /// Complete options, because some, such as limits, are not part of `key`.
    let options: DecodeOptions
    /// Identity of the request's own coder; nil for the registered coders.
    let coder: ObjectIdentifier?
    let transformsAnimated: Bool
    let transformsVector: Bool
    let requiresAnimation: Bool
    /// True if all frames are decoded before the image is delivered.
    let preloadsFrames: Bool
    /// The cache that stores the image before its transformer.
    /// Part of the key: only the decode that runs can store that image, so loads with other caches need their own.
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
/// Objects are compared by identity.
package enum DecodeOrigin: Hashable, Sendable {
    /// The response of a transfer that several loads have.
    case transfer(ObjectIdentifier)
    /// The growing body of a transfer.
    case body(ObjectIdentifier)
    /// One write of one cache.
    case write(CacheWrite, cache: ObjectIdentifier)
    /// A `Bytes` or `Image` object that several loads may have found in memory.
    case bytes(ObjectIdentifier)

    /// Caches without numbers of writes are compared by the object of the bytes.
    init(_ cached: CachedData, of cache: any DataCaching) {
        self = cached.write.map { .write($0, cache: ObjectIdentifier(cache)) } ?? .bytes(ObjectIdentifier(cached.bytes))
    }
}
