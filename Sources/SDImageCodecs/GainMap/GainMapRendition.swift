import SDImage

extension Image {
    /// Returns the image as these options would have decoded it (see `convertedToSRGB`). The gain map of a base image is applied,
    /// kept or removed.
    package func rendered(_ options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        guard let map = unappliedGainMap else {
            return options.convertToSRGB ? try convertedToSRGB(options, stop: stop) : try fitted(options, stop: stop)
        }
        if options.leavesBaseImage { return try fitted(options, stop: stop) }
        let headroom = options.mayExceedWhite ? options.requestedHeadroom : 0
        // A base image that is HDR needs its map for an SDR result, too.
        if options.mayExceedWhite || options.convertToSRGB, map.parameters.weight(headroom: headroom) != 0 {
            let fitted = try fitted(options.forBaseImage(in: formatForRendition), stop: stop)
            if let rendition = try fitted.rendition(headroom: headroom, limits: options.limits, stop: stop) {
                return options.mayExceedWhite ? rendition : try rendition.fitted(options, stop: stop)
            }
            Log.write(.warning, "decode: gain map is not used: no matrix describes the colors of the image")
        }
        // The base image itself is the result: without its map.
        var plain = metadata
        plain.gainMap = nil
        let base = try with(plain).rendered(options, stop: stop)
        var metadata = base.metadata
        metadata.contentHeadroom = map.headroom
        if metadata.isHighDynamicRange { metadata.headroom = min(metadata.headroom, map.parameters.baseHeadroom) }
        return base.with(metadata)
    }

    /// The smaller of the kernels' formats that holds the pixels.
    private var formatForRendition: PixelFormat { metadata.hasAlpha || pixels.format.bytesPerChannel > 1 ? .rgba16 : .rgb8 }

    /// The rendition of a base image for a display, in linear light; nil if no matrix describes its colors.
    func rendition(headroom: Double, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) -> Image? {
        guard let map = unappliedGainMap else { return nil }
        let weight = map.parameters.weight(headroom: headroom)
        guard let renderer = GainMapRenderer(map, weight: weight, base: metadata) else { return nil }
        let base = try converted(to: formatForRendition)
        let result = try PixelBuffer(size: size, format: .rgbaFloat, limit: limits.outputBytes)
        try renderer.render(base.pixels, to: result, limits: limits, stop: stop)
        return Image(pixels: result, metadata: metadata.rendered(with: map, weight: weight))
    }

    /// The image for a display with a headroom in stops; the image itself if it is the rendition for this headroom.
    package func applyingGainMap(headroom: Double, stop: CancellationToken) throws(ImageError) -> Image {
        guard let map = unappliedGainMap else { throw ImageError(.unsupported, "gain map: the image has none to apply") }
        guard map.parameters.weight(headroom: headroom) != 0 else { return self }
        guard let rendition = try still.rendition(headroom: headroom, limits: .ofExistingBitmap, stop: stop) else {
            throw ImageError(.unsupported, "gain map: no matrix describes the colors of the image")
        }
        return rendition
    }
}

extension ImageMetadata {
    /// Describes the pixels that the map makes of a base image.
    func rendered(with map: GainMap, weight: Double) -> ImageMetadata {
        var metadata = self
        let parameters = map.parameters
        (metadata.colorProfile, metadata.cicp) = (nil, nil)
        // A weight below 1 leads a part of the way, in stops.
        metadata.headroom = parameters.baseHeadroom + abs(weight) * (parameters.alternateHeadroom - parameters.baseHeadroom)
        metadata.contentHeadroom = map.headroom
        metadata.isHighDynamicRange = metadata.headroom > 0
        metadata.gainMap = map
        return metadata
    }
}

extension DecodeOptions {
    /// The options for the base image of a rendition, whose pixels stay as they are in the file.
    func forBaseImage(in format: PixelFormat) -> DecodeOptions {
        var plain = self
        (plain.dynamicRange, plain.keepsGainMap, plain.convertToSRGB) = (.sdr, false, false)
        plain.pixelFormat = format
        if limitBytes > 0 {
            // The limit is that of the floats.
            plain.limitBytes = max(1, limitBytes / PixelFormat.rgbaFloat.bytesPerPixel) * format.bytesPerPixel
        }
        return plain
    }
}
