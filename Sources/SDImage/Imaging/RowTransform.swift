/// A color conversion of rows, for example from an ICC profile to sRGB.
/// Implemented by `ToneMapping`, and by the conversions of the codecs. Used by one thread or several, on different
/// rows.
package protocol RowTransform: Sendable {
    /// Output format for input rows of `format`.
    /// The default keeps the format.
    func output(for format: PixelFormat) -> PixelFormat

    /// Converts in place when the format stays the same; does nothing otherwise. `format` must be straight; alpha is unchanged.
    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat)

    /// Converts one row into another; does nothing when either is too short. The rows must not overlap.
    func apply(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat)
}

/// Defaults for conversions that keep the format.
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
