import SDImage

/// Writes the EXIF block of a file: the given one or a new one, with the image's orientation and an optional preview (EXIF 2.32,
/// 4.5 and 4.6). Data of a given block stay where they are, because maker notes may contain offsets. `JPEGEncoder`,
/// `PNGAncillaryWriter` and `WebPEncoder` use it.
struct ExifWriter {
    /// Orientation, and field types (TIFF 6.0, section 2).
    private static let orientationTag: UInt16 = 0x0112
    private static let shortType: UInt16 = 3
    private static let longType: UInt16 = 4
    private static let rationalType: UInt16 = 5

    /// Upper bound of the bytes in addition to the preview and the given block.
    static let overhead = 256

    /// Maximum number of entries; the standard has about a hundred tags.
    private static let mostEntries = 1000

    /// The given TIFF block; empty if there is none.
    private let given: Bytes
    /// Its first directory; nil without a given block.
    private let directory: ExifDirectory?
    private let orientation: Orientation

    /// Throws when the bytes are not EXIF.
    init(_ given: Bytes?, orientation: Orientation) throws(ImageError) {
        self.given = given.flatMap(ExifDirectory.block) ?? .empty
        directory = given == nil ? nil : ExifDirectory(self.given)
        if given != nil, directory == nil { throw ImageError(.invalidArgument, "metadata: invalid EXIF block") }
        guard directory?.entries.count ?? 0 <= ExifWriter.mostEntries * ExifDirectory.entryBytes else {
            throw .tooLarge("metadata: EXIF entry count", limit: ExifWriter.mostEntries)
        }
        self.orientation = orientation
    }

    /// Bytes of the given block.
    var givenBytes: Int { given.count }

    /// Returns the block; nil when there is nothing to store. `preview` is a JPEG file.
    func block(preview: Bytes? = nil) throws(ImageError) -> Bytes? {
        if preview == nil {
            if directory == nil, orientation == .up { return nil }
            // A block that needs no change stays as it is; a wrong orientation is overwritten in place.
            if let directory {
                if directory.short(ExifWriter.orientationTag) == number { return given }
                if let position = directory.shortPosition(ExifWriter.orientationTag) { return try patched(at: position) }
                // An orientation of another type, which readers may accept, is replaced.
                if orientation == .up, !directory.contains(ExifWriter.orientationTag) { return given }
            }
        }
        return try rebuilt(preview: preview)
    }

    /// The value to store for the orientation, and the byte order of the block. A new block is big-endian.
    private var number: UInt16 { UInt16(clamping: orientation.rawValue) }
    private var isBigEndian: Bool { directory?.bigEndian ?? true }

    /// Returns the block with another orientation, which is at `position`.
    private func patched(at position: Int) throws(ImageError) -> Bytes {
        let output = try OutputBytes(expecting: given.count)
        try output.append(given)
        output.replace(at: position, with: bytes(number))
        return try output.finish()
    }

    /// Appends a new first directory, which can have any length there; data referenced by the old one stay in place.
    private func rebuilt(preview: Bytes?) throws(ImageError) -> Bytes {
        let output = try OutputBytes(expecting: given.count + (preview?.count ?? 0) + ExifWriter.overhead)
        try output.append(given)
        // The header of a new block: "MM", 42, and the offset of the first directory, which is filled in below.
        if directory == nil { try output.append([0x4D, 0x4D, 0, 42, 0, 0, 0, 0]) }
        // Directories begin at even offsets (TIFF 6.0, section 2).
        if output.count % 2 != 0 { try output.append([0]) }
        output.replace(at: 4, with: bytes(UInt32(clamping: output.count)))
        try appendFirst(to: output, hasPreview: preview != nil)
        if let preview { try appendSecond(to: output, preview) }
        return try output.finish()
    }

    /// Appends the first directory. Entries are sorted by tag (TIFF 6.0, section 2).
    private func appendFirst(to output: OutputBytes, hasPreview: Bool) throws(ImageError) {
        var entries: [[UInt8]] = [entry(ExifWriter.orientationTag, ExifWriter.shortType, bytes(number) + [0, 0])]
        for start in stride(from: 0, to: directory?.entries.count ?? 0, by: ExifDirectory.entryBytes) {
            let first = (directory?.entries.lowerBound ?? 0) + start
            let old = (first..<first + ExifDirectory.entryBytes).map { given.reader.byte(at: $0) ?? 0 }
            if tag(old) != ExifWriter.orientationTag { entries.append(old) }
        }
        entries.sort { tag($0) < tag($1) }
        // The number of entries, the entries, and the offset of the next directory (TIFF 6.0, section 2).
        try output.append(bytes(UInt16(clamping: entries.count)) + entries.flatMap { $0 })
        // A new preview replaces the second directory; otherwise the old one remains.
        let next = hasPreview ? UInt32(clamping: output.count + 4) : directory?.following ?? 0
        try output.append(bytes(next))
    }

    /// Appends the directory of the preview (4.6.3, and table 24), the resolution, and the preview itself.
    private func appendSecond(to output: OutputBytes, _ preview: Bytes) throws(ImageError) {
        // The offset of the resolution: behind the number of entries, the entries, and the offset of the next directory.
        let entryCount = 6
        let resolution = output.count + 2 + entryCount * ExifDirectory.entryBytes + 4
        let start = UInt32(clamping: resolution)
        try output.append(
            bytes(UInt16(clamping: entryCount))
                // JPEG; 72 pixels per inch horizontally and vertically; offset and length of the file.
                + entry(0x0103, ExifWriter.shortType, bytes(6 as UInt16) + [0, 0])
                + entry(0x011A, ExifWriter.rationalType, bytes(start))
                + entry(0x011B, ExifWriter.rationalType, bytes(start))
                + entry(0x0128, ExifWriter.shortType, bytes(2 as UInt16) + [0, 0])
                + entry(0x0201, ExifWriter.longType, bytes(start &+ 8))
                + entry(0x0202, ExifWriter.longType, bytes(UInt32(clamping: preview.count)))
                + bytes(0 as UInt32) + bytes(72 as UInt32) + bytes(1 as UInt32))
        try output.append(preview)
    }

    /// Returns a directory entry with one value, or its offset, in four bytes.
    private func entry(_ tag: UInt16, _ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        bytes(tag) + bytes(type) + bytes(1 as UInt32) + value
    }

    private func tag(_ entry: [UInt8]) -> UInt16 {
        guard entry.count >= 2 else { return 0 }
        return isBigEndian ? UInt16(entry[0]) << 8 | UInt16(entry[1]) : UInt16(entry[1]) << 8 | UInt16(entry[0])
    }

    private func bytes(_ value: UInt16) -> [UInt8] {
        let big = [UInt8(value >> 8), UInt8(value & 255)]
        return isBigEndian ? big : big.reversed()
    }

    private func bytes(_ value: UInt32) -> [UInt8] {
        let (high, low) = (bytes(UInt16(value >> 16)), bytes(UInt16(value & 0xFFFF)))
        return isBigEndian ? high + low : low + high
    }
}
