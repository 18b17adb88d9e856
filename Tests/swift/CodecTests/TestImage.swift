import SDImage
import SDImageCodecs
import TestSupport

/// Images given by formula, for encoders.
enum TestImage {
    /// An image from a formula that returns straight RGBA, converted to `format`. By default red rises along x and green along y.
    static func image(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgb8,
        _ pixel: (Int, Int) -> [UInt8] = { x, y in [UInt8(truncatingIfNeeded: x * 3), UInt8(truncatingIfNeeded: y * 2), 128, 255]
        }
    ) throws -> Image {
        let buffer = try PixelBuffer(size: PixelSize(width: width, height: height), format: .rgba8)
        for y in 0..<height {
            guard let row = unsafe buffer.mutableRow(y) else { continue }
            for x in 0..<width {
                for (channel, value) in pixel(x, y).enumerated() { unsafe row[4 * x + channel] = value }
            }
        }
        var metadata = ImageMetadata()
        metadata.hasAlpha = format.hasAlpha
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

    /// An image with detail that is expensive to encode.
    static func noise(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) throws -> Image {
        try image(width, height, format) { x, y in
            let mixed = (x &* 73_856_093) ^ (y &* 19_349_663)
            return [UInt8(mixed >> 3 & 255), UInt8(mixed >> 7 & 255), UInt8(mixed >> 11 & 255), 255]
        }
    }

    /// Frames of different brightness.
    static func animation(
        _ width: Int, _ height: Int, durations: [Int], loopCount: Int, format: PixelFormat = .rgba8
    ) throws -> Image {
        let frames = try durations.indices.map { index in
            try image(width, height, format) { x, y in [UInt8(index * 40), UInt8(x * 4 & 255), UInt8(y * 4 & 255), 255] }
        }
        return frames[0].with(frames: try HeldFrames(frames, durations: durations, loopCount: loopCount))
    }
}

extension Image {
    func changed(_ change: (inout ImageMetadata) -> Void) -> Image {
        var metadata = metadata
        change(&metadata)
        return with(metadata)
    }

    /// The pixels as 8-bit straight RGBA, row by row.
    func rgba() throws -> [UInt8] { try converted(to: .rgba8).content }

    /// The mean difference of all channels.
    func meanDifference(to other: Image) throws -> Double {
        let (mine, others) = (try rgba(), try other.rgba())
        guard mine.count == others.count else { return .infinity }
        return Double(zip(mine, others).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(mine.count)
    }
}

extension ImageCoder {
    /// Encodes with changed options.
    func encoded(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Bytes {
        var options = EncodeOptions()
        change(&options)
        return try encode(image, format: encodableFormats.first ?? .unknown, options: options, stop: CancellationToken())
    }

    func decoded(_ bytes: Bytes, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try decode(bytes, options: options, stop: CancellationToken())
    }

    func described(_ bytes: Bytes) throws -> ImageInfo { try info(bytes, options: DecodeOptions(), stop: CancellationToken()) }
}

extension Bytes {
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Replaces `==` on arrays, which a failing test would print.
    func equals(_ other: Bytes) -> Bool { array == other.array }
}
