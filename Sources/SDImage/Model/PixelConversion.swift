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
    /// colour is kept, as if the picture were opaque. Grey is BT.601 luma with libjpeg's integer weights.
    package func converted(to format: PixelFormat) throws(ImageError) -> Image {
        guard format != pixels.format else { return self }
        let buffer = try PixelBuffer(size: pixels.size, format: format, limit: Int.max)
        for y in 0..<pixels.size.height {
            guard let from = unsafe pixels.row(y)?.baseAddress, let to = unsafe buffer.mutableRow(y)?.baseAddress else {
                continue
            }
            unsafe sdpx_convert_row(to, format.rawValue, from, pixels.format.rawValue, pixels.size.width)
        }
        var metadata = metadata
        metadata.hasAlpha = metadata.hasAlpha && format.hasAlpha
        let frames = frames.map { MappedFrames($0) { frame, _ throws(ImageError) in try frame.converted(to: format) } }
        return Image(pixels: buffer, metadata: metadata, frames: frames)
    }
}
