import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

struct JPEGProgressiveTests {
    private let coder = JPEGCoder()

    private static let names = [
        "ramp.jpg", "ramp_420.jpg", "ramp_gray.jpg", "ramp_cmyk.jpg", "ramp_progressive.jpg", "ramp_restart.jpg",
        "ramp_arithmetic.jpg", "ramp_profile.jpg", "turned_6.jpg",
    ]

    @Test(arguments: names, [0, 1, 7, 64, 4096])
    func theFinishedPictureIsThatOfOneDecode(name: String, piece: Int) throws {
        let data = try CodecFixture.data("jpeg/" + name)
        for side in [0, 16, 5] {
            var options = DecodeOptions()
            if side > 0 { options.thumbnailSize = PixelSize(width: side, height: side) }
            let expected = try coder.decode(try Bytes.copying(data), options: options, stop: CancellationToken())
            // Missing rows are transparent; a file of several scans has none.
            let hasScans = try JPEGRowDecoder(try Bytes.copying(data), accepting: .none).hasMultipleScans
            let image = try feed(data, piece: piece, options: options) { partial in
                #expect(partial.size == expected.size)
                #expect(partial.pixels.format == (hasScans ? expected.pixels.format : .rgba8))
                #expect(partial.metadata.isIncremental)
            }
            #expect(image.content == expected.content)
            #expect(!image.metadata.isIncremental)
            #expect(image.metadata.sourceSize == expected.metadata.sourceSize)
        }
    }

    @Test(arguments: ["large.jpg", "large_progressive.jpg"])
    func largePicturesGrowToThatOfOneDecode(name: String) throws {
        let data = try CodecFixture.data("jpeg/" + name)
        for side in [0, 400, 100] {
            var options = DecodeOptions()
            if side > 0 { options.thumbnailSize = PixelSize(width: side, height: side) }
            let expected = try coder.decode(try Bytes.copying(data), options: options, stop: CancellationToken())
            var previews = 0
            let image = try feed(data, piece: data.count / 20, options: options) { _ in previews += 1 }
            #expect(image.content == expected.content)
            #expect(previews > 2)
        }
    }

    @Test func rowsThatHaveComeAreThoseOfTheFinishedPicture() throws {
        let data = try CodecFixture.data("jpeg/large.jpg")
        let whole = try coder.decode("jpeg/large.jpg")
        let decoder = try open()
        try decoder.update(try Bytes.copying(Array(data.prefix(data.count / 2))), isFinished: false, stop: CancellationToken())
        let half = try #require(try decoder.image(stop: CancellationToken()))
        #expect(half.size == whole.size)
        #expect(half.pixel(500, 200) == whole.pixel(500, 200) + [255])
        #expect(half.pixel(500, 760) == [0, 0, 0, 0])
    }

