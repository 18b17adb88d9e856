import SDImage

/// One decode of the HDR rendition of a JPEG with a gain map.
struct JPEGRendition {
    private let bytes: Bytes
    private let gainMap: JPEGGainMap
    private let options: DecodeOptions
    private let stop: CancellationToken
    /// Share of the gains for the requested headroom.
    private let weight: Double

    /// nil if the options request SDR, or if the file has no gain map for more.
    init?(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) {
        guard options.mayExceedWhite, let gainMap = try JPEGGainMap(bytes, limits: options.limits, stop: stop) else { return nil }
        weight = gainMap.parameters.weight(headroom: options.requestedHeadroom)
        guard weight != 0 else { return nil }
        self.bytes = bytes
        self.gainMap = gainMap
        self.options = options
        self.stop = stop
    }

    /// nil if the SDR image is the result: for options that request it, and for files without a gain map. A map that cannot be used
    /// is ignored, with a warning in the log.
    static func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image? {
        guard let rendition = try JPEGRendition(bytes, options: options, stop: stop) else { return nil }
        let rows = try JPEGRowDecoder(bytes, accepting: options.acceptPartial ? .missingData : .corruptData)
        let base = try JPEGDecoder(rows, options: rendition.baseOptions, keepsYCC: true, stop: stop)
        // Refused before anything is decoded. The bitmaps of the base image and of the map count as working memory.
        let size = base.size, limits = options.limits
        let pixels = try PixelBuffer(size: size, format: .rgbaFloat, limit: limits.outputBytes)
        let (area, _) = size.width.multipliedReportingOverflow(by: size.height)
        let reservation = try WorkingMemory.Reservation(2 * 3 * area, of: limits.account)
        defer { withExtendedLifetime(reservation) {} }
        let renderer: GainMapRenderer
        do throws(ImageError) {
            renderer = try rendition.renderer(for: base)
        } catch {
            guard error.isLasting else { throw error }
            Log.write(.warning, "jpeg: gain map is not used: \(error.message.string)")
            return nil
        }
        let image = try base.decode(stop: stop)
        try renderer.render(image.pixels, to: pixels, limits: limits, stop: stop)
        return Image(pixels: pixels, metadata: rendition.metadata(image.metadata, renderer.map))
    }

    /// The options of the base image, whose pixels stay as they are in the file.
    private var baseOptions: DecodeOptions {
        var plain = options
        (plain.dynamicRange, plain.pixelFormat, plain.convertToSRGB) = (.sdr, .rgb8, false)
        if options.limitBytes > 0 {
            let pixels = options.limitBytes / PixelFormat.rgbaFloat.bytesPerPixel
            plain.limitBytes = max(1, pixels) * PixelFormat.rgb8.bytesPerPixel
        }
        return plain
    }

    private func renderer(for base: JPEGDecoder) throws(ImageError) -> GainMapRenderer {
        let image = try mapImage(for: base.size, options.applyOrientation ? gainMap.orientation : .up)
        let map = GainMap(gainMap.parameters, image: image, alternateProfile: gainMap.profile)
        let isYCC = base.rowDecoder.isYCC
        guard let renderer = GainMapRenderer(map, weight: weight, profile: base.profile, isYCC: isYCC) else {
            throw ImageError(.unsupported, "jpeg: no matrix describes the colors of the profile")
        }
        return renderer
    }

    private func metadata(_ base: ImageMetadata, _ map: GainMap) -> ImageMetadata {
        var metadata = base
        let parameters = map.parameters
        metadata.colorProfile = nil
        metadata.isHighDynamicRange = true
        metadata.contentHeadroom = map.headroom
        metadata.headroom =
            parameters.baseHeadroom + abs(weight) * (parameters.alternateHeadroom - parameters.baseHeadroom)
        metadata.gainMap = map
        return metadata
    }

    /// The map, turned as the base image is, and not larger than that.
    private func mapImage(for size: PixelSize, _ orientation: Orientation) throws(ImageError) -> Image {
        var options = DecodeOptions()
        options.limits = self.options.limits
        options.convertToSRGB = false
        options.applyOrientation = false
        // Gains of their own need samples of their own.
        let channels = gainMap.parameters.channels
        if Set(channels).count > 1 { options.pixelFormat = .rgb8 }
        let turned = orientation.swapsAxes ? size.swapped : size
        (options.thumbnailSize, options.thumbnailMode) = (turned, .fill)
        let stored = try JPEGCoder().decode(gainMap.encoded, options: options, stop: stop)
        guard orientation != .up else { return stored }
        var metadata = stored.metadata
        metadata.orientation = orientation
        var turning = DecodeOptions()
        turning.limits = self.options.limits
        return try stored.with(metadata).fitted(turning, stop: stop)
    }
}
