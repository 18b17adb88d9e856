import SDImage
import SDImagePixels

/// Converts packed samples to pixels, for all color types and depths (PNG, third edition, table 12). Belongs to one
/// `PNGRowDecoder`, because it has a buffer for indices.
@safe final class PNGSampleExpander {
    private enum Way {
        /// Samples are already pixels.
        case plain
        /// 16-bit samples in big-endian order. `samples` is their number per pixel.
        case swapped(samples: Int)
        /// Uses a table with an entry for each sample value.
        case lookUp
        /// Gray with alpha becomes RGBA.
        case grayAlpha
        /// Pixels of one color, that of tRNS, become transparent.
        case keyed
    }

    let format: PixelFormat
    /// Bits of a stored pixel.
    let bitsPerPixel: Int
    /// Distance between the bytes that filters compare (section 9.2).
    let filterBytes: Int
    private let depth: Int
    private let way: Way
    private var table: [UInt32] = []
    /// The transparent color, one number for each channel.
    private var key: [UInt16] = []
    /// A row of indices, one per byte.
    private let indices: ScratchMemory?

    init(_ data: PNGEncodedImage, limits: DecodeLimits) throws(ImageError) {
        // Pixels of less than a byte are unpacked first.
        let isPacked = data.depth < 8
        format = data.format
        depth = data.depth
        // libpng accepts only these combinations; the rows rely on them.
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][data.colorType] ?? 0
        guard channels > 0, [1, 2, 4, 8, 16].contains(depth), channels == 1 || depth >= 8, depth < 16 || !data.isPalette else {
            throw ImageError(.badData, "png: color type \(data.colorType) with depth \(data.depth) is invalid")
        }
        bitsPerPixel = channels * depth
        filterBytes = max(1, bitsPerPixel / 8)
        way = PNGSampleExpander.way(data)
        indices = isPacked ? try ScratchMemory(data.size.width, of: UInt8.self, account: limits.account) : nil
        let transparency = data.transparency?.reader
        if case .keyed = way {
            var reader = transparency
            key = (0..<channels).map { _ in reader?.u16(bigEndian: true) ?? 0 }
        }
        if case .lookUp = way { table = data.isPalette ? PNGSampleExpander.colors(data) : PNGSampleExpander.grays(data) }
    }

    /// Returns the bytes of a row, without the filter type; nil on overflow.
    func rowBytes(_ width: Int) -> Int? {
        let (bits, overflow) = width.multipliedReportingOverflow(by: bitsPerPixel)
        return overflow || bits > Int.max - 7 ? nil : (bits + 7) / 8
    }

    /// True when rows need no `expand`.
    var isPlain: Bool { if case .plain = way { true } else { false } }

    /// `from` has `rowBytes(pixels)` bytes, and `to` has room for that many pixels of `format`, at most the width of the image.
    func expand(_ from: UnsafeRawPointer, to: UnsafeMutableRawPointer, pixels: Int) {
        let source = unsafe from.assumingMemoryBound(to: UInt8.self)
        let target = unsafe to.assumingMemoryBound(to: UInt8.self)
        let deep = unsafe to.assumingMemoryBound(to: UInt16.self)
        switch way {
        case .plain: unsafe to.copyMemory(from: from, byteCount: pixels * format.bytesPerPixel)
        case .swapped(let samples): unsafe sdpx_swap_samples(deep, source, pixels * samples)
        case .lookUp: unsafe lookUp(source, to: target, pixels: pixels)
        case .grayAlpha where depth == 8: unsafe sdpx_expand_gray_alpha8(target, source, pixels)
        case .grayAlpha: unsafe sdpx_expand_gray_alpha16(deep, source, pixels)
        case .keyed where depth == 8: unsafe sdpx_expand_keyed8(target, source, pixels, key)
        case .keyed: unsafe sdpx_expand_keyed16(deep, source, pixels, key, Int32(key.count))
        }
    }

    private func lookUp(_ from: UnsafePointer<UInt8>, to: UnsafeMutablePointer<UInt8>, pixels: Int) {
        guard let indices = unsafe indices?.bound(to: UInt8.self).baseAddress else {
            return unsafe sdpx_look_up(to, from, pixels, table, Int32(format.channels))
        }
        unsafe sdpx_unpack_indices(indices, from, pixels, Int32(depth))
        unsafe sdpx_look_up(to, indices, pixels, table, Int32(format.channels))
    }

    private static func way(_ data: PNGEncodedImage) -> Way {
        switch data.colorType {
        case 3: return .lookUp
        // Packed grays: the table also scales them to 8 bits.
        case 0 where data.depth < 8: return .lookUp
        case 0 where data.depth == 8: return data.hasAlpha ? .lookUp : .plain
        case 4: return .grayAlpha
        case 0, 2: if data.transparency != nil { return .keyed }
        default: break
        }
        return data.depth == 8 ? .plain : .swapped(samples: data.format.channels)
    }

    /// Returns the palette; an index beyond it is opaque black.
    private static func colors(_ data: PNGEncodedImage) -> [UInt32] {
        let palette = data.palette?.reader
        let alpha = data.transparency?.reader
        return (0..<256).map { index in
            let at = index * 3
            return pixel(
                palette?.byte(at: at) ?? 0, palette?.byte(at: at + 1) ?? 0, palette?.byte(at: at + 2) ?? 0,
                alpha?.byte(at: index) ?? 255)
        }
    }

    /// Returns the grays. The transparent gray has as many bits as the samples; higher bits are ignored.
    private static func grays(_ data: PNGEncodedImage) -> [UInt32] {
        let highest = 1 << data.depth - 1
        var reader = data.transparency?.reader
        let clear = reader?.u16(bigEndian: true).map { Int($0) & highest }
        return (0..<256).map { index in
            let value = UInt8(truncatingIfNeeded: (index & highest) * 255 / highest)
            return pixel(value, value, value, index == clear ? 0 : 255)
        }
    }

    /// Packs a pixel; red comes first in memory.
    private static func pixel(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) -> UInt32 {
        UInt32(littleEndian: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24)
    }
}
