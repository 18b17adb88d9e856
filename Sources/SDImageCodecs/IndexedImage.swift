import SDImage
import SDImagePixels

/// An image with at most 256 colors, as indices into a palette. `PNGEncoder` makes it to try a palette.
@safe struct IndexedImage {
    /// One byte per pixel.
    let indices: PixelBuffer
    /// Red, green, blue and alpha from the lowest byte up; colors that are not opaque come first.
    let palette: [UInt32]

    /// nil when there are more than `most` colors. `rows` are rgb8 or rgba8.
    init?(_ rows: ImageRows, most: Int = 256, account: WorkingMemory, stop: CancellationToken) throws(ImageError) {
        // The first pass collects the colors, and ends at the first beyond the limit.
        let memory = try ScratchMemory(sdpx_colors_size())
        let colors = unsafe OpaquePointer(memory.bytes.baseAddress)
        unsafe sdpx_colors_start(colors)
        let (size, channels) = (rows.size, Int32(rows.format.channels))
        for y in 0..<size.height {
            if y % 64 == 0 { try stop.check() }
            guard let row = unsafe rows.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress else { return nil }
            guard unsafe sdpx_colors_add(colors, row, size.width, channels) != 0, unsafe sdpx_colors_count(colors) <= most
            else { return nil }
        }
        let count = unsafe Int(sdpx_colors_count(colors))
        let values = (0..<count).map { unsafe sdpx_colors_values(colors)[$0] }
        let order = (0..<count).filter { values[$0] >> 24 < 255 } + (0..<count).filter { values[$0] >> 24 == 255 }
        // From the order in which colors were found to that of the palette.
        var positions = [UInt8](repeating: 0, count: 256)
        for (position, index) in order.enumerated() { positions[index] = UInt8(truncatingIfNeeded: position) }
        palette = order.map { values[$0] }
        // The second pass looks up the index of each pixel.
        indices = try PixelBuffer(size: size, format: .gray8, limit: Int.max, account: account)
        for y in 0..<size.height {
            if y % 64 == 0 { try stop.check() }
            guard let to = unsafe indices.mutableRow(y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let row = unsafe rows.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress
            else { continue }
            unsafe sdpx_colors_find(colors, to, row, size.width, channels, positions)
        }
        withExtendedLifetime(memory) {}
    }

    /// Packs several indices into each byte; rows end at a whole byte. `bits` is 1, 2 or 4.
    func packed(bits: Int, account: WorkingMemory) throws(ImageError) -> PixelBuffer {
        let size = indices.size
        let bytes = PixelSize(width: (size.width - 1) / (8 / bits) + 1, height: size.height)
        let buffer = try PixelBuffer(size: bytes, format: .gray8, limit: Int.max, account: account)
        for y in 0..<size.height {
            guard let to = unsafe buffer.mutableRow(y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let row = unsafe indices.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress
            else { continue }
            unsafe sdpx_pack_indices(to, row, size.width, Int32(bits))
        }
        return buffer
    }
}
