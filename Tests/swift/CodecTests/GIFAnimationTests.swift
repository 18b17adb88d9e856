import SDImage
import SDImageCodecs
import Testing

@Suite struct GIFAnimationTests {
    private let coder = GIFCoder()
    private let stop = CancellationToken()
    private let red: [UInt8] = [255, 0, 0, 255], green: [UInt8] = [0, 255, 0, 255], blue: [UInt8] = [0, 0, 255, 255]
    private let clear: [UInt8] = [0, 0, 0, 0]

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(try .copying(data), options: options, stop: stop)
    }

    private func frames(_ data: [UInt8]) throws -> [[UInt8]] {
        let image = try decode(data)
        return try (0..<image.metadata.frameCount).map { try image.frame(at: $0, stop: stop).content }
    }

    /// Two pixels: a red frame, then a green one with the given disposal, then a blue one on the right.
    private func disposing(_ disposal: UInt8) -> [UInt8] {
        var gif = GIFBuilder(2, 1)
        gif.frame(0, 0, 2, 1, [1, 1])
        gif.control(disposal: disposal)
        gif.frame(0, 0, 1, 1, [2])
        gif.frame(1, 0, 1, 1, [3])
        return gif.finished
    }

    @Test func aFrameStaysUnlessItIsDisposedOf() throws {
        #expect(try frames(disposing(0)) == [red + red, green + red, green + blue])
        #expect(try frames(disposing(1)) == [red + red, green + red, green + blue])
    }

    @Test func disposalToTheBackgroundClearsTheRectangle() throws {
        #expect(try frames(disposing(2)) == [red + red, green + red, clear + blue])
    }

    @Test func disposalToThePreviousBringsBackWhatWasBelow() throws {
        #expect(try frames(disposing(3)) == [red + red, green + red, red + blue])
    }

    @Test func theBackgroundColorOfAnAnimationIsIgnored() throws {
        var gif = GIFBuilder(2, 1, background: 3)
        gif.frame(0, 0, 1, 1, [1])
        gif.frame(0, 0, 1, 1, [2])
        #expect(try frames(gif.finished) == [red + clear, green + clear])
        #expect(try decode(gif.finished).metadata.hasAlpha)
    }

    @Test func theTransparentIndexLetsTheCanvasShine() throws {
        var gif = GIFBuilder(2, 1)
        gif.frame(0, 0, 2, 1, [1, 2])
        gif.control(transparent: 3)
        gif.frame(0, 0, 2, 1, [3, 1])
        #expect(try frames(gif.finished) == [red + green, red + red])
    }

    @Test func aFrameOutsideTheCanvasIsClipped() throws {
        var gif = GIFBuilder(2, 1)
        gif.frame(0, 0, 2, 1, [1, 1])
        gif.frame(1, 0, 3, 2, [2, 3, 3, 3, 3, 3])
        gif.frame(7, 7, 1, 1, [3])
        #expect(try frames(gif.finished) == [red + red, red + green, red + green])
    }

    @Test func interlacedFramesAndLocalPalettesAreDrawn() throws {
        let order = [0, 8, 4, 2, 6, 1, 3, 5, 7, 9]
        var gif = GIFBuilder(1, 10)
        gif.frame(0, 0, 1, 10, [UInt8](repeating: 0, count: 10))
        gif.frame(0, 0, 1, 10, order.map { UInt8($0 % 4) }, interlaced: true, local: [0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4])
        let column = (0..<10).flatMap { (row: Int) -> [UInt8] in [0, 0, UInt8(row % 4 + 1), 255] }
        #expect(try frames(gif.finished)[1] == column)
    }

    @Test func framesKnowTheirTimesAndTheImageTheirSum() throws {
        var gif = GIFBuilder(1, 1)
        gif.loop(3)
        for delay in [0, 1, 2, 30] {
            gif.control(delay: delay)
            gif.frame(0, 0, 1, 1, [1])
        }
        let image = try decode(gif.finished)
        #expect(image.frames?.frameCount == 4)
        #expect((0..<5).map { image.frames?.durationMilliseconds(at: $0) } == [100, 100, 20, 300, 0])
        #expect(image.metadata.durationMilliseconds == 520)
        #expect(image.metadata.loopCount == 3)
    }

    @Test func framesAreAlikeAndAsTheOptionsWant() throws {
        var gif = GIFBuilder(4, 2)
        gif.frame(0, 0, 4, 2, [1, 1, 1, 1, 1, 1, 1, 1])
        gif.frame(0, 0, 1, 1, [2])
        #expect(try decode(gif.finished).frame(at: 1, stop: stop).pixels.format == .rgba8)
        let small = try decode(gif.finished) {
            $0.thumbnailSize = PixelSize(width: 2, height: 2)
            $0.pixelFormat = .rgb8
        }
        let frame = try small.frame(at: 1, stop: stop)
        #expect(frame.size == PixelSize(width: 2, height: 1))
        #expect(frame.pixels.format == .rgb8)
        #expect(frame.pixel(1, 0) == [255, 0, 0])
        #expect(!frame.metadata.hasAlpha)
    }

    @Test func theFirstFrameAloneIsAStill() throws {
        let image = try decode(disposing(0)) { $0.firstFrameOnly = true }
        #expect(image.frames == nil)
        #expect(image.metadata.frameCount == 1)
        #expect(image.pixels.format == .rgb8)
    }

    @Test func framesOutliveTheBytesThatWereLent() throws {
        let data = disposing(3)
        var memory = data
        let image = try unsafe memory.withUnsafeMutableBytes { buffer in
            let lent = unsafe Bytes(lending: UnsafeRawPointer(buffer.baseAddress), count: buffer.count)
            defer { unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0) }
            return try coder.decode(lent, options: DecodeOptions(), stop: stop)
        }
        #expect(try image.frame(at: 2, stop: stop).content == red + blue)
    }

    // MARK: Damage

    @Test func aDamagedFrameThrowsAndTheOthersGoOnWithoutIt() throws {
        var gif = GIFBuilder(2, 1)
        gif.frame(0, 0, 2, 1, [1, 1])
        // After a clear code only single-pixel codes are defined.
        gif.frame(0, 0, 2, 1, codeSize: 2, data: [0x3C])
        gif.frame(1, 0, 1, 1, [3])
        let image = try decode(gif.finished)
        #expect(imageError { _ = try image.frame(at: 1, stop: stop) }?.status == .badData)
        #expect(try image.frame(at: 2, stop: stop).content == red + blue)
        #expect(imageError { _ = try image.frame(at: 3, stop: stop) }?.status == .invalidArgument)
    }

    @Test func missingPixelsLetTheCanvasShine() throws {
        var gif = GIFBuilder(2, 1)
        gif.frame(0, 0, 2, 1, [1, 1])
        gif.frame(0, 0, 2, 1, [2])
        #expect(try frames(gif.finished) == [red + red, green + red])
    }

    @Test func ofAFileThatEndsEarlyTheWholeFramesAreShown() throws {
        let whole = disposing(0)
        let image = try decode(Array(whole.dropLast(4)))
        #expect(image.metadata.frameCount == 2)
        #expect(try image.frame(at: 1, stop: stop).content == green + red)
    }

    @Test func framesBeyondTheLimitAreNotThere() throws {
        #expect(try decode(disposing(0)) { $0.limits.frames = 2 }.metadata.frameCount == 2)
    }
}
