import SDImagePixels

extension PixelFormat {
    /// The format of the same depth with color channels.
    /// The formats with color keep their alpha, if they have it.
    var withColor: PixelFormat {
        switch self {
        case .gray8: .rgb8
        case .gray16: .rgb16
        default: self
        }
    }
}

extension Color {
    /// The color as samples of a format, clamped to 0...1; linear light for float.
    /// Straight alpha.
    func samples(for format: PixelFormat) -> [Float] {
        var light: [Float] = [0, 0, 0, 0]
        let encoded = [red, green, blue, alpha].map { Float(min(1, max(0, $0))) }
        guard format == .rgbaFloat else { return encoded }
        // Float takes the way over 16 bits, so that the kernel converts the transfer function.
        let stored = encoded.map { UInt16($0 * 65535 + 0.5) }
        unsafe sdpx_convert_row(&light, format.rawValue, stored, PixelFormat.rgba16.rawValue, 1)
        return light
    }
}

extension Image {
    /// An image of new pixels with the scale and dynamic range of this one.
    /// Frames, orientation and metadata of the file are dropped: they describe the source and not the result.
    func redrawn(_ pixels: PixelBuffer, hasAlpha: Bool) -> Image {
        var metadata = ImageMetadata()
        metadata.scale = self.metadata.scale
        metadata.isHighDynamicRange = self.metadata.isHighDynamicRange
        (metadata.headroom, metadata.contentHeadroom) = (self.metadata.headroom, self.metadata.contentHeadroom)
        (metadata.colorProfile, metadata.cicp) = (self.metadata.colorProfile, self.metadata.cicp)
        metadata.hasAlpha = hasAlpha && pixels.format.hasAlpha
        return Image(pixels: pixels, metadata: metadata)
    }

    /// An image of the same size. `body` computes each row from the same row of this image, in bands on several threads.
    ///
    /// Arguments of `body`: the row index, the destination row and the source row.
    /// `format` may differ from that of the image; pixels are not initialized before `body`.
    func redrawnByRows(
        _ format: PixelFormat, hasAlpha: Bool, stop: CancellationToken,
        _ body: @escaping @Sendable (Int, UnsafeMutableRawPointer, UnsafeRawPointer) throws(ImageError) -> Void
    ) throws(ImageError) -> Image {
        let source = pixels
        let buffer = try PixelBuffer(size: size, format: format)
        try RowBands.run(size.height, rowBytes: buffer.stride, stop: stop) { rows throws(ImageError) in
            for y in rows {
                guard let to = unsafe buffer.mutableRow(y)?.baseAddress, let from = unsafe source.row(y)?.baseAddress else {
                    continue
                }
                unsafe try body(y, to, from)
            }
        }
        return redrawn(buffer, hasAlpha: hasAlpha)
    }
}
