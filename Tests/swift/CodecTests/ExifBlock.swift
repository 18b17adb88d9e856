import SDImage
import SDImagePixels

/// Builds EXIF blocks, and reads the parts that the library does not read.
enum ExifBlock {
    /// A directory of 16-bit values: the orientation, and for every other tag its low byte.
    static func bytes(tags: [Int], orientation: Int, bigEndian: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let little = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return bigEndian ? little.reversed() : little
        }
        var block: [UInt8] = bigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        block += number(42, 2) + number(8, 4) + number(tags.count, 2)
        for tag in tags {
            block += number(tag, 2) + number(3, 2) + number(1, 4)
            block += number(tag == 0x0112 ? orientation : tag & 255, 2) + [0, 0]
        }
        return block + number(0, 4)
    }

    /// The thumbnail file referenced by the second directory.
    static func thumbnail(_ exif: Bytes) -> [UInt8]? {
        let bytes = exif.array
        let isBig = bytes.first == 0x4D
        func number(_ at: Int, _ count: Int) -> Int {
            guard at >= 0, at + count <= bytes.count else { return 0 }
            let part = isBig ? Array(bytes[at..<at + count]) : bytes[at..<at + count].reversed()
            return part.reduce(0) { $0 << 8 | Int($1) }
        }
        let first = number(4, 4)
        let second = number(first + 2 + 12 * number(first, 2), 4)
        guard second > 0 else { return nil }
        var values: [Int: Int] = [:]
        for index in 0..<number(second, 2) {
            let entry = second + 2 + 12 * index
            values[number(entry, 2)] = number(entry + 8, number(entry + 2, 2) == 3 ? 2 : 4)
        }
        guard values[0x0103] == 6, let start = values[0x0201], let count = values[0x0202], start + count <= bytes.count else {
            return nil
        }
        return Array(bytes[start..<start + count])
    }
}

/// Kernels applied to arrays.
enum Kernel {
    static func flatten(_ rgba: [UInt8], background: UInt8, isPremultiplied: Bool = false) -> [UInt8] {
        var result = rgba
        unsafe sdpx_flatten_row(&result, rgba, rgba.count / 4, [background, background, background], isPremultiplied ? 1 : 0)
        return result
    }
}
