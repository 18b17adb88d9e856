import SDImage

extension Image {
    /// Returns the image as these options would have decoded it (see `fitted`), in sRGB or, as float, in linear light. For images
    /// with a profile or code points. Code points take precedence, as in PNG; unknown ones count as sRGB. `peak`: that of a tone
    /// mapping, if it is not that of this image.
    package func convertedToSRGB(
        _ options: DecodeOptions, peak: Double? = nil, stop: CancellationToken
    ) throws(ImageError) -> Image {
        // Pixels without color information need no conversion.
        guard metadata.colorProfile != nil || metadata.cicp != nil else { return try fitted(options, stop: stop) }
        var options = options.withFloats(for: metadata.cicp)
        let output = options.outputFormat(of: pixels.format, hasAlpha: metadata.hasAlpha)
        // Color conversion requires straight alpha.
        let source = pixels.format.isPremultiplied ? try converted(to: .rgba8) : self
        // The requested format was derived from the original pixels, not from the straight ones.
        if source !== self { options.pixelFormat = output }
        let headroom = pixels.format != .rgbaFloat && isEncodedLight ? options.mappedHeadroom(output) : nil
        var peak = peak
        // The tone mapping depends on the brightest pixel of the image.
        if headroom != nil, peak == nil { peak = try source.peak(stop: stop) }
        let tones = headroom.flatMap { headroom in peak.map { ToneMapping(peak: $0, headroom: headroom) } }
        // Scaling and conversion are one pass over the rows.
        let result = try source.fitted(options, transform: source.colorTransform(to: output, tones), stop: stop)
        var metadata = result.metadata
        if pixels.format != .rgbaFloat {
            metadata.isHighDynamicRange = isEncodedLight && output == .rgbaFloat
            metadata.contentHeadroom = metadata.cicp?.headroom ?? 0
            metadata.headroom = metadata.isHighDynamicRange ? metadata.contentHeadroom : 0
            if let headroom { metadata.reduceRange(to: headroom) }
        }
        // The result is described by its pixel format: sRGB, or linear light as float.
        metadata.colorProfile = nil
        metadata.cicp = nil
        return Image(pixels: result.pixels, metadata: metadata, frames: convertedFrames(options, peak), vector: result.vector)
    }

    /// True when the samples are encoded with PQ or HLG.
    private var isEncodedLight: Bool { metadata.cicp?.isHighDynamicRange ?? false }

    /// The peak of samples in PQ or HLG.
    private func peak(stop: CancellationToken) throws(ImageError) -> Double {
        try ToneMapping.peak(of: pixels, through: colorTransform(to: .rgbaFloat), stop: stop)
    }

    /// Converts frames. Frames without color information use that of the image, and all have the same peak.
    private func convertedFrames(_ options: DecodeOptions, _ peak: Double?) -> (any FrameProvider)? {
        guard let frames else { return nil }
        let options = options.ofEachFrame(of: frames.frameCount)
        return MappedFrames(frames) { [metadata] frame, stop throws(ImageError) in
            var own = frame.metadata
            own.colorProfile = own.colorProfile ?? metadata.colorProfile
            own.cicp = own.cicp ?? metadata.cicp
            return try frame.with(own).convertedToSRGB(options, peak: peak, stop: stop)
        }
    }

    /// Returns the transform for the rows of this image; nil when none is needed.
    private func colorTransform(to output: PixelFormat, _ tones: ToneMapping? = nil) -> (any RowTransform)? {
        let format = pixels.format
        // Float images are linear light with sRGB primaries.
        guard format != .rgbaFloat else { return nil }
        if let encoding = metadata.cicp.flatMap(RGBEncoding.init(codePoints:)) {
            return ColorConverter.transform(
                encoding: encoding, format: format, isGray: format.channels == 1, output: output, tones: tones)
        }
        return metadata.colorProfile.flatMap {
            ColorConverter.transform(profile: $0, format: format, isGray: format.channels == 1, output: output)
        }
    }
}
