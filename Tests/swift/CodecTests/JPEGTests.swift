import SDImage
import SDImageCodecs
import Testing

struct JPEGTests {
    private let coder = JPEGCoder()

    // MARK: Pixels

    @Test(arguments: ["ramp.jpg", "ramp_progressive.jpg", "ramp_restart.jpg", "ramp_profile.jpg", "ramp_arithmetic.jpg"])
    func colorPicturesComeOutAsRGBCloseToTheOriginal(name: String) throws {
        let image = try coder.decode("jpeg/" + name)
        #expect(image.size == CodecFixture.rampSize)
        #expect(image.pixels.format == .rgb8)
        #expect(image.distance(to: CodecFixture.ramp) <= 4)
    }

    @Test func subsampledColorComesOutNearTheOriginal() throws {
        #expect(try coder.decode("jpeg/ramp_420.jpg").distance(to: CodecFixture.ramp) <= 8)
    }

    @Test func grayPicturesComeOutAsGray() throws {
        let image = try coder.decode("jpeg/ramp_gray.jpg")
        #expect(image.pixels.format == .gray8)
        #expect(image.distance { x, y in [UInt8((299 * x * 4 + 587 * y * 5 + 114 * 128) / 1000)] } <= 3)
    }

    @Test func inksOfAdobeFilesAreInvertedAndMultiplied() throws {
        let image = try coder.decode("jpeg/ramp_cmyk.jpg")
        #expect(image.pixels.format == .rgb8)
        #expect(image.distance(to: CodecFixture.ramp) <= 4)
    }

    @Test func askedFormatsHoldTheSamePicture() throws {
        let plain = try coder.decode("jpeg/ramp.jpg")
        for format in [PixelFormat.rgba8, .rgba8Premultiplied, .bgra8Premultiplied, .rgb16, .rgba16] {
            let asked = try coder.decode("jpeg/ramp.jpg") { $0.pixelFormat = format }
            #expect(asked.pixels.format == format)
            #expect(!asked.metadata.hasAlpha)
            #expect(try asked.converted(to: .rgb8).content == plain.content)
        }
    }

    @Test(arguments: 1...8)
    func orientationTagsAreApplied(tag: Int) throws {
        let plain = try coder.decode("jpeg/ramp.jpg")
        let image = try coder.decode("jpeg/turned_\(tag).jpg")
        let (right, bottom) = (63, 47)
        // Displayed positions of the stored top left and top right corners (EXIF 2.32, 4.6.4).
        let corners: [Int: (topLeft: (Int, Int), topRight: (Int, Int))] = [
            1: ((0, 0), (right, 0)), 2: ((right, 0), (0, 0)), 3: ((right, bottom), (0, bottom)),
            4: ((0, bottom), (right, bottom)),
            5: ((0, 0), (0, right)), 6: ((bottom, 0), (bottom, right)), 7: ((bottom, right), (bottom, 0)),
            8: ((0, right), (0, 0)),
        ]
        let seen = try #require(corners[tag])
        #expect(image.size == (tag > 4 ? CodecFixture.rampSize.swapped : CodecFixture.rampSize))
        #expect(image.pixel(seen.topLeft.0, seen.topLeft.1) == plain.pixel(0, 0))
        #expect(image.pixel(seen.topRight.0, seen.topRight.1) == plain.pixel(right, 0))
        #expect(image.metadata.orientation == .up)
    }

    @Test func unappliedOrientationIsKeptAsATag() throws {
        let image = try coder.decode("jpeg/turned_6.jpg") { $0.applyOrientation = false }
        #expect(image.size == CodecFixture.rampSize)
        #expect(image.metadata.orientation == .right)
        #expect(image.metadata.sourceSize == CodecFixture.rampSize.swapped)
    }

    // MARK: Shrinking

    @Test(arguments: ["large.jpg", "large_progressive.jpg"], [700, 512, 300, 100, 33, 7])
    func thumbnailsFitTheirBoxAndLookLikeThePicture(name: String, side: Int) throws {
        let image = try coder.decode("jpeg/" + name) { $0.thumbnailSize = PixelSize(width: side, height: side) }
        #expect(image.size == PixelSize(width: side, height: (side * 3 + 3) / 4))
        #expect(image.metadata.isThumbnail)
        #expect(image.metadata.sourceSize == PixelSize(width: 1024, height: 768))
        let (width, height) = (Double(image.size.width), Double(image.size.height))
        let distance = image.distance { x, y in
            [UInt8((Double(x) + 0.5) / width * 256 - 0.5), UInt8((Double(y) + 0.5) / height * 240 - 0.5), 128]
        }
        #expect(distance <= 9)
    }

