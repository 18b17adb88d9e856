import SDImage

/// The pictures of an icon or cursor that can be read; they are alternatives, not frames ([MS-GRPICON] is of resources;
/// ICONDIR and CURSORDIR of Windows 3 describe the file).
struct ICODirectory {
    private static let headerLength = 6, entryLength = 16
    /// Of the position inside an entry; width, height, colours, hot spot and length before it are not needed.
    private static let offsetPosition = 12

    private let entries: [ICOEntry]

    /// Entries outside the bytes, those whose header is damaged, and repetitions of an offset are left out; throws when none
    /// remains.
    init(_ bytes: Bytes, limits: DecodeLimits, stop: StopSignal) throws(ImageError) {
        var reader = bytes.reader
        guard reader.skip(4), let count = reader.u16(bigEndian: false) else { throw ICODirectory.endsEarly }
        var entries: [ICOEntry] = []
        var failure: ImageError?
        var offsets: Set<UInt32> = []
        for index in 0..<min(Int(count), limits.frames) {
            try stop.spend(ICODirectory.entryLength)
            do throws(ImageError) {
                let offset = try ICODirectory.offset(index, of: bytes)
                guard offsets.insert(offset).inserted else { continue }
                entries.append(try ICODirectory.entry(at: offset, of: bytes))
            } catch { failure = failure ?? error }
        }
        guard !entries.isEmpty else { throw failure ?? ImageError(.badData, "ico: no entry") }
        self.entries = entries
    }

    /// The entries, the best first: the smallest that covers the box in both directions, then larger ones, then the
    /// rest from the largest on; without a box the largest. Of equal size the deepest, then the first.
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

    private static let endsEarly = ImageError(.truncated, "ico: data end early")
}

extension ICOEntry {
    fileprivate var area: Int { size.pixelCount ?? Int.max }

    fileprivate func covers(_ box: PixelSize) -> Bool { size.width >= box.width && size.height >= box.height }
}
