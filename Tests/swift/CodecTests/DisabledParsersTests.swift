import Testing

@testable import SDImage
@testable import SDImageCodecs

/// The libraries that parse instead of parsers that are disabled.
@Suite struct DisabledParsersTests {
    private func limits(_ disabled: DisabledParsers) -> DecodeLimits {
        var limits = DecodeLimits()
        limits.disabledParsers = disabled
        return limits
    }

    @Test func namesAreSeparatedByCommasAndUnknownOnesAreReturned() {
        #expect(DisabledParsers.parse("").found.isEmpty)
        #expect(DisabledParsers.parse("inflate").found == .inflate)
        let (found, unknown) = DisabledParsers.parse(" jpeg-dc, inflate,,png")
        #expect(found == [.jpegDC, .inflate] && unknown == ["png"])
        #expect(found.names == ["jpeg-dc", "inflate"])
    }

    // MARK: inflate

    @Test func zlibInflatesWhenTheInflaterIsDisabled() throws {
        #expect(try PNGInflater([], limits: limits(.inflate)).usesZlib)
        #expect(try !PNGInflater([], limits: limits([])).usesZlib)
    }

    @Test(arguments: PNGReferenceTests.kinds, [false, true])
    func zlibMakesTheSamePixels(kind: PNGReferenceTests.Kind, interlaced: Bool) throws {
        let file = try Bytes.copying(PNGReferenceTests.file(kind, 321, 123, interlaced: interlaced, seed: 4, parts: 5))
        let own = try PNGCoder().decoded(file)
        let zlib = try PNGCoder().decoded(file) { $0.limits = limits(.inflate) }
        #expect(own.content == zlib.content)
    }

    @Test func zlibMakesTheSameAnimation() throws {
        var builder = APNGBuilder(frames: 3)
        for level in [20, 90, 160] as [UInt8] { builder.add(color: [level, 9, 30, 255]) }
        let file = try Bytes.copying(builder.finished())
        let own = try APNGCoder(PNGCoder()).decoded(file)
        let zlib = try APNGCoder(PNGCoder()).decoded(file) { $0.limits = limits(.inflate) }
        #expect(own.frames != nil)
        for index in 0..<own.metadata.frameCount {
            let frames = try [own, zlib].map { try $0.frame(at: index, stop: CancellationToken()).content }
            #expect(frames[0] == frames[1])
        }
    }

    @Test(arguments: [[1], [7, 100], [4096]]) func zlibMakesTheSamePixelsWhileAFileArrives(pieces: [Int]) throws {
        let kind = PNGReferenceTests.Kind(type: 2, depth: 8, isKeyed: false)
        let file = PNGReferenceTests.file(kind, 61, 43, interlaced: false, seed: 2, parts: 3)
        let own = try ProgressiveResult(PNGCoder(), file, pieces: pieces)
        let zlib = try ProgressiveResult(PNGCoder(), file, pieces: pieces) { $0.limits = limits(.inflate) }
        #expect(own.frames != nil && own.frames == zlib.frames)
        #expect(own.previews.map(\.content) == zlib.previews.map(\.content))
    }

    @Test func damageAndTruncationFailInBothWays() throws {
        let kind = PNGReferenceTests.Kind(type: 6, depth: 8, isKeyed: false)
        let file = PNGReferenceTests.file(kind, 40, 30, interlaced: false, seed: 6)
        for length in stride(from: 60, to: file.count - 20, by: 97) {
            let bytes = try Bytes.copying(Array(file.prefix(length)))
            for disabled in [[], .inflate] as [DisabledParsers] {
                #expect(imageError { _ = try PNGCoder().decoded(bytes) { $0.limits = limits(disabled) } }?.status == .truncated)
            }
        }
    }

    // MARK: jpeg-dc

    private func thumbnail(_ name: String, _ side: Int, _ disabled: DisabledParsers, early: Bool = false) throws -> Image {
        try JPEGCoder().decode("jpeg/" + name) {
            $0.limits = limits(disabled)
            $0.thumbnailSize = PixelSize(width: side, height: side)
            $0.earlyThumbnail = early
        }
    }

    @Test(arguments: ["large.jpg", "large_progressive.jpg"]) func libjpegMakesACloseThumbnail(name: String) throws {
        let (dc, libjpeg) = (try thumbnail(name, 64, []), try thumbnail(name, 64, .jpegDC))
        #expect(dc.size == libjpeg.size)
        let difference = try dc.meanDifference(to: libjpeg)
        // Equal for a file with one scan, whose 1/8 libjpeg makes of the same coefficients.
        #expect(difference < 1)
    }

    @Test func onlyLibjpegReadsAFileWhenTheReaderOfDCCoefficientsIsDisabled() throws {
        let bytes = try CodecFixture.bytes("jpeg/large.jpg")
        for disabled in [[], .jpegDC] as [DisabledParsers] {
            var options = DecodeOptions()
            (options.limits, options.thumbnailSize) = (limits(disabled), PixelSize(width: 64, height: 64))
            let rows = try JPEGRowDecoder(bytes, accepting: .none)
            let decoder = try JPEGDecoder(rows, options: options, stop: CancellationToken())
            #expect(decoder.isDCThumbnail == disabled.isEmpty)
            #expect(try (decoder.decodeDCThumbnail(stop: CancellationToken()) != nil) == disabled.isEmpty)
        }
    }

    @Test func earlyThumbnailsNeedTheWholeFileThen() throws {
        #expect(try thumbnail("large_progressive.jpg", 64, [], early: true).metadata.consumedBytes != nil)
        #expect(try thumbnail("large_progressive.jpg", 64, .jpegDC, early: true).metadata.consumedBytes == nil)
    }
}
