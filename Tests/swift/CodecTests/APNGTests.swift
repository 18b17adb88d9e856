import SDImage
import SDImageCodecs
import Testing

@Suite struct APNGTests {
    private typealias Frame = APNGBuilder.Frame
    private let coder = PNGCoder()
    private static let red: [UInt8] = [250, 0, 0, 255]
    private static let green: [UInt8] = [0, 240, 0, 255]
    private static let half: [UInt8] = [10, 20, 230, 128]
    private static let clear: [UInt8] = [0, 0, 0, 0]

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(try .copying(data), options: options, stop: CancellationToken())
    }

    /// All frames as images, after requesting the last one first.
    private func frames(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> [Image] {
        let frames = try #require(try decode(data, change).frames)
        _ = try frames.frame(at: frames.frameCount - 1, stop: CancellationToken())
        return try (0..<frames.frameCount).map { try frames.frame(at: $0, stop: CancellationToken()) }
    }

    private func repeated(_ color: [UInt8], _ count: Int = 8) -> [UInt8] { (0..<count).flatMap { _ in color } }

    /// A red frame, then a frame of 2 x 1 pixels at 1, 1, then a frame of 1 x 1 pixel in green.
    private func animation(disposal: Int = 0, blend: Int = 0, color: [UInt8] = half) -> [UInt8] {
        var file = APNGBuilder(frames: 3, loops: 7)
        file.add(color: Self.red)
        file.add(Frame(width: 2, height: 1, left: 1, top: 1, disposal: disposal, blend: blend), color: color)
        file.add(Frame(width: 1, height: 1), color: Self.green)
        return file.finished()
    }

    // MARK: Composition

    @Test func framesReplaceWhatTheyCover() throws {
        let frames = try frames(animation())
        let second = repeated(Self.red, 5) + repeated(Self.half, 2) + Self.red
        #expect(frames[0].content == repeated(Self.red))
        #expect(frames[1].content == second)
        #expect(frames[2].content == Self.green + second.dropFirst(4))
    }

    @Test func framesAreBlendedAsTheSpecificationSays() throws {
        // (10 * 128 + 250 * 127) / 255 and so on, rounded to nearest.
        let mixed: [UInt8] = [130, 10, 115, 255]
        #expect(try frames(animation(blend: 1))[1].content == repeated(Self.red, 5) + repeated(mixed, 2) + Self.red)
    }

    @Test func translucentColorsOverTranslucentOnesKeepTheirWeights() throws {
        var file = APNGBuilder(width: 1, height: 1, frames: 2)
        file.add(Frame(width: 1, height: 1), color: [200, 100, 0, 100])
        file.add(Frame(width: 1, height: 1, blend: 1), color: [0, 100, 200, 50])
        // Alpha is 50 + 100 * 205 / 255; the colors have weights 50 and 80.39.
        #expect(try frames(file.finished())[1].content == [123, 100, 77, 130])
    }

    @Test func transparentPixelsBlendToWhatWasThere() throws {
        #expect(try frames(animation(blend: 1, color: [9, 9, 9, 0]))[1].content == repeated(Self.red))
        #expect(try frames(animation(blend: 0, color: Self.clear))[1].pixel(1, 1) == Self.clear)
    }

    @Test func backgroundDisposalClearsTheRectangle() throws {
        let last = try frames(animation(disposal: 1))[2].content
        #expect(last == Self.green + repeated(Self.red, 4) + repeated(Self.clear, 2) + Self.red)
    }

    @Test func previousDisposalRestoresWhatWasThere() throws {
        #expect(try frames(animation(disposal: 2))[2].content == Self.green + repeated(Self.red, 7))
    }

    @Test func previousDisposalOfTheFirstFrameClears() throws {
        var file = APNGBuilder(frames: 2)
        file.add(Frame(disposal: 2), color: Self.red)
        file.add(Frame(width: 1, height: 1), color: Self.green)
        #expect(try frames(file.finished())[1].content == Self.green + repeated(Self.clear, 7))
    }

    @Test func theFirstFrameIsThePicture() throws {
        let image = try decode(animation())
        #expect(image.content == repeated(Self.red))
        #expect(image.metadata.frameCount == 3 && image.metadata.loopCount == 7 && image.metadata.durationMilliseconds == 120)
    }

    // MARK: Color types

    @Test func sixteenBitsBecomeEight() throws {
        var file = APNGBuilder(width: 1, height: 1, depth: 16, type: 2, frames: 2)
        file.add(Frame(width: 1, height: 1), [[1, 200, 2, 200, 3, 200]])
        file.add(Frame(width: 1, height: 1), [[4, 200, 5, 200, 6, 200]])
        #expect(try frames(file.finished()).map(\.content) == [[1, 2, 3, 255], [4, 5, 6, 255]])
    }

    @Test func greyFramesAreBlendedByTheirKey() throws {
        var file = APNGBuilder(width: 2, height: 1, depth: 8, type: 0, frames: 2)
        file.png.chunk("tRNS", [0, 7])
        file.add(Frame(width: 2, height: 1), [[5, 6]])
        file.add(Frame(width: 2, height: 1, blend: 1), [[7, 9]])
        #expect(try frames(file.finished())[1].content == [5, 5, 5, 255, 9, 9, 9, 255])
    }

    @Test func paletteFramesUseTheOnePalette() throws {
        var file = APNGBuilder(width: 4, height: 1, depth: 2, type: 3, frames: 2)
        file.png.chunk("PLTE", [1, 1, 1, 2, 2, 2, 3, 3, 3])
        file.png.chunk("tRNS", [255, 0])
        file.add(Frame(width: 4, height: 1), [[0b00_10_10_00]])
        file.add(Frame(width: 2, height: 1, left: 1, blend: 1), [[0b01_00_00_00]])
        #expect(try frames(file.finished())[1].content == [1, 1, 1, 255, 3, 3, 3, 255, 1, 1, 1, 255, 1, 1, 1, 255])
    }

    @Test func interlacedFramesArePutTogether() throws {
        var file = APNGBuilder(width: 2, height: 2, depth: 8, type: 0, frames: 2, interlaced: true)
        // For 2 × 2 pixels, passes 1, 6 and 7 have one, one and two pixels.
        file.add(Frame(width: 2, height: 2), [[1], [2], [3, 4]])
        file.add(Frame(width: 2, height: 2), [[5], [6], [7, 8]])
        #expect(try frames(file.finished())[1].content == [5, 6, 7, 8].flatMap { [$0, $0, $0, 255] })
    }

    @Test func colorsOfEveryFrameAreConverted() throws {
        var file = APNGBuilder(width: 1, height: 1, type: 2, frames: 2)
        file.png.chunk("gAMA", PNGBuilder.four(100_000))
        file.add(Frame(width: 1, height: 1), [[55, 55, 55]])
        file.add(Frame(width: 1, height: 1), [[55, 128, 255]])
        // Linear values of 55 and 128.
        #expect(try frames(file.finished()).map(\.content) == [[128, 128, 128, 255], [128, 188, 255, 255]])
        #expect(try frames(file.finished()) { $0.convertToSRGB = false }[1].content == [55, 128, 255, 255])
    }

    @Test func framesComeInTheFormatThatIsAskedFor() throws {
        let plain = try frames(animation(color: Self.half)).map(\.content)
        for format in [PixelFormat.rgba16, .rgb8, .gray8, .bgra8Premultiplied] {
            let frames = try frames(animation(color: Self.half)) { $0.pixelFormat = format }
            #expect(frames.allSatisfy { $0.pixels.format == format })
            #expect(frames[0].content.count == plain[0].count / 4 * format.bytesPerPixel)
        }
    }

    // MARK: Times

    @Test func delaysWithoutADenominatorAreHundredths() throws {
        var file = APNGBuilder(frames: 4)
        for delay in [(25, 0), (1, 0), (0, 1000), (11, 1000)] { file.add(Frame(delay: delay), color: Self.red) }
        let frames = try #require(try decode(file.finished()).frames)
        #expect((0..<5).map(frames.durationMilliseconds) == [250, 100, 100, 11, 0])
    }

    // MARK: Frame counting

    @Test func aDefaultPictureWithoutAControlIsNoFrame() throws {
        var file = APNGBuilder(frames: 2)
        file.addPicture(Array(repeating: repeated(Self.half, 4), count: 2))
        file.add(color: Self.red)
        file.add(color: Self.green)
        #expect(try frames(file.finished()).map(\.content) == [repeated(Self.red), repeated(Self.green)])
        #expect(try decode(file.finished()).content == repeated(Self.red))
        #expect(try decode(file.finished()) { $0.firstFrameOnly = true }.content == repeated(Self.red))
    }

    @Test func aLoneFrameIsAStill() throws {
        var file = APNGBuilder(frames: 1, loops: 3)
        file.add(color: Self.red)
        let image = try decode(file.finished())
        #expect(image.frames == nil && image.metadata.frameCount == 1 && image.metadata.loopCount == 0)
    }

    @Test func theFirstFrameAloneIsAStill() throws {
        let image = try decode(animation()) { $0.firstFrameOnly = true }
        #expect(image.frames == nil && image.metadata.frameCount == 1 && image.metadata.durationMilliseconds == 0)
        #expect(image.content == repeated(Self.red))
    }

    @Test(arguments: [2, 3, 100]) func theFramesThatAreThereCount(announced: Int) throws {
        var file = APNGBuilder(frames: announced)
        for _ in 0..<3 { file.add(color: Self.red) }
        #expect(try frames(file.finished()).count == min(announced, 3))
    }

    @Test func anAnnouncementBehindThePictureIsTooLate() throws {
        var file = APNGBuilder(frames: 0)
        file.add(color: Self.red)
        file.png.chunk("acTL", PNGBuilder.four(2) + PNGBuilder.four(0))
        file.add(color: Self.green)
        #expect(try decode(file.finished()).frames == nil)
    }

    @Test func theFirstOfSeveralAnnouncementsCounts() throws {
        var file = APNGBuilder(frames: 2, loops: 3)
        file.png.chunk("acTL", PNGBuilder.four(1) + PNGBuilder.four(7))
        for color in [Self.red, Self.green] { file.add(color: color) }
        let image = try decode(file.finished())
        #expect(image.frames?.frameCount == 2 && image.frames?.loopCount == 3)
    }

    @Test(arguments: 0..<6) func theFirstErrorEndsTheAnimation(_ kind: Int) throws {
        var file = APNGBuilder(frames: 4)
        file.add(color: Self.red)
        file.add(color: Self.green)
        switch kind {
        case 0: file.sequence += 1
        case 1: file.sequence -= 1
        case 2: file.control(Frame(width: 5))
        case 3: file.control(Frame(left: 1))
        case 4: file.control(Frame(disposal: 3))
        // A frame without data.
        default: file.control(Frame())
        }
        file.add(color: Self.half)
        #expect(try frames(file.finished()).map(\.content) == [repeated(Self.red), repeated(Self.green)])
    }

    @Test func anErrorInTheFirstControlLeavesTheDefaultPicture() throws {
        var file = APNGBuilder(frames: 2)
        file.add(Frame(width: 3), Array(repeating: repeated(Self.red, 4), count: 2))
        file.add(color: Self.green)
        let image = try decode(file.finished())
        #expect(image.frames == nil && image.content == repeated(Self.red))
    }

    // MARK: Damage and limits

    @Test func aDamagedFrameIsAnErrorAndTheOthersAreDrawnWithoutIt() throws {
        var file = APNGBuilder(frames: 3)
        file.add(color: Self.red)
        file.add(Frame(width: 2, height: 1), color: Self.half, damaged: true)
        file.add(Frame(width: 1, height: 1, left: 3), color: Self.green)
        let frames = try #require(try decode(file.finished()).frames)
        #expect(frames.frameCount == 3)
        #expect(imageError { _ = try frames.frame(at: 1, stop: CancellationToken()) }?.status == .badData)
        let last = try frames.frame(at: 2, stop: CancellationToken()).content
        #expect(last == repeated(Self.red, 3) + Self.green + repeated(Self.red, 4))
    }

    @Test func missingFramesAreMissedUnlessPartialPicturesAreAccepted() throws {
        let data = Array(animation().dropLast(30))
        #expect(imageError { _ = try decode(data) }?.status == .truncated)
        let partial = try decode(data) { $0.acceptPartial = true }
        #expect(partial.metadata.frameCount == 2 && partial.metadata.isIncremental)
        #expect(try decode(Array(animation().dropLast(12))).metadata.frameCount == 3)
    }

    @Test func truncatedAndFlippedFilesAreErrorsOrPicturesNeverCrashes() throws {
        let data = animation(disposal: 2, blend: 1)
        for length in data.indices {
            for accepted in [true, false] {
                let image = try coder.survive(Array(data.prefix(length))) { $0.acceptPartial = accepted }
                try walk(image)
            }
            for bit in [0, 3, 7] {
                var damaged = data
                damaged[length] ^= 1 << bit
                try walk(try coder.survive(damaged) { $0.limits.heldPixels = 1 << 20 })
            }
        }
    }

    private func walk(_ image: Image?) throws {
        guard let frames = image?.frames else { return }
        for index in 0..<frames.frameCount {
            do throws(ImageError) { _ = try frames.frame(at: index, stop: CancellationToken()) } catch { continue }
        }
    }

    @Test func framesBeyondTheLimitAreNotPlayed() throws {
        let image = try decode(animation()) { $0.limits.frames = 2 }
        #expect(image.metadata.frameCount == 2)
    }

    @Test func aCanvasBeyondTheLimitIsRefused() throws {
        #expect(imageError { _ = try decode(animation()) { $0.limits.heldPixels = 7 } }?.status == .tooLarge)
        #expect(imageError { _ = try decode(animation()) { $0.limits.workingBytes = 64 } }?.status == .tooLarge)
    }

    @Test func aStoppedFrameEndsWithCancelledAndCanBeAskedForAgain() throws {
        let frames = try #require(try decode(animation()).frames)
        let stop = CancellationToken()
        stop.cancel()
        #expect(imageError { _ = try frames.frame(at: 2, stop: stop) }?.status == .cancelled)
        #expect(try frames.frame(at: 2, stop: CancellationToken()).pixel(0, 0) == Self.green)
    }

    // MARK: Sizes

    private func large(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
        var file = APNGBuilder(width: width, height: height, depth: 1, type: 0, frames: frames)
        let row = [UInt8](repeating: 0, count: (width + 7) / 8)
        file.add(Frame(width: width, height: height), Array(repeating: row, count: height))
        for _ in 1..<frames { file.add(Frame(width: 1, height: 1), [[0x80]]) }
        return file.finished()
    }

    @Test(arguments: [(320, 240, 101, 58, 44), (990, 1050, 8, 175, 186), (80, 60, 2, 362, 271)])
    func theByteLimitIsSharedByAllFrames(_ width: Int, _ height: Int, _ count: Int, _ wanted: Int, _ high: Int) throws {
        let frames = try frames(large(width, height, frames: count)) { $0.limitBytes = 1 << 20 }
        #expect(frames.count == count)
        let expected = wanted < width ? PixelSize(width: wanted, height: high) : PixelSize(width: width, height: height)
        #expect(frames.allSatisfy { abs($0.size.width - expected.width) <= 1 && abs($0.size.height - expected.height) <= 1 })
    }

    @Test func everyFrameOfAThumbnailHasItsSize() throws {
        let frames = try frames(large(64, 32, frames: 3)) { $0.thumbnailSize = PixelSize(width: 16, height: 16) }
        #expect(frames.map(\.size) == Array(repeating: PixelSize(width: 16, height: 8), count: 3))
        #expect(frames[2].metadata.isThumbnail)
    }

    // MARK: Growing

    @Test(arguments: ProgressiveResult.pieces) func piecesEndAsOneDecode(_ pieces: [Int]) throws {
        let files = [
            animation(disposal: 1, blend: 1), Array(animation().dropLast(30)), large(40, 30, frames: 9),
            PNGBuilder.header(2, 1, depth: 8, type: 0).finished([[1, 2]]),
        ]
        for data in files {
            for accepted in [true, false] {
                let grown = try ProgressiveResult(coder, data, pieces: pieces) { $0.acceptPartial = accepted }
                let whole = ProgressiveResult.whole(coder, data) { $0.acceptPartial = accepted }
                #expect(grown.failure == whole.failure)
                #expect(grown.frames?.first == whole.frames?.first)
            }
        }
    }

    @Test func framesAreThereAsSoonAsTheyAreWhole() throws {
        let grown = try ProgressiveResult(coder, animation(), pieces: [1])
        #expect(Set(grown.counts) == [0, 1, 2, 3] && grown.counts == grown.counts.sorted())
        #expect(grown.previews.allSatisfy { $0.metadata.isIncremental || $0.content == repeated(Self.red) })
        #expect(grown.previews.first?.content == repeated(Self.red))
    }

    @Test func framesOfAGrowingAnimationCanBeAskedForInAnyOrder() throws {
        let data = animation(disposal: 1, blend: 1)
        let decoder = try #require(try coder.open(options: DecodeOptions(), stop: CancellationToken()))
        try decoder.update(try .copying(Array(data.dropLast(20))), isFinished: false, stop: CancellationToken())
        #expect(decoder.frameCount == 2)
        let early = try decoder.frame(at: 1, stop: CancellationToken()).content
        try decoder.update(try .copying(data), isFinished: true, stop: CancellationToken())
        let all = try frames(data).map(\.content)
        #expect(try [2, 0, 1].map { try decoder.frame(at: $0, stop: CancellationToken()).content } == [all[2], all[0], all[1]])
        #expect(early == all[1])
        #expect(decoder.durationMilliseconds == 120 && decoder.loopCount == 7)
    }
}
