import SDImage

/// One decode of a JPEG with a gain map: of its HDR rendition, or of its base image together with the map. `JPEGCoder` and
/// `JPEGProgressiveDecoder` try it before a plain decode, on their thread.
struct JPEGRendition {
    private let bytes: Bytes
    private let gainMap: JPEGGainMap
    private let options: DecodeOptions
    private let stop: CancellationToken

    /// nil if the SDR image is the result: for options that request it, and for files without a gain map. A map that cannot be used
    /// is ignored, with a warning in the log.
    static func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image? {
        guard options.readsGainMaps, let gainMap = try JPEGGainMap(bytes, limits: options.limits, stop: stop) else { return nil }
        let rendition = JPEGRendition(bytes: bytes, gainMap: gainMap, options: options, stop: stop)
        if options.leavesBaseImage { return try rendition.baseWithMap() }
        // With a weight of 0 the base image is the result.
        let weight = gainMap.parameters.weight(headroom: options.requestedHeadroom)
        return weight == 0 ? nil : try rendition.rendered(weight: weight)
    }

    /// Opens the base image. `keepsYCC` leaves its color conversion to the renderer.
    private func base(_ options: DecodeOptions, keepsYCC: Bool) throws(ImageError) -> JPEGDecoder {
        let rows = try JPEGRowDecoder(bytes, accepting: options.acceptPartial ? .missingData : .corruptData)
        return try JPEGDecoder(rows, options: options, keepsYCC: keepsYCC, stop: stop)
    }

    /// The base image in its own color space, with the map in its metadata; nil if the map cannot be used.
    private func baseWithMap() throws(ImageError) -> Image? {
        var plain = options
        (plain.dynamicRange, plain.convertToSRGB) = (.sdr, false)
        let base = try base(plain, keepsYCC: false)
        guard let map = try usable({ () throws(ImageError) in try map(for: base.size) }) else { return nil }
        let image = try base.decode(stop: stop)
        var metadata = image.metadata
        metadata.gainMap = map
        metadata.contentHeadroom = map.headroom
        return image.with(metadata)
    }

    /// The HDR rendition as linear light; nil if the map cannot be used.
    private func rendered(weight: Double) throws(ImageError) -> Image? {
        let base = try base(options.forBaseImage(in: .rgb8), keepsYCC: true)
        // Refused before anything is decoded. The bitmaps of the base image and of the map count as working memory.
        let size = base.size, limits = options.limits
        let pixels = try PixelBuffer(size: size, format: .rgbaFloat, limit: limits.outputBytes)
        let (area, _) = size.width.multipliedReportingOverflow(by: size.height)
        // Three bytes per pixel for the base image, and as many for a map of its size.
        let reservation = try WorkingMemory.Reservation(2 * 3 * area, of: limits.account)
        defer { withExtendedLifetime(reservation) {} }
        var colors = ImageMetadata()
        colors.colorProfile = base.profile
        // The map is decoded before the base image, so that a map without use costs little.
        let renderer = try usable { () throws(ImageError) in
            guard let renderer = GainMapRenderer(try map(for: size), weight: weight, base: colors) else {
                throw ImageError(.unsupported, "jpeg: no matrix describes the colors of the profile")
            }
            return renderer
        }
        guard let renderer else { return nil }
        let image = try base.decode(stop: stop)
        try renderer.render(image.pixels, isYCC: base.rowDecoder.isYCC, to: pixels, limits: limits, stop: stop)
        return Image(pixels: pixels, metadata: image.metadata.rendered(with: renderer.map, weight: weight))
    }

    /// The result of `body`, which uses the map; nil after a warning in the log if the map cannot be used.
    private func usable<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R? {
        do throws(ImageError) { return try body() } catch {
            // Errors such as a cancellation or missing memory are not those of the map.
            guard error.isLasting else { throw error }
            Log.write(.warning, "jpeg: gain map is not used: \(error.message.string)")
            return nil
        }
    }

    /// The map, turned as the base image is, and not larger than that.
    private func map(for size: PixelSize) throws(ImageError) -> GainMap {
        let orientation = options.applyOrientation ? gainMap.orientation : .up
        var plain = DecodeOptions()
        plain.limits = options.limits
        (plain.convertToSRGB, plain.applyOrientation) = (false, false)
        // Channels with different parameters need RGB samples.
        if Set(gainMap.parameters.channels).count > 1 { plain.pixelFormat = .rgb8 }
        // The map is scaled as stored; `turned` rotates it afterwards.
        let turned = orientation.swapsAxes ? size.swapped : size
        (plain.thumbnailSize, plain.thumbnailMode) = (turned, .fill)
        let stored = try JPEGCoder().decode(gainMap.encoded, options: plain, stop: stop)
        var metadata = ImageMetadata()
        metadata.colorProfile = gainMap.profile
        return try GainMap(gainMap.parameters, image: stored.with(metadata)).turned(orientation, stop: stop)
    }
}
