/// Derives one image from another, deterministically.
///
/// Called on workers of the pool, from several threads concurrently. Built-in transformers use the first frame of an
/// animation.
/// Built-in ones are in the folder Transform; programs and plug-ins add others.
package protocol ImageTransformer: Sendable {
    /// Identifies the transformation including its parameters; part of the cache key.
    /// An empty key means that the transformer does nothing; loads never call it.
    var key: String { get }
    /// True when the result takes over the metadata of the image.
    /// False for a transformer that sets the metadata of its result itself.
    var preservesMetadata: Bool { get }
    /// `cacheKey` is the key under which the result will be stored; empty outside a load. `stop` is checked between bands of
    /// rows.
    /// May return the same object if nothing changes.
    func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image
}

extension ImageTransformer {
    package var preservesMetadata: Bool { true }
}

/// Applies transformers on the thread of the caller.
extension Image {
    /// The transformed image, with the original metadata if the transformer preserves it. For an animation, the transformed
    /// still of its first frame.
    package func transformed(
        by transformer: any ImageTransformer, cacheKey: CacheKey = CacheKey([]), stop: CancellationToken
    ) throws(ImageError) -> Image {
        try stop.check()
        let source = frames == nil ? self : still
        let result = try transformer.transform(source, cacheKey: cacheKey, stop: stop)
        // The metadata of an unchanged image is complete.
        guard result !== source else { return source }
        guard transformer.preservesMetadata else { return result }
        return result.with(result.metadata.takingOver(metadata))
    }

    /// An animation whose frames are transformed on demand; durations and loop count are unchanged. A still is transformed as
    /// above.
    package func framesTransformed(
        by transformer: any ImageTransformer, cacheKey: CacheKey = CacheKey([]), stop: CancellationToken
    ) throws(ImageError) -> Image {
        guard let frames else { return try transformed(by: transformer, cacheKey: cacheKey, stop: stop) }
        // The first frame is transformed now, because the image consists of its pixels.
        let first = try still.transformed(by: transformer, cacheKey: cacheKey, stop: stop)
        return first.with(
            frames: MappedFrames(frames) { frame, stop throws(ImageError) in
                try frame.transformed(by: transformer, cacheKey: cacheKey, stop: stop)
            })
    }
}

extension ImageMetadata {
    /// Metadata that a transformed image takes over from its source.
    /// Size, format of pixels and alpha are those of the result.
    fileprivate func takingOver(_ source: ImageMetadata) -> ImageMetadata {
        var metadata = self
        metadata.format = source.format
        metadata.isIncremental = source.isIncremental
        metadata.isDamaged = source.isDamaged
        metadata.isThumbnail = source.isThumbnail
        metadata.sourceSize = source.sourceSize
        metadata.extendedData = source.extendedData
        metadata.colorProfile = source.colorProfile
        metadata.cicp = source.cicp
        return metadata
    }
}
