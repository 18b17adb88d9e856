import SDImage
import SDImageCodecs
import Testing

@Suite struct GIFTests {
    private let coder = GIFCoder()

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(try .copying(data), options: options, stop: CancellationToken())
    }

    private func info(_ data: [UInt8]) throws -> ImageInfo {
        try coder.info(try .copying(data), options: DecodeOptions(), stop: CancellationToken())
    }

    private let black: [UInt8] = [0, 0, 0], red: [UInt8] = [255, 0, 0], green: [UInt8] = [0, 255, 0], blue: [UInt8] = [0, 0, 255]
    private let opaque: [UInt8] = [255], clear: [UInt8] = [0, 0, 0, 0]

    // MARK: Composition

    @Test func aFrameThatCoversTheCanvasNeedsNoAlpha() throws {
        var gif = GIFBuilder(2, 2)
        gif.frame(0, 0, 2, 2, [0, 1, 2, 3])
        let image = try decode(gif.finished)
        #expect(image.pixels.format == .rgb8)
        #expect(image.content == black + red + green + blue)
        #expect(!image.metadata.hasAlpha)
    }

    @Test func theCanvasBeginsClear() throws {
        var gif = GIFBuilder(2, 2, background: 2)
        gif.control()
        gif.frame(1, 1, 1, 1, [1])
        let image = try decode(gif.finished)
        #expect(image.content == clear + clear + clear + red + opaque)
        #expect(image.metadata.hasAlpha)
        #expect(try info(gif.finished).channels == 4)
    }

    // Without a graphic control extension, as in GIF87a, too.
    @Test func theBackgroundColorIsIgnored() throws {
        var gif = GIFBuilder(2, 2, background: 2)
        gif.frame(1, 1, 1, 1, [1])
        let image = try decode(gif.finished)
        #expect(image.content == clear + clear + clear + red + opaque)
        #expect(image.metadata.hasAlpha)
        #expect(try info(gif.finished).channels == 4)
        let box = PixelSize(width: 1, height: 1)
        #expect(try decode(gif.finished) { $0.thumbnailSize = box }.pixels.format == .rgba8)
    }

    @Test func theTransparentIndexIsClear() throws {
        var gif = GIFBuilder(2, 1)
        gif.control(transparent: 2)
        gif.frame(0, 0, 2, 1, [2, 3])
        #expect(try decode(gif.finished).content == clear + blue + opaque)
    }

    @Test func aFrameIsClippedToTheCanvas() throws {
        var gif = GIFBuilder(2, 2)
        gif.control(transparent: 3)
        gif.frame(1, 1, 3, 3, [1, 2, 2, 2, 2, 2, 2, 2, 2])
        #expect(try decode(gif.finished).content == clear + clear + clear + red + opaque)
        var outside = GIFBuilder(1, 1)
        outside.control(transparent: 3)
        outside.frame(5, 5, 1, 1, [1])
        #expect(try decode(outside.finished).content == clear)
    }

    @Test func aLocalPaletteWins() throws {
        var gif = GIFBuilder(1, 1)
        gif.frame(0, 0, 1, 1, [1], local: [9, 9, 9, 7, 8, 9, 9, 9, 9, 9, 9, 9])
        #expect(try decode(gif.finished).content == [7, 8, 9])
    }

    @Test func interlacedLinesComeOutInOrder() throws {
        // Ten rows whose value is the row modulo 4, stored in the order of the four passes.
        let order = [0, 8, 4, 2, 6, 1, 3, 5, 7, 9]
        var gif = GIFBuilder(1, 10)
        gif.frame(0, 0, 1, 10, order.map { UInt8($0 % 4) }, interlaced: true)
        let expected = (0..<10).flatMap { [black, red, green, blue][$0 % 4] }
        #expect(try decode(gif.finished).content == expected)
        // With a format conversion or a thumbnail, rows pass through the scanline writer.
        #expect(try decode(gif.finished) { $0.pixelFormat = .gray16 }.size.height == 10)
        let small = try decode(gif.finished) { $0.thumbnailSize = PixelSize(width: 5, height: 5) }
        #expect(small.size == PixelSize(width: 1, height: 5))
    }

    @Test(arguments: PixelFormat.allCases) func everyFormatOnRequestEqualsAConversion(_ format: PixelFormat) throws {
        var gif = GIFBuilder(3, 1)
        gif.control(transparent: 0)
        gif.frame(0, 0, 3, 1, [0, 1, 2])
        let asked = try decode(gif.finished) { $0.pixelFormat = format }
        #expect(asked.content == (try decode(gif.finished).converted(to: format).content))
    }

    @Test func aScreenWithoutAreaTakesTheSizeOfItsFrame() throws {
        var gif = GIFBuilder(0, 0)
        gif.frame(0, 0, 2, 1, [1, 2])
        #expect(try decode(gif.finished).content == red + green)
    }

    @Test func indicesBeyondThePaletteAreBlack() throws {
        var gif = GIFBuilder(1, 1, hasPalette: false)
        gif.frame(0, 0, 1, 1, [3])
        #expect(try decode(gif.finished).content == black)
    }

    @Test func blocksOfOneByteAreReadLikeLongOnes() throws {
        var gif = GIFBuilder(3, 1)
        gif.frame(0, 0, 3, 1, [1, 2, 3], blockSize: 1)
        #expect(try decode(gif.finished).content == red + green + blue)
    }

    // MARK: Animation

    private func animation(_ change: (inout GIFBuilder) -> Void = { _ in }) -> GIFBuilder {
        var gif = GIFBuilder(1, 1)
        change(&gif)
        for delay in [0, 1, 2, 30] {
            gif.control(delay: delay)
            gif.frame(0, 0, 1, 1, [1])
        }
        return gif
    }

    @Test func framesDelaysAndLoopsAreCounted() throws {
        let info = try info(animation { $0.loop(3) }.finished)
        #expect(info.frameCount == 4)
        #expect(info.loopCount == 3)
        // Delays of 0 and 1 hundredths become 100 ms.
        #expect(info.durationMilliseconds == 100 + 100 + 20 + 300)
    }

    @Test func withoutALoopBlockAnAnimationPlaysOnce() throws { #expect(try info(animation().finished).loopCount == 1) }

    @Test func bothNamesOfTheLoopBlockAreKnown() throws {
        #expect(try info(animation { $0.loop(0, application: "ANIMEXTS1.0") }.finished).loopCount == 0)
        #expect(try info(animation { $0.loop(9, application: "SOMETHING.X") }.finished).loopCount == 1)
    }

    @Test func aStillNeitherLoopsNorLasts() throws {
        var gif = GIFBuilder(1, 1)
        gif.loop(5)
        gif.frame(0, 0, 1, 1, [1])
        let info = try info(gif.finished)
        #expect(info.frameCount == 1 && info.loopCount == 0 && info.durationMilliseconds == 0)
    }

    // MARK: Damage and limits

    @Test func damageBehindTheFirstFrameDoesNotMatter() throws {
        var gif = GIFBuilder(1, 1)
        gif.frame(0, 0, 1, 1, [2])
        #expect(try decode(gif.bytes + [0x2C, 0, 0, 1]).content == green)
        #expect(try decode(gif.bytes + [0xEE, 0xEE]).content == green)
    }

    @Test func aFirstFrameThatEndsEarlyIsTruncated() throws {
        var gif = GIFBuilder(16, 16)
        gif.frame(0, 0, 16, 16, [UInt8](repeating: 1, count: 256))
        let half = Array(gif.bytes.dropLast(8))
        #expect(imageError { _ = try decode(half) }?.status == .truncated)
        let part = try decode(half) { $0.acceptPartial = true }
        #expect(part.pixel(0, 0) == red)
        #expect(part.pixel(15, 15) == black)
        #expect(part.metadata.isIncremental)
    }

    @Test func aHeaderAloneIsTruncated() {
        #expect(imageError { _ = try decode(GIFBuilder(1, 1).bytes) }?.status == .truncated)
    }

    @Test func everyTruncationAndEverySingleBitFlipEndsInAPictureOrAnError() throws {
        let data = animation { $0.loop(3) }.finished
        for length in 0..<data.count { _ = try coder.survive(Array(data[..<length])) { $0.acceptPartial = length % 2 == 0 } }
        for bit in 0..<data.count * 8 {
            var damaged = data
            damaged[bit / 8] ^= 1 << (bit % 8)
            _ = try coder.survive(damaged) { options in
                options.acceptPartial = bit % 2 == 0
                // Sizes are 16 bits wide: a flipped bit can request gigabytes.
                options.limits.heldPixels = 1 << 20
            }
        }
    }

    @Test func aCanvasBeyondTheLimitIsRefused() {
        var gif = GIFBuilder(65535, 65535)
        gif.frame(0, 0, 1, 1, [1])
        #expect(imageError { _ = try decode(gif.finished) }?.status == .tooLarge)
        #expect(
            imageError { _ = try decode(gif.finished) { $0.thumbnailSize = PixelSize(width: 9, height: 9) } }?.status == .tooLarge
        )
    }
}
