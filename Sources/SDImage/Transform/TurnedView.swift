import SDImagePixels

/// A picture seen turned by quarters, of which rectangles can be copied.
@safe struct TurnedView: Sendable {
    private let pixels: PixelBuffer
    private let quarters: Int

    /// `quarters`: counter-clockwise, 1 to 3.
    init(_ pixels: PixelBuffer, quarters: Int) {
        self.pixels = pixels
        self.quarters = quarters
    }

    /// Rows and columns of the turned picture, to a place of a buffer of the same format; all of them inside.
    func copy(rows: Range<Int>, columns: Range<Int>, to buffer: PixelBuffer, x: Int, y: Int) {
        let bytes = pixels.format.bytesPerPixel
        guard quarters != 2 else { return turnHalf(rows, columns, to: buffer, x: x, y: y) }
        // A row of the turned picture is a column of this one: from its right edge or from its left; and its columns are
        // rows, from the top or from the bottom.
        let isLeft = quarters == 1
        let first = isLeft ? pixels.size.width - rows.upperBound : rows.lowerBound
        let row = isLeft ? columns.lowerBound : pixels.size.height - 1 - columns.lowerBound
        let target = isLeft ? y + rows.count - 1 : y
        unsafe sdpx_transpose(
            buffer.mutablePixels + target * buffer.stride + x * bytes, isLeft ? -buffer.stride : buffer.stride,
            pixels.pixels + row * pixels.stride + first * bytes, isLeft ? pixels.stride : -pixels.stride, rows.count,
            columns.count, Int32(bytes))
    }

    private func turnHalf(_ rows: Range<Int>, _ columns: Range<Int>, to buffer: PixelBuffer, x: Int, y: Int) {
        let bytes = pixels.format.bytesPerPixel
        for row in rows {
            guard let from = unsafe pixels.row(pixels.size.height - 1 - row)?.baseAddress,
                let to = unsafe buffer.mutableRow(y + row - rows.lowerBound)?.baseAddress
            else { continue }
            let first = pixels.size.width - columns.upperBound
            unsafe (to + x * bytes).copyMemory(from: from + first * bytes, byteCount: columns.count * bytes)
            unsafe sdpx_mirror_row(to + x * bytes, columns.count, Int32(bytes))
        }
    }
}
