import SDImage

/// The 256 pixels that palette indices stand for; indices beyond the palette are black.
struct GIFPalette {
    /// Bytes of the pixels in memory order, the first in the lowest 8 bits.
    private let entries: [UInt32]
    private let format: PixelFormat

    /// `format`: rgb8 or one of 4 bytes; alpha is 0 or 255, so that straight and premultiplied are the same.
    init(_ bytes: Bytes, _ range: Range<Int>?, transparentIndex: UInt8?, format: PixelFormat) {
        self.format = format
        let reader = bytes.reader
        var entries = [UInt32](repeating: 0xFF00_0000, count: 256)
        for index in 0..<min((range?.count ?? 0) / 3, 256) {
            let at = (range?.lowerBound ?? 0) + index * 3
            let color = (0..<3).map { UInt32(reader.byte(at: at + $0) ?? 0) }
            let (first, third) = format == .bgra8Premultiplied ? (color[2], color[0]) : (color[0], color[2])
            entries[index] = 0xFF00_0000 | third << 16 | color[1] << 8 | first
        }
        if let transparentIndex, format.hasAlpha { entries[Int(transparentIndex)] = 0 }
        self.entries = entries
    }

    /// Writes `count` pixels from `left` on; both buffers are at least that long.
    func expand(_ line: UnsafeRawBufferPointer, count: Int, to row: UnsafeMutableRawBufferPointer, left: Int) {
        let bytesPerPixel = format.bytesPerPixel
        guard count > 0, line.count >= count, row.count >= (left + count) * bytesPerPixel, let base = row.baseAddress else {
            return
        }
        unsafe entries.withUnsafeBufferPointer { entries in
            if bytesPerPixel == 4 {
                let target = unsafe (base + left * 4).assumingMemoryBound(to: UInt32.self)
                for x in 0..<count { unsafe target[x] = unsafe entries[Int(line[x])] }
            } else {
                let target = unsafe (base + left * 3).assumingMemoryBound(to: UInt8.self)
                for x in 0..<count {
                    let pixel = unsafe entries[Int(line[x])]
                    unsafe target[x * 3] = UInt8(truncatingIfNeeded: pixel)
                    unsafe target[x * 3 + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
                    unsafe target[x * 3 + 2] = UInt8(truncatingIfNeeded: pixel >> 16)
                }
            }
        }
    }
}
