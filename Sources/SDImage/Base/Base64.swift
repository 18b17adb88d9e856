/// Base64 (RFC 4648, section 4). Decoding accepts the form found in URLs: white space and "%XX" escapes anywhere, padding
/// optional. Every other byte outside the alphabet is refused.
/// Data URLs (`DataURLLoader`), the download hook for Base64 bodies and the credentials of Basic authentication use
/// it.
package enum Base64 {
    /// Limit for the bytes decoded by one call of `takeGroups`.
    static let piece = 16 << 10

    /// Decodes a slice of a URL; throws `badData` if it is malformed, and `tooLarge` if the result exceeds `limit`
    /// bytes.
    package static func decode(_ text: ArraySlice<UInt8>, limit: Int) throws(ImageError) -> Bytes {
        unsafe try text.span.withUnsafeBytes { bytes throws(ImageError) in
            unsafe try decode(bytes, hasEscapes: true, limit: limit)
        }
    }

    /// The same for bytes of any length, without escapes.
    package static func decode(_ text: Bytes) throws(ImageError) -> Bytes {
        unsafe try text.withUnsafeBytes { bytes throws(ImageError) in
            unsafe try decode(bytes, hasEscapes: false, limit: bytes.count)
        }
    }

    private static func decode(_ text: UnsafeRawBufferPointer, hasEscapes: Bool, limit: Int) throws(ImageError) -> Bytes {
        var output = ByteBuilder(limit: limit)
        // Only a hint: white space and escapes make the result shorter than this.
        try output.reserve(text.count / 4 * 3)
        var state = State()
        var group: [UInt8] = []
        var index = 0
        while index < text.count {
            // Between groups nothing is pending, so the fast loop may take whole groups until it meets another byte.
            if state.isBetweenGroups {
                let most = min((text.count - index) / 4 * 3, piece)
                let decoded = unsafe try output.append(upTo: most) { room in unsafe takeGroups(text[index...], into: room) }
                index += decoded / 3 * 4
                guard index < text.count else { break }
            }
            // The slow path takes one byte, plain or escaped; it completes a group or reports malformed text.
            let escaped = unsafe hasEscapes ? PercentEncoding.value(in: text, at: index) : nil
            guard unsafe state.take(escaped ?? text[index], into: &group) else { throw damaged }
            index += escaped == nil ? 1 : 3
            try output.append(group)
            group.removeAll(keepingCapacity: true)
        }
        guard state.finish(into: &group) else { throw damaged }
        try output.append(group)
        return output.finish()
    }

    /// Decodes groups of four digits until another byte, an incomplete group or the end of the room follows; returns the number
    /// of decoded bytes, three for each group.
    private static func takeGroups(_ text: Slice<UnsafeRawBufferPointer>, into room: UnsafeMutableRawBufferPointer) -> Int {
        // Copied, because a read of the static inside the loop would repeat its check for initialization.
        let values = values
        var (from, to) = unsafe (text.startIndex, 0)
        // Each group needs its four digits and room for three bytes: the bounds are checked once per group.
        while unsafe text.endIndex - from >= 4, room.count - to >= 3 {
            var bits: UInt32 = 0
            var isOther: UInt8 = 0
            for offset in 0..<4 {
                let value = unsafe values[Int(text[from + offset])]
                // One test per group instead of four: only bytes outside the alphabet set bit 6.
                isOther |= value
                bits = bits << 6 | UInt32(value & 63)
            }
            guard isOther < notADigit else { break }
            unsafe room[to] = UInt8(truncatingIfNeeded: bits >> 16)
            unsafe room[to + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            unsafe room[to + 2] = UInt8(truncatingIfNeeded: bits)
            (from, to) = (from + 4, to + 3)
        }
        return to
    }

    /// Bit 6 alone, so that the bits of digits and this mark can be joined with OR.
    private static let notADigit: UInt8 = 64
    /// The value of every byte as a digit.
    /// An array of 256 elements.
    private static let values = (0...UInt8.max).map { State.value($0) ?? notADigit }

    /// Encodes to one line, with padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        // A group of three bytes becomes four digits. A shorter last group has one digit more than bytes, then
        // padding.
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
    /// The slow path of the decoder.
    private struct State {
        /// Values of the pending digits, six bits each.
        private var bits: UInt32 = 0
        private var digits = 0
        private var padding = 0

        /// True if the next byte may begin a group.
        var isBetweenGroups: Bool { digits == 0 && padding == 0 }

        /// Adds a byte, and appends the bytes of the group it completes. Returns false for a byte that cannot stand
        /// here.
        mutating func take(_ byte: UInt8, into group: inout [UInt8]) -> Bool {
            if Byte.isSpace(byte) { return true }
            // A group ends with two or three digits and padding up to four; padding after one digit is malformed.
            if byte == Byte.equals {
                padding += 1
                return digits + padding <= 4 && digits >= 2
            }
            guard padding == 0, let value = State.value(byte) else { return false }
            bits = bits << 6 | UInt32(value)
            digits += 1
            if digits == 4 {
                group.append(UInt8(truncatingIfNeeded: bits >> 16))
                group.append(UInt8(truncatingIfNeeded: bits >> 8))
                group.append(UInt8(truncatingIfNeeded: bits))
                (bits, digits) = (0, 0)
            }
            return true
        }

        /// Ends the text and appends the bytes of an incomplete group. False for one pending digit, or for incomplete
        /// padding.
        mutating func finish(into group: inout [UInt8]) -> Bool {
            guard padding == 0 || digits + padding == 4 else { return false }
            switch digits {
            case 0: return true
            case 2: group.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 3:
                group.append(UInt8(truncatingIfNeeded: bits >> 10))
                group.append(UInt8(truncatingIfNeeded: bits >> 2))
            default: return false
            }
            return true
        }

        /// The value of a digit of RFC 4648, table 1; nil for other bytes.
        static func value(_ byte: UInt8) -> UInt8? {
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
