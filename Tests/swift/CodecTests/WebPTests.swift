import SDImage
import SDImageCodecs
import Testing

struct WebPTests {
    private let coder = WebPCoder()

    private static func translucent(_ x: Int, _ y: Int) -> [UInt8] {
        CodecFixture.ramp(x, y) + [UInt8(max(0, 255 - 4 * x))]
    }

    // MARK: Pixels

    @Test func losslessPicturesComeOutExactly() throws {
        let image = try coder.decode("webp/lossless.webp")
        #expect(image.pixels.format == .rgb8)
        #expect(image.size == CodecFixture.rampSize)
        #expect(image.distance(to: CodecFixture.ramp) == 0)
        #expect(!image.metadata.hasAlpha)
    }

    @Test func losslessAlphaComesOutExactlyAndStraight() throws {
        let image = try coder.decode("webp/lossless_alpha.webp")
        #expect(image.pixels.format == .rgba8)
        #expect(image.metadata.hasAlpha)
        #expect(image.distance(to: WebPTests.translucent) == 0)
    }

    @Test func lossyPicturesComeOutNearTheOriginal() throws {
        #expect(try coder.decode("webp/lossy.webp").distance(to: CodecFixture.ramp) <= 12)
    }

    @Test func premultipliedPicturesAreMultipliedOnce() throws {
        let image = try coder.decode("webp/lossless_alpha.webp") { $0.pixelFormat = .bgra8Premultiplied }
        let distance = image.distance { x, y in
            let (color, alpha) = (CodecFixture.ramp(x, y), max(0, 255 - 4 * x))
            return [2, 1, 0].map { UInt8((Int(color[$0]) * alpha + 127) / 255) } + [UInt8(alpha)]
        }
        #expect(distance <= 1)
    }

    @Test func askedFormatsOfAnOpaquePictureHoldTheSamePicture() throws {
        let plain = try coder.decode("webp/lossless.webp")
        for format in [PixelFormat.rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .rgb16, .rgba16] {
            let asked = try coder.decode("webp/lossless.webp") { $0.pixelFormat = format }
            #expect(asked.pixels.format == format)
            #expect(try asked.converted(to: .rgb8).content == plain.content)
        }
    }

    @Test func theOrientationOfTheExifChunkIsApplied() throws {
        let image = try coder.decode("webp/turned_6.webp")
        #expect(image.size == CodecFixture.rampSize.swapped)
        #expect(image.distance { x, y in CodecFixture.ramp(y, 47 - x) } == 0)
    }

    // MARK: Shrinking

    @Test(arguments: [1000, 512, 300, 100, 7])
    func thumbnailsFitTheirBoxAndLookLikeThePicture(side: Int) throws {
        let image = try coder.decode("webp/large.webp") { $0.thumbnailSize = PixelSize(width: side, height: side) }
        #expect(image.size == PixelSize(width: side, height: (side * 3 + 3) / 4))
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        let distance = image.distance { x, y in
            [UInt8((Double(x) + 0.5) / width * 256 - 0.5), UInt8((Double(y) + 0.5) / height * 240 - 0.5), 128]
        }
        #expect(distance <= 12)
    }

    @Test(arguments: [200, 100, 7], [PixelFormat.rgb8, .bgra8Premultiplied, .gray8])
    func smallOnesOfLossyPicturesAreThoseOfTheirPixels(side: Int, format: PixelFormat) throws {
        let change = { (options: inout DecodeOptions) in
            (options.thumbnailSize, options.pixelFormat) = (PixelSize(width: side, height: side), format)
        }
        let image = try coder.decode("webp/large.webp", change)
        let full = try coder.decode("webp/large.webp")
        var options = DecodeOptions()
        change(&options)
        let expected = try full.fitted(options, stop: CancellationToken())
        #expect(image.size == expected.size && image.pixels.format == format)
        #expect(image.distance { expected.pixel($0, $1) } <= 6)
    }

    @Test(arguments: ["lossy_alpha.webp", "lossless_alpha.webp"])
    func transparentColorDoesNotShowInThumbnails(name: String) throws {
        let image = try coder.decode("webp/" + name) { $0.thumbnailSize = PixelSize(width: 16, height: 12) }
        // The image is opaque at the left and transparent at the right: mean colors follow the opaque side.
        let alpha = (0..<16).map { Int(image.pixel($0, 6)[3]) }
        #expect(zip(alpha, alpha.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(image.pixel(12, 6)[0] < 220)
    }

    // MARK: Animations

    @Test func animationsGiveTheirFirstPictureAndWhatIsKnownOfTheRest() throws {
        let image = try coder.decode("webp/animated.webp")
        #expect(image.distance { _, _ in [255, 0, 0, 255] } == 0)
    }

