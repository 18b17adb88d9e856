/// MD5 digest (RFC 1321). Used for file names, not for security.
/// The disk cache names its files by it, and the SQLite cache finds its rows by it.
package struct MD5: Hashable, Sendable {
    /// Bytes 0 to 7 of the digest, big-endian.
    package let high: UInt64
    /// Bytes 8 to 15, big-endian.
    package let low: UInt64

    package init(of message: [UInt8]) {
        var state = State()
        let whole = message.count & ~63
        let bytes = message.span
        for start in stride(from: 0, to: whole, by: 64) { state.add(bytes, at: start) }
        // Padding: the remaining bytes, a one bit, zeros, and the length in bits, little-endian (RFC 1321, 3.1, 3.2).
        let rest = message.count - whole
        var tail = InlineArray<128, UInt8>(repeating: 0)
        // The rest, the one bit and the length need one block, or two when fewer than eight bytes are left for the
        // length.
        for index in 0..<rest { tail[index] = bytes[whole + index] }
        tail[rest] = 0x80
        let end = rest < 56 ? 64 : 128
        let bits = UInt64(message.count) << 3
        for index in 0..<8 { tail[end - 8 + index] = UInt8(truncatingIfNeeded: bits >> UInt64(index * 8)) }
        for start in stride(from: 0, to: end, by: 64) { state.add(tail.span, at: start) }
        // The digest lists the words in little-endian order; the two numbers compare as its bytes do.
        high = UInt64(state.a.byteSwapped) << 32 | UInt64(state.b.byteSwapped)
        low = UInt64(state.c.byteSwapped) << 32 | UInt64(state.d.byteSwapped)
    }

    /// A digest read from storage.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// 32 lower-case hexadecimal digits.
    package var hexadecimal: String { Hexadecimal.string(high, digits: 16) + Hexadecimal.string(low, digits: 16) }

    private struct State {
        /// Initial values of RFC 1321, section 3.3.
        var a: UInt32 = 0x6745_2301
        var b: UInt32 = 0xefcd_ab89
        var c: UInt32 = 0x98ba_dcfe
        var d: UInt32 = 0x1032_5476

        /// Processes one block of 64 bytes (RFC 1321, 3.4).
        mutating func add(_ bytes: Span<UInt8>, at start: Int) {
            var x = InlineArray<16, UInt32>(repeating: 0)
            for word in 0..<16 {
                let at = start + word * 4
                x[word] =
                    UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16 | UInt32(bytes[at + 3]) << 24
            }
            let before = self
            // The four rounds with their functions F, G, H and I.
            run(0, x, factor: 1, offset: 0, turns: (7, 12, 17, 22)) { ($0 & $1) | (~$0 & $2) }
            run(16, x, factor: 5, offset: 1, turns: (5, 9, 14, 20)) { ($0 & $2) | ($1 & ~$2) }
            run(32, x, factor: 3, offset: 5, turns: (4, 11, 16, 23)) { $0 ^ $1 ^ $2 }
            run(48, x, factor: 7, offset: 0, turns: (6, 10, 15, 21)) { $1 ^ ($0 | ~$2) }
            a = a &+ before.a
            b = b &+ before.b
            c = c &+ before.c
            d = d &+ before.d
        }

        /// One round of 16 operations, which use the words of the block in the order `factor` * i + `offset`.
        /// `turns`: left rotations of the four operations, which repeat four times.
        @inline(__always)
        private mutating func run(
            _ first: Int, _ x: borrowing InlineArray<16, UInt32>, factor: Int, offset: Int,
            turns: (UInt32, UInt32, UInt32, UInt32), _ f: (UInt32, UInt32, UInt32) -> UInt32
        ) {
            for step in stride(from: 0, to: 16, by: 4) {
                let word = factor &* step &+ offset
                let number = first &+ step
                a = b &+ State.turned(a &+ f(b, c, d) &+ x[word & 15] &+ MD5.sines[number], turns.0)
                d = a &+ State.turned(d &+ f(a, b, c) &+ x[(word &+ factor) & 15] &+ MD5.sines[number &+ 1], turns.1)
                c = d &+ State.turned(c &+ f(d, a, b) &+ x[(word &+ 2 &* factor) & 15] &+ MD5.sines[number &+ 2], turns.2)
                b = c &+ State.turned(b &+ f(c, d, a) &+ x[(word &+ 3 &* factor) & 15] &+ MD5.sines[number &+ 3], turns.3)
            }
        }

        /// Rotates left.
        @inline(__always)
        private static func turned(_ value: UInt32, _ bits: UInt32) -> UInt32 { value << bits | value >> (32 &- bits) }
    }

    /// The integer part of 2^32 times abs(sin(i)), i = 1 ... 64 in radians.
    private static let sines: InlineArray<64, UInt32> = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]
}

/// Unsigned numbers in lower-case hexadecimal.
package enum Hexadecimal {
    /// Pads with zeros to at least `digits` digits.
    package static func string(_ value: UInt64, digits: Int = 1) -> String {
        let plain = String(value, radix: 16)
        return plain.utf8.count >= digits ? plain : String(repeating: "0", count: digits - plain.utf8.count) + plain
    }

    /// Parses only the output format of `string`: no sign, no capitals, 1 to 16 digits.
    package static func value(_ text: some Sequence<UInt8>) -> UInt64? {
        var (value, count) = (UInt64(0), 0)
        for byte in text {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            count += 1
            // More digits would overflow silently.
            guard count <= 16 else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return count > 0 ? value : nil
    }
}
