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
        let rows = try JPEGRowDecoder(bytes, accepting: options.acceptPartial ? .missingData : .corruptData)
        let base = try JPEGDecoder(rows, options: rendition.baseOptions, keepsYCC: true, stop: stop)
        let renderer: GainMapRenderer
        do throws(ImageError) {
            renderer = try rendition.renderer(for: base)
        } catch {
            guard error.isLasting else { throw error }
            Log.write(.warning, "jpeg: gain map is not used: \(error.message.string)")
            return nil
        }
        return try rendition.image(of: try base.decode(stop: stop), renderer)
    }

    /// The options of the base image, whose pixels stay as they are in the file.
    private var baseOptions: DecodeOptions {
        var plain = options
        (plain.dynamicRange, plain.pixelFormat, plain.convertToSRGB) = (.standard, .rgb8, false)
        if options.limitBytes > 0 {
            let pixels = options.limitBytes / PixelFormat.rgbaFloat.bytesPerPixel
            plain.limitBytes = max(1, pixels) * PixelFormat.rgb8.bytesPerPixel
        }
        return plain
    }

    private func renderer(for base: JPEGDecoder) throws(ImageError) -> GainMapRenderer {
        let image = try mapImage(for: base.size, options.applyOrientation ? found.orientation : .up)
        let map = GainMap(found.parameters, image: image, alternateProfile: found.profile)
        let isYCC = base.rowDecoder.isYCC
        guard let renderer = GainMapRenderer(map, weight: weight, profile: base.profile, isYCC: isYCC) else {
            throw ImageError(.unsupported, "jpeg: no matrix describes the colors of the profile")
        }
        return renderer
    }

    private func image(of base: Image, _ renderer: GainMapRenderer) throws(ImageError) -> Image {
        let pixels = try renderer.render(base.pixels, limits: options.limits, stop: stop)
        var metadata = base.metadata
        metadata.colorProfile = nil
        metadata.isHighDynamicRange = true
        metadata.contentHeadroom = renderer.map.headroom
        metadata.headroom = min(options.wantedHeadroom, renderer.map.headroom)
        metadata.gainMap = renderer.map
        return Image(pixels: pixels, metadata: metadata)
    }

    /// The map, turned as the base image is, and not larger than that.
    private func mapImage(for size: PixelSize, _ orientation: Orientation) throws(ImageError) -> Image {
        var options = DecodeOptions()
        options.limits = self.options.limits
        options.convertToSRGB = false
        options.applyOrientation = false
        let turned = orientation.swapsAxes ? size.swapped : size
        (options.thumbnailSize, options.thumbnailMode) = (turned, .fill)
        let stored = try JPEGCoder().decode(found.encoded, options: options, stop: stop)
        guard orientation != .up else { return stored }
        var metadata = stored.metadata
        metadata.orientation = orientation
        return try stored.with(metadata).fitted(DecodeOptions(), stop: stop)
    }
}
