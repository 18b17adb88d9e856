import SDImagePixels

/// Nearest-neighbor resampling: each output pixel is the source pixel at its center, with color and alpha unchanged.
/// Draws a resize with `nearest`, such as for pixel art.
@safe final class PixelPicker: @unchecked Sendable {
    // Unchecked: the table is complete before the threads start, and each thread writes its own rows.
    private let source: PixelBuffer
    private let target: PixelBuffer
    /// Part of the source to draw, in pixels.
    private let part: Rectangle
    private let placement: ResizeTransformer.Placement
    /// For each output column, the column of the source.
    private let columns: ScratchMemory
    private let account = DecodeLimits.standard.account

    /// Throws if the memory for the table is refused.
    init(
        _ source: PixelBuffer, part: Rectangle, into target: PixelBuffer, _ placement: ResizeTransformer.Placement
    ) throws(ImageError) {
        self.source = source
        self.target = target
        self.part = part
        self.placement = placement
        let width = placement.size.width
        columns = try ScratchMemory(width, of: Int32.self, account: account)
        let table = unsafe columns.bound(to: Int32.self)
        for x in 0..<width {
            unsafe table[x] = Int32(
                clamping: PixelPicker.index(x, of: width, start: part.x, extent: part.width, count: source.size.width))
        }
    }

    func run(stop: CancellationToken) throws(ImageError) {
        let height = placement.size.height
        try RowBands.run(height, rowBytes: target.stride, stop: stop) { [self] rows throws(ImageError) in
            let bytes = placement.size.width * source.format.bytesPerPixel
            // Formats differ when bars are added: pixels are then converted from a row of their own.
            let packed = target.format == source.format ? nil : try ScratchMemory(bytes, account: account)
            for y in rows {
                pick(
                    y, from: PixelPicker.index(y, of: height, start: part.y, extent: part.height, count: source.size.height),
                    packed)
            }
        }
    }

    /// Draws one output row. `packed`: memory for a row in the format of the source, or nil if the formats are equal.
    private func pick(_ y: Int, from sourceRow: Int, _ packed: ScratchMemory?) {
        guard let from = unsafe source.row(sourceRow)?.baseAddress,
            let row = unsafe target.mutableRow(placement.top + y)?.baseAddress
        else { return }
        let to = unsafe row + placement.left * target.format.bytesPerPixel
        let width = placement.size.width
        let picked = unsafe packed?.bytes.baseAddress
        unsafe sdpx_pick_pixels(
            picked ?? to, from, columns.bound(to: Int32.self).baseAddress, width, Int32(source.format.bytesPerPixel))
        if let picked = unsafe picked {
            unsafe sdpx_convert_row(to, target.format.rawValue, picked, source.format.rawValue, width)
        }
    }

    /// Index of the source pixel under the center of an output pixel. `extent` is the length of the part that is
    /// drawn.
    private static func index(_ position: Int, of length: Int, start: Double, extent: Double, count: Int) -> Int {
        let at = start + (Double(position) + 0.5) * extent / Double(length)
        return min(count - 1, max(0, Int(saturating: at)))
    }
}
