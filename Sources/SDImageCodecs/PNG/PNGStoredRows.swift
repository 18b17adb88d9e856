import SDImage
import SDImagePixels

/// The rows of a picture, or of a rectangle of one, as PNG stores them before they are filtered: samples of 16 bits have
/// their high byte first.
@safe struct PNGStoredRows {
    let size: PixelSize
    /// Bytes from a sample to the same one of the pixel on its left.
    let pixelBytes: Int
    private let rows: PictureRows
    private let left: Int
    private let top: Int
    /// Two, for samples of 16 bits.
    private let swapped: [ScratchMemory]

    /// `area` lies inside; nil for the whole picture.
    init(_ rows: PictureRows, area: PixelArea? = nil) throws(ImageError) {
        self.rows = rows
        size = area?.size ?? rows.size
        (left, top) = (area?.left ?? 0, area?.top ?? 0)
        pixelBytes = rows.format.bytesPerPixel
        let bytes = size.width * pixelBytes
        let isDeep = rows.format.bytesPerChannel == 2
        swapped = isDeep ? [try ScratchMemory(bytes, zeroed: false), try ScratchMemory(bytes, zeroed: false)] : []
    }

    var rowBytes: Int { size.width * pixelBytes }

    /// Valid until the next but one is asked for; nil outside.
    func row(_ y: Int) -> UnsafePointer<UInt8>? {
        guard y >= 0, y < size.height, let whole = unsafe rows.row(top + y)?.baseAddress else { return nil }
        let row = unsafe (whole + left * pixelBytes).assumingMemoryBound(to: UInt8.self)
        guard !swapped.isEmpty else { return unsafe row }
        let samples = unsafe swapped[y % 2].bound(to: UInt16.self)
        // The same exchange in both directions.
        if let to = samples.baseAddress { unsafe sdpx_swap_samples(to, row, rowBytes / 2) }
        return unsafe UnsafePointer(swapped[y % 2].bound(to: UInt8.self).baseAddress)
    }
}
