import SDImage

/// The readable images of an icon or cursor. They are alternatives, not frames ([MS-GRPICON] describes resources; ICONDIR and
/// CURSORDIR of Windows 3 describe the file).
struct ICODirectory {
    private static let headerLength = 6, entryLength = 16
    /// Position of the data offset within an entry; the fields before it (width, height, colors, hot spot and length) are not
    /// used.
    private static let offsetPosition = 12

    /// In the order of the file.
    private let entries: [ICOEntry]

    /// Skips entries outside the bytes, entries with a damaged header, and duplicate offsets; throws when none remains.
    init(_ bytes: Bytes, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        var reader = bytes.reader
        // Skips the reserved field, and the type, which is 1 for icons and 2 for cursors.
        guard reader.skip(4), let count = reader.u16(bigEndian: false) else { throw ICODirectory.endsEarly }
        var entries: [ICOEntry] = []
        var failure: ImageError?
        var offsets: Set<UInt32> = []
        for index in 0..<min(Int(count), limits.frames) {
            try stop.spend(ICODirectory.entryLength)
            do throws(ImageError) {
                let offset = try ICODirectory.offset(index, of: bytes)
                // Thousands of entries with one image would be parsed for nothing.
                guard offsets.insert(offset).inserted else { continue }
                entries.append(try ICODirectory.entry(at: offset, of: bytes))
            } catch { failure = failure ?? error }
        }
        guard !entries.isEmpty else { throw failure ?? ImageError(.badData, "ico: directory has no entry") }
        self.entries = entries
    }

    /// Returns the entries, best first: the smallest that covers the box in both directions, then larger ones, then the rest from
    /// the largest down. Without a box, the largest comes first. Equal sizes are ordered by depth, then by position.
    func ordered(for box: PixelSize?) -> [ICOEntry] {
        let wanted = box ?? PixelSize(width: Int.max, height: Int.max)
        return entries.enumerated().sorted { one, other in
            let covers = one.element.covers(wanted)
            if covers != other.element.covers(wanted) { return covers }
            let areas = (one.element.area, other.element.area)
            if areas.0 != areas.1 { return covers ? areas.0 < areas.1 : areas.0 > areas.1 }
            if one.element.depth != other.element.depth { return one.element.depth > other.element.depth }
            return one.offset < other.offset
        }.map(\.element)
    }

    /// Returns the offset of an image in the file.
    private static func offset(_ index: Int, of bytes: Bytes) throws(ImageError) -> UInt32 {
        var reader = bytes.reader
        guard reader.seek(to: headerLength + index * entryLength + offsetPosition),
            let offset = reader.u32(bigEndian: false), offset < bytes.count
        else { throw endsEarly }
        return offset
    }

    private static func entry(at offset: UInt32, of bytes: Bytes) throws(ImageError) -> ICOEntry {
        guard let rest = bytes.slice(Int(offset)..<bytes.count) else { throw endsEarly }
        return try ICOEntry(rest)
    }

    private static let endsEarly = ImageError(.truncated, "ico: data ends early")
}

extension ICOEntry {
    fileprivate var area: Int { size.pixelCount ?? Int.max }

    fileprivate func covers(_ box: PixelSize) -> Bool { size.width >= box.width && size.height >= box.height }
}
