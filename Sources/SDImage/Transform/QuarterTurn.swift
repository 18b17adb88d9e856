import SDImagePixels

/// A turn by a multiple of a right angle: pixels move, none changes.
struct QuarterTurn {
    /// Counter-clockwise, 0 to 3.
    let quarters: Int
    let fitSize: Bool

    func turn(_ image: Image, stop: StopSignal) throws(ImageError) -> Image {
        guard quarters != 0 else { return image }
        let turned = quarters == 2 ? image.size : image.size.swapped
        let size = fitSize ? turned : image.size
        // Not the whole canvas is covered, so that it needs alpha.
        let isCovered = turned.width >= size.width && turned.height >= size.height
        let image = isCovered ? image : try image.converted(to: image.pixels.format.withAlpha)
        let buffer = try PixelBuffer(size: size, format: image.pixels.format, zeroed: !isCovered)
        let view = TurnedView(image.pixels, quarters: quarters)
        // Where the canvas and the turned picture meet, in pixels of both; half a pixel is left to the right and below.
        let (left, top) = (QuarterTurn.middle(turned.width, size.width), QuarterTurn.middle(turned.height, size.height))
        let columns = min(turned.width, size.width)
        try RowBands.run(min(turned.height, size.height), rowBytes: buffer.stride, stop: stop) { rows throws(ImageError) in
            view.copy(
                rows: rows.lowerBound + top.from..<rows.upperBound + top.from, columns: left.from..<left.from + columns,
                to: buffer, x: left.to, y: rows.lowerBound + top.to)
        }
        return image.redrawn(buffer, hasAlpha: image.metadata.hasAlpha || !isCovered)
    }

    /// Where a length begins to be read and written when it is laid on the middle of another.
    private static func middle(_ length: Int, _ place: Int) -> (from: Int, to: Int) {
        length > place ? ((length - place) / 2, 0) : (0, (place - length) / 2)
    }
}
