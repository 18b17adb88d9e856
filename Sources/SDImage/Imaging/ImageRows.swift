import SDImagePixels

/// The rows of an image in the pixel format of an encoder: those in memory, or converted on demand.
/// Used by one thread.
package struct ImageRows {
    package let pixels: PixelBuffer
    package let format: PixelFormat
    /// Two buffers, so that a row and the previous one are valid at the same time.
    /// Empty if no conversion is needed.
    private let scratch: [ScratchMemory]

    /// Creates rows. Linear light must be converted by `Image.converted` first, which applies tone mapping where needed.
    package init(_ pixels: PixelBuffer, as format: PixelFormat) throws(ImageError) {
        self.pixels = pixels
        self.format = format
        guard pixels.format != format else {
            scratch = []
            return
        }
        let (bytes, overflow) = pixels.size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow else { throw .tooLarge("image: row size in bytes", limit: Int.max) }
        scratch = [try ScratchMemory(bytes, zeroed: false), try ScratchMemory(bytes, zeroed: false)]
    }

    package var size: PixelSize { pixels.size }

    /// A row, valid until two more rows have been requested; nil for an invalid index.
    /// `y` counts from the top.
    package func row(_ y: Int) -> UnsafeRawBufferPointer? {
        guard let row = unsafe pixels.row(y), !scratch.isEmpty else { return unsafe pixels.row(y) }
        let converted = unsafe scratch[y % 2].bytes
        unsafe sdpx_convert_row(converted.baseAddress, format.rawValue, row.baseAddress, pixels.format.rawValue, size.width)
        return UnsafeRawBufferPointer(converted)
    }
}
