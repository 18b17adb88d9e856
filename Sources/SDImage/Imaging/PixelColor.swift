import SDImagePixels

extension Image {
    /// The straight color of a pixel; at alpha 0, the color samples as stored.
    /// Throws `invalidArgument` outside the image.
    package func color(x: Int, y: Int) throws(ImageError) -> Color {
        guard x >= 0, x < size.width, let row = unsafe pixels.row(y)?.baseAddress else {
            throw ImageError(.invalidArgument, "image: pixel (\(x), \(y)) is outside \(size.width)x\(size.height) pixels")
        }
        let pixel = unsafe row + x * pixels.format.bytesPerPixel
        // A straight pixel is converted by the kernel that converts rows.
        guard !pixels.format.isPremultiplied else { return unsafe color8(pixel) }
        var samples: [UInt16] = [0, 0, 0, 0]
        unsafe samples.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            unsafe sdpx_convert_row(base, PixelFormat.rgba16.rawValue, pixel, pixels.format.rawValue, 1)
        }
        let values = samples.map { Double($0) / 65535 }
        return Color(red: values[0], green: values[1], blue: values[2], alpha: values[3])
    }

    /// The straight colors of a rectangle of at most `limit` pixels, row by row.
    /// Throws `invalidArgument` for an empty part, and one that is outside or too large.
    package func colors(x: Int, y: Int, _ part: PixelSize, limit: Int) throws(ImageError) -> [Color] {
        guard !part.isEmpty, part.width <= limit, part.height <= limit / part.width, x + part.width <= size.width,
            y + part.height <= size.height
        else {
            throw ImageError(
                .invalidArgument,
                "image: \(part.width)x\(part.height) pixels at (\(x), \(y)) are empty, outside, or over \(limit)")
        }
        var colors: [Color] = []
        colors.reserveCapacity(part.width * part.height)
        for row in y..<y + part.height {
            for column in x..<x + part.width { colors.append(try color(x: column, y: row)) }
        }
        return colors
    }

    /// Divides by alpha in floating point, because 8-bit conversion would round.
    private func color8(_ pixel: UnsafeRawPointer) -> Color {
        let bytes = (0..<4).map { unsafe Double(pixel.load(fromByteOffset: $0, as: UInt8.self)) / 255 }
        let (first, last) = pixels.format == .bgra8Premultiplied ? (bytes[2], bytes[0]) : (bytes[0], bytes[2])
        let alpha = bytes[3]
        guard alpha > 0 else { return Color(red: first, green: bytes[1], blue: last, alpha: 0) }
        return Color(
            red: min(1, first / alpha), green: min(1, bytes[1] / alpha), blue: min(1, last / alpha), alpha: alpha)
    }
}
