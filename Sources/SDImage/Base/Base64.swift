/// Base64 (RFC 4648, section 4). Decoding accepts the form found in URLs: white space and "%XX" escapes anywhere, padding
/// optional. Every other byte outside the alphabet is refused.
package enum Base64 {
    /// Decoded bytes are appended to the output in pieces of about this size.
    static let piece = 16 << 10

    package static func decode(_ text: ArraySlice<UInt8>, limit: Int) throws(ImageError) -> Bytes {
        var output = ByteBuilder(limit: limit)
        try output.reserve(text.count / 4 * 3)
        var state = State()
        var chunk: [UInt8] = []
        chunk.reserveCapacity(piece + 3)
        var index = text.startIndex
        while index < text.endIndex {
            let escaped = PercentEncoding.value(in: text, at: index)
            guard state.take(escaped ?? text[index], into: &chunk) else { throw damaged }
            index += escaped == nil ? 1 : 3
            if chunk.count >= piece {
                try output.append(chunk)
                chunk.removeAll(keepingCapacity: true)
            }
        }
        guard state.finish(into: &chunk) else { throw damaged }
        try output.append(chunk)
        return output.finish()
    }

    /// The same for bytes of any length, without escapes.
    package static func decode(_ text: Bytes) throws(ImageError) -> Bytes {
        var output = ByteBuilder(limit: text.count)
        try output.reserve(text.count / 4 * 3)
        var state = State()
        var chunk: [UInt8] = []
        chunk.reserveCapacity(piece + 3)
        unsafe try text.withUnsafeBytes { bytes throws(ImageError) in
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                guard state.take(byte, into: &chunk) else { throw damaged }
                guard chunk.count >= piece else { continue }
                try output.append(chunk)
                chunk.removeAll(keepingCapacity: true)
            }
        }
        guard state.finish(into: &chunk) else { throw damaged }
        try output.append(chunk)
        return output.finish()
    }

    /// Encodes to one line, with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            let bits = piece.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - piece.count))
            for index in 0..<4 {
                text.append(index <= piece.count ? digits[Int(bits >> UInt32(18 - 6 * index)) & 63] : Byte.equals)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let damaged = ImageError(.badData, "base64: malformed data")

    /// Digits of an incomplete group of four, and the padding read so far.
    private struct State {
        private var bits: UInt32 = 0
        private var digits = 0
        private var padding = 0

        mutating func take(_ byte: UInt8, into chunk: inout [UInt8]) -> Bool {
            if Byte.isSpace(byte) { return true }
            if byte == Byte.equals {
                padding += 1
                return digits + padding <= 4 && digits >= 2
            }
            guard padding == 0, let value = State.value(byte) else { return false }
            bits = bits << 6 | UInt32(value)
            digits += 1
            if digits == 4 {
                chunk.append(UInt8(truncatingIfNeeded: bits >> 16))
                chunk.append(UInt8(truncatingIfNeeded: bits >> 8))
                chunk.append(UInt8(truncatingIfNeeded: bits))
                (bits, digits) = (0, 0)
            }
            return true
        }

        mutating func finish(into chunk: inout [UInt8]) -> Bool {
            guard padding == 0 || digits + padding == 4 else { return false }
            switch digits {
            case 0: return true
            case 2: chunk.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 3:
                chunk.append(UInt8(truncatingIfNeeded: bits >> 10))
                chunk.append(UInt8(truncatingIfNeeded: bits >> 2))
            default: return false
            }
            return true
        }

        private static func value(_ byte: UInt8) -> UInt8? {
            switch byte {
            case 65...90: byte - 65
            case 97...122: byte - 71
            case 48...57: byte + 4
            case Byte.plus: 62
            case Byte.slash: 63
            default: nil
            }
        }
    }
}