    @Test func aFirstFrameSmallerThanItsCanvasIsPlacedOnTransparency() throws {
        let image = try coder.decode("webp/placed.webp")
        #expect(image.size == CodecFixture.rampSize)
        #expect(image.pixels.format == .rgba8)
        #expect(image.metadata.hasAlpha)
        let distance = image.distance { x, y in
            (8..<40).contains(x) && (12..<28).contains(y) ? [200, 10, 20, 255] : [0, 0, 0, 0]
        }
        #expect(distance == 0)
    }

    @Test func infoReadsTheHeaderOnly() throws {
        let info = try coder.info(
            try CodecFixture.bytes("webp/animated.webp"), options: DecodeOptions(), stop: CancellationToken())
        #expect(info.frameCount == 3 && info.loopCount == 3 && info.durationMilliseconds == 400)
        let turned = try coder.info(
            try CodecFixture.bytes("webp/turned_6.webp"), options: DecodeOptions(), stop: CancellationToken())
        #expect(turned.displayedSize == CodecFixture.rampSize.swapped)
        let data = try CodecFixture.data("webp/large.webp")
        let large = try coder.info(try .copying(Array(data.prefix(64))), options: DecodeOptions(), stop: CancellationToken())
        #expect(large.storedSize == PixelSize(width: 1024, height: 768))
    }

    @Test func theProfileIsKeptWhereColorsAreNotConverted() throws {
        #expect(try coder.decode("webp/profile.webp").metadata.colorProfile == nil)
        let kept = try coder.decode("webp/profile.webp") { $0.convertToSRGB = false }
        #expect(kept.metadata.colorProfile?.reader.matches("acsp", at: 36) == true)
    }

    // MARK: Damage and limits

    private static let names = [
        "lossy.webp", "lossless.webp", "lossy_alpha.webp", "lossless_alpha.webp", "animated.webp", "placed.webp", "profile.webp",
    ]

    @Test(arguments: names)
    func truncatedFilesAreErrorsOrPicturesNeverCrashes(name: String) throws {
        let data = try CodecFixture.data("webp/" + name)
        for length in stride(from: 0, to: data.count, by: 7) {
            _ = try coder.survive(Array(data.prefix(length)))
            _ = try coder.survive(Array(data.prefix(length))) { $0.acceptPartial = true }
            _ = try coder.survive(Array(data.prefix(length))) { $0.thumbnailSize = PixelSize(width: 9, height: 9) }
        }
    }

    @Test(arguments: names)
    func flippedBitsAreErrorsOrPicturesNeverCrashes(name: String) throws {
        let data = try CodecFixture.data("webp/" + name)
        for position in data.indices {
            var damaged = data
            damaged[position] ^= UInt8(1 << (position % 8))
            // A flipped bit in the size may request up to 16,383 pixels per side.
            _ = try coder.survive(damaged) { $0.limits.streamedPixels = 1 << 20 }
            _ = try coder.survive(damaged) {
                $0.limits.streamedPixels = 1 << 20
                $0.acceptPartial = true
                $0.thumbnailSize = PixelSize(width: 20, height: 20)
            }
        }
    }

    @Test func aTruncatedFileIsCalledTruncated() throws {
        let data = try CodecFixture.data("webp/large.webp")
        let half = try Bytes.copying(Array(data.prefix(data.count / 2)))
        let error = imageError { _ = try coder.decode(half, options: DecodeOptions(), stop: CancellationToken()) }
        #expect(error?.status == .truncated)
    }

    @Test func aTruncatedPictureIsGivenWhereThatIsAccepted() throws {
        let data = try CodecFixture.data("webp/large.webp")
        let image = try #require(try coder.survive(Array(data.prefix(data.count / 2))) { $0.acceptPartial = true })
        #expect(image.size == PixelSize(width: 1024, height: 768))
        #expect(abs(Int(image.pixel(800, 40).first ?? 0) - 200) <= 12)
        #expect(image.pixel(800, 760) == [0, 0, 0])
        #expect(image.metadata.isIncremental)
    }

    @Test func anAnimationWithoutItsLastFramesIsTruncated() throws {
        let data = Array(try CodecFixture.data("webp/animated.webp").dropLast(20))
        #expect(try coder.survive(data) == nil)
        #expect(try coder.survive(data) { $0.acceptPartial = true }?.pixel(3, 3).prefix(3) == [255, 0, 0])
    }

    @Test func whatMustBeHeldWholeIsLimited() throws {
        let error = imageError { _ = try coder.decode("webp/lossless.webp") { $0.limits.heldPixels = 64 * 48 - 1 } }
        #expect(error?.status == .tooLarge)
        #expect(try coder.decode("webp/lossy.webp") { $0.limits.heldPixels = 64 * 48 - 1 }.size == CodecFixture.rampSize)
    }

    @Test func aStoppedDecodeEndsWithCancelled() throws {
        let stop = CancellationToken()
        stop.cancel()
        let bytes = try CodecFixture.bytes("webp/large.webp")
        #expect(imageError { _ = try coder.decode(bytes, options: DecodeOptions(), stop: stop) }?.status == .cancelled)
    }
}
