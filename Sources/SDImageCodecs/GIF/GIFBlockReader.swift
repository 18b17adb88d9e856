import SDImage

/// Reads the blocks of a GIF in order, without decoding (GIF89a, appendix B). Each method returns nil when the bytes end within
/// the block; a caller that waits for more bytes then starts again at the offset before the call. `GIFContainer` and
/// `GIFMetadata` use it.
struct GIFBlockReader {
    /// The logical screen descriptor and the global palette (sections 18 and 19).
    struct Screen {
        let size: PixelSize
        /// Location of the palette; empty when there is none.
        let palette: Range<Int>
    }

    /// The image descriptor, the local palette and the LZW minimum code size (sections 20 to 22).
    struct ImageDescriptor {
        let left: Int
        let top: Int
        let size: PixelSize
        let isInterlaced: Bool
        /// Location of the palette; empty when there is none.
        let palette: Range<Int>
        /// LZW minimum code size in bits, as stored.
        let codeSize: UInt8
    }

    /// Kind of a block by its first byte.
    enum Block {
        case image(ImageDescriptor)
        case `extension`(label: UInt8)
        /// A zero byte between blocks, from a writer that miscounted.
        case padding
        /// The trailer or an invalid byte.
        case end
    }

    /// Position of the next byte. After an image or an extension, that is its first sub-block.
    private(set) var reader: ByteReader

    init(_ bytes: Bytes, at offset: Int = 0) {
        reader = bytes.reader
        reader.seek(to: offset)
    }

    var offset: Int { reader.offset }

    /// Reads the header, from the start of the bytes. Signature, background color and pixel aspect ratio are skipped.
    mutating func readScreen() -> Screen? {
        guard reader.skip(6), let width = reader.u16(bigEndian: false), let height = reader.u16(bigEndian: false),
            let flags = reader.u8(), reader.skip(2), let palette = skipPalette(flags: flags)
        else { return nil }
        return Screen(
            size: PixelSize(width: Int(width), height: Int(height)), palette: palette)
    }

    /// Reads the start of the next block, up to its sub-blocks.
    mutating func readBlock() -> Block? {
        guard let introducer = reader.u8() else { return nil }
        switch introducer {
        // Extension introducer, image separator.
        case 0x21: return reader.u8().map { .extension(label: $0) }
        case 0x2C: return readDescriptor().map { .image($0) }
        case 0x00: return .padding
        default: return .end
        }
    }

    /// Reads the image descriptor after its separator.
    private mutating func readDescriptor() -> ImageDescriptor? {
        guard let left = reader.u16(bigEndian: false), let top = reader.u16(bigEndian: false),
            let width = reader.u16(bigEndian: false), let height = reader.u16(bigEndian: false), let flags = reader.u8(),
            let palette = skipPalette(flags: flags), let codeSize = reader.u8()
        else { return nil }
        return ImageDescriptor(
            left: Int(left), top: Int(top), size: PixelSize(width: Int(width), height: Int(height)),
            isInterlaced: flags & 0x40 != 0, palette: palette, codeSize: codeSize)
    }

    /// Skips a palette and returns its location. The lowest three bits of the flags are the bits of an index minus one.
    private mutating func skipPalette(flags: UInt8) -> Range<Int>? {
        let start = reader.offset
        guard flags & 0x80 != 0 else { return start..<start }
        return reader.skip(3 << (Int(flags & 7) + 1)) ? start..<reader.offset : nil
    }

    /// Skips a sub-block and returns its length; 0 for the terminator (section 15).
    mutating func skipSubBlock(_ stop: CancellationToken) throws(ImageError) -> Int? {
        guard let length = reader.u8() else { return nil }
        try stop.spend(Int(length) + 1)
        return reader.skip(Int(length)) ? Int(length) : nil
    }

    /// Skips all sub-blocks and their terminator; false when the bytes end before it.
    mutating func skipSubBlocks(_ stop: CancellationToken) throws(ImageError) -> Bool {
        while let length = try skipSubBlock(stop) { if length == 0 { return true } }
        return false
    }
}
