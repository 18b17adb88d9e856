import Glibc
import SDImage

/// Blocks as ImageMagick has long stored them in PNG texts, under keys such as "Raw profile type exif": a line with a name, one
/// with the length, and the bytes as hexadecimal digits.
enum RawProfile {
    /// Beginning of the key; the kind of the block follows.
    static let prefix = Array("Raw profile type ".utf8)

    /// nil when the text is damaged or longer than `limit`.
    static func decode(_ text: Bytes, limit: Int) -> Bytes? {
        var reader = text.reader
        // The first line is empty. The length is checked before memory is allocated: each byte takes two digits.
        guard skipLine(&reader), skipLine(&reader), let length = number(&reader), length > 0, length <= limit,
            length <= reader.remaining / 2, let memory = unsafe malloc(length)
        else { return nil }
        let target = unsafe UnsafeMutableRawBufferPointer(start: memory, count: length)
        let bytes = unsafe Bytes.adopting(malloced: memory, count: length)
        for index in 0..<length {
            guard let high = digit(&reader), let low = digit(&reader) else { return nil }
            unsafe target[index] = high << 4 | low
        }
        return bytes
    }

    private static let lineFeed: UInt8 = 10

    /// Skips to the next line; false at the end of the text.
    private static func skipLine(_ reader: inout ByteReader) -> Bool {
        while let byte = reader.u8() { if byte == lineFeed { return true } }
        return false
    }

    /// Reads the number in a line, of at most nine digits.
    private static func number(_ reader: inout ByteReader) -> Int? {
        var value = 0
        var digits = 0
        while let byte = reader.u8(), byte != lineFeed {
            if byte == Byte.space { continue }
            guard Byte.isDigit(byte), digits < 9 else { return nil }
            value = value * 10 + Int(byte - Byte.zero)
            digits += 1
        }
        return digits > 0 ? value : nil
    }

    /// Reads a hexadecimal digit after white space.
    private static func digit(_ reader: inout ByteReader) -> UInt8? {
        while let byte = reader.u8() {
            if Byte.isSpace(byte) { continue }
            return Byte.hexValue(byte)
        }
        return nil
    }
}
