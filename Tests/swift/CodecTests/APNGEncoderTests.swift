import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

@Suite struct APNGEncoderTests {
    private let coder = APNGCoder(PNGCoder())

    private func encode(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Bytes {
        var options = EncodeOptions()
        change(&options)
        return try coder.encode(image, format: .png, options: options, stop: CancellationToken())
    }

    private func decode(_ file: Bytes, _ format: PixelFormat = .rgba8) throws -> Image {
        var options = DecodeOptions()
        options.pixelFormat = format
        return try coder.decode(file, options: options, stop: CancellationToken())
    }

    @Test(arguments: 0..<12, [[255], [0, 255], [0, 60, 128, 255]] as [[UInt8]])
    func everyFrameComesBack(seed: UInt64, alphas: [UInt8]) throws {
        let frames = try AnimationFixture.sprites(9, alphas: alphas, seed: seed)
        let back = try AnimationFixture.frames(try decode(try encode(try AnimationFixture.image(frames))))
        #expect(back.map(\.content) == frames.map(\.content))
    }

    @Test func framesOfNoiseComeBack() throws {
        let frames = try (40..<44).map { try TestImage.image($0, 30, .rgba8, isNoisy: true) }.map { noise in
            try TestImage.image(40, 30, .rgba8) { x, y in noise.pixel(x, y) }
        }
        let back = try AnimationFixture.frames(try decode(try encode(try AnimationFixture.image(frames))))
        #expect(back.map(\.content) == frames.map(\.content))
    }

    @Test func framesOf16BitsKeepThem() throws {
        let frame = try TestImage.image(50, 20, .rgb16, isNoisy: true)
        let file = try encode(try AnimationFixture.image([frame, frame]))
        let wide = try frame.converted(to: .rgba16).content
        let samples = stride(from: 0, to: wide.count, by: 2).map { UInt16(wide[$0]) | UInt16(wide[$0 + 1]) << 8 }
        #expect(ReferenceLibraries.png(file.array, width: 50, height: 20) == samples)
    }

    @Test func durationsAndLoopsAreKept() throws {
        let frames = try AnimationFixture.sprites(6, alphas: [255], seed: 3)
        let durations = [11, 100, 33, 65535, 65540, 600_000]
        let file = try encode(try AnimationFixture.image(frames, durations, loops: 7))
        let back = try decode(file)
        #expect(AnimationFixture.durations(back) == durations)
        #expect(back.metadata.loopCount == 7)
        #expect(try decode(try encode(try AnimationFixture.image(frames, loops: 7)) { $0.loopCount = 2 }).metadata.loopCount == 2)
        #expect(try decode(try encode(try AnimationFixture.image(frames, loops: 7)) { $0.loopCount = 0 }).metadata.loopCount == 0)
    }

    @Test func framesInWhichNothingHappensAreKept() throws {
        let frame = try TestImage.image(40, 30, .rgba8, isNoisy: true)
        let back = try decode(try encode(try AnimationFixture.image([frame, frame, frame], [20, 30, 40])))
        #expect(AnimationFixture.durations(back) == [20, 30, 40])
        #expect(try AnimationFixture.frames(back).map(\.content) == [frame, frame, frame].map(\.content))
    }

    @Test func onlyWhatChangedIsWritten() throws {
        let still = try TestImage.image(200, 200, .rgba8, isNoisy: true, isOpaque: true)
        let dotted = try TestImage.image(200, 200, .rgba8) { x, y in x == 150 && y == 20 ? [1, 2, 3, 255] : still.pixel(x, y) }
        let one = try encode(still).count
        #expect(try encode(try AnimationFixture.image([still, dotted, still])).count < one + one / 3 + 400)
    }

    @Test func libpngReadsTheFirstFrame() throws {
        let frames = try AnimationFixture.sprites(3, alphas: [0, 255], seed: 5)
        let file = try encode(try AnimationFixture.image(frames)).array
        let wide = try frames[0].converted(to: .rgba16).content
        let samples = stride(from: 0, to: wide.count, by: 2).map { UInt16(wide[$0]) | UInt16(wide[$0 + 1]) << 8 }
        #expect(ReferenceLibraries.png(file, width: 37, height: 23) == samples)
    }

    @Test func aLoneFrameBecomesAStill() throws {
        let frame = try TestImage.image(40, 30, .rgba8, isNoisy: true)
        let file = try encode(try AnimationFixture.image([frame]))
        #expect(try APNGContainer.isKnownStill(file, stop: CancellationToken()))
        #expect(try encode(frame).array == file.array)
    }
}
