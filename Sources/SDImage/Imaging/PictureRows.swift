import SDImagePixels

/// The rows of a picture in the pixel format that an encoder wants: those in memory, or each converted when it is asked for.
package struct PictureRows {
    package let pixels: PixelBuffer
    package let format: PixelFormat
    /// Two, so that a row and the one before it can be looked at together.
    private let scratch: [ScratchMemory]

    /// From light only by way of `Image.converted`, which knows what is to be done about its brightness.
    package init(_ pixels: PixelBuffer, as format: PixelFormat) throws(ImageError) {
        self.pixels = pixels
        self.format = format
        guard pixels.format != format else {
            scratch = []
            return
        }
        let (bytes, overflow) = pixels.size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow else { throw .tooLarge("row size in bytes", limit: Int.max) }
        scratch = [try ScratchMemory(bytes, zeroed: false), try ScratchMemory(bytes, zeroed: false)]
    }

    package var size: PixelSize { pixels.size }

    /// Valid until the next but one is asked for; nil outside.
    package func row(_ y: Int) -> UnsafeRawBufferPointer? {
        guard let row = unsafe pixels.row(y), !scratch.isEmpty else { return unsafe pixels.row(y) }
        let converted = unsafe scratch[y % 2].bytes
        unsafe sdpx_convert_row(converted.baseAddress, format.rawValue, row.baseAddress, pixels.format.rawValue, size.width)
        return UnsafeRawBufferPointer(converted)
    }
}
