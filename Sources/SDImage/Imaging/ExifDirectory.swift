/// The first directory of an EXIF block (EXIF 2.32, section 4.6.2): the TIFF structure with the tags of the whole image.
/// Every offset in it comes from the file and is checked on use.
///
/// Links are followed only by `directory(_:)`, one at a time, so that loops are impossible.
/// Used for orientation and resolution, and by metadata of coders. Types of values are those of TIFF 6.0, section 2.
package struct ExifDirectory {
    private static let shortType: UInt16 = 3
    private static let longType: UInt16 = 4
    private static let rationalType: UInt16 = 5
    private static let undefinedType: UInt16 = 7
    private static let signedRationalType: UInt16 = 10
    package static let entryBytes = 12

    /// Covers the whole block; positions are absolute in it.
    private let reader: ByteReader
    /// True for "MM", false for "II".
    package let bigEndian: Bool
    /// Start of the TIFF structure; all offsets in it are relative to this position.
    private let start: Int
    /// Position of the first entry.
    private let firstEntry: Int
    /// Number of entries as announced; those beyond the end of the block do not exist.
    private let count: Int

    /// One entry of the directory: 12 bytes, of which the tag is not kept.
    private struct Entry {
        /// Type of the value (TIFF 6.0).
        let type: UInt16
        /// Number of values, not of bytes.
        let count: UInt32
        /// Position of the four bytes that hold a short value or the offset of a longer one.
        let position: Int
    }

    /// Parses the header. `exif` is a TIFF block, with or without the "Exif" prefix of JPEG. Fails for any other data,
    /// including BigTIFF (version 43), which EXIF does not allow.
    /// The offset of the directory may be anywhere; it is checked on use.
    package init?(_ exif: Bytes) {
        var reader = exif.reader
        let start = ExifDirectory.prefixLength(reader)
        guard let bigEndian = ExifDirectory.byteOrder(reader, at: start), reader.seek(to: start + 2),
            // 42 identifies TIFF.
            reader.u16(bigEndian: bigEndian) == 42, let directory = reader.u32(bigEndian: bigEndian)
        else { return nil }
        self.init(reader, start: start, at: start + Int(directory), bigEndian: bigEndian)
    }

    /// Reads the directory at a position of a block without a TIFF header, such as a maker note; its offsets are relative to the
    /// start of the block.
    package init?(_ block: Bytes, at position: Int, bigEndian: Bool) {
        self.init(block.reader, start: 0, at: position, bigEndian: bigEndian)
    }

    /// Fails if the position is outside the block.
    private init?(_ reader: ByteReader, start: Int, at position: Int, bigEndian: Bool) {
        var reader = reader
        guard reader.seek(to: position), let count = reader.u16(bigEndian: bigEndian) else { return nil }
        self.reader = reader
        self.bigEndian = bigEndian
        self.start = start
        firstEntry = reader.offset
        self.count = Int(count)
    }

    /// The TIFF block without the prefix.
    package static func block(_ exif: Bytes) -> Bytes? { exif.slice(min(prefixLength(exif.reader), exif.count)..<exif.count) }

    package func contains(_ tag: UInt16) -> Bool { entry(tag) != nil }

    /// Reads a value of one 16-bit integer; nil when the tag is missing or of another type.
    package func short(_ tag: UInt16) -> UInt16? {
        guard let entry = entry(tag), entry.type == ExifDirectory.shortType, entry.count == 1 else { return nil }
        var reader = reader
        return reader.seek(to: entry.position) ? reader.u16(bigEndian: bigEndian) : nil
    }

    /// Reads a value of one rational; nil when the tag is missing, of another type or not positive.
    package func rational(_ tag: UInt16) -> Double? {
        guard let (numerator, denominator) = pair(tag, ExifDirectory.rationalType), numerator > 0, denominator > 0 else {
            return nil
        }
        return Double(numerator) / Double(denominator)
    }

    /// Reads a value of one signed rational; nil when the tag is missing, of another type or has the denominator 0.
    package func signedRational(_ tag: UInt16) -> Double? {
        guard let (numerator, denominator) = pair(tag, ExifDirectory.signedRationalType), denominator != 0 else { return nil }
        return Double(Int32(bitPattern: numerator)) / Double(Int32(bitPattern: denominator))
    }

    /// The two numbers of a rational, which lie outside the entry; nil as above.
    private func pair(_ tag: UInt16, _ type: UInt16) -> (UInt32, UInt32)? {
        guard let entry = entry(tag), entry.type == type, entry.count == 1 else { return nil }
        var reader = reader
        guard reader.seek(to: entry.position), let offset = reader.u32(bigEndian: bigEndian),
            reader.seek(to: start + Int(offset)), let first = reader.u32(bigEndian: bigEndian),
            let second = reader.u32(bigEndian: bigEndian)
        else { return nil }
        return (first, second)
    }

    /// Reads the directory that a tag points to; nil when the tag is missing or of another type.
    /// The directory may be the same as this one, or an earlier one: the caller must bound the depth.
    package func directory(_ tag: UInt16) -> ExifDirectory? {
        guard let entry = entry(tag), entry.type == ExifDirectory.longType, entry.count == 1 else { return nil }
        var reader = reader
        guard reader.seek(to: entry.position), let offset = reader.u32(bigEndian: bigEndian) else { return nil }
        return ExifDirectory(reader, start: start, at: start + Int(offset), bigEndian: bigEndian)
    }

    /// The location of a value of undefined type in the block; nil when the tag is missing, of another type or not inside the block.
    package func undefined(_ tag: UInt16) -> Range<Int>? {
        guard let entry = entry(tag), entry.type == ExifDirectory.undefinedType, entry.count > 4 else { return nil }
        var reader = reader
        guard reader.seek(to: entry.position), let offset = reader.u32(bigEndian: bigEndian),
            reader.seek(to: start + Int(offset)), Int(entry.count) <= reader.remaining
        else { return nil }
        return reader.offset..<reader.offset + Int(entry.count)
    }

    /// Position of a value of one 16-bit integer in the block; nil when the tag is missing or of another type.
    /// For writers that change the value in place.
    package func shortPosition(_ tag: UInt16) -> Int? {
        guard let entry = entry(tag), entry.type == ExifDirectory.shortType, entry.count == 1 else { return nil }
        return entry.position
    }

    /// Byte range of the entries in the block, cut off at its end; and the offset of the next directory, 0 for none.
    package var entries: Range<Int> {
        firstEntry..<min(firstEntry + count * ExifDirectory.entryBytes, reader.count)
    }
    package var following: UInt32 {
        var reader = reader
        return reader.seek(to: entries.upperBound) ? reader.u32(bigEndian: bigEndian) ?? 0 : 0
    }

    /// Finds the first entry of a tag; a duplicate is invalid and ignored.
    /// nil also if the entries before it are cut off.
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

    /// "Exif" and two bytes of padding.
    private static func prefixLength(_ reader: ByteReader) -> Int {
        reader.matches([0x45, 0x78, 0x69, 0x66, 0x00], at: 0) ? 6 : 0
    }

    /// nil for other bytes.
    private static func byteOrder(_ reader: ByteReader, at position: Int) -> Bool? {
        if reader.matches("II", at: position) { return false }
        return reader.matches("MM", at: position) ? true : nil
    }
}
