/// Converts the colour of rows in place, such as from an ICC profile to sRGB. Same layout in and out.
package protocol RowTransform: Sendable {
    /// `format` is a straight one; alpha stays as it is.
    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat)
}
