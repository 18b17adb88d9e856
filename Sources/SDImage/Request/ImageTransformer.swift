/// Makes one picture of another, the same way each time.
///
/// Called on a worker of the pool, from several threads at once. Built-in ones work on the first frame of an animation.
package protocol ImageTransformer: Sendable {
    /// Stands for what it does, parameters included; enters the cache key.
    var key: String { get }
    /// The result takes over what is known about the picture.
    var preservesMetadata: Bool { get }
    /// `cacheKey`: where the result will be kept; empty outside a load. `stop` is looked at between bands of rows.
    func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image
}

extension ImageTransformer {
    package var preservesMetadata: Bool { true }
}

extension Image {
    /// The picture by a transformer, with its metadata where that keeps them: of an animation the still of its first frame.
    package func transformed(
        by transformer: any ImageTransformer, cacheKey: CacheKey = CacheKey([]), stop: StopSignal
    ) throws(ImageError) -> Image {
        try stop.check()
        let source = frames == nil ? self : still
        let result = try transformer.transform(source, cacheKey: cacheKey, stop: stop)
        guard result !== source else { return self }
        guard transformer.preservesMetadata else { return result }
        return result.with(result.metadata.takingOver(metadata))
    }

    /// Every frame by a transformer, each when it is asked for; durations and loop count stay. A still as above.
    package func framesTransformed(
        by transformer: any ImageTransformer, cacheKey: CacheKey = CacheKey([]), stop: StopSignal
    ) throws(ImageError) -> Image {
        guard let frames else { return try transformed(by: transformer, cacheKey: cacheKey, stop: stop) }
        let first = try still.transformed(by: transformer, cacheKey: cacheKey, stop: stop)
        return first.with(
            frames: MappedFrames(frames) { frame, stop throws(ImageError) in
                try frame.transformed(by: transformer, cacheKey: cacheKey, stop: stop)
            })
    }
}

extension ImageMetadata {
    /// What a transformed picture keeps of the one it was made of.
    fileprivate func takingOver(_ source: ImageMetadata) -> ImageMetadata {
        var metadata = self
        metadata.format = source.format
        metadata.isIncremental = source.isIncremental
        metadata.isThumbnail = source.isThumbnail
        metadata.sourceSize = source.sourceSize
        metadata.extendedData = source.extendedData
        metadata.colorProfile = source.colorProfile
        metadata.cicp = source.cicp
        return metadata
    }
}
