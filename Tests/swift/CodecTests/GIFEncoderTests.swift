import SDImage
import SDImagePixels
import TestSupport
import Testing

@testable import SDImageCodecs

@Suite struct GIFEncoderTests {
    private let coder = GIFCoder()

    private func encode(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Bytes {
        var options = EncodeOptions()
        change(&options)
        return try coder.encode(image, format: .gif, options: options, stop: CancellationToken())
    }

    private func decode(_ file: Bytes) throws -> Image {
        var options = DecodeOptions()
        options.pixelFormat = .rgba8
        return try coder.decode(file, options: options, stop: CancellationToken())
    }

    /// A smooth image with very many colors.
    private func photograph(_ width: Int, _ height: Int) throws -> Image {
        try TestImage.image(width, height, .rgba8) { x, y in
            [UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x + y) * 255 / (width + height)), 255]
        }
    }

    // MARK: Stills

    @Test(arguments: [1, 2, 3, 5, 17, 100, 255, 256]) func fewColorsComeBackExactly(_ colors: Int) throws {
        var randoms = Randoms(seed: UInt64(colors))
        for (width, height) in [(1, 1), (16, 16), (301, 187)] {
            let noise = (0..<width * height).map { _ in UInt8(randoms.below(colors)) }
            let image = try TestImage.image(width, height, .rgba8) { x, y in
                let color = noise[y * width + x]
                return [color, 255 - color, color &* 7, 255]
            }
            #expect(try decode(try encode(image)).content == image.content)
        }
    }

    @Test func pixelsLessThanHalfOpaqueAreClear() throws {
        let image = try TestImage.image(16, 16, .rgba8) { x, y in [200, 10, 20, UInt8(y * 16 + x)] }
        let back = try decode(try encode(image))
        #expect(back.pixel(15, 7) == [0, 0, 0, 0])
        #expect(back.pixel(0, 8) == [200, 10, 20, 255])
    }

    @Test func alphaOfAnOpaquePictureDoesNotCount() throws {
        let image = try TestImage.image(9, 5, .rgba8) { x, _ in [7, 7, UInt8(x), 0] }
        var metadata = image.metadata
        metadata.hasAlpha = false
        #expect(try decode(try encode(image.with(metadata))).pixel(3, 3) == [7, 7, 3, 255])
    }

    @Test func aPictureOfNothingIsClear() throws {
        let image = try TestImage.image(9, 5, .rgba8) { _, _ in [7, 7, 7, 0] }
        #expect(try decode(try encode(image)).content == [UInt8](repeating: 0, count: 180))
    }

    @Test(arguments: [2, 3, 16, 256]) func noMoreColorsAreUsedThanAllowed(_ colors: Int) throws {
        let file = try encode(try photograph(80, 60)) { $0.maxColors = colors }
        let back = try decode(file)
        let seen = Set((0..<60).flatMap { y in (0..<80).map { x in back.pixel(x, y) } })
        #expect(seen.count <= colors && seen.count > colors / 2)
    }

    @Test func ditheringKeepsMeansThatFewColorsLack() throws {
        let image = try TestImage.image(64, 64, .rgba8) { x, y in [UInt8(x * 4), UInt8(x * 4), UInt8(x * 4), 255] }
        func error(_ dithering: Double) throws -> Double {
            let back = try decode(
                try encode(image) {
                    $0.maxColors = 4
                    $0.dithering = dithering
                })
            return (0..<64).reduce(0) { sum, x in
                let mean = (0..<64).reduce(0) { $0 + Double(back.pixel(x, $1)[0]) } / 64
                return sum + abs(mean - Double(x * 4)) / 64
            }
        }
        let errors = [try error(0), try error(0.5), try error(1)]
        #expect(errors[2] < 0.8 * errors[0] && errors[2] < errors[1] && errors[1] < errors[0])
    }

    @Test func thePictureIsTurnedBecauseTheFormatCannotTell() throws {
        var metadata = ImageMetadata()
        metadata.orientation = .right
        let back = try decode(try encode(try photograph(20, 10).with(metadata)))
        #expect(back.size == PixelSize(width: 10, height: 20))
    }

    @Test func sidesBeyond16BitsAreRefused() throws {
        let image = try TestImage.image(65536, 1, .gray8, isNoisy: false)
        #expect(imageError { _ = try encode(image) }?.status == .tooLarge)
    }

    // MARK: Animations

    @Test(arguments: 0..<16, [[255], [0, 255], [0, 0, 255]] as [[UInt8]])
    func everyFrameComesBack(seed: UInt64, alphas: [UInt8]) throws {
        let frames = try AnimationFixture.sprites(10, alphas: alphas, seed: seed)
        let back = try AnimationFixture.frames(try decode(try encode(try AnimationFixture.image(frames))))
        #expect(back.map(\.content) == frames.map(\.content))
    }

    @Test func durationsKeepToTheirTimes() throws {
        let frames = try AnimationFixture.sprites(7, alphas: [255], seed: 1)
        let back = try decode(try encode(try AnimationFixture.image(frames, [33, 33, 34, 33, 33, 34, 1000])))
        #expect(AnimationFixture.durations(back) == [30, 40, 30, 30, 40, 30, 1000])
    }

    @Test func aDurationIsNeverOneThatPlayersDoNotBelieve() throws {
        let frames = try AnimationFixture.sprites(4, alphas: [255], seed: 1)
        let back = try decode(try encode(try AnimationFixture.image(frames, [15, 15, 15, 0])))
        #expect(AnimationFixture.durations(back) == [20, 20, 20, 20])
    }

    @Test(arguments: [0, 1, 5, 65535]) func loopsAreKept(_ loops: Int) throws {
        let frames = try AnimationFixture.sprites(3, alphas: [255], seed: 2)
        let file = try encode(try AnimationFixture.image(frames, loops: loops))
        #expect(try decode(file).metadata.loopCount == loops)
        let hasBlock = String(decoding: file.array, as: UTF8.self).contains("NETSCAPE2.0")
        #expect(hasBlock == (loops != 1))
    }

    @Test func whatDoesNotChangeDoesNotFlicker() throws {
        let still = try photograph(90, 60)
        let frames = try (0..<4).map { step in
            try TestImage.image(90, 60, .rgba8) { x, y in
                (40..<50).contains(x) && (20..<30).contains(y) ? [UInt8(step * 60), 99, UInt8(x * 5), 255] : still.pixel(x, y)
            }
        }
        let back = try AnimationFixture.frames(try decode(try encode(try AnimationFixture.image(frames)) { $0.maxColors = 32 }))
        for frame in back.dropFirst() {
            for y in 0..<60 {
                for x in 0..<90 where !((40..<50).contains(x) && (20..<30).contains(y)) {
                    #expect(frame.pixel(x, y) == back[0].pixel(x, y))
                }
            }
        }
        #expect(back[1].pixel(45, 25) != back[2].pixel(45, 25))
    }

    @Test func framesInWhichNothingHappensAreKept() throws {
        let frame = try photograph(40, 30)
        let back = try decode(try encode(try AnimationFixture.image([frame, frame, frame], [20, 30, 40])))
        #expect(AnimationFixture.durations(back) == [20, 30, 40])
        #expect(Set(try AnimationFixture.frames(back).map(\.content)).count == 1)
    }

    @Test func aCancelledEncodeEndsWithCancelled() throws {
        let stop = CancellationToken()
        stop.cancel()
        let image = try photograph(300, 200)
        #expect(
            imageError { _ = try coder.encode(image, format: .gif, options: EncodeOptions(), stop: stop) }?.status == .cancelled)
    }
}
