import SDImagePixels

/// Tone mapping from linear light above white to 0...1, before the conversion from float to integers.
struct ToneMapping: RowTransform {
    func apply(_ row: UnsafeMutableRawBufferPointer, pixels: Int, format: PixelFormat) {
        guard format == .rgbaFloat, pixels > 0, row.count / format.bytesPerPixel >= pixels, let base = row.baseAddress else {
            return
        }
        unsafe sdpx_tone_map(base.assumingMemoryBound(to: Float.self), pixels)
    }
}
