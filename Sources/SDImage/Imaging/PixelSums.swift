import SDImagePixels

/// Dispatch to the C kernels by sample type: samples to weighted float sums, and sums to samples.
extension PixelFormat {
    /// Adds a row to several rows of sums, each with its own weight. Premultiplies when `channels` is 4.
    /// `samples`: samples of the row. `channels`: 4 if the samples are straight colors with alpha.
    func accumulate(
        _ row: UnsafeRawPointer, _ samples: Int, channels: Int32, into sums: [UnsafeMutablePointer<Float>?], _ weights: [Float]
    ) {
        switch bytesPerChannel {
        case 1:
            unsafe sdpx_accumulate_u8(
                sums, weights, weights.count, row.assumingMemoryBound(to: UInt8.self), samples, channels)
        case 2:
            unsafe sdpx_accumulate_u16(
                sums, weights, weights.count, row.assumingMemoryBound(to: UInt16.self), samples, channels)
        default:
            unsafe sdpx_accumulate_f32(sums, weights, weights.count, row.assumingMemoryBound(to: Float.self), samples)
        }
    }

    /// Rounds premultiplied sums, in the range of the format's samples, into a row.
    func pack(_ sums: UnsafePointer<Float>, _ pixels: Int, into row: UnsafeMutableRawPointer) {
        switch bytesPerChannel {
        case 1:
            unsafe sdpx_pack_u8(
                row.assumingMemoryBound(to: UInt8.self), sums, pixels, Int32(channels), isPremultiplied ? 1 : 0)
        case 2: unsafe sdpx_pack_u16(row.assumingMemoryBound(to: UInt16.self), sums, pixels, Int32(channels))
        default: unsafe sdpx_pack_f32(row.assumingMemoryBound(to: Float.self), sums, pixels)
        }
    }
}
