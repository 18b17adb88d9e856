import SDImage
import SDImagePixels

/// Writes the blocks of a GIF (GIF89a specification, sections 17 to 27). `GIFEncoder` writes them in the order of the file:
/// header, loops, then control, frame and data for each frame.
struct GIFWriter: ~Copyable {
    /// Disposal of a frame after its duration; values of the graphic control extension.
    enum Disposal: UInt8 {
        case keep = 1
        case clear = 2
    }

    private var file = ByteBuilder(limit: Int.max)
    /// The palette of the first frame.
    private let globalPalette: [UInt8]

    /// `palette` contains red, green and blue of each color; it is the global palette, used by all frames with the same colors.
    init(_ size: PixelSize, palette: [UInt8]) throws(ImageError) {
        globalPalette = GIFWriter.padded(palette)
        // A global palette, and 8 bits of color resolution.
        let flags = 0xF0 | GIFWriter.sizeBits(globalPalette)
        try file.append(Array("GIF89a".utf8))
        try file.append(GIFWriter.two(size.width) + GIFWriter.two(size.height) + [flags, 0, 0])
        try file.append(globalPalette)
    }

    /// Writes the loop count extension of Netscape 2: 0 means forever. Files without it play once.
    mutating func loops(_ count: Int) throws(ImageError) {
        guard count != 1 else { return }
        try file.append([0x21, 0xFF, 11])
        try file.append(Array("NETSCAPE2.0".utf8) + [3, 1] + GIFWriter.two(count) + [0])
    }

    /// Writes the graphic control extension for the next frame.
    mutating func control(centiseconds: Int, disposal: Disposal, clearIndex: UInt8?) throws(ImageError) {
        let flags = disposal.rawValue << 2 | (clearIndex == nil ? 0 : 1)
        try file.append([0x21, 0xF9, 4, flags] + GIFWriter.two(centiseconds) + [clearIndex ?? 0, 0])
    }

    /// Writes a frame's position, its palette, and the code size before its data, which it returns.
    mutating func frame(_ area: PixelArea, palette: [UInt8]) throws(ImageError) -> UInt8 {
        let colors = GIFWriter.padded(palette)
        let isGlobal = colors == globalPalette
        let rectangle = [area.left, area.top, area.size.width, area.size.height].flatMap(GIFWriter.two)
        try file.append([0x2C] + rectangle + [isGlobal ? 0 : 0x80 | GIFWriter.sizeBits(colors)])
        if !isGlobal { try file.append(colors) }
        // The LZW code size is at least 2, for images of two colors, too (appendix F).
        let bits = max(2, GIFWriter.sizeBits(colors) + 1)
        try file.append([bits])
        return bits
    }

    /// Appends up to `count` bytes of data blocks; `write` returns the actual number.
    mutating func data(upTo count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) throws(ImageError) {
        _ = unsafe try file.append(upTo: count) { room throws(ImageError) in unsafe write(room) }
    }

    /// Writes the trailer and returns the file.
    mutating func finish() throws(ImageError) -> Bytes {
        try file.append([0x3B])
        return file.finish()
    }

    /// Pads a palette: sizes are powers of 2, at least 2.
    private static func padded(_ palette: [UInt8]) -> [UInt8] {
        let colors = palette.count / 3
        let full = (1...8).map { 1 << $0 }.first { $0 >= colors } ?? 256
        return palette + [UInt8](repeating: 0, count: max(0, full - colors) * 3)
    }

    /// Size field of a padded palette: bits of an index minus one.
    private static func sizeBits(_ palette: [UInt8]) -> UInt8 {
        UInt8(truncatingIfNeeded: (palette.count / 3).trailingZeroBitCount - 1)
    }

    private static func two(_ value: Int) -> [UInt8] {
        let number = UInt16(clamping: value)
        return [UInt8(number & 255), UInt8(number >> 8)]
    }
}
