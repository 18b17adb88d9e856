import SDImagePixels

/// An image reduced to a grid of means, the input of placeholder encoders.
/// Used by `BlurHash` and `ThumbHash`.
@safe struct ImageCells {
    /// Columns and rows of the grid; those of the image when it is small.
    let size: PixelSize
    private let source: PixelBuffer
    /// True for sums of linear light, false for those of sRGB samples.
    private let inLight: Bool
    private let passesAlphaOver: Bool
    /// First column of each cell, and the end of the last one.
    private let columns: [Int32]
    /// Four floats for each cell of one row.
    private let sums: ScratchMemory

    /// `size`: columns and rows of the grid, at most those of the image.
    init(_ image: Image, size: PixelSize, inLight: Bool, passesAlphaOver: Bool) throws(ImageError) {
        source = image.pixels
        self.size = size
        self.inLight = inLight
        self.passesAlphaOver = passesAlphaOver
        columns = ImageCells.bounds(source.size.width, cells: size.width).map { Int32(clamping: $0) }
        sums = try ScratchMemory(4 * size.width * MemoryLayout<Float>.size, zeroed: false)
    }

    /// The start of each cell along a length, followed by the end of the last one.
    static func bounds(_ length: Int, cells: Int) -> [Int] { (0...cells).map { $0 * length / cells } }

    /// Calls `body` for each row of the grid with the sums of its cells: premultiplied red, green and blue, and alpha.
    /// The buffer is valid during the call only.
    func forEachRow(_ body: (Int, UnsafeBufferPointer<Float>) -> Void) {
        let rows = ImageCells.bounds(source.size.height, cells: size.height)
        let sums = unsafe sums.bound(to: Float.self)
        guard let base = sums.baseAddress else { return }
        for index in 0..<size.height {
            unsafe sums.update(repeating: 0)
            for y in rows[index]..<rows[index + 1] {
                guard let row = unsafe source.row(y)?.baseAddress else { continue }
                unsafe sdpx_add_cells(
                    base, size.width, columns, row, source.format.rawValue, inLight ? 1 : 0, passesAlphaOver ? 1 : 0)
            }
            unsafe body(index, UnsafeBufferPointer(sums))
        }
    }
}
