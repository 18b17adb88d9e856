/// Detects the container format of encoded bytes by their complete signature (docs/decisions.md, "Signatures are compared in
/// full").
/// Used by the built-in coders, for hints, for reused bytes, and for messages.
package enum FormatSniffer {
    /// Returns `unknown` when no known signature matches. Camera raw is never detected, because it looks like TIFF.
    package static func format(of bytes: Bytes) -> ImageFormat {
        let reader = bytes.reader
        if let format = bySignature(reader) { return format }
        // A RIFF file is WebP only by its form type.
        if reader.matches("RIFF", at: 0), reader.matches("WEBP", at: 8) { return .webp }
        if reader.matches("ftyp", at: 4) { return byBrand(reader) }
        if isBitmap(reader) { return .bmp }
        if isIcon(reader) { return .ico }
        // Last, because text has no signature.
        return SVGSniffer.accepts(bytes) ? .svg : .unknown
    }

    /// Signatures at offset 0 that need no further check.
    private static let signatures: [(pattern: [UInt8], format: ImageFormat)] = [
        ([0xFF, 0xD8, 0xFF], .jpeg),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
        ([0x47, 0x49, 0x46, 0x38, 0x37, 0x61], .gif),
        ([0x47, 0x49, 0x46, 0x38, 0x39, 0x61], .gif),
        // TIFF 6.0 and BigTIFF, little-endian and big-endian.
        ([0x49, 0x49, 0x2A, 0x00], .tiff),
        ([0x4D, 0x4D, 0x00, 0x2A], .tiff),
        ([0x49, 0x49, 0x2B, 0x00], .tiff),
        ([0x4D, 0x4D, 0x00, 0x2B], .tiff),
        // JPEG XL, bare codestream and container (ISO/IEC 18181-2).
        ([0xFF, 0x0A], .jxl),
        ([0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], .jxl),
        ([0x25, 0x50, 0x44, 0x46, 0x2D], .pdf),
    ]

    /// nil if none of them matches.
    private static func bySignature(_ reader: ByteReader) -> ImageFormat? {
        signatures.first { reader.matches($0.pattern, at: 0) }?.format
    }

    // MARK: ISO base media (ISO/IEC 14496-12, 23008-12)

    /// Brands of still images and of sequences.
    private static let avifBrands: [StaticString] = ["avif", "avis"]
    private static let heicBrands: [StaticString] = ["heic", "heix", "hevc", "hevx", "heim", "heis"]
    /// Brands that name the structure of the file, not its codec.
    private static let structuralBrands: [StaticString] = ["mif1", "msf1", "mif2"]

    /// Returns the format of the major brand if that names a codec, otherwise of the compatible brands. Structural brands alone
    /// mean HEIF with an unknown codec.
    private static func byBrand(_ reader: ByteReader) -> ImageFormat {
        if has(avifBrands, reader, at: 8) { return .avif }
        if has(heicBrands, reader, at: 8) { return .heic }
        let positions = compatibleBrands(reader)
        if positions.contains(where: { has(avifBrands, reader, at: $0) }) { return .avif }
        if positions.contains(where: { has(heicBrands, reader, at: $0) }) { return .heic }
        let isStructural = has(structuralBrands, reader, at: 8) || positions.contains { has(structuralBrands, reader, at: $0) }
        return isStructural ? .heif : .unknown
    }

    /// True if the four bytes at a position are one of the brands.
    private static func has(_ brands: [StaticString], _ reader: ByteReader, at position: Int) -> Bool {
        brands.contains { reader.matches($0, at: position) }
    }

    /// Offsets of the compatible brands. A box has a handful of them, so at most 64 are examined.
    /// The first is at offset 16, after the size, the type, the major brand and its version.
    private static func compatibleBrands(_ reader: ByteReader) -> StrideTo<Int> {
        var size = reader
        let announced = size.u32(bigEndian: true).map(Int.init) ?? 0
        return stride(from: 16, to: min(announced - 3, 16 + 64 * 4), by: 4)
    }

    // MARK: Windows formats

    /// Returns true for "BM" followed by a header size that exists: "BM" alone also occurs in English text.
    private static func isBitmap(_ reader: ByteReader) -> Bool {
        guard reader.matches("BM", at: 0) else { return false }
        var header = reader
        guard header.seek(to: 14), let size = header.u32(bigEndian: false) else { return false }
        // Header sizes: 12 for OS/2 1.x, 16 … 64 for OS/2 2.x, 40 … 124 for Windows.
        return size == 12 || (16...124).contains(size)
    }

    /// Returns true for an icon (1) or cursor (2) directory whose first entry has data after the directory.
    private static func isIcon(_ reader: ByteReader) -> Bool {
        var entry = reader
        guard entry.u16(bigEndian: false) == 0, let kind = entry.u16(bigEndian: false), kind == 1 || kind == 2,
            let count = entry.u16(bigEndian: false), count > 0,
            // Width, height and color count may have any value; the reserved byte is 0, or 255 from old writers.
            entry.skip(3), let reserved = entry.u8(), reserved == 0 || reserved == 255,
            entry.skip(4), let size = entry.u32(bigEndian: false), let offset = entry.u32(bigEndian: false)
        else { return false }
        return size > 0 && offset >= 22
    }
}
