/// Percent-encoding of RFC 3986, section 2.1.
/// Only "%XX" with two digits is an escape; "+" is not a space here.
package enum PercentEncoding {
    /// Replaces every byte for which `keeps` returns false by "%XX".
    package static func encode(_ bytes: some Sequence<UInt8>, keeping keeps: (UInt8) -> Bool) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if keeps(byte) {
                result.append(byte)
            } else {
                result += [Byte.percent, digit(byte >> 4), digit(byte & 15)]
            }
        }
        return result
    }

    /// True for the bytes that never need encoding (RFC 3986, section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        Byte.isLetter(byte) || Byte.isDigit(byte) || Array("-._~".utf8).contains(byte)
    }

    /// Replaces "%XX" by its byte; a percent sign without two hexadecimal digits stays unchanged.
    /// The result may be invalid UTF-8 or contain NUL bytes: callers check it.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(min(bytes.count, 4096))
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if let value = value(in: bytes, at: index) {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// The byte escaped at `index`, or nil if there is no escape.
    package static func value<Text: RandomAccessCollection>(in bytes: Text, at index: Int) -> UInt8?
    where Text.Element == UInt8, Text.Index == Int {
        guard bytes[index] == Byte.percent, bytes.endIndex - index >= 3,
            let high = Byte.hexValue(bytes[index + 1]), let low = Byte.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Upper-case digits, as RFC 3986 recommends.
    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 55 + value }
}
