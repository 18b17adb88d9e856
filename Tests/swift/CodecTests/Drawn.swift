import SDImage
import TestSupport

/// Images drawn for encoders.
enum Drawn {
    /// An image of 8-bit RGBA pixels, converted to `format`.
    static func image(_ width: Int, _ height: Int, _ format: PixelFormat, _ color: (Int, Int) -> [UInt8]) throws -> Image {
        let buffer = try PixelBuffer(size: PixelSize(width: width, height: height), format: .rgba8)
        for y in 0..<height {
            guard let row = unsafe buffer.mutableRow(y) else { continue }
            for x in 0..<width { for (channel, value) in color(x, y).enumerated() { unsafe row[x * 4 + channel] = value } }
        }
        var metadata = ImageMetadata()
        metadata.hasAlpha = true
        return try Image(pixels: buffer, metadata: metadata).converted(to: format)
    }

    /// An image with noise in every bit of every sample, or a smooth drawing.
    static func image(
        _ width: Int, _ height: Int, _ format: PixelFormat, isNoisy: Bool, isOpaque: Bool = false
    ) throws -> Image {
        let buffer = try PixelBuffer(size: PixelSize(width: width, height: height), format: format)
        var randoms = Randoms(seed: UInt64(width * 1000 + height))
        let size = format.bytesPerPixel
        for y in 0..<height {
            guard let row = unsafe buffer.mutableRow(y) else { continue }
            let noise = randoms.bytes(row.count, from: Array(0...255))
            for i in 0..<row.count {
                let isAlpha = format == .rgba8 && i % size == 3
                unsafe row[i] = isAlpha && isOpaque ? 255 : isNoisy ? noise[i] : UInt8((i / size / 2 + y * 3 + i % size) & 255)
            }
        }
        var metadata = ImageMetadata()
        metadata.hasAlpha = format.hasAlpha
        return Image(pixels: buffer, metadata: metadata)
    }
}

extension Bytes {
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