    @Test func aTurnedThumbnailFitsTheDisplayedBox() throws {
        let image = try coder.decode("jpeg/turned_6.jpg") { $0.thumbnailSize = PixelSize(width: 24, height: 100) }
        #expect(image.size == PixelSize(width: 24, height: 32))
    }

    @Test func aThumbnailNeverHoldsTheWholeBitmap() throws {
        // The whole image would need 2.3 MB of output or working memory.
        let image = try coder.decode("jpeg/large.jpg") {
            $0.thumbnailSize = PixelSize(width: 64, height: 64)
            $0.limits.workingBytes = 300_000
            $0.limits.outputBytes = 20_000
        }
        #expect(image.size.width == 64)
    }

    // MARK: Metadata

    @Test func infoReadsTheHeaderOnly() throws {
        let data = try CodecFixture.data("jpeg/turned_6.jpg")
        let info = try coder.info(try .copying(Array(data.prefix(800))), options: DecodeOptions(), stop: CancellationToken())
        #expect(info.format == .jpeg)
        #expect(info.storedSize == CodecFixture.rampSize)
        #expect(info.displayedSize == CodecFixture.rampSize.swapped)
        #expect(info.orientation == .right)
        #expect(!info.isProgressive && info.channels == 3)
        #expect(
            try coder.info(
                try CodecFixture.bytes("jpeg/ramp_progressive.jpg"), options: DecodeOptions(), stop: CancellationToken()
            ).isProgressive)
        #expect(
            try coder.info(try CodecFixture.bytes("jpeg/ramp_gray.jpg"), options: DecodeOptions(), stop: CancellationToken())
                .channels == 1)
    }

    @Test func theProfileIsKeptWhereColorsAreNotConverted() throws {
        #expect(try coder.decode("jpeg/ramp_profile.jpg").metadata.colorProfile == nil)
        let kept = try coder.decode("jpeg/ramp_profile.jpg") { $0.convertToSRGB = false }
        #expect(kept.metadata.colorProfile?.reader.matches("acsp", at: 36) == true)
    }

    // MARK: Damage and limits

    @Test(arguments: ["ramp.jpg", "ramp_progressive.jpg", "ramp_cmyk.jpg", "ramp_restart.jpg", "turned_6.jpg"])
    func truncatedFilesAreErrorsOrPicturesNeverCrashes(name: String) throws {
        let data = try CodecFixture.data("jpeg/" + name)
        for length in stride(from: 0, to: data.count, by: 37) {
            let strict = try coder.survive(Array(data.prefix(length)))
            // A complete image can lack only the last bytes of its file.
            if length < data.count - 64 { #expect(strict == nil) }
            _ = try coder.survive(Array(data.prefix(length))) { $0.acceptPartial = true }
            _ = try coder.survive(Array(data.prefix(length))) { $0.thumbnailSize = PixelSize(width: 9, height: 9) }
        }
    }

    @Test func aTruncatedFileIsCalledTruncated() throws {
        let data = try CodecFixture.data("jpeg/large.jpg")
        let half = try Bytes.copying(Array(data.prefix(data.count / 2)))
        let error = imageError { _ = try coder.decode(half, options: DecodeOptions(), stop: CancellationToken()) }
        #expect(error?.status == .truncated)
    }

    @Test func aThumbnailThatNeedsOnlyTheFirstScansStillWantsTheWholeFile() throws {
        let data = try CodecFixture.data("jpeg/large_progressive.jpg")
        let small = PixelSize(width: 40, height: 30)
        #expect(try coder.survive(data) { $0.thumbnailSize = small }?.size == small)
        let cut = Array(data.dropLast(200))
        #expect(try coder.survive(cut) { $0.thumbnailSize = small } == nil)
        #expect(try coder.survive(cut) { ($0.thumbnailSize, $0.acceptPartial) = (small, true) }?.metadata.isIncremental == true)
    }

    @Test func aTruncatedPictureIsGivenWhereThatIsAccepted() throws {
        let data = try CodecFixture.data("jpeg/large.jpg")
        let image = try #require(try coder.survive(Array(data.prefix(data.count / 2))) { $0.acceptPartial = true })
        #expect(image.metadata.isIncremental)
        #expect(image.size == PixelSize(width: 1024, height: 768))
        #expect(abs(Int(image.pixel(800, 100).first ?? 0) - 200) <= 8)
    }

    @Test(arguments: ["ramp.jpg", "ramp_progressive.jpg", "ramp_cmyk.jpg", "ramp_profile.jpg"])
    func flippedBitsAreErrorsOrPicturesNeverCrashes(name: String) throws {
        let data = try CodecFixture.data("jpeg/" + name)
        for position in stride(from: 2, to: data.count, by: 3) {
            var damaged = data
            damaged[position] ^= UInt8(1 << (position % 8))
            // A flipped bit in the size may request up to 65,535 pixels per side.
            _ = try coder.survive(damaged) { $0.limits.streamedPixels = 1 << 20 }
        }
    }

    @Test(arguments: ["large.jpg", "large_progressive.jpg"], [false, true])
    func aDamagedScanIsDeliveredIfTheFileHasItsEnd(name: String, acceptsPartial: Bool) throws {
        var data = try CodecFixture.data("jpeg/" + name)
        for position in 3000..<3040 { data[position] = 0x55 ^ UInt8(position & 0x7F) }
        let image = try #require(try coder.survive(data) { $0.acceptPartial = acceptsPartial })
        #expect(image.size == PixelSize(width: 1024, height: 768))
        #expect(image.metadata.isDamaged)
        #expect(!image.metadata.isIncremental)
    }

    @Test func aDamagedScanWithoutTheEndOfTheFileIsAnErrorUnlessPartialPicturesAreAccepted() throws {
        var data = Array(try CodecFixture.data("jpeg/large.jpg").dropLast(2))
        for position in 3000..<3040 { data[position] = 0x55 ^ UInt8(position & 0x7F) }
        let bytes = try Bytes.copying(data)
        let error = imageError { _ = try coder.decode(bytes, options: DecodeOptions(), stop: CancellationToken()) }
        #expect(error?.status == .truncated)
        let image = try #require(try coder.survive(data) { $0.acceptPartial = true })
        #expect(image.metadata.isIncremental)
    }

    @Test func aCompleteFileAndACutOneAreNotDamaged() throws {
        let data = try CodecFixture.data("jpeg/large.jpg")
        #expect(try coder.survive(data)?.metadata.isDamaged == false)
        let cut = try #require(try coder.survive(Array(data.prefix(data.count / 2))) { $0.acceptPartial = true })
        #expect(cut.metadata.isIncremental && !cut.metadata.isDamaged)
    }

    @Test func endlessScansAreRefused() throws {
        let data = try CodecFixture.data("jpeg/ramp_progressive.jpg")
        let markers = (0..<data.count - 1).filter { data[$0] == 0xFF && data[$0 + 1] != 0 }
        let second = try #require(markers.indices.filter { data[markers[$0] + 1] == 0xDA }.dropFirst().first)
        let scan = data[markers[second]..<markers[second + 1]]
        let bomb = data[..<scan.endIndex] + Array(repeating: scan, count: 600).joined() + data[scan.endIndex...]
        let bytes = try Bytes.copying(Array(bomb))
        let error = imageError { _ = try coder.decode(bytes, options: DecodeOptions(), stop: CancellationToken()) }
        #expect(error?.status == .tooLarge)
        #expect(error?.message.string == "jpeg: too many scans")
    }

    @Test func coefficientsOfProgressiveFilesCountAsWorkingMemory() throws {
        let error = imageError {
            _ = try coder.decode("jpeg/large_progressive.jpg") { $0.limits.workingBytes = 1 << 20 }
        }
        #expect(error?.status == .tooLarge)
    }

    @Test func theAreaOfTheHeaderIsLimited() throws {
        let error = imageError { _ = try coder.decode("jpeg/large.jpg") { $0.limits.streamedPixels = 1024 * 768 - 1 } }
        #expect(error?.status == .tooLarge)
    }

    @Test(arguments: ["large.jpg", "large_progressive.jpg"])
    func aStoppedDecodeEndsWithCancelled(name: String) throws {
        let stop = CancellationToken()
        stop.cancel()
        let bytes = try CodecFixture.bytes("jpeg/" + name)
        #expect(imageError { _ = try coder.decode(bytes, options: DecodeOptions(), stop: stop) }?.status == .cancelled)
    }

    @Test func otherBytesAreNotClaimed() throws {
        #expect(coder.canDecode(try CodecFixture.bytes("jpeg/ramp.jpg")))
        #expect(!coder.canDecode(try CodecFixture.bytes("webp/lossy.webp")))
        #expect(!coder.canDecode(.empty))
    }
}
