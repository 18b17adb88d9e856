import SDImagePixels
import TestSupport
import Testing

/// Rows of palette indices, with lengths that are and are not multiples of the kernel's step.
@Suite struct PaletteRowTests {
    @Test(arguments: [2, 4, 256]) func everyLengthShowsItsColorsOverWhatIsBelow(_ colors: Int) {
        var randoms = Randoms(seed: UInt64(colors))
        let palette = (0..<256).map { _ in UInt32(randoms.below(1 << 32)) }
        for count in 0..<70 {
            let indices = (0..<count).map { _ in UInt8(randoms.below(colors)) }
            let below = (0..<count).map { _ in UInt32(randoms.below(1 << 32)) }
            let clear = UInt8(randoms.below(colors))
            let shown = indices.map { palette[Int($0)] }
            let over = zip(indices, below).map { $0 == clear ? $1 : palette[Int($0)] }

            // One extra pixel, which must stay unchanged.
            var row = [UInt32](repeating: 7, count: count + 1)
            unsafe sdpx_palette_row(&row, indices, count, palette)
            #expect(row == shown + [7])
            row = [UInt32](repeating: 7, count: count + 1)
            unsafe sdpx_palette_row_over(&row, below, indices, count, palette, clear)
            #expect(row == over + [7])
            row = below + [7]
            unsafe row.withUnsafeMutableBufferPointer { row in
                unsafe sdpx_palette_row_over(row.baseAddress, row.baseAddress, indices, count, palette, clear)
            }
            #expect(row == over + [7])
        }
    }
}
