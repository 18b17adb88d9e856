/// The cache keys of one load.
package final class LoadKeys: Sendable {
    /// Of the encoded original: the request's own key, or the URL.
    package let original: CacheKey
    /// Of the image as requested: the pair of the original's key and what changes its pixels.
    package let final: CacheKey
    /// The same without the transformer: of what it is not applied to.
    package let decoded: CacheKey
    /// nil where there is none, or one that does nothing.
    package let transformer: (any ImageTransformer)?

    /// The encoded original is the picture, but for how many of its frames are wanted.
    package let isOriginal: Bool
    /// `final` for messages and results, in its printed form.
    let text: CString

    package init(_ request: ImageRequest, transformer: (any ImageTransformer)?, ignoresSignatures: Bool = false) {
        let options = request.decodeOptions
        original = LoadKeys.original(request, ignoresSignatures)
        let suffixes = LoadKeys.suffixes(options)
        decoded = LoadKeys.composed(original, suffixes)
        isOriginal = transformer?.key.isEmpty != false && !options.wantsThumbnail && !options.choosesPixels
        guard let transformer, !transformer.key.isEmpty else {
            self.transformer = nil
            final = decoded
            text = CString(final.printed)
            return
        }
        self.transformer = transformer
        final = LoadKeys.composed(original, suffixes + [transformer.key])
        text = CString(final.printed)
    }

    /// The request's own key, or its URL. A URL with a separator in it, whose load fails, never names a variant.
    private static func original(_ request: ImageRequest, _ ignoresSignatures: Bool) -> CacheKey {
        if let key = request.cacheKey { return CacheKey(key) }
        let url = ignoresSignatures ? SignatureFilter.unsigned(request.url) : request.url
        guard !request.isKeyOnly, url.contains(CacheKey.separator) else { return CacheKey(url) }
        return CacheKey(PercentEncoding.encode(url) { $0 != CacheKey.separator })
    }

    private static func composed(_ base: CacheKey, _ suffixes: [String]) -> CacheKey {
        CacheKey(base: base.bytes, variant: suffixes)
    }

    /// Of the disk's copy of a thumbnail or transformed picture, whatever its pixel format; nil where the disk keeps the
    /// original only.
    func variant(_ request: ImageRequest) -> CacheKey? {
        let options = request.decodeOptions
        guard options.wantsThumbnail || transformer != nil else { return nil }
        guard options.choosesPixels else { return final }
        return LoadKeys.composed(original, LoadKeys.shapeSuffixes(options) + (transformer.map { [$0.key] } ?? []))
    }

    /// Of the picture in its full size.
    func whole(_ request: ImageRequest) -> CacheKey {
        var options = request.decodeOptions
        options.thumbnailSize = nil
        return LoadKeys.composed(original, LoadKeys.suffixes(options) + (transformer.map { [$0.key] } ?? []))
    }

    /// Under which key a picture is kept; nil for one whose transformer failed.
    func key(of image: Image, _ request: ImageRequest) -> CacheKey? {
        guard transformer != nil, request.transforms(image) else { return decoded }
        return image.metadata.isTransformed ? final : nil
    }

    /// A picture in memory under another key that answers the request: one that its transformer would leave as it is, or an
    /// animation of which only the first frame is wanted.
    func related(_ request: ImageRequest, in cache: any ImageCaching) -> Image? {
        // Most requests have no such image: these look-ups do not count as misses.
        if transformer != nil, let image = cache.peek(decoded), !request.transforms(image) {
            return cache.memoryImage(for: decoded)
        }
        guard request.decodeOptions.firstFrameOnly, transformer == nil else { return nil }
        var options = request.decodeOptions
        options.firstFrameOnly = false
        let moving = LoadKeys.composed(original, LoadKeys.suffixes(options))
        guard cache.peek(moving)?.frames != nil else { return nil }
        return cache.memoryImage(for: moving)?.still
    }

    /// The picture as asked for, or as it was where the transformer fails. A crop is a view: what is kept for
    /// long must not keep the whole picture.
    func transformed(_ image: Image, _ request: ImageRequest, _ stop: StopSignal) throws(ImageError) -> Image {
        guard let transformer, request.transforms(image) else { return image }
        do throws(ImageError) {
            let result = try image.framesTransformed(by: transformer, cacheKey: final, stop: stop).compacted()
            var metadata = result.metadata
            metadata.isTransformed = true
            return result.with(metadata)
        } catch {
            if [.cancelled, .noMemory].contains(error.status) { throw error }
            Log.write(.warning, "a picture stays as it is, its transformer failed: \(error.message.string) (\(error.status))")
            return image
        }
    }

    private static func suffixes(_ options: DecodeOptions) -> [String] {
        var suffixes = shapeSuffixes(options)
        // Other pixels under the same key would be handed to whoever asks next.
        if options.choosesPixels {
            let format = options.pixelFormat?.rawValue ?? 0
            suffixes.append("Pixels(\(format),\(options.applyOrientation ? 1 : 0),\(options.convertToSRGB ? 1 : 0))")
        }
        return suffixes
    }

    /// What an encoded picture of this kind has lost for good.
    private static func shapeSuffixes(_ options: DecodeOptions) -> [String] {
        var suffixes: [String] = []
        if let box = options.thumbnailSize, !box.isEmpty {
            suffixes.append(CacheKey.thumbnailSuffix(box, mode: options.thumbnailMode))
        }
        if options.firstFrameOnly { suffixes.append("FirstFrame") }
        return suffixes
    }
}

extension DecodeOptions {
    /// The pixels are to be others than those of everybody who says nothing.
    fileprivate var choosesPixels: Bool { pixelFormat != nil || !applyOrientation || !convertToSRGB }
}
