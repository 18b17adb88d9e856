/// Converts the colour of rows, such as from an ICC profile to sRGB.
package protocol RowTransform: Sendable {
    /// Layout of the rows that come out where rows of `format` go in.
    func output(for format: PixelFormat) -> PixelFormat

    /// In place, where the layout stays the same; does nothing otherwise. `format` is a straight one; alpha stays as it is.
    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat)

    /// From one row to another; does nothing where either is too short. The rows may not overlap.
    func apply(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat)
}

extension RowTransform {
    package func output(for format: PixelFormat) -> PixelFormat { format }

    package func apply(
        _ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat
    ) {
        let (bytes, overflow) = pixels.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, bytes >= 0, source.count >= bytes, target.count >= bytes else { return }
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<bytes]))
        unsafe apply(target, pixels: pixels, format: format)
    }
}
