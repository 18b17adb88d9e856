import SDImage

/// Recognizes the files of plug-ins that are not opened in this process, as their `can_decode` does. A change there needs one
/// here.
enum PluginSniffer {
    static func recognizes(_ bytes: Bytes, name: String, formats: [ImageFormat]) -> Bool {
        switch name {
        case "av": isMovie(bytes.reader)
        // Compressed SVG (SVG 1.1, appendix C): the plug-in inflates its beginning.
        case "svg" where bytes.reader.matches([0x1F, 0x8B, 0x08], at: 0): true
        default: formats.contains(FormatSniffer.format(of: bytes))
        }
    }

    /// Brands of sequences and still images (ISO/IEC 23008-12, 10), and of videos (ISO/IEC 14496-12, annex E, and the brands that
    /// cameras write).
    private static let sequences: [StaticString] = ["msf1", "hevc", "hevx"]
    private static let stills: [StaticString] = ["heic", "heix", "mif1", "avif", "avis"]
    private static let videos: [StaticString] = [
        "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "qt  ", "M4V ", "3gp4", "3gp5", "dash", "MSNV",
    ]
    /// The EBML header of Matroska and WebM (RFC 8794).
    private static let matroska: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]

    private static func isMovie(_ reader: ByteReader) -> Bool {
        if reader.matches(matroska, at: 0) { return true }
        if reader.matches("RIFF", at: 0), reader.matches("AVI ", at: 8) { return true }
        guard reader.matches("ftyp", at: 4) else { return false }
        // The major brand decides if it is known; otherwise the first compatible brand that is.
        if has(sequences, reader, at: 8) { return true }
        if has(stills, reader, at: 8) { return false }
        if has(videos, reader, at: 8) { return true }
        var size = reader
        let end = size.u32(bigEndian: true).map(Int.init) ?? 0
        // A file has a handful of compatible brands, of which at most 64 are examined.
        for position in stride(from: 16, to: min(end - 3, 16 + 64 * 4), by: 4) {
            if has(stills, reader, at: position) { return false }
            if has(videos, reader, at: position) { return true }
        }
        return false
    }

    private static func has(_ brands: [StaticString], _ reader: ByteReader, at position: Int) -> Bool {
        brands.contains { reader.matches($0, at: position) }
    }
}
