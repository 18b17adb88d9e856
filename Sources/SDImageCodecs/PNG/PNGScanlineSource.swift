import SDImage
import SDImagePixels

/// The rows of an image, or of a rectangle of it, as PNG stores them before filtering: 16-bit samples are big-endian.
@safe struct PNGScanlineSource {
    let size: PixelSize
    /// Bytes per pixel.
    let pixelBytes: Int
    private let rows: ImageRows
    private let left: Int
    private let top: Int
    /// Two buffers for 16-bit samples; empty otherwise.
    private let swapped: [ScratchMemory]

    /// `area` lies inside the image; nil means the whole image.
    init(_ rows: ImageRows, area: PixelArea? = nil) throws(ImageError) {
        self.rows = rows
        size = area?.size ?? rows.size
        (left, top) = (area?.left ?? 0, area?.top ?? 0)
        pixelBytes = rows.format.bytesPerPixel
        let bytes = size.width * pixelBytes
        let isDeep = rows.format.bytesPerChannel == 2
        swapped = isDeep ? [try ScratchMemory(bytes, zeroed: false), try ScratchMemory(bytes, zeroed: false)] : []
    }

    var rowBytes: Int { size.width * pixelBytes }

    /// Returns a row, valid until the second call after this one; nil outside the image.
    func row(_ y: Int) -> UnsafePointer<UInt8>? {
        guard y >= 0, y < size.height, let whole = unsafe rows.row(top + y)?.baseAddress else { return nil }
        let row = unsafe (whole + left * pixelBytes).assumingMemoryBound(to: UInt8.self)
        guard !swapped.isEmpty else { return unsafe row }
        let samples = unsafe swapped[y % 2].bound(to: UInt16.self)
        // The byte swap is its own inverse.
        if let to = samples.baseAddress { unsafe sdpx_swap_samples(to, row, rowBytes / 2) }
        return unsafe UnsafePointer(swapped[y % 2].bound(to: UInt8.self).baseAddress)
    }
}
