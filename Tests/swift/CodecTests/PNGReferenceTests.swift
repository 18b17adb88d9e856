import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

/// Images of noise with every filter: libpng must decode the same pixels.
@Suite struct PNGReferenceTests {
    private let coder = PNGCoder()

    struct Kind: Sendable, CustomTestStringConvertible {
        let type: UInt8
        let depth: UInt8
        let isKeyed: Bool

        var testDescription: String { "type \(type), depth \(depth)\(isKeyed ? ", tRNS" : "")" }
        var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(type)] ?? 0 }
        var bits: Int { channels * Int(depth) }
    }

    static let kinds: [Kind] = [(0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16])]
        .flatMap { type, depths in
            depths.flatMap { depth in
                (type < 4 ? [false, true] : [false]).map { Kind(type: UInt8(type), depth: UInt8(depth), isKeyed: $0) }
            }
        }

    /// A file with few distinct values, so that transparent colors occur.
    static func file(_ kind: Kind, _ width: Int, _ height: Int, interlaced: Bool, seed: UInt64, parts: Int = 1) -> [UInt8] {
        var randoms = Randoms(seed: seed)
        var builder = PNGBuilder.header(width, height, depth: kind.depth, type: kind.type, interlaced: interlaced)
        if kind.type == 3 {
            // Some indices lie outside the palette.
            builder.chunk("PLTE", randoms.bytes(3 * max(1, (1 << Int(kind.depth)) - 1), from: Array(0...255)))
        }
        if kind.isKeyed {
            let key = kind.depth == 16 ? [1, 1] : [0, 1] as [UInt8]
            builder.chunk("tRNS", kind.type == 3 ? [7] : Array(repeatElement(key, count: kind.channels).joined()))
        }
        let noisy = randoms.below(2) == 0
        var rows: [UInt8] = []
        let size = PixelSize(width: width, height: height)
        for pass in PNGInterlacePass.all(size, isInterlaced: interlaced) {
            for _ in 0..<pass.size.height {
                rows.append(UInt8(randoms.below(5)))
                rows += randoms.bytes((pass.size.width * kind.bits + 7) / 8, from: noisy ? Array(0...255) : [0, 1, 1, 255])
            }
        }
        let stream = ReferenceLibraries.deflate(rows, level: 1 + randoms.below(9))
        let length = (stream.count + parts - 1) / parts
        for start in stride(from: 0, to: stream.count, by: length) {
            builder.chunk("IDAT", Array(stream[start..<min(stream.count, start + length)]))
        }
        builder.chunk("IEND", [])
        return builder.bytes
    }

    private func expectSame(_ file: [UInt8], _ width: Int, _ height: Int) throws {
        var options = DecodeOptions()
        options.pixelFormat = .rgba16
        let image = try coder.decode(try .copying(file), options: options, stop: CancellationToken())
        let content = image.content
        let own = stride(from: 0, to: content.count, by: 2).map { UInt16(content[$0]) | UInt16(content[$0 + 1]) << 8 }
        #expect(own == ReferenceLibraries.png(file, width: width, height: height))
    }

    @Test(arguments: kinds, [false, true]) func everyKindHasThePixelsOfLibpng(_ kind: Kind, interlaced: Bool) throws {
        for (width, height) in [(1, 1), (2, 3), (7, 5), (9, 17), (33, 8), (70, 20), (3, 40)] {
            let file = PNGReferenceTests.file(
                kind, width, height, interlaced: interlaced, seed: UInt64(width * 100 + height), parts: width % 4 + 1)
            try expectSame(file, width, height)
        }
    }

    @Test(arguments: kinds) func interlacedImagesHaveAllPixelsInFloat(_ kind: Kind) throws {
        let file = try Bytes.copying(PNGReferenceTests.file(kind, 33, 19, interlaced: true, seed: 8))
        var options = DecodeOptions()
        options.pixelFormat = .rgbaFloat
        let own = try floats(coder.decode(file, options: options, stop: CancellationToken()))
        options.pixelFormat = .rgba16
        let deep = try coder.decode(file, options: options, stop: CancellationToken())
        let expected = try floats(deep.converted(to: .rgbaFloat))
        #expect(own.count == expected.count && zip(own, expected).allSatisfy { abs($0 - $1) < 1e-4 })
    }

    private func floats(_ image: Image) -> [Float] {
        let bytes = image.content
        return stride(from: 0, to: bytes.count, by: 4).map { start in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) })
        }
    }

    @Test func rowsLongerThanAPieceAreWhole() throws {
        let kind = Kind(type: 6, depth: 16, isKeyed: false)
        try expectSame(PNGReferenceTests.file(kind, 60_000, 3, interlaced: false, seed: 5, parts: 7), 60_000, 3)
    }

    @Test(arguments: [false, true]) func twoThreadsMakeThePictureThatOneMakes(interlaced: Bool) throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let kind = Kind(type: 2, depth: 8, isKeyed: false)
        let bytes = try Bytes.copying(
            PNGReferenceTests.file(kind, 1100, 900, interlaced: interlaced, seed: 9, parts: 5))
        let alone = try decode(bytes, pool: nil)
        for _ in 0..<6 { #expect(try decode(bytes, pool: pool) == alone) }
    }

    @Test func aWorkerThatHelpsLeavesNothingBehindWhenTheDataEndEarly() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let kind = Kind(type: 2, depth: 8, isKeyed: false)
        let file = PNGReferenceTests.file(kind, 1100, 900, interlaced: false, seed: 9)
        for share in [3, 5, 9] {
            let bytes = try Bytes.copying(Array(file.prefix(file.count * share / 10)))
            #expect(imageError { _ = try decode(bytes, pool: pool) }?.status == .truncated)
        }
    }

    private func decode(_ bytes: Bytes, pool: WorkPool?) throws -> [UInt8] {
        let header = try PNGHeader(bytes)
        let options = DecodeOptions()
        let data = try header.filled(header.encodedImage, from: bytes, limits: options.limits)
        let decoder = try PNGDecoder(header, bytes, options: options, stop: CancellationToken())
        let pixels = try decoder.decode(data, stop: CancellationToken(), pool: { pool })
        return Image(pixels: pixels, metadata: ImageMetadata()).content
    }
}
