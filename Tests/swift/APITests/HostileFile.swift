import TestSupport

/// Small files that cost a naive parser a disproportionate amount of work.
enum HostileFile {
    // MARK: PNG (third edition, section 5)

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content: [UInt8] = Array(name.utf8) + data
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in content { crc = table[Int(UInt8(crc & 255) ^ byte)] ^ (crc >> 8) }
        return big(data.count) + content + big(Int(~crc))
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index)
        for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        return value
    }

    static func header(_ width: Int, _ height: Int, depth: UInt8 = 8, type: UInt8 = 2, interlaced: UInt8 = 0) -> [UInt8] {
        signature + chunk("IHDR", big(width) + big(height) + [depth, type, 0, 0, interlaced])
    }

    /// A zlib stream of zeros without its checksum.
    static func zeros(_ count: Int) -> [UInt8] { [0x78, 0x01] + Array(Gzip.zeros(atLeast: count).dropFirst(10)) }

    /// A gray image of zeros whose file size is about a thousandth of its pixel count.
    static func black(_ width: Int, _ height: Int) -> [UInt8] {
        // 8 pairs of length 258 and distance 1 in fixed codes are 13 bytes; they are repeated.
        let few = zeros(258 * 64)
        let count = (width + 1) * height
        let period = Array(few[(few.count - 40)..<(few.count - 27)])
        var data = Array(few.prefix(few.count - 27))
        for _ in 0..<count / (258 * 8) { data += period }
        return header(width, height, type: 0) + chunk("IDAT", data) + chunk("IEND", [])
    }

    /// A 4 × 4 image with `count` profiles, each of which inflates to 2 MiB or is truncated.
    static func profiles(_ count: Int, isCut: Bool) -> [UInt8] {
        let packed = isCut ? Array(zeros(2 << 20).prefix(1000)) : zeros(2 << 20)
        let profile = chunk("iCCP", Array("profile".utf8) + [0, 0] + packed)
        let rest = makePNG(width: 4, height: 4)
        let end = 8 + 25
        return Array(rest[..<end]) + [[UInt8]](repeating: profile, count: count).flatMap { $0 } + Array(rest[end...])
    }

    /// A 4 × 4 image after `bytes` bytes of empty chunks.
    static func emptyChunks(bytes: Int) -> [UInt8] {
        let empty = chunk("teSt", [])
        let rest = makePNG(width: 4, height: 4)
        let end = 8 + 25
        let chunks = [[UInt8]](repeating: empty, count: bytes / empty.count)
        return Array(rest[..<end]) + chunks.flatMap { $0 } + Array(rest[end...])
    }

    /// An interlaced animation of three frames. The first two are one pixel each. The third covers the canvas, blends over the
    /// previous frames, and is disposed after display. Its data are missing.
    static func interlacedFrames(_ width: Int, _ height: Int) -> [UInt8] {
        // One stored block: a filter byte and four samples, and their Adler-32.
        let pixel: [UInt8] = [0x78, 0x01, 1, 5, 0, 0xFA, 0xFF, 0, 0, 0, 0, 0, 0, 5, 0, 1]
        func control(_ number: Int, _ width: Int, _ height: Int, _ end: [UInt8]) -> [UInt8] {
            chunk("fcTL", big(number) + big(width) + big(height) + big(0) + big(0) + [0, 1, 0, 10] + end)
        }
        return header(width, height, type: 6, interlaced: 1) + chunk("acTL", big(3) + big(0)) + chunk("IDAT", pixel)
            + control(0, 1, 1, [0, 0]) + chunk("fdAT", big(1) + pixel) + control(2, 1, 1, [0, 0]) + chunk("fdAT", big(3) + pixel)
            + control(4, width, height, [2, 1]) + chunk("fdAT", big(5) + pixel) + chunk("IEND", [])
    }

    // MARK: ICO

    /// A directory of `entries` over `pictures` offsets; each points to a PNG whose `padding` bytes of chunks end before its
    /// data.
    static func icon(entries: Int, pictures: Int, padding: Int) -> [UInt8] {
        let first = 6 + entries * 16
        var file: [UInt8] = [0, 0, 1, 0, UInt8(entries & 255), UInt8(entries >> 8)]
        for index in 0..<entries {
            file += [0, 0, 0, 0, 1, 0, 32, 0] + little(100) + little(first + index % pictures)
        }
        // Each offset begins a bitmap header whose data are missing, or is the PNG at the end.
        file += [UInt8](repeating: 0, count: pictures - 1)
        let text = chunk("zTXt", Array("key".utf8) + [0, 0] + zeros(1 << 16))
        file += header(256, 256)
        for _ in 0..<padding / text.count { file += text }
        return file
    }

    /// A directory whose entries point to different offsets in one series of PNG headers, all without image data.
    static func iconOfHeaders(_ entries: Int) -> [UInt8] {
        let first = 6 + entries * 16
        var file: [UInt8] = [0, 0, 1, 0, UInt8(entries & 255), UInt8(entries >> 8)]
        let picture = header(256, 256)
        for index in 0..<entries { file += [0, 0, 0, 0, 1, 0, 32, 0] + little(100) + little(first + index * picture.count) }
        for _ in 0..<entries { file += picture }
        return file
    }

    // MARK: WebP (RFC 9649)

    /// An animation whose frames are one lossless pixel each.
    static func movingWebP(frames: Int) -> [UInt8] {
        let pixel: [UInt8] = [0x2F, 0, 0, 0, 0, 0x07, 0xD0, 0xFF, 0xFE, 0xF7, 0xBF, 0xFF, 0x81, 0x88, 0xE8, 0x7F, 0, 0]
        let image = Array("VP8L".utf8) + little(pixel.count) + pixel
        var frame: [UInt8] = Array("ANMF".utf8) + little(16 + image.count)
        frame += [UInt8](repeating: 0, count: 12)
        frame += [20, 0, 0, 0]
        frame += image
        var body = Array("WEBPVP8X".utf8) + little(10) + [2, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        body += Array("ANIM".utf8) + little(6) + [0, 0, 0, 0, 0, 0]
        for _ in 0..<frames { body += frame }
        return Array("RIFF".utf8) + little(body.count) + body
    }

    // MARK: GIF

    /// An animation with one pixel per frame.
    static func movingGIF(frames: Int) -> [UInt8] {
        var file = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for _ in 0..<frames {
            file += [0x21, 0xF9, 4, 0, 3, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        }
        return file + [0x3B]
    }

    // MARK: JPEG

    /// A file of `bytes` bytes of empty application segments, without a frame.
    static func emptySegments(bytes: Int) -> [UInt8] {
        let segments = [[UInt8]](repeating: [0xFF, 0xE5, 0, 2], count: bytes / 4)
        return [0xFF, 0xD8] + segments.flatMap { $0 }
    }

    // MARK: Numbers

    static func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    static func little(_ value: Int) -> [UInt8] { big(value).reversed() }
}
