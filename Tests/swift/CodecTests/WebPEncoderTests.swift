import SDImage
import Testing

@testable import SDImageCodecs

struct WebPEncoderTests {
    private let coder = WebPCoder()

    private func transparent(_ width: Int, _ height: Int, _ format: PixelFormat = .rgba8) throws -> Image {
        try TestImage.image(width, height, format) { x, y in [UInt8(x * 7 & 255), UInt8(y * 5 & 255), 60, UInt8(x * 16 & 255)] }
    }

    // MARK: Pixels

    @Test(arguments: PixelFormat.allCases, [(1, 1), (7, 5), (16, 16), (33, 17), (64, 131)])
    func everyPixelFormatAndSizeComesBackCloseToTheOriginal(format: PixelFormat, size: (Int, Int)) throws {
        let image = try TestImage.image(size.0, size.1, format) { x, y in [UInt8(x), UInt8(y), 128, 255] }
        let back = try coder.decoded(try coder.encoded(image))
        #expect(back.size == image.size)
        #expect(!back.metadata.hasAlpha)
        #expect(try back.meanDifference(to: image) < 3)
    }

    @Test(arguments: PixelFormat.allCases)
    func losslessPixelsComeBackAsTheyWere(format: PixelFormat) throws {
        let image = format.hasAlpha ? try transparent(50, 33, format) : try TestImage.noise(50, 33, format)
        let back = try coder.decoded(try coder.encoded(image) { $0.isLossless = true })
        #expect(back.metadata.hasAlpha == format.hasAlpha)
        #expect(try back.meanDifference(to: image) == 0)
    }

    @Test func losslessKeepsWhatTransparencyHides() throws {
        let image = try TestImage.image(12, 12, .rgba8) { x, y in [UInt8(x * 9), UInt8(y * 9), 7, 0] }
        #expect(try coder.decoded(try coder.encoded(image) { $0.isLossless = true }).content == image.content)
    }

