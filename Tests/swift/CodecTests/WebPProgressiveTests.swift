import SDImage
import SDImageCodecs
import Testing

@Suite struct WebPProgressiveTests {
    private let coder = WebPCoder()

    private static let names = [
        "lossy.webp", "lossless.webp", "lossy_alpha.webp", "lossless_alpha.webp", "animated.webp", "placed.webp", "profile.webp",
        "turned_6.webp", "keys.webp",
    ]

    @Test(arguments: names, ProgressiveResult.pieces) func piecesEndAsOneDecode(_ name: String, _ pieces: [Int]) throws {
        let data = try CodecFixture.data("webp/" + name)
        let grown = try ProgressiveResult(coder, data, pieces: pieces)
        #expect(grown.frames?.first == ProgressiveResult.whole(coder, data).frames?.first)
        #expect(grown.failure == nil)
    }

    @Test(arguments: names) func otherOptionsEndAsOneDecodeToo(_ name: String) throws {
        let data = try CodecFixture.data("webp/" + name)
        let changes: [(inout DecodeOptions) -> Void] = [
            { $0.thumbnailSize = PixelSize(width: 16, height: 16) }, { $0.thumbnailSize = PixelSize(width: 40, height: 7) },
            { $0.limitBytes = 2000 }, { $0.firstFrameOnly = true }, { $0.pixelFormat = .bgra8Premultiplied },
            { $0.pixelFormat = .gray8 },
        ]
        for change in changes {
            let grown = try ProgressiveResult(coder, data, pieces: [23], change)
            #expect(grown.frames?.first == ProgressiveResult.whole(coder, data, change).frames?.first)
        }
    }

    @Test(arguments: names) func whatEndsEarlyEndsAsOneDecode(_ name: String) throws {
        let data = try CodecFixture.data("webp/" + name)
        for length in stride(from: 1, to: data.count, by: 11) {
            for accepted in [true, false] {
                let part = Array(data.prefix(length))
                let grown = try ProgressiveResult(coder, part, pieces: [31]) { $0.acceptPartial = accepted }
                let whole = ProgressiveResult.whole(coder, part) { $0.acceptPartial = accepted }
                #expect(grown.failure == whole.failure && grown.frames?.first == whole.frames?.first)
            }
        }
    }

    @Test func rowsComeAtTheTopOfAWholeCanvasAndTheRestIsTransparent() throws {
        let data = try CodecFixture.data("webp/large.webp")
        let grown = try ProgressiveResult(coder, data, pieces: [700]) { $0.pixelFormat = .rgba8 }
        let whole = try coder.decode("webp/large.webp") { $0.pixelFormat = .rgba8 }
        #expect(grown.previews.count > 2)
        for preview in grown.previews {
            #expect(preview.size == whole.size && preview.metadata.isIncremental)
            let rows = (0..<768).prefix { preview.pixel(500, $0)[3] == 255 }.count
            #expect((0..<rows).allSatisfy { preview.pixel(500, $0) == whole.pixel(500, $0) })
            #expect((rows..<768).allSatisfy { preview.pixel(500, $0) == [0, 0, 0, 0] })
        }
        #expect(grown.frames?.first == whole.content)
    }

    @Test func thumbnailsGrowToo() throws {
        let data = try CodecFixture.data("webp/large.webp")
        let grown = try ProgressiveResult(coder, data, pieces: [700]) { $0.thumbnailSize = PixelSize(width: 100, height: 100) }
        #expect(!grown.previews.isEmpty)
        #expect(grown.previews.allSatisfy { $0.size == PixelSize(width: 100, height: 75) })
    }

    @Test func aGrowingAnimationHasMoreAndMoreFrames() throws {
        let grown = try ProgressiveResult(coder, try CodecFixture.data("webp/keys.webp"), pieces: [9])
        #expect(grown.counts == grown.counts.sorted() && Set(grown.counts).count > 8 && grown.counts.last == 12)
    }

    @Test func theFirstFrameIsShownWhileItArrives() throws {
        let data = try CodecFixture.data("webp/moving.webp")
        let whole = try coder.decode("webp/moving.webp")
        let grown = try ProgressiveResult(coder, data, pieces: [40])
        let first = try #require(grown.previews.first)
        #expect(first.size == whole.size && first.metadata.isIncremental)
        #expect(grown.previews.contains { $0.content == whole.content })
    }

    @Test func aDecoderOfAnAnimationComposesFramesWhileItGrows() throws {
        let data = try CodecFixture.data("webp/keys.webp")
        let frames = try #require(try coder.decode("webp/keys.webp").frames)
        let decoder = try #require(try coder.open(options: DecodeOptions(), stop: CancellationToken()))
        try decoder.update(try .copying(Array(data.prefix(data.count / 2))), isFinished: false, stop: CancellationToken())
        let count = decoder.frameCount
        #expect(count > 2 && count < 12)
        let early = try decoder.frame(at: count - 1, stop: CancellationToken()).content
        try decoder.update(try .copying(data), isFinished: true, stop: CancellationToken())
        for index in [11, count - 1, 0] {
            let expected = try frames.frame(at: index, stop: CancellationToken()).content
            #expect(try decoder.frame(at: index, stop: CancellationToken()).content == expected)
            if index == count - 1 { #expect(early == expected) }
        }
        #expect(decoder.isSatisfied)
    }

    @Test func damageIsToldBeforeTheEnd() throws {
        var data = try CodecFixture.data("webp/lossless.webp")
        data[15] = UInt8(ascii: "?")
        let grown = try ProgressiveResult(coder, data, pieces: [8])
        #expect(grown.failure == ProgressiveResult.whole(coder, data).failure)
    }
}
