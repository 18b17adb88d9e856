/// Serves images that come without encoded bytes, and downscaling before an encode.
extension Image {
    /// Applies decode options to an image that has no bytes to decode: fits it into their box, applies the orientation and
    /// converts the pixel format. `transform` converts straight rows to sRGB. Returns the same object when nothing changes.
    /// Frames of an animation are fitted when they are requested.
    package func fitted(
        _ options: DecodeOptions, transform: (any RowTransform)? = nil, stop: CancellationToken
    ) throws(ImageError) -> Image {
        let options = options.ofEachFrame(of: frames?.frameCount ?? 1)
        let plan = try DecodePlan(
            storedSize: size, orientation: metadata.orientation, options: options, original: metadata.sourceSize,
            source: pixels.format)
        let output = options.outputFormat(of: pixels.format, hasAlpha: metadata.hasAlpha)
        let headroom = mappedHeadroom(options, output)
        // Nothing but the pixel format may have to change.
        guard plan.shrinks || plan.turn != .up || transform != nil || output == .rgbaFloat && headroom != nil else {
            return output == pixels.format ? self : try converted(to: output)
        }
        // The scaler requires straight colors.
        let source = pixels.format.isPremultiplied ? try converted(to: .rgba8) : self
        let tones: ToneMapping? = if let headroom { try ToneMapping(pixels, headroom: headroom, stop: stop) } else { nil }
        var writer = try ScanlineWriter(
            rowSize: size, sourceFormat: source.pixels.format, plan: plan, output: output,
            transform: transform ?? tones, options: options)
        for y in 0..<size.height {
            if y % 16 == 0 { try stop.check() }
            guard let row = unsafe source.pixels.row(y) else { break }
            unsafe try writer.write(row)
        }
        var metadata = metadata
        // A coder that already reduced the image has set the original size.
        if metadata.sourceSize == nil || metadata.sourceSize == size {
            metadata.sourceSize = metadata.orientation.swapsAxes ? size.swapped : size
        }
        metadata.orientation = plan.tag
        metadata.isThumbnail = options.wantsThumbnail
        metadata.hasAlpha = metadata.hasAlpha && output.hasAlpha
        if let headroom { metadata.reduceRange(to: headroom) }
        // A gain map relates to samples of a base image, not to light.
        if (output == .rgbaFloat) != (pixels.format == .rgbaFloat) { metadata.gainMap = nil }
        metadata.gainMap = try metadata.gainMap?.limited(to: plan.scaledSize, stop: stop).turned(plan.turn, stop: stop)
        metadata.memoryCost = nil
        let frames = frames.map {
            MappedFrames($0) { frame, stop throws(ImageError) in try frame.fitted(options, transform: transform, stop: stop) }
        }
        return Image(pixels: try writer.finish(), metadata: metadata, frames: frames)
    }

    /// The headroom to which these options tone-map the light of this image; nil if it keeps its own.
    private func mappedHeadroom(_ options: DecodeOptions, _ output: PixelFormat) -> Double? {
        guard metadata.isHighDynamicRange, pixels.format == .rgbaFloat else { return nil }
        return options.mappedHeadroom(output).flatMap { $0 < metadata.headroom || output != .rgbaFloat ? $0 : nil }
    }
}
