/// The first directory of an EXIF block (EXIF 2.32, section 4.6.2): the TIFF structure that holds what concerns the whole
/// picture. Every position in it comes from the file and is checked when it is used.
///
/// One directory only and forward only: links between directories are not followed, so that none can loop.
package struct ExifDirectory {
    private static let shortType: UInt16 = 3
    private static let rationalType: UInt16 = 5
    package static let entryBytes = 12

    private let reader: ByteReader
    package let bigEndian: Bool
    /// Where the TIFF structure begins: all offsets in it count from there.
    private let start: Int
    private let firstEntry: Int
    private let count: Int

    private struct Entry {
        let type: UInt16
        let count: UInt32
        /// Of the four bytes that hold a short value, or the offset of a long one.
        let position: Int
    }

    /// `exif` is a TIFF block, with or without the "Exif" prefix that JPEG puts before it. nil when it is none: BigTIFF,
    /// whose version is 43, is not allowed here.
    package init?(_ exif: Bytes) {
        var reader = exif.reader
        let start = ExifDirectory.prefixLength(reader)
        guard let bigEndian = ExifDirectory.byteOrder(reader, at: start), reader.seek(to: start + 2),
            reader.u16(bigEndian: bigEndian) == 42, let directory = reader.u32(bigEndian: bigEndian),
            reader.seek(to: start + Int(directory)), let count = reader.u16(bigEndian: bigEndian)
        else { return nil }
        self.reader = reader
        self.bigEndian = bigEndian
        self.start = start
        firstEntry = reader.offset
        self.count = Int(count)
    }

    /// The TIFF block without the prefix.
    package static func block(_ exif: Bytes) -> Bytes? { exif.slice(min(prefixLength(exif.reader), exif.count)..<exif.count) }

    /// A value of one 16-bit number; nil when the tag is missing or of another kind.
    package func short(_ tag: UInt16) -> UInt16? {
        guard let entry = entry(tag), entry.type == ExifDirectory.shortType, entry.count == 1 else { return nil }
        var reader = reader
        return reader.seek(to: entry.position) ? reader.u16(bigEndian: bigEndian) : nil
    }

    /// A value of one positive fraction.
    package func rational(_ tag: UInt16) -> Double? {
        guard let entry = entry(tag), entry.type == ExifDirectory.rationalType, entry.count == 1 else { return nil }
        var reader = reader
        guard reader.seek(to: entry.position), let offset = reader.u32(bigEndian: bigEndian),
            reader.seek(to: start + Int(offset)), let numerator = reader.u32(bigEndian: bigEndian),
            let denominator = reader.u32(bigEndian: bigEndian), numerator > 0, denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    /// Where in the block the value of one 16-bit number lies; nil when the tag is missing or of another kind.
    package func shortPosition(_ tag: UInt16) -> Int? {
        guard let entry = entry(tag), entry.type == ExifDirectory.shortType, entry.count == 1 else { return nil }
        return entry.position
    }

    /// The entries as they lie in the block, as far as they do; and the number of the directory behind them, 0 for none.
    package var entries: Range<Int> {
        firstEntry..<min(firstEntry + count * ExifDirectory.entryBytes, reader.count)
    }
    package var following: UInt32 {
        var reader = reader
        return reader.seek(to: entries.upperBound) ? reader.u32(bigEndian: bigEndian) ?? 0 : 0
    }

    /// The first of that tag; a second one is a mistake of the writer.
    private func entry(_ tag: UInt16) -> Entry? {
        var reader = reader
        for index in 0..<count {
            guard reader.seek(to: firstEntry + index * ExifDirectory.entryBytes), let found = reader.u16(bigEndian: bigEndian),
                let type = reader.u16(bigEndian: bigEndian), let count = reader.u32(bigEndian: bigEndian)
            else { return nil }
            if found == tag { return Entry(type: type, count: count, position: reader.offset) }
        }
        return nil
    }

    private static func prefixLength(_ reader: ByteReader) -> Int {
        reader.matches([0x45, 0x78, 0x69, 0x66, 0x00], at: 0) ? 6 : 0
    }

    private static func byteOrder(_ reader: ByteReader, at position: Int) -> Bool? {
        if reader.matches("II", at: position) { return false }
        return reader.matches("MM", at: position) ? true : nil
    }
}
