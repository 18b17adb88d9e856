/// Reads the one EXIF tag that every picture needs (EXIF 2.32, section 4.6.4 A: tag 0x0112 of the first directory).
package enum ExifOrientation {
    private static let orientationTag: UInt16 = 0x0112

    /// `up` when the block is damaged, has no such tag, or names an unknown value.
    ///
    /// `exif` is a TIFF block, with or without the "Exif" prefix that JPEG puts before it.
    package static func read(_ exif: Bytes) -> Orientation {
        ExifDirectory(exif)?.short(orientationTag).map { Orientation(exif: Int($0)) } ?? .up
    }

    /// A block that says nothing else.
    package static func block(_ orientation: Orientation) throws(ImageError) -> Bytes {
        let value = UInt8(truncatingIfNeeded: orientation.rawValue)
        return try .copying([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0])
    }

    /// The same block, without the prefix of JPEG, with another orientation. Throws for what is no EXIF.
    package static func replacing(in exif: Bytes, by orientation: Orientation) throws(ImageError) -> Bytes {
        guard let block = ExifDirectory.block(exif), let directory = ExifDirectory(block) else {
            throw ImageError(.invalidArgument, "the EXIF block is damaged")
        }
        let value = UInt16(truncatingIfNeeded: orientation.rawValue)
        if let position = directory.shortPosition(orientationTag) {
            return try spliced(block, at: position, directory.two(value))
        }
        guard orientation != .up else { return block }
        // The directory moves behind everything else; it must begin at an even offset (TIFF 6.0, section 2).
        guard let larger = directory.adding(orientationTag, value), let offset = UInt32(exactly: (block.count + 1) & ~1) else {
            throw ImageError(.invalidArgument, "the EXIF block is damaged")
        }
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: offset >> (8 * $0)) }
        let moved = try spliced(block, at: 4, directory.bigEndian ? bytes.reversed() : bytes)
        var builder = ByteBuilder(limit: Int.max)
        unsafe try moved.withUnsafeBytes { bytes throws(ImageError) in unsafe try builder.append(bytes) }
        if block.count % 2 == 1 { try builder.append([0]) }
        try builder.append(larger)
        return builder.finish()
    }

    /// A copy in which bytes that lie inside were replaced.
    private static func spliced(_ block: Bytes, at position: Int, _ bytes: [UInt8]) throws(ImageError) -> Bytes {
        var builder = ByteBuilder(limit: Int.max)
        let end = position + bytes.count
        guard let head = block.slice(0..<position), end <= block.count, let tail = block.slice(end..<block.count) else {
            throw ImageError(.invalidArgument, "the EXIF block is damaged")
        }
        unsafe try head.withUnsafeBytes { bytes throws(ImageError) in unsafe try builder.append(bytes) }
        try builder.append(bytes)
        unsafe try tail.withUnsafeBytes { bytes throws(ImageError) in unsafe try builder.append(bytes) }
        return builder.finish()
    }
}
