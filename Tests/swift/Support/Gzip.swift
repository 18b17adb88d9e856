/// Makes gzip streams by hand (RFC 1951, RFC 1952).
public enum Gzip {
    /// The bytes in stored blocks, without compression.
    public static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out = header
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(65535)
            rest = rest.dropFirst(65535)
            let length = UInt16(piece.count)
            out.append(rest.isEmpty ? 1 : 0)
            out += [UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
            out += piece
        } while !rest.isEmpty
        return out + little(crc(bytes)) + little(UInt32(bytes.count))
    }

    /// Zeros, compressed to a thousandth of their size; without a checksum.
    public static func zeros(atLeast count: Int) -> [UInt8] { repeating([0], distanceCode: [(0, 5)], atLeast: count) }

    /// A gzip stream of empty stored blocks, itself compressed to a thousandth of its size; without an end.
    public static func emptyBlocks(atLeast count: Int) -> [UInt8] {
        repeating(header + [0, 0, 0, 255, 255], distanceCode: [(4, 5), (0, 1)], atLeast: count)
    }

    /// The literals, and then copies of what is as far back as the distance code tells.
    private static func repeating(_ literals: [UInt8], distanceCode: [(Int, Int)], atLeast count: Int) -> [UInt8] {
        var bits: [UInt8] = []
        var filled = 0
        func put(_ code: Int, _ length: Int) {
            for position in (0..<length).reversed() {
                if filled % 8 == 0 { bits.append(0) }
                if code >> position & 1 == 1 { bits[bits.count - 1] |= 1 << (filled % 8) }
                filled += 1
            }
        }
        put(0b110, 3)  // last block, fixed codes: BFINAL = 1, BTYPE = 01 from its low bit
        for literal in literals {
            if literal < 144 { put(0b0011_0000 + Int(literal), 8) } else { put(0b1_1001_0000 + Int(literal) - 144, 9) }
        }
        for _ in 0..<(count / 258 + 1) {
            put(0b1100_0101, 8)  // length 258
            for (code, length) in distanceCode { put(code, length) }
        }
        put(0, 7)  // end of block
        return header + bits
    }

    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

    private static func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xffff_ffff
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
