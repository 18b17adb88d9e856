import SDImagePixels

extension Image {
    /// The same image in another pixel format; this image if it has the format.
    ///
    /// - 16 to 8 bits drops the low byte; 8 to 16 bits is `v * 257`.
    /// - A target without alpha keeps the straight color, as if the image were opaque.
    /// - Gray is BT.601 luma with libjpeg's integer weights.
    /// - Linear light above white is clipped in integer formats, or tone-mapped for an image of high dynamic range.
    package func converted(to format: PixelFormat) throws(ImageError) -> Image {
        guard format != pixels.format else { return self }
        let buffer = try PixelBuffer(size: pixels.size, format: format, limit: Int.max)
        let isBright = pixels.format == .rgbaFloat && metadata.isHighDynamicRange
        let source = pixels
        // No time limit: at most two passes over a bitmap whose size is limited.
        let stop = CancellationToken()
        let tones = isBright ? try ToneMapping(source, headroom: 0, stop: stop) : nil
        try RowBands.run(source.size.height, rowBytes: PixelBuffer.lightly(source.stride), stop: stop) {
            rows throws(ImageError) in
            try source.convert(rows, to: buffer, tones: tones)
        }
        var metadata = metadata
        if isBright { metadata.reduceRange() }
        if metadata.gainMap != nil, (format == .rgbaFloat) != (source.format == .rgbaFloat) { metadata.gainMap = nil }
        metadata.hasAlpha = metadata.hasAlpha && format.hasAlpha
        let frames = frames.map { MappedFrames($0) { frame, _ throws(ImageError) in try frame.converted(to: format) } }
        return Image(pixels: buffer, metadata: metadata, frames: frames, vector: vector)
    }

    /// The still image without an unused alpha channel, whose content is undefined.
    package func withoutIdleAlpha() throws(ImageError) -> Image {
        guard pixels.format.hasAlpha, !metadata.hasAlpha else { return self }
        return try still.converted(to: pixels.format.bytesPerChannel == 1 ? .rgb8 : .rgb16)
    }
}

/// Rows are converted by several threads at once.
extension PixelBuffer {
    /// Converts rows, after tone mapping if there is one.
    fileprivate func convert(_ rows: Range<Int>, to target: PixelBuffer, tones: ToneMapping?) throws(ImageError) {
        // The mapping changes pixels in place, and the source is shared.
        let scratch = tones != nil ? try ScratchMemory(size.width * format.bytesPerPixel) : nil
        for y in rows {
            guard let from = unsafe row(y)?.baseAddress, let to = unsafe target.mutableRow(y)?.baseAddress else { continue }
            guard let scratch, let light = unsafe scratch.bytes.baseAddress else {
                unsafe sdpx_convert_row(to, target.format.rawValue, from, format.rawValue, size.width)
                continue
            }
            unsafe light.copyMemory(from: from, byteCount: scratch.count)
            unsafe tones?.apply(scratch.bytes, pixels: size.width, format: format)
            unsafe sdpx_convert_row(to, target.format.rawValue, light, format.rawValue, size.width)
        }
    }
}
