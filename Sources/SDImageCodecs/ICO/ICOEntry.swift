import SDImage

/// One image of an icon or cursor. Properties come from its own header, because those in the directory are often wrong.
/// `ICODirectory` reads it before the best entry is chosen.
struct ICOEntry {
    enum Content {
        case bitmap(BMPHeader)
        case png
    }

    /// The bytes from the entry's offset to the end of the file, because its stored length is often wrong as well.
    let bytes: Bytes
    let content: Content
    let size: PixelSize
    /// Bits per pixel.
    let depth: Int

    /// Reads the header of the image; throws if it is damaged or of an unsupported kind.
    init(_ bytes: Bytes) throws(ImageError) {
        self.bytes = bytes
        if bytes.reader.matches([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            content = .png
            (size, depth) = try ICOEntry.pngHeader(bytes.reader)
            return
        }
        let header = try BMPHeader.icon(bytes)
        guard header.packing == .rows else { throw ImageError(.unsupported, "ico: entry is a compressed bitmap") }
        content = .bitmap(header)
        size = header.size
        depth = header.bits
    }

    /// Returns size and bits per pixel from an IHDR chunk (PNG, third edition, section 11.2.1).
    private static func pngHeader(_ source: ByteReader) throws(ImageError) -> (PixelSize, Int) {
        var reader = source
        // After the signature, and the length and type of the chunk.
        guard reader.seek(to: 16), let width = reader.u32(bigEndian: true), let height = reader.u32(bigEndian: true),
            let depth = reader.u8(), let type = reader.u8()
        else { throw ImageError(.truncated, "ico: PNG entry ends early") }
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] ?? 1
        return (PixelSize(width: Int(width), height: Int(height)), Int(depth) * channels)
    }
}
