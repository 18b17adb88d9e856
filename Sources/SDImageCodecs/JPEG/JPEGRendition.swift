import SDImage

/// One decode of the HDR rendition of a JPEG with a gain map.
struct JPEGRendition {
    private let bytes: Bytes
    private let found: JPEGGainMap
    private let options: DecodeOptions
    private let stop: CancellationToken
    /// Share of the gains for the requested headroom.
    private let weight: Double

    /// nil if the options request SDR, or if the file has no gain map for more.
    init?(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) {
        guard options.mayExceedWhite, let found = try JPEGGainMap(bytes, limits: options.limits, stop: stop) else { return nil }
        weight = found.parameters.weight(headroom: options.wantedHeadroom)
        guard weight != 0 else { return nil }
        self.bytes = bytes
        self.found = found
        self.options = options
        self.stop = stop
    }

    /// nil if the SDR image is the result: for options that request it, and for files without a gain map. A map that cannot be used
    /// is ignored, with a warning in the log.
    static func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image? {
        guard let rendition = try JPEGRendition(bytes, options: options, stop: stop) else { return nil }
        do throws(ImageError) {
            return try rendition.rendered(JPEGCoder())
        } catch {
            guard error.isLasting else { throw error }
            Log.write(.warning, "jpeg: gain map is not used: \(error.message.string)")
            return nil
        }
    }

    private func rendered(_ coder: JPEGCoder) throws(ImageError) -> Image {
        var plain = options
        (plain.dynamicRange, plain.pixelFormat, plain.convertToSRGB) = (.standard, .rgb8, false)
        plain.limitBytes = options.limitBytes / PixelFormat.rgbaFloat.bytesPerPixel * PixelFormat.rgb8.bytesPerPixel
        let rows = try JPEGRowDecoder(bytes, accepting: options.acceptPartial ? .missingData : .corruptData)
        let base = try JPEGDecoder(rows, options: plain, keepsYCC: true, stop: stop).decode(stop: stop)
        let map = GainMap(
            found.parameters, image: try mapImage(coder, for: base.size, options.applyOrientation ? found.orientation : .up),
            alternateProfile: found.profile)
        guard
            let renderer = GainMapRenderer(
                map, weight: weight, profile: base.metadata.colorProfile, isYCC: rows.isYCC)
        else {
            throw ImageError(.unsupported, "jpeg: gain map of colors that no matrix describes")
        }
        let pixels = try renderer.render(base.pixels, limits: options.limits, stop: stop)
        var metadata = base.metadata
        metadata.colorProfile = nil
        metadata.isHighDynamicRange = true
        metadata.contentHeadroom = map.headroom
        metadata.headroom = min(options.wantedHeadroom, map.headroom)
        metadata.gainMap = map
        return Image(pixels: pixels, metadata: metadata)
    }

    /// The map, turned as the base image is, and not larger than that.
    private func mapImage(
        _ coder: JPEGCoder, for size: PixelSize, _ orientation: Orientation
    ) throws(ImageError) -> Image {
        var options = DecodeOptions()
        options.limits = self.options.limits
        options.convertToSRGB = false
        options.applyOrientation = false
        let turned = orientation.swapsAxes ? size.swapped : size
        (options.thumbnailSize, options.thumbnailMode) = (turned, .fill)
        let stored = try coder.decode(found.encoded, options: options, stop: stop)
        guard orientation != .up else { return stored }
        var metadata = stored.metadata
        metadata.orientation = orientation
        return try stored.with(metadata).fitted(DecodeOptions(), stop: stop)
    }
}
