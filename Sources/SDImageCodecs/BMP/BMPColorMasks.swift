/// Bit masks of red, green, blue and alpha in pixels of 16, 24 or 32 bits, which are read as little-endian numbers.
struct BMPColorMasks: Equatable {
    let red: UInt32
    let green: UInt32
    let blue: UInt32
    /// 0 when pixels are opaque.
    let alpha: UInt32

    /// Masks of bitmaps that have none: 5 bits per channel in 16-bit pixels, 8 in larger ones.
    static let five = BMPColorMasks(red: 0x7C00, green: 0x3E0, blue: 0x1F, alpha: 0)
    static let eight = BMPColorMasks(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: 0)
    /// The fields of `eight`, with alpha in the fourth byte.
    static let eightWithAlpha = eight.with(alpha: 0xFF00_0000)

    func with(alpha: UInt32) -> BMPColorMasks { BMPColorMasks(red: red, green: green, blue: blue, alpha: alpha) }

    var masks: [UInt32] { [red, green, blue, alpha] }

    /// True when the bits of each channel are contiguous, as [MS-WMF] 2.2.2.3 requires.
    var isSound: Bool {
        masks.allSatisfy { mask in
            // Contiguous bits from the lowest on are a power of two minus one.
            let field = mask >> UInt32(mask == 0 ? 0 : mask.trailingZeroBitCount)
            return field & (field &+ 1) == 0
        }
    }
}
