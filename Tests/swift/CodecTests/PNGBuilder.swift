import SDImage

/// Writes PNG files chunk by chunk, invalid ones too; the image data are stored uncompressed.
struct PNGBuilder {
    private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) } }

    static func header(_ width: Int, _ height: Int, depth: UInt8, type: UInt8, interlaced: Bool = false) -> PNGBuilder {
        var builder = PNGBuilder()
        builder.chunk("IHDR", four(width) + four(height) + [depth, type, 0, 0, interlaced ? 1 : 0])
        return builder
    }

    mutating func chunk(_ name: String, _ data: [UInt8], damaged: Bool = false) {
        let covered = Array(name.utf8) + data
        bytes += PNGBuilder.four(data.count) + covered + PNGBuilder.four(Int(PNGBuilder.crc(covered)) ^ (damaged ? 1 : 0))
    }

    /// Rows of packed samples; each gets filter type 0.
    static func rows(_ rows: [[UInt8]]) -> [UInt8] { zlib(rows.flatMap { [0] + $0 }) }

    /// The complete file, with image data and IEND appended.
    func finished(_ rows: [[UInt8]]) -> [UInt8] {
        var builder = self
        builder.chunk("IDAT", PNGBuilder.rows(rows))
        builder.chunk("IEND", [])
        return builder.bytes
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951).
    static func zlib(_ data: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var rest = data[...]
        repeat {
            let part = rest.prefix(65535)
            rest = rest.dropFirst(part.count)
            let (low, high) = (UInt8(part.count & 255), UInt8(part.count >> 8))
            out += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + part
        } while !rest.isEmpty
        var (a, b) = (1, 0)
        for byte in data { (a, b) = ((a + Int(byte)) % 65521, (b + a + Int(byte)) % 65521) }
        return out + four(b << 16 | a)
    }

    static func crc(_ data: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in data { crc = crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 255)] }
        return ~crc
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
}
