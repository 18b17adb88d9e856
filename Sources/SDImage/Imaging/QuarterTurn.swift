/// Rotation by a multiple of 90 degrees. Pixels move but do not change.
/// Used by `RotateTransformer` for exact angles.
struct QuarterTurn {
    /// Number of counter-clockwise quarter turns, 0 to 3.
    let quarters: Int
    /// True if the result has swapped sides; false if the image is centered in its old size, and cut off.
    let fitSize: Bool

    /// Returns the image itself without a turn.
    func turn(_ image: Image, stop: CancellationToken) throws(ImageError) -> Image {
        let turn: [Orientation] = [.up, .left, .down, .right]
        guard quarters != 0 else { return image }
        let pixels = try image.pixels.turned(turn[quarters], stop: stop)
        guard !fitSize, pixels.size != image.size else { return image.redrawn(pixels, hasAlpha: image.metadata.hasAlpha) }
        // The canvas around the image is transparent, so it needs alpha.
        let turned = try image.redrawn(pixels, hasAlpha: image.metadata.hasAlpha)
            .converted(to: pixels.format.withAlpha)
        return image.redrawn(try QuarterTurn.centered(turned.pixels, in: image.size, stop: stop), hasAlpha: true)
    }

    /// Centers the pixels on a transparent canvas; rounds to the left and up.
    private static func centered(_ pixels: PixelBuffer, in size: PixelSize, stop: CancellationToken) throws(ImageError)
        -> PixelBuffer
    {
        let canvas = try PixelBuffer(size: size, format: pixels.format, zeroed: true)
        let (fromX, toX) = middle(pixels.size.width, size.width), (fromY, toY) = middle(pixels.size.height, size.height)
        let bytes = pixels.format.bytesPerPixel
        let count = min(pixels.size.width, size.width) * bytes
        for y in 0..<min(pixels.size.height, size.height) {
            guard let from = unsafe pixels.row(fromY + y)?.baseAddress,
                let to = unsafe canvas.mutableRow(toY + y)?.baseAddress
            else { continue }
            unsafe (to + toX * bytes).copyMemory(from: from + fromX * bytes, byteCount: count)
        }
        return canvas
    }

    /// The offsets to read from and to write to when a length is centered on another.
    private static func middle(_ length: Int, _ available: Int) -> (Int, Int) {
        length > available ? ((length - available) / 2, 0) : (0, (available - length) / 2)
    }
}
