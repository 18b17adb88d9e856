import SDImage

/// The headroom of Apple's gain maps, from two numbers in the maker note of the base image.
enum AppleMakerNote {
    private static let exifTag: UInt16 = 0x8769, makerNoteTag: UInt16 = 0x927C
    /// Tags of the numbers (Apple, "Applying Apple HDR effect to your photos").
    private static let meta33: UInt16 = 0x21, meta48: UInt16 = 0x30
    private static let label: StaticString = "Apple iOS\0"
    /// Length of the label, of its version and of the byte order, before the directory.
    private static let header = 14

    /// The headroom in stops; nil if the numbers are missing or say that there is none.
    static func headroom(_ exif: Bytes) -> Double? {
        guard let block = ExifDirectory.block(exif), let first = ExifDirectory(block),
            let second = first.directory(exifTag), let note = second.undefined(makerNoteTag),
            let content = block.slice(note), content.reader.matches(label, at: 0),
            let directory = ExifDirectory(content, at: header, bigEndian: true), let low = directory.signedRational(meta33),
            let high = directory.signedRational(meta48)
        else { return nil }
        let stops =
            low < 1
            ? (high <= 0.01 ? -20 * high + 1.8 : -0.101 * high + 1.601) : (high <= 0.01 ? -70 * high + 3 : -0.303 * high + 2.303)
        return stops > 0 ? stops : nil
    }
}
