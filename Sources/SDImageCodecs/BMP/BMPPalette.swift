import SDImage
import SDImagePixels

/// The 256 colors for palette indices; indices beyond the palette are black. Made once for each decode.
struct BMPPalette {
    private static let count = 256

    /// RGBA in memory order, the first byte in the lowest bits.
    private let entries: [UInt32]
    /// True when every color is gray, so that one channel is enough.
    let isGray: Bool

    /// `transform` converts rgb8; it is applied to the palette instead of to the pixels.
    init(_ bytes: Bytes, _ header: BMPHeader, transform: (any RowTransform)?) {
        let reader = bytes.reader
        var colors = [UInt8](repeating: 0, count: BMPPalette.count * 3)
        for index in 0..<min(header.palette.count / header.paletteEntryLength, BMPPalette.count) {
            let at = header.palette.lowerBound + index * header.paletteEntryLength
            // Stored as blue, green, red.
            for channel in 0..<3 { colors[index * 3 + channel] = reader.byte(at: at + 2 - channel) ?? 0 }
        }
        if let transform {
            unsafe colors.withUnsafeMutableBytes { unsafe transform.apply($0, pixels: BMPPalette.count, format: .rgb8) }
        }
        entries = (0..<BMPPalette.count).map { index in
            let (red, green, blue) = (colors[index * 3], colors[index * 3 + 1], colors[index * 3 + 2])
            return 0xFF00_0000 | UInt32(blue) << 16 | UInt32(green) << 8 | UInt32(red)
        }
        isGray = entries.allSatisfy { $0 & 0xFF == $0 >> 8 & 0xFF && $0 & 0xFF == $0 >> 16 & 0xFF }
    }

    /// Writes the pixels of all `indices` with 1, 3 or 4 channels; `row` must be large enough.
    func expand(_ indices: UnsafeRawBufferPointer, to row: UnsafeMutableRawBufferPointer, channels: Int) {
        guard let from = indices.baseAddress, let to = row.baseAddress, row.count >= indices.count * channels else { return }
        unsafe sdpx_look_up(
            to.assumingMemoryBound(to: UInt8.self), from.assumingMemoryBound(to: UInt8.self), indices.count, entries,
            Int32(channels))
    }
}
