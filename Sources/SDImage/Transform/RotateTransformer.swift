import Glibc
import SDImagePixels

/// Rotates the image counter-clockwise.
package struct RotateTransformer: ImageTransformer {
    /// In radians.
    let angle: Double
    /// False keeps the size of the image and cuts the corners off.
    let fitSize: Bool

    /// Creates a rotation. `angle` is in radians. `fitSize`: the canvas contains the rotated image, instead of keeping its size.
    package init(angle: Double, fitSize: Bool) throws(ImageError) {
        guard angle.isFinite else { throw ImageError(.invalidArgument, "transform: angle is \(angle), expected a finite number") }
        self.angle = angle
        self.fitSize = fitSize
    }

    package var key: String { "SDImageRotationTransformer(\(FixedDecimal.text(angle)),\(fitSize ? 1 : 0))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        let image = try image.upright(stop: stop)
        // Reduced to half a turn in each direction.
        let turn = angle.remainder(dividingBy: 2 * .pi)
        // The nearest number of quarter turns, from -2 to 2.
        let quarters = (turn / (.pi / 2)).rounded()
        // Angles within this tolerance count as quarter turns: the difference is less than a pixel in any image.
        // Quarter turns copy pixels instead of interpolating them.
        guard abs(turn - quarters * (.pi / 2)) > 1e-6 else {
            return try QuarterTurn(quarters: Int(saturating: quarters) & 3, fitSize: fitSize).turn(image, stop: stop)
        }
        return try drawn(image, sine: sin(turn), cosine: cos(turn), stop: stop)
    }

    /// Draws the image rotated by an angle that is no quarter turn.
    private func drawn(_ image: Image, sine: Double, cosine: Double, stop: CancellationToken) throws(ImageError) -> Image {
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        // The bounding box of the rotated rectangle.
        let size =
            fitSize
            ? try RotateTransformer.size(
                width * abs(cosine) + height * abs(sine), width * abs(sine) + height * abs(cosine)) : image.size
        // Corners outside the image are transparent.
        let buffer = try PixelBuffer(size: size, format: image.pixels.format.withAlpha)
        let source = image.pixels
        let isOpaque = !image.metadata.hasAlpha
        let account = DecodeLimits.standard.account
        try RowBands.run(size.height, rowBytes: buffer.stride, stop: stop) { rows throws(ImageError) in
            // Each band has a line of floats, four for each pixel of the output.
            let scratch = try ScratchMemory(size.width * 4, of: Float.self, account: account)
            let line = unsafe sdpx_source(
                pixels: source.pixels, stride: source.stride, width: Int32(clamping: source.size.width),
                height: Int32(clamping: source.size.height), format: source.format.rawValue, is_opaque: isOpaque ? 1 : 0)
            guard let floats = unsafe scratch.bound(to: Float.self).baseAddress else { return }
            for y in rows {
                // The source position of the row's first pixel: its offset from the center, rotated back.
                let (dx, dy) = (0.5 - Double(size.width) / 2, Double(y) + 0.5 - Double(size.height) / 2)
                let (x0, y0) = (width / 2 + dx * cosine - dy * sine, height / 2 + dx * sine + dy * cosine)
                unsafe withUnsafePointer(to: line) { unsafe sdpx_read_line(floats, size.width, $0, x0, y0, cosine, sine) }
                unsafe buffer.pack(y, floats)
            }
        }
        return image.redrawn(buffer, hasAlpha: true)
    }

    /// The size in whole pixels that contains a rectangle; an excess of up to 0.001 pixels is ignored.
    /// It absorbs the rounding of sine and cosine, which would add an empty row or column.
    private static func size(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        guard width < 1e9, height < 1e9 else { throw .tooLarge("transform: side of the result in pixels", limit: 1_000_000_000) }
        return PixelSize(
            width: max(1, Int(saturating: (width - 0.001).rounded(.up))),
            height: max(1, Int(saturating: (height - 0.001).rounded(.up))))
    }
}