    @Test func eachScanSharpensAProgressivePicture() throws {
        let data = try CodecFixture.data("jpeg/large_progressive.jpg")
        let whole = try coder.decode("jpeg/large_progressive.jpg")
        var distances: [Int] = []
        _ = try feed(data, piece: 500, options: DecodeOptions()) { partial in
            distances.append(zip(partial.content, whole.content).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
        }
        let first = try #require(distances.first)
        let last = try #require(distances.last)
        #expect(last < first)
    }

    @Test func nothingIsShownBeforeTheHeader() throws {
        let data = try CodecFixture.data("jpeg/ramp.jpg")
        let decoder = try open()
        try decoder.update(try Bytes.copying(Array(data.prefix(100))), isFinished: false, stop: CancellationToken())
        #expect(try decoder.image(stop: CancellationToken()) == nil)
        #expect(decoder.size.isEmpty)
        #expect(decoder.frameCount == 0)
        try decoder.update(try Bytes.copying(data), isFinished: false, stop: CancellationToken())
        #expect(decoder.size == CodecFixture.rampSize)
        #expect(decoder.frameCount == 1)
    }

    @Test(arguments: ["ramp.jpg", "ramp_progressive.jpg", "ramp_cmyk.jpg", "ramp_restart.jpg"], [7, 64])
    func damageIsReportedAsByOneDecode(name: String, piece: Int) throws {
        let data = try CodecFixture.data("jpeg/" + name)
        var randoms = Randoms(seed: 7)
        for round in 0..<40 {
            var damaged = data
            if round % 2 == 0 {
                damaged = Array(data.prefix(randoms.below(data.count)))
            } else {
                damaged[2 + randoms.below(data.count - 2)] ^= UInt8(1 << randoms.below(8))
            }
            var options = DecodeOptions()
            options.limits.streamedPixels = 1 << 20
            options.acceptPartial = round % 3 == 0
            let bytes = try Bytes.copying(damaged)
            var once: Image?
            let expected = imageError { once = try coder.decode(bytes, options: options, stop: CancellationToken()) }
            var fed: Image?
            let error = imageError { fed = try feed(damaged, piece: piece, options: options) { _ in } }
            #expect(error?.status == expected?.status)
            #expect(fed?.content == once?.content)
            #expect(fed?.metadata.isIncremental == once?.metadata.isIncremental)
            #expect(fed?.metadata.isDamaged == once?.metadata.isDamaged)
        }
    }

    @Test func aSecondPictureBehindTheFirstIsNotLookedAt() throws {
        // Like files with a gain map (CIPA DC-007).
        let base = try CodecFixture.data("jpeg/ramp.jpg")
        let both = base + (try CodecFixture.data("jpeg/ramp_gray.jpg"))
        for side in [0, 16, 5] {
            var options = DecodeOptions()
            if side > 0 { options.thumbnailSize = PixelSize(width: side, height: side) }
            let expected = try coder.decode(try Bytes.copying(base), options: options, stop: CancellationToken())
            #expect(
                try coder.decode(try Bytes.copying(both), options: options, stop: CancellationToken()).content == expected.content
            )
            #expect(try feed(both, piece: 64, options: options) { _ in }.content == expected.content)
        }
    }

    @Test func anEarlyThumbnailSatisfiesBeforeTheEnd() throws {
        let data = try CodecFixture.data("jpeg/large_progressive.jpg")
        var options = DecodeOptions()
        options.thumbnailSize = PixelSize(width: 64, height: 64)
        options.earlyThumbnail = true
        let expected = try coder.decode(try Bytes.copying(data), options: options, stop: CancellationToken())
        let needed = try #require(expected.metadata.consumedBytes)
        let decoder = try open(options)
        var fed = 0
        while !decoder.isSatisfied, fed < data.count {
            fed = min(data.count, fed + 64)
            try decoder.update(try Bytes.copying(Array(data.prefix(fed))), isFinished: false, stop: CancellationToken())
        }
        #expect(fed <= needed + 64 + 2)
        let image = try #require(try decoder.image(stop: CancellationToken()))
        #expect(image.content == expected.content)
        #expect(image.metadata.consumedBytes == needed)
    }

    private func open(_ options: DecodeOptions = DecodeOptions()) throws -> any ImageDecoder {
        let decoder = try coder.open(options: options, stop: CancellationToken())
        return try #require(decoder)
    }

    /// Feeds pieces of `piece` bytes, or of random sizes for 0, and looks at each image.
    private func feed(
        _ data: [UInt8], piece: Int, options: DecodeOptions, look: (Image) throws -> Void
    ) throws -> Image {
        let decoder = try open(options)
        var randoms = Randoms(seed: UInt64(data.count))
        var count = 0
        while count < data.count {
            count = min(data.count, count + (piece > 0 ? piece : 1 + randoms.below(300)))
            try decoder.update(
                try Bytes.copying(Array(data.prefix(count))), isFinished: count == data.count, stop: CancellationToken())
            guard count < data.count, let image = try decoder.image(stop: CancellationToken()) else { continue }
            try look(image)
        }
        if data.isEmpty { try decoder.update(.empty, isFinished: true, stop: CancellationToken()) }
        return try #require(try decoder.image(stop: CancellationToken()))
    }
}
