import SDImage
import SDImagePixels

/// The AND mask after the pixels of an icon's bitmap: one bit per pixel, set for transparent pixels. Missing rows leave pixels
/// unchanged. `BMPDecoder` applies it to each row of an icon whose pixels have no alpha.
struct ICOMask {
    private let bytes: Bytes
    private let size: PixelSize
    /// Offset of the mask in the entry, and bytes from row to row.
    private let start: Int
    private let stride: Int

    /// Rows are stored bottom-up and padded to 4 bytes, like those of the pixels.
    init(_ bytes: Bytes, size: PixelSize, start: Int) {
        self.bytes = bytes
        self.size = size
        self.start = start
        stride = (size.width + 31) / 32 * 4
    }

    /// Clears the masked pixels of row `y`, which is rgba8.
    func cut(_ row: UnsafeMutableRawBufferPointer, y: Int) {
        guard y >= 0, y < size.height, row.count >= size.width * 4, let pixels = row.baseAddress,
            let base = unsafe bytes.pointer
        else { return }
        let (at, overflow) = (size.height - 1 - y).multipliedReportingOverflow(by: stride)
        guard !overflow, at <= bytes.count - start - stride else { return }
        unsafe sdpx_clear_masked(
            pixels.assumingMemoryBound(to: UInt8.self), (base + start + at).assumingMemoryBound(to: UInt8.self), size.width)
    }
}
