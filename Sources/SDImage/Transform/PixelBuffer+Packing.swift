import SDImagePixels

extension PixelBuffer {
    /// Rounds premultiplied pixels in the range of the format's samples into row `y`.
    func pack(_ y: Int, _ floats: UnsafePointer<Float>) {
        guard let to = unsafe mutableRow(y)?.baseAddress else { return }
        let channels = Int32(format.channels)
        switch format.bytesPerChannel {
        case 1:
            unsafe sdpx_pack_u8(
                to.assumingMemoryBound(to: UInt8.self), floats, size.width, channels, format.isPremultiplied ? 1 : 0)
        case 2: unsafe sdpx_pack_u16(to.assumingMemoryBound(to: UInt16.self), floats, size.width, channels)
        default: unsafe sdpx_pack_f32(to.assumingMemoryBound(to: Float.self), floats, size.width)
        }
    }
}
