import SDImagePixels

/// Pixelation: squares of their mean color, starting at the top left corner.
/// Serves the filter CIPixellate. Bands hold whole rows of squares, so no two threads write into one square.
struct CellFilter {
    private let side: Int

    /// Creates a filter. `side`: side of the squares in pixels, rounded.
    /// A side below 1 counts as 1, which leaves the image unchanged.
    init(side: Double) { self.side = max(1, Int(saturating: min(side, 1_000_000).rounded())) }

    func draw(_ image: Image, stop: CancellationToken) throws(ImageError) -> Image {
        let source = image.pixels
        let (width, height, side) = (source.size.width, source.size.height, side)
        guard side > 1 else { return image }
        let buffer = try PixelBuffer(size: image.size, format: source.format)
        // The last square of a row or column may be narrower: its mean is that of its own pixels.
        let bounds = (Array(stride(from: 0, to: width, by: side)) + [width]).map { Int32(clamping: $0) }
        let cells = bounds.count - 1
        let cellRows = (height + side - 1) / side
        let account = DecodeLimits.standard.account
        // Bands are counted in rows of squares.
        try RowBands.run(cellRows, rowBytes: buffer.stride * min(side, height), stop: stop) { rows throws(ImageError) in
            let scratch = try ScratchMemory(4 * cells, of: Float.self, account: account)
            guard let sums = unsafe scratch.bound(to: Float.self).baseAddress else { return }
            for first in rows.map({ $0 * side }) {
                let end = min(height, first + side)
                // Sums start at zero for each row of squares.
                unsafe scratch.bytes.initializeMemory(as: UInt8.self, repeating: 0)
                for y in first..<end {
                    guard let row = unsafe source.row(y)?.baseAddress else { continue }
                    // Float holds linear light, whose mean is taken as it is; encoded samples are averaged as
                    // encoded.
                    unsafe sdpx_add_cells(
                        sums, cells, bounds, row, source.format.rawValue, source.format == .rgbaFloat ? 1 : 0, 0)
                }
                for y in first..<end {
                    guard let row = unsafe buffer.mutableRow(y)?.baseAddress else { continue }
                    unsafe sdpx_fill_cells(row, buffer.format.rawValue, cells, bounds, sums, Float(end - first))
                }
            }
        }
        return image.redrawn(buffer, hasAlpha: image.metadata.hasAlpha)
    }
}
