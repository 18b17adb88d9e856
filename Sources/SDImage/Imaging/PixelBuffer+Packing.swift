/// Rows of results computed in floats.
extension PixelBuffer {
    /// Rounds premultiplied floats, in the range of the format's samples, into row `y`.
    func pack(_ y: Int, _ floats: UnsafePointer<Float>) {
        guard let to = unsafe mutableRow(y)?.baseAddress else { return }
        unsafe format.pack(floats, size.width, into: to)
    }
}