    @Test(arguments: [PixelFormat.rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .rgba16])
    func alphaComesBackExactlyAtTheBestQuality(format: PixelFormat) throws {
        let image = try transparent(40, 30, format)
        let back = try coder.decoded(try coder.encoded(image))
        #expect(back.metadata.hasAlpha)
        let (expected, found) = (try image.rgba(), try back.rgba())
        for index in stride(from: 3, to: expected.count, by: 4) { #expect(found[index] == expected[index]) }
    }

    @Test func rowsOfEveryOpaqueLayoutMakeTheSameFile() throws {
        let file = try coder.encoded(try TestImage.noise(50, 37, .rgb8))
        for format in [PixelFormat.rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .rgb16, .rgba16] {
            #expect(try coder.encoded(try TestImage.noise(50, 37, format)).equals(file))
            let opaque = try TestImage.noise(50, 37, format).changed { $0.hasAlpha = false }
            #expect(try coder.encoded(opaque).equals(file))
        }
    }

    @Test(arguments: [PixelFormat.gray8, .gray16], [false, true])
    func greyMakesTheFileOfEqualColors(format: PixelFormat, isLossless: Bool) throws {
        let gray = try TestImage.image(41, 23, format) { x, y in
            let value = UInt8((x * 11 + y * 3) & 255)
            return [value, value, value, 255]
        }
        let change: (inout EncodeOptions) -> Void = { $0.isLossless = isLossless }
        let color = try gray.converted(to: .rgb8)
        #expect(try coder.encoded(gray, change).equals(coder.encoded(color, change)))
    }

    @Test func fullyTransparentAndSingleColorPicturesComeBack() throws {
        let clear = try TestImage.image(30, 20, .rgba8) { _, _ in [0, 0, 0, 0] }
        let back = try coder.decoded(try coder.encoded(clear))
        #expect(try back.rgba().enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 0 })
        let red = try TestImage.image(30, 20) { _, _ in [200, 10, 10, 255] }
        #expect(try coder.decoded(try coder.encoded(red)).meanDifference(to: red) < 3)
    }

    // MARK: Options

    @Test func sidesUpToTheFormatsLimitAreEncoded() throws {
        let longest = try TestImage.image(16383, 1, .gray8) { _, _ in [9, 9, 9, 255] }
        #expect(try coder.decoded(try coder.encoded(longest)).size.width == 16383)
        let longer = try TestImage.image(1, 16384, .gray8) { _, _ in [9, 9, 9, 255] }
        #expect(imageError { _ = try coder.encoded(longer) }?.status == .tooLarge)
    }

    @Test func lowerQualityTakesFewerBytes() throws {
        let image = try TestImage.noise(120, 90)
        let sizes = try [1.0, 0.9, 0.5, 0.1, 0].map { quality in try coder.encoded(image) { $0.quality = quality }.count }
        #expect(sizes == sizes.sorted(by: >) && Set(sizes).count == sizes.count)
    }

    @Test func effortChangesTheFileAndNotALosslessPicture() throws {
        let image = try transparent(100, 80)
        #expect(try !coder.encoded(image) { $0.effort = 1 }.equals(coder.encoded(image) { $0.effort = 6 }))
        #expect(try coder.encoded(image) { $0.effort = 4 }.equals(coder.encoded(image)))
        for effort in 1...9 {
            let file = try coder.encoded(image) {
                $0.isLossless = true
                $0.effort = effort
            }
            #expect(try coder.decoded(file).meanDifference(to: image) == 0)
        }
    }

    @Test(arguments: [
        (EncodeOptions.WebPParameter.method, 6.0), (.pass, 10), (.preprocessing, 2), (.threadLevel, 0), (.lowMemory, 1),
        (.targetPSNR, 30), (.segments, 1), (.snsStrength, 0), (.filterStrength, 100), (.filterSharpness, 7),
        (.filterType, 0), (.autofilter, 1), (.alphaCompression, 0), (.alphaFiltering, 2), (.alphaQuality, 10),
        (.showCompressed, 1), (.partitions, 3), (.partitionLimit, 100), (.useSharpYUV, 1),
    ])
    func everyParameterReachesLibwebp(parameter: EncodeOptions.WebPParameter, value: Double) throws {
        let image = try transparent(100, 80)
        let plain = try coder.encoded(image) { $0.quality = 0.6 }
        let file = try coder.encoded(image) {
            $0.quality = 0.6
            $0.webP[parameter] = value
        }
        #expect(try coder.decoded(file).size == image.size)
        // Parameters that affect only the computation, or that have no effect on a small image.
        let quiet: Set<EncodeOptions.WebPParameter> = [
            .threadLevel, .lowMemory, .showCompressed, .partitionLimit, .autofilter, .pass, .partitions,
        ]
        if !quiet.contains(parameter) { #expect(!file.equals(plain)) }
    }

    @Test(arguments: [
        (EncodeOptions.WebPParameter.method, 7.0), (.method, 2.5), (.method, .nan), (.targetPSNR, .infinity),
        (.targetPSNR, 1e300), (.targetPSNR, -1), (.alphaCompression, 2), (.segments, 0), (.pass, 1e300), (.useSharpYUV, -1),
    ])
    func parametersOutsideTheirRangeAreRefused(parameter: EncodeOptions.WebPParameter, value: Double) throws {
        let image = try TestImage.image(4, 4)
        #expect(imageError { _ = try coder.encoded(image) { $0.webP[parameter] = value } }?.status == .invalidArgument)
    }

    @Test func theBestQualityWithinTheLimitIsFound() throws {
        let image = try TestImage.noise(160, 120)
        let (lowest, highest) = (try coder.encoded(image) { $0.quality = 0 }.count, try coder.encoded(image).count)
        for limit in [(lowest + highest) / 3, (lowest + highest) / 2] {
            let size = try coder.encoded(image) { $0.maxFileSize = limit }.count
            #expect(size <= limit && size > lowest)
        }
        #expect(try coder.encoded(image) { $0.maxFileSize = 1 }.count == lowest)
        let error = imageError {
            _ = try coder.encoded(image) {
                $0.maxFileSize = 1000
                $0.isLossless = true
            }
        }
        #expect(error?.status == .invalidArgument)
    }

    @Test func aStoppedEncodingEndsWithCancelled() throws {
        let image = try TestImage.noise(64, 64)
        let stop = CancellationToken()
        stop.cancel()
        let error = imageError { _ = try coder.encode(image, format: .webp, options: EncodeOptions(), stop: stop) }
        #expect(error?.status == .cancelled)
    }

    // MARK: Animations

    @Test(arguments: [false, true])
    func animationsComeBackWithFramesDurationsAndLoops(isLossless: Bool) throws {
        let durations = [20, 33, 100, 4000, 17]
        let animation = try TestImage.animation(40, 30, durations: durations, loopCount: 3)
        let file = try coder.encoded(animation) { $0.isLossless = isLossless }
        let back = try coder.decoded(file)
        let frames = try #require(back.frames)
        #expect(back.size == animation.size)
        #expect(frames.frameCount == 5 && frames.loopCount == 3)
        #expect((0..<5).map { frames.durationMilliseconds(at: $0) } == durations)
        for index in 0..<5 {
            let expected = try animation.frame(at: index, stop: CancellationToken())
            let found = try frames.frame(at: index, stop: CancellationToken())
            #expect(try found.meanDifference(to: expected) < (isLossless ? 0.001 : 4))
        }
    }

    @Test func framesCoverTheCanvasAndDoNotBlend() throws {
        let file = try coder.encoded(try TestImage.animation(33, 21, durations: [50, 60], loopCount: 0))
        let stream = try WebPContainer(file, stop: CancellationToken())
        var walk = WebPChunkReader(frameLimit: 10)
        try walk.advance(file, stop: CancellationToken())
        for (_, layout, _) in try stream.frames(walk, from: 0, limit: 10) {
            #expect(layout.size == PixelSize(width: 33, height: 21) && layout.left == 0 && layout.top == 0)
            #expect(layout.blend == .source && layout.disposal == .background)
        }
        #expect(stream.loopCount == 0 && stream.frameCount == 2 && !stream.hasAlpha)
    }

    @Test func transparentFramesDoNotShowTheOnesBefore() throws {
        let first = try TestImage.image(16, 16, .rgba8) { _, _ in [255, 0, 0, 255] }
        let second = try TestImage.image(16, 16, .rgba8) { x, _ in [0, 0, 255, x < 8 ? 255 : 0] }
        let animation = first.with(frames: try HeldFrames([first, second], durations: [50, 50], loopCount: 0))
        let file = try coder.encoded(animation) { $0.isLossless = true }
        #expect(try coder.described(file).hasAlpha)
        let back = try coder.decoded(file)
        let frame = try #require(try back.frames?.frame(at: 1, stop: CancellationToken()))
        #expect(frame.pixel(12, 3).last == 0 && frame.pixel(2, 3) == [0, 0, 255, 255])
    }

    @Test func twoThreadsWriteTheAnimationOfOne() throws {
        let pool = WorkPool(name: "test", threads: 2)
        defer { pool.stop() }
        let animation = try TestImage.animation(64, 48, durations: [20, 30, 40, 50, 60, 70, 80], loopCount: 0)
        let writer = try WebPEncoder(animation, options: EncodeOptions(), stop: CancellationToken())
        let alone = try writer.encode { nil }
        for _ in 0..<3 { #expect(try writer.encode { pool }.equals(alone)) }
    }

    @Test func loopsCanBeChosenAndOneFrameIsAStill() throws {
        let animation = try TestImage.animation(16, 16, durations: [20, 30], loopCount: 3)
        #expect(try coder.described(try coder.encoded(animation) { $0.loopCount = 7 }).loopCount == 7)
        #expect(imageError { _ = try coder.encoded(animation) { $0.loopCount = 65536 } }?.status == .tooLarge)
        let one = try TestImage.animation(16, 16, durations: [20], loopCount: 3)
        #expect(!WebPProgressiveDecoder.isAnimated(try coder.encoded(one)))
        #expect(!WebPProgressiveDecoder.isAnimated(try coder.encoded(animation.still)))
    }

    @Test func anErrorOfOneFrameIsTheErrorOfAll() throws {
        let animation = try TestImage.animation(16, 16, durations: [20, 30, 40], loopCount: 0)
        for bad in 0..<3 {
            let frames = MappedFrames(try #require(animation.frames)) { frame, _ throws(ImageError) in
                if try frame.rgba0() == UInt8(bad * 40) { throw ImageError(.badData, "damaged") }
                return frame
            }
            // The first frame comes from the image itself.
            let status = imageError { _ = try coder.encoded(animation.with(frames: frames)) }?.status
            #expect(status == (bad == 0 ? nil : .badData))
        }
    }

    // MARK: Metadata

    @Test(arguments: Orientation.allCases)
    func thePictureIsTurned(orientation: Orientation) throws {
        let image = try TestImage.image(20, 10).changed { $0.orientation = orientation }
        let file = try coder.encoded(image) { $0.isLossless = true }
        #expect(try coder.described(file).orientation == .up)
        let expected = try image.upright(stop: CancellationToken())
        #expect(try coder.decoded(file).meanDifference(to: expected) == 0)
    }

    @Test(arguments: [false, true])
    func blocksAndProfileComeBackWhole(isMoving: Bool) throws {
        let exif = ExifBlock.bytes(tags: [0x010E, 0x0112], orientation: 6, bigEndian: false)
        let xmp = Array("<x:xmpmeta>odd</x:xmpmeta>".utf8)
        let profile = try Bytes.copying((0..<3001).map { UInt8($0 * 7 & 255) })
        let plain = isMoving ? try TestImage.animation(20, 10, durations: [30, 40], loopCount: 2) : try TestImage.image(20, 10)
        let image = plain.changed { $0.colorProfile = profile }
        let info = try coder.described(
            try coder.encoded(image) {
                $0.exif = try? Bytes.copying(exif)
                $0.xmp = try? Bytes.copying(xmp)
            })
        #expect(info.exif?.array == ExifBlock.bytes(tags: [0x010E, 0x0112], orientation: 1, bigEndian: false))
        #expect(info.xmp?.array == xmp)
        #expect(info.colorProfile?.array == profile.array)
        #expect(info.orientation == .up && info.frameCount == (isMoving ? 2 : 1))
    }

    @Test func transparencyIsKeptBesideBlocks() throws {
        for isLossless in [false, true] {
            let file = try coder.encoded(try transparent(20, 10)) {
                $0.isLossless = isLossless
                $0.xmp = try? Bytes.copying([1, 2, 3])
            }
            #expect(try coder.described(file).hasAlpha)
            #expect(try coder.decoded(file).pixel(0, 0).last == 0)
        }
    }

    @Test func withALimitColorsBecomeSRGBInPlaceOfTheProfile() throws {
        let profile = try Bytes.copying(ICCBuilder.displayP3)
        let image = try TestImage.image(64, 64) { _, _ in [200, 30, 30, 255] }.changed { $0.colorProfile = profile }
        let file = try coder.encoded(image) { $0.maxFileSize = 100_000 }
        #expect(try !coder.described(file).hasColorProfile)
        let expected = try image.convertedToSRGB(DecodeOptions(), stop: CancellationToken())
        #expect(try coder.decoded(file).meanDifference(to: expected) < 3)
    }
}

extension Image {
    /// The first byte of the first pixel, for frames that differ in it.
    fileprivate func rgba0() throws(ImageError) -> UInt8 { pixel(0, 0).first ?? 255 }
}
