/// Writes bitmaps field by field, invalid ones too. Unset fields are 0.
struct BMPBuilder {
    var headerLength = 40
    var width: Int
    var height: Int
    var bits: Int
    var compression = 0
    var colors = 0
    /// Red, green, blue, alpha: inside the header if it has fields for them, otherwise after it.
    var masks: [UInt32] = []
    /// Further fields of 4 bytes by their offset in the header.
    var fields: [Int: UInt32] = [:]
    /// Blue, green, red, 0 for each color.
    var palette: [UInt8] = []
    var data: [UInt8] = []
    /// The data offset to write; nil for the correct one.
    var offset: Int?

    init(_ width: Int, _ height: Int, bits: Int, _ data: [UInt8] = []) {
        self.width = width
        self.height = height
        self.bits = bits
        self.data = data
    }

    static func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    static func two(_ value: Int) -> [UInt8] { Array(four(value).prefix(2)) }

    /// The bitmap without its file header, as in an icon.
    var inner: [UInt8] {
        var header = BMPBuilder.four(headerLength)
        if headerLength == 12 {
            header += [width, height, 1, bits].flatMap(BMPBuilder.two)
        } else {
            header += BMPBuilder.four(width) + BMPBuilder.four(height) + BMPBuilder.two(1) + BMPBuilder.two(bits)
            header += [compression, 0, 0, 0, colors, 0].flatMap(BMPBuilder.four)
            header += masks.flatMap { BMPBuilder.four(Int($0)) }
            header += [UInt8](repeating: 0, count: max(0, headerLength - header.count))
        }
        for (place, value) in fields { header.replaceSubrange(place..<place + 4, with: BMPBuilder.four(Int(value))) }
        return header + palette + data
    }

    var bytes: [UInt8] {
        let inner = inner
        let offset = offset ?? 14 + inner.count - data.count
        return Array("BM".utf8) + [14 + inner.count, 0, offset].flatMap(BMPBuilder.four) + inner
    }
}

/// Writes an icon or cursor of these entries, one after the other.
struct ICOBuilder {
    var kind = 1
    var entries: [[UInt8]] = []
    /// Offsets to write instead of the correct ones, by entry.
    var offsets: [Int: Int] = [:]

    init(_ entries: [UInt8]...) { self.entries = entries }

    var bytes: [UInt8] {
        var place = 6 + 16 * entries.count
        var directory = [0, kind, entries.count].flatMap(BMPBuilder.two)
        for (index, entry) in entries.enumerated() {
            // Directories often have wrong sizes and depths: these always have.
            directory += [99, 99, 0, 0] + [1, 1].flatMap(BMPBuilder.two)
            directory += [max(entry.count, 1), offsets[index] ?? place].flatMap(BMPBuilder.four)
            place += entry.count
        }
        return directory + entries.flatMap { $0 }
    }
}
