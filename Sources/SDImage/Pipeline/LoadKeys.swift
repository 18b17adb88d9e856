/// The cache keys of one load.
/// Made by `ImageManager.keys`; kept by `PreparedRequest` for further loads of the same request.
/// A variant's key is the original's key with suffixes in a fixed order, that of the transformer last.
package final class LoadKeys: Sendable {
    /// A transformer, and the key of images to which it is not applied. An object, because few requests have one.
    private final class Transformation: Sendable {
        let transformer: any ImageTransformer
        let decoded: CacheKey

        init(_ transformer: any ImageTransformer, _ decoded: CacheKey) {
            self.transformer = transformer
            self.decoded = decoded
        }
    }

    /// The key of the encoded original: the request's own key, or the URL.
    package let original: CacheKey
    /// The key of the requested image, with its printed form for results.
    let printed: PrintedKey
    /// nil for requests without a transformer, which are most.
    private let transformation: Transformation?

    /// True if the encoded original is the requested image, apart from the number of frames.
    package let isOriginal: Bool

    /// The key of the requested image: the pair of the original's key and the parameters that change its pixels.
    package var final: CacheKey { printed.key }
    /// The same without the transformer: the key of images to which it is not applied.
    package var decoded: CacheKey { transformation?.decoded ?? final }
    /// nil if there is no transformer, or one that does nothing.
    package var transformer: (any ImageTransformer)? { transformation?.transformer }

    /// `transformer`: that of the request or, if it has none, of the manager.
    package init(_ request: ImageRequest, transformer: (any ImageTransformer)?, ignoresSignatures: Bool = false) {
        let options = request.decodeOptions
        original = LoadKeys.original(request, ignoresSignatures)
        let suffixes = LoadKeys.suffixes(options, of: original)
        let decoded = LoadKeys.composed(original, suffixes)
        // Pixels other than the default ones make a variant in memory, although the disk has the original only.
        isOriginal = transformer?.key.isEmpty != false && !options.wantsThumbnail && !options.choosesPixels
        guard let transformer, !transformer.key.isEmpty else {
            transformation = nil
            printed = PrintedKey(decoded)
            return
        }
        transformation = Transformation(transformer, decoded)
        let transformed = suffixes + LoadKeys.suffixes(transformer, request, animated: request.transformsAnimated)
        printed = PrintedKey(LoadKeys.composed(original, transformed))
    }

    /// The request's own key, or its URL. A URL that contains a separator fails to load and never names a variant.
    /// The separator joins the parts of keys, so a key with one could pass for a variant of another image.
    private static func original(_ request: ImageRequest, _ ignoresSignatures: Bool) -> CacheKey {
        if let key = request.cacheKey { return CacheKey(key) }
        let url = ignoresSignatures ? SignatureFilter.unsigned(request.url) : request.url
        guard !request.isKeyOnly, url.contains(CacheKey.separator) else { return CacheKey(url) }
        return CacheKey(PercentEncoding.encode(url) { $0 != CacheKey.separator })
    }

    /// The key of an original with suffixes; the original itself without any.
    private static func composed(_ base: CacheKey, _ suffixes: [String]) -> CacheKey {
        suffixes.isEmpty ? base : CacheKey(base: base.bytes, variant: suffixes)
    }

    /// The key of a thumbnail or transformed image on disk, whatever its pixel format; nil if the disk stores the original
    /// only. Variants on disk are upright, in sRGB, and have 8 bits per channel.
    func variant(_ request: ImageRequest) -> CacheKey? {
        let options = request.decodeOptions
        // A transformer may add an alpha channel, which a decode of the variant in a format without one would drop.
        let keepsAlpha = transformer == nil || options.pixelFormat?.hasAlpha != false
        return options.isUpright && keepsAlpha ? replacedVariant(request) : nil
    }

    /// The key of the variant that is outdated after a new response, also if the request itself cannot use it.
    func replacedVariant(_ request: ImageRequest) -> CacheKey? {
        let options = request.decodeOptions
        guard options.wantsThumbnail || transformer != nil, !options.needsOriginal else { return nil }
        // A variant of the default pixels has one key in memory and on disk.
        guard options.differsInMemory(of: original) || request.transformsAnimated else { return final }
        guard let transformer else { return LoadKeys.composed(original, LoadKeys.shapeSuffixes(options)) }
        // Transformers measure in points, so their results depend on the scale.
        var suffixes = LoadKeys.shapeSuffixes(options)
        if let scale = LoadKeys.scaleSuffix(options, of: original) { suffixes.append(scale) }
        // The disk has stills only, which are transformed in any case.
        return LoadKeys.composed(original, suffixes + LoadKeys.suffixes(transformer, request, animated: false))
    }

    /// The key of the image in full size.
    /// Groups the thumbnails of one image in `KnownSizes`.
    func whole(_ request: ImageRequest) -> CacheKey {
        var options = request.decodeOptions
        options.thumbnailSize = nil
        let suffixes = LoadKeys.suffixes(options, of: original)
        guard let transformer else { return LoadKeys.composed(original, suffixes) }
        let transformed = suffixes + LoadKeys.suffixes(transformer, request, animated: request.transformsAnimated)
        return LoadKeys.composed(original, transformed)
    }

    /// The key under which an image is stored; nil if its transformer failed.
    /// An image to which the transformer does not apply, such as an animation, has the key without it.
    func key(of image: Image, _ request: ImageRequest) -> CacheKey? {
        guard transformer != nil, request.transforms(image) else { return decoded }
        return image.metadata.isTransformed ? final : nil
    }

    /// An image in memory under another key that satisfies the request: one that its transformer would not change, or an
    /// animation if only its first frame is requested.
    func related(_ request: ImageRequest, in cache: any MemoryCaching) -> Image? {
        // Most requests have no such image: these look-ups do not count as misses.
        if transformer != nil, let image = cache.peek(decoded), !request.transforms(image) {
            return cache.image(for: decoded)
        }
        // Its first frame is the requested image, and costs no decode.
        guard request.decodeOptions.firstFrameOnly, transformer == nil else { return nil }
        var options = request.decodeOptions
        options.firstFrameOnly = false
        let moving = LoadKeys.composed(original, LoadKeys.suffixes(options, of: original))
        guard cache.peek(moving)?.frames != nil else { return nil }
        return cache.image(for: moving)?.still
    }

    /// The image as requested, or untransformed if the transformer fails. A crop is a view, so the result is compacted: a
    /// cached crop must not retain the full image.
    /// Throws only `cancelled` and `noMemory`: a failure of the transformer leaves the image unchanged.
    func transformed(_ image: Image, _ request: ImageRequest, _ stop: CancellationToken) throws(ImageError) -> Image {
        guard let transformer, request.transforms(image) else { return image }
        do throws(ImageError) {
            // Every frame of an animation is transformed alike, when it is decoded.
            let result = try image.framesTransformed(by: transformer, cacheKey: final, stop: stop).compacted()
            var metadata = result.metadata
            metadata.isTransformed = true
            return result.with(metadata)
        } catch {
            if error.endsTransformedLoad { throw error }
            Log.write(.warning, "load: transformer failed, image left unchanged: \(error.message.string) (\(error.status.name))")
            return image
        }
    }

    /// Suffixes for the options that change the image, so that no load receives one that was made with others.
    /// Their text is part of stored keys: a change makes all variants on disk unreachable.
    private static func suffixes(_ options: DecodeOptions, of original: CacheKey) -> [String] {
        var suffixes = shapeSuffixes(options)
        if options.choosesPixels {
            let format = options.pixelFormat?.rawValue ?? (options.keepsDepth ? DecodeOptions.nativeFormat : 0)
            suffixes.append("Pixels(\(format),\(options.applyOrientation ? 1 : 0),\(options.convertToSRGB ? 1 : 0))")
        }
        if options.keepsGainMap { suffixes.append("GainMap") }
        if let transfer = options.transfer { suffixes.append("Transfer(\(transfer.rawValue))") }
        if options.mayExceedWhite { suffixes.append("Headroom(\(options.requestedHeadroom))") }
        if options.acceptPartial { suffixes.append("Partial") }
        if let scale = scaleSuffix(options, of: original) { suffixes.append(scale) }
        return suffixes
    }

    /// Suffixes of a transformer, and before it of the images besides raster stills to which it is applied: other loads expect
    /// these untransformed.
    private static func suffixes(_ transformer: any ImageTransformer, _ request: ImageRequest, animated: Bool) -> [String] {
        var suffixes: [String] = []
        if animated { suffixes.append("Animated") }
        if request.transformsVector { suffixes.append("Vector") }
        suffixes.append(transformer.key)
        return suffixes
    }

    /// The suffix for a scale that is not that of the key.
    private static func scaleSuffix(_ options: DecodeOptions, of original: CacheKey) -> String? {
        options.otherScale(than: original).map { "Scale(\($0))" }
    }

    /// Suffixes for the changes that an encoded variant cannot undo.
    private static func shapeSuffixes(_ options: DecodeOptions) -> [String] {
        var suffixes: [String] = []
        if let box = options.thumbnailSize, !box.isEmpty {
            suffixes.append(CacheKey.thumbnailSuffix(box, mode: options.thumbnailMode))
        }
        if options.limitBytes > 0 { suffixes.append("Limit(\(options.limitBytes))") }
        if options.firstFrameOnly { suffixes.append("FirstFrame") }
        return suffixes
    }
}

/// Properties of options that decide about keys.
extension DecodeOptions {
    /// True if the pixels differ from those of the default options.
    fileprivate var choosesPixels: Bool { pixelFormat != nil || keepsDepth || !applyOrientation || !convertToSRGB }

    /// True if an image in memory has suffixes that a variant on disk, from which it can be made, does not have.
    fileprivate func differsInMemory(of original: CacheKey) -> Bool {
        choosesPixels || acceptPartial || otherScale(than: original) != nil
    }

    /// The scale, if it is not that of the key.
    fileprivate func otherScale(than key: CacheKey) -> Double? {
        guard let scale, scale != key.scale ?? 1 else { return nil }
        return scale
    }
}
