import SDImagePixels

extension PixelFormat {
    /// The format that a decode produces: the one asked for, or the source's own, which a coder chooses as the smallest
    /// straight one that holds the picture.
    package static func resolved(source: PixelFormat, wanted: PixelFormat?) -> PixelFormat { wanted ?? source }
}

extension Image {
    /// The same picture in another pixel format.
    ///
    /// 16 bits become 8 by dropping the low byte, 8 become 16 by `v * 257`. Where the target has no alpha the straight
    /// colour is kept, as if the picture were opaque. Grey is BT.601 luma with libjpeg's integer weights. From light to
    /// integers, what exceeds white is cut off, or brought down where the picture is known for it.
    package func converted(to format: PixelFormat) throws(ImageError) -> Image {
        guard format != pixels.format else { return self }
        let buffer = try PixelBuffer(size: pixels.size, format: format, limit: Int.max)
        let isBright = pixels.format == .rgbaFloat && metadata.isHighDynamicRange
        let source = pixels
        // No time limit: one pass over a bitmap whose size is limited.
        try RowBands.run(source.size.height, rowBytes: PixelBuffer.lightly(source.stride), stop: StopSignal()) {
            rows throws(ImageError) in
            try source.convert(rows, to: buffer, tonesDown: isBright)
        }
        var metadata = metadata
        if isBright { metadata.isHighDynamicRange = false }
        metadata.hasAlpha = metadata.hasAlpha && format.hasAlpha
        let frames = frames.map { MappedFrames($0) { frame, _ throws(ImageError) in try frame.converted(to: format) } }
        return Image(pixels: buffer, metadata: metadata, frames: frames, vector: vector)
    }
}

extension PixelBuffer {
    /// `tonesDown`: light is brought down to white first.
    fileprivate func convert(_ rows: Range<Int>, to target: PixelBuffer, tonesDown: Bool) throws(ImageError) {
        let scratch = tonesDown ? try ScratchMemory(size.width * format.bytesPerPixel) : nil
        for y in rows {
            guard let from = unsafe row(y)?.baseAddress, let to = unsafe target.mutableRow(y)?.baseAddress else { continue }
            guard let scratch, let light = unsafe scratch.bytes.baseAddress else {
                unsafe sdpx_convert_row(to, target.format.rawValue, from, format.rawValue, size.width)
                continue
            }
            unsafe light.copyMemory(from: from, byteCount: scratch.count)
            unsafe sdpx_tone_map(light.assumingMemoryBound(to: Float.self), size.width)
            unsafe sdpx_convert_row(to, target.format.rawValue, light, format.rawValue, size.width)
        }
    }
}
