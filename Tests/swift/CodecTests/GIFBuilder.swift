/// Writes GIF files block by block.
struct GIFBuilder {
    private(set) var bytes: [UInt8]
    static let palette: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]

    init(_ width: Int, _ height: Int, hasPalette: Bool = true, background: UInt8 = 0) {
        bytes = Array("GIF89a".utf8) + GIFBuilder.two(width) + GIFBuilder.two(height) + [hasPalette ? 0x81 : 0, background, 0]
        if hasPalette { bytes += GIFBuilder.palette }
    }

    static func two(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    mutating func control(delay: Int = 0, transparent: UInt8? = nil, disposal: UInt8 = 0) {
        bytes += [0x21, 0xF9, 4, disposal << 2 | (transparent == nil ? 0 : 1)] + GIFBuilder.two(delay) + [transparent ?? 0, 0]
    }

    mutating func loop(_ count: Int, application: String = "NETSCAPE2.0") {
        bytes += [0x21, 0xFF, 11] + Array(application.utf8) + [3, 1] + GIFBuilder.two(count) + [0]
    }

    mutating func comment(_ length: Int) {
        bytes += [0x21, 0xFE] + GIFBuilder.blocks([UInt8](repeating: 65, count: length), size: 255) + [0]
    }

    mutating func frame(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, _ indices: [UInt8], interlaced: Bool = false, local: [UInt8] = [],
        blockSize: Int = 255
    ) {
        let data = LZWBuilder.compress(indices, codeSize: 2)
        frame(left, top, width, height, codeSize: 2, data: data, interlaced: interlaced, local: local, blockSize: blockSize)
    }

    /// Adds a frame of compressed data, unchanged.
    mutating func frame(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, codeSize: UInt8, data: [UInt8], interlaced: Bool = false,
        local: [UInt8] = [], blockSize: Int = 255
    ) {
        bytes += [0x2C] + [left, top, width, height].flatMap(GIFBuilder.two)
        bytes += [(interlaced ? 0x40 : 0) | (local.isEmpty ? 0 : 0x81)] + local
        bytes += [codeSize] + GIFBuilder.blocks(data, size: blockSize) + [0]
    }

    private static func blocks(_ data: [UInt8], size: Int) -> [UInt8] {
        var blocks: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: size) {
            let part = data[start..<min(start + size, data.count)]
            blocks += [UInt8(part.count)] + part
        }
        return blocks
    }

    var finished: [UInt8] { bytes + [0x3B] }
}
