/// Correct checksums for changed PNG chunks (PNG specification, 5.3 and 5.5).
enum PNGChecksums {
    private static let signature = 8
    /// Length and type before the content of a chunk, checksum after it.
    private static let before = 8, behind = 4

    /// Repairs each chunk while the lengths stay within the bytes.
    static func repair(_ whole: UnsafeMutableBufferPointer<UInt8>, from start: Int = 0) {
        let bytes = UnsafeMutableBufferPointer(rebasing: whole.dropFirst(start))
        guard bytes.count > signature, bytes.first == 0x89 else { return }
        var position = signature
        while bytes.count - position >= before + behind {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
            guard length <= bytes.count - position - before - behind else { return }
            let end = position + before + length
            let sum = checksum(bytes[(position + 4)..<end])
            for index in 0..<behind { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * index)) }
            position = end + behind
        }
    }

    private static func checksum(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
