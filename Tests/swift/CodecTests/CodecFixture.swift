import Foundation
import SDImage
import SDImageCodecs

/// Files of `Tests/fixtures`, and the image that most of them show.
enum CodecFixture {
    static func data(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appendingPathComponent("fixtures").appendingPathComponent(name)))
    }

    static func bytes(_ name: String) throws -> Bytes { try .copying(try data(name)) }

    /// The ramp: red 4x, green 5y, blue 128, on 64 × 48 pixels.
    static let rampSize = PixelSize(width: 64, height: 48)
    static func ramp(_ x: Int, _ y: Int) -> [UInt8] { [UInt8(x * 4), UInt8(y * 5), 128] }
}

extension ImageCoder {
    func decode(_ name: String, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try decode(try CodecFixture.bytes(name), options: options, stop: CancellationToken())
    }

    /// Decodes possibly damaged data; nil on an error. A crash would end the test process.
    func survive(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image? {
        var options = DecodeOptions()
        change(&options)
        let bytes = try Bytes.copying(data)
        do throws(ImageError) {
            _ = try info(bytes, options: options, stop: CancellationToken())
            return try decode(bytes, options: options, stop: CancellationToken())
        } catch { return nil }
    }
}

extension Image {
    /// The channels of one pixel in memory order; empty outside the image. 8-bit formats only.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        guard let row = unsafe pixels.row(y), x >= 0, x < pixels.size.width else { return [] }
        let size = pixels.format.bytesPerPixel
        return (0..<size).map { unsafe row[x * size + $0] }
    }

    /// All bytes of all rows without their padding.
    var content: [UInt8] { (0..<size.height).flatMap { y in unsafe pixels.row(y).map { unsafe Array($0) } ?? [] } }

    /// The largest channel difference from an image given by formula.
    func distance(to expected: (Int, Int) -> [UInt8]) -> Int {
        var worst = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                for (got, want) in zip(pixel(x, y), expected(x, y)) { worst = max(worst, abs(Int(got) - Int(want))) }
            }
        }
        return worst
    }
}

/// The error that `body` throws.
func imageError(_ body: () throws -> Void) -> ImageError? {
    do {
        try body()
        return nil
    } catch { return error as? ImageError }
}
