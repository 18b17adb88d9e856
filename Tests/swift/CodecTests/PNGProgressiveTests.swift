import SDImage
import SDImageCodecs
import Testing

@Suite struct PNGProgressiveTests {
    private let coder = PNGCoder()

    private static let kinds = [
        PNGReferenceTests.Kind(type: 2, depth: 8, isKeyed: false), PNGReferenceTests.Kind(type: 3, depth: 4, isKeyed: true),
        PNGReferenceTests.Kind(type: 4, depth: 16, isKeyed: false),
    ]

    private func file(_ kind: PNGReferenceTests.Kind, interlaced: Bool) -> [UInt8] {
        PNGReferenceTests.file(kind, 37, 29, interlaced: interlaced, seed: 3, parts: 3)
    }

    /// The alpha of the first pixel of each row.
    private static func firstColumnAlpha(_ image: Image) -> [UInt8] {
        stride(from: 3, to: 37 * 29 * 4, by: 4 * 37).map { (offset: Int) -> UInt8 in image.content[offset] }
    }

    private static let changes: [@Sendable (inout DecodeOptions) -> Void] = [
        { _ in }, { $0.thumbnailSize = PixelSize(width: 8, height: 8) }, { $0.pixelFormat = .bgra8Premultiplied },
        { $0.limitBytes = 500 },
    ]

    @Test(arguments: ProgressiveResult.pieces, [false, true]) func piecesEndAsOneDecode(_ pieces: [Int], interlaced: Bool) throws
    {
        for kind in PNGProgressiveTests.kinds {
            let data = file(kind, interlaced: interlaced)
            for change in PNGProgressiveTests.changes {
                let grown = try ProgressiveResult(coder, data, pieces: pieces, change)
                #expect(grown.failure == nil)
                #expect(grown.frames == ProgressiveResult.whole(coder, data, change).frames)
            }
        }
    }

    @Test(arguments: [false, true]) func whatEndsEarlyEndsAsOneDecode(interlaced: Bool) throws {
        let data = file(PNGProgressiveTests.kinds[0], interlaced: interlaced)
        for length in stride(from: 1, to: data.count, by: 13) {
            for accepted in [false, true] {
                let part = Array(data.prefix(length))
                let grown = try ProgressiveResult(coder, part, pieces: [41]) { $0.acceptPartial = accepted }
                let whole = ProgressiveResult.whole(coder, part) { $0.acceptPartial = accepted }
                #expect(grown.failure == whole.failure && grown.frames == whole.frames)
            }
        }
    }

    @Test(arguments: [false, true]) func whatIsDamagedEndsAsOneDecode(interlaced: Bool) throws {
        let data = file(PNGProgressiveTests.kinds[1], interlaced: interlaced)
        for index in stride(from: 8, to: data.count, by: 7) {
            var damaged = data
            damaged[index] ^= 0x10
            for accepted in [false, true] {
                let change = { (options: inout DecodeOptions) in
                    options.acceptPartial = accepted
                    // A flipped bit in the size can request gigabytes.
                    options.limits.outputBytes = 1 << 20
                }
                let grown = try ProgressiveResult(coder, damaged, pieces: [50], change)
                let whole = ProgressiveResult.whole(coder, damaged, change)
                #expect(grown.failure == whole.failure && grown.frames == whole.frames)
            }
        }
    }

    @Test func rowsComeFromTheTop() throws {
        let data = file(PNGProgressiveTests.kinds[0], interlaced: false)
        let whole = try #require(ProgressiveResult.whole(coder, data).frames?.first)
        let grown = try ProgressiveResult(coder, data, pieces: [200])
        #expect(grown.previews.count > 3)
        for preview in grown.previews {
            #expect(preview.metadata.isIncremental && preview.size == PixelSize(width: 37, height: 29))
            // Missing rows are transparent.
            let alpha = Self.firstColumnAlpha(preview)
            #expect(preview.pixels.format == .rgba8 && alpha.first == 255)
            #expect(alpha == alpha.sorted(by: >))
            let content = try preview.converted(to: .rgb8).content
            let same = zip(content, whole).prefix { $0 == $1 }.count / 111
            #expect(same > 0 && content.dropFirst((same + 1) * 111).allSatisfy { $0 == 0 })
        }
    }

    @Test func anInterlacedPictureBeginsWithBlocksOfItsFirstPixels() throws {
        let size = 16
        // Pass 1 has four pixels; the rest of the data is zero.
        let rows: [UInt8] = [0, 10, 20, 0, 30, 40] + [UInt8](repeating: 0, count: 600)
        var builder = PNGBuilder.header(size, size, depth: 8, type: 0, interlaced: true)
        builder.chunk("IDAT", PNGBuilder.zlib(rows))
        builder.chunk("IEND", [])
        let grown = try ProgressiveResult(coder, builder.bytes, pieces: [41 + 7 + 6, 1])
        let first = try #require(grown.previews.first { $0.pixel(15, 15) != [0] })
        for (x, y, value) in [(0, 0, 10), (7, 7, 10), (15, 3, 20), (4, 12, 30), (9, 15, 40)] {
            #expect(first.pixel(x, y) == [UInt8(value)])
        }
    }

    @Test func rowsThatTheFirstPassHasNotReachedAreTransparent() throws {
        let grown = try ProgressiveResult(coder, file(PNGProgressiveTests.kinds[0], interlaced: true), pieces: [1])
        var filled: [Int] = []
        for preview in grown.previews where preview.pixels.format == .rgba8 {
            let alpha = Self.firstColumnAlpha(preview)
            #expect(alpha == alpha.sorted(by: >))
            filled.append(alpha.prefix { $0 == 255 }.count)
        }
        #expect(Set(filled) == [8, 16, 24])
        #expect(grown.previews.last?.pixels.format == .rgb8)
    }

    @Test func chunksBehindTheDataCountInTheEnd() throws {
        var builder = PNGBuilder.header(2, 1, depth: 8, type: 0)
        builder.chunk("IDAT", PNGBuilder.rows([[1, 2]]))
        builder.chunk("eXIf", ExifTests.block(bigEndian: true, value: 6))
        builder.chunk("IEND", [])
        let grown = try ProgressiveResult(coder, builder.bytes, pieces: [1])
        #expect(grown.previews.last?.size == PixelSize(width: 2, height: 1))
        #expect(grown.frames == ProgressiveResult.whole(coder, builder.bytes).frames)
    }
}
