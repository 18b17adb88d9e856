import Glibc
import SDImage

/// Decoded run-length data. Rows come in file order, so all of them are held, as indices or as BGR ([MS-WMF] 3.1.6; OS/2 2.0,
/// "RLE24"). `BMPRowDecoder` makes one for a compressed image and takes its rows in any order.
@safe struct BMPRunLengthDecoder {
    /// Codes between two checks of the token.
    private static let operationsPerCheck = 4096

    private let header: BMPHeader
    /// The decoded pixels in display order.
    private let pixels: PixelBuffer
    private var reader: ByteReader
    /// Column and line of the next pixel; lines count in file order.
    private var x = 0
    private var line = 0
    /// True when the data reach the last pixel or the end-of-bitmap code.
    private(set) var isComplete = false

    /// Decodes as far as the data reach. The caller handles data that end early or before the first row.
    init(_ bytes: Bytes, _ header: BMPHeader, limits: DecodeLimits, stop: CancellationToken) throws(ImageError) {
        guard let area = header.size.pixelCount, area <= limits.heldPixels else {
            throw .tooLarge(
                "bmp: run-length coded image of \(header.size.width)x\(header.size.height) pixels", limit: limits.heldPixels)
        }
        self.header = header
        reader = bytes.reader
        guard reader.seek(to: header.data), reader.remaining > 0 else { throw .bitmapEndsEarly }
        // Pixels that no run covers have index 0.
        pixels = try PixelBuffer(
            size: header.size, format: header.bits == 24 ? .rgb8 : .gray8, limit: limits.workingBytes, zeroed: true,
            account: limits.account)
        try unpack(stop: stop)
    }

    /// Rows reached before the data ended, in display order.
    var rows: Range<Int> {
        let height = header.size.height
        let count = isComplete ? height : min(line + (x > 0 ? 1 : 0), height)
        return header.isTopDown ? 0..<count : height - count..<height
    }

    /// Returns indices or BGR of row `y` in display order; nil when the data end before it.
    func row(_ y: Int) -> UnsafeRawBufferPointer? { unsafe rows.contains(y) ? pixels.row(y) : nil }

    /// Bytes of a decoded pixel.
    private var pixelLength: Int { header.bits == 24 ? 3 : 1 }

    /// Decodes codes until the bitmap or the data end.
    private mutating func unpack(stop: CancellationToken) throws(ImageError) {
        var operations = 0
        while line < header.size.height {
            if operations % BMPRunLengthDecoder.operationsPerCheck == 0 { try stop.check() }
            operations += 1
            guard step() else { break }
        }
        // The data may end with the last pixel, without an end-of-bitmap code.
        let isLastLine = line == header.size.height - 1
        isComplete = isComplete || line >= header.size.height || (isLastLine && x >= header.size.width)
    }

    /// Decodes one code; false at the end of the bitmap or of the data.
    private mutating func step() -> Bool {
        guard let count = reader.u8() else { return false }
        if count > 0 { return repeatPixel(Int(count)) }
        guard let code = reader.u8() else { return false }
        switch code {
        // End of line, end of bitmap, move to the right and in file order; greater values are a number of literal pixels.
        case 0:
            x = 0
            line += 1
            return true
        case 1:
            isComplete = true
            return false
        case 2:
            guard let right = reader.u8(), let down = reader.u8() else { return false }
            x += Int(right)
            line += Int(down)
            return true
        default: return copyPixels(Int(code))
        }
    }

    // MARK: Pixels

    /// Repeats a pixel, or two alternating pixels of 4 bits. False if the data end.
    private mutating func repeatPixel(_ count: Int) -> Bool {
        guard let first = reader.u8() else { return false }
        switch header.bits {
        case 24:
            guard let second = reader.u8(), let third = reader.u8() else { return false }
            fill(count) { $0 % 3 == 0 ? first : $0 % 3 == 1 ? second : third }
        case 4: fill(count) { $0 % 2 == 0 ? first >> 4 : first & 15 }
        default: fill(count) { _ in first }
        }
        return true
    }

    /// Copies literal pixels, which are padded to 16 bits. Truncated data are used as far as they reach.
    private mutating func copyPixels(_ count: Int) -> Bool {
        let start = reader.offset
        let length = header.bits == 4 ? (count + 1) / 2 : count * pixelLength
        let source = reader
        if header.bits == 4 {
            fill(min(count, reader.remaining * 2)) { index in
                let byte = source.byte(at: start + index / 2) ?? 0
                return index % 2 == 0 ? byte >> 4 : byte & 15
            }
        } else {
            fill(min(count, reader.remaining / pixelLength)) { source.byte(at: start + $0) ?? 0 }
        }
        // The padding may be missing at the end of the data.
        return reader.skip(length + length % 2) || (reader.skip(length) && reader.remaining == 0)
    }

    /// Writes the next `count` pixels, clipped at the end of the line; `value` returns their bytes.
    private mutating func fill(_ count: Int, _ value: (Int) -> UInt8) {
        let height = header.size.height
        if let row = unsafe pixels.mutableRow(header.isTopDown ? line : height - 1 - line) {
            let first = min(x * pixelLength, row.count)
            for index in 0..<min(count * pixelLength, row.count - first) { unsafe row[first + index] = value(index) }
        }
        x += count
    }
}
