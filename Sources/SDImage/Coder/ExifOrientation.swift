/// Reads the one EXIF tag that every picture needs (EXIF 2.32, section 4.6.4 A: tag 0x0112 of the first directory).
package enum ExifOrientation {
    private static let orientationTag: UInt16 = 0x0112
    private static let shortType: UInt16 = 3

    /// `up` when the block is damaged, has no such tag, or names an unknown value.
    ///
    /// `exif` is a TIFF block, with or without the "Exif" prefix that JPEG puts before it.
    package static func read(_ exif: Bytes) -> Orientation {
        var reader = exif.reader
        let start = reader.matches([0x45, 0x78, 0x69, 0x66, 0x00], at: 0) ? 6 : 0
        guard let bigEndian = byteOrder(reader, at: start), reader.seek(to: start + 2),
            reader.u16(bigEndian: bigEndian) == 42, let directory = reader.u32(bigEndian: bigEndian),
            reader.seek(to: start + Int(directory)), let count = reader.u16(bigEndian: bigEndian)
        else { return .up }
        return scan(&reader, entries: Int(count), bigEndian: bigEndian)
    }

    private static func byteOrder(_ reader: ByteReader, at position: Int) -> Bool? {
        if reader.matches("II", at: position) { return false }
        return reader.matches("MM", at: position) ? true : nil
    }

    /// One directory only and forward only: links between directories are not followed, so that none can loop.
    private static func scan(_ reader: inout ByteReader, entries: Int, bigEndian: Bool) -> Orientation {
        for _ in 0..<entries {
            guard let tag = reader.u16(bigEndian: bigEndian), let type = reader.u16(bigEndian: bigEndian),
                let count = reader.u32(bigEndian: bigEndian), let value = reader.u16(bigEndian: bigEndian), reader.skip(2)
            else { return .up }
            if tag == orientationTag { return type == shortType && count == 1 ? Orientation(exif: Int(value)) : .up }
        }
        return .up
    }
}
