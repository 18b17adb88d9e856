import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

@Suite struct PNGEncoderTests {
    private let coder = PNGCoder()

    private func encode(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> Bytes {
        var options = EncodeOptions()
        change(&options)
        return try coder.encode(image, format: .png, options: options, stop: CancellationToken())
    }

    private func decode(_ file: Bytes, _ format: PixelFormat? = nil, toSRGB: Bool = true) throws -> Image {
        var options = DecodeOptions()
        options.pixelFormat = format
        options.convertToSRGB = toSRGB
        options.applyOrientation = false
        return try coder.decode(file, options: options, stop: CancellationToken())
    }

    /// Bit depth and color type of the header.
    private func kind(_ file: Bytes) -> [UInt8] { [file.reader.byte(at: 24) ?? 0, file.reader.byte(at: 25) ?? 99] }

    private func chunk(_ name: StaticString, of file: Bytes) -> Bytes? {
        var chunks = PNGChunkReader(file, stop: CancellationToken())
        while let chunk = try? chunks.next() { if chunk.name == PNGChunk.name(name) { return file.slice(chunk.data) } }
        return nil
    }

    // MARK: Pixels

    static let sizes = [(1, 1), (2, 3), (7, 5), (33, 8), (64, 48), (70, 20), (3, 140), (300, 200)]

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .gray16, .rgb16, .rgba16])
    func everyPixelOfEveryFormatComesBack(_ format: PixelFormat) throws {
        for (width, height) in PNGEncoderTests.sizes {
            for isNoisy in [true, false] {
                let image = try TestImage.image(width, height, format, isNoisy: isNoisy)
                let back = try decode(try encode(image), format)
                #expect(back.size == image.size)
                #expect(back.content == image.content)
            }
        }
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .gray16, .rgb16, .rgba16], [1, 5, 9])
    func libpngReadsTheSamePixels(_ format: PixelFormat, effort: Int) throws {
        for (width, height) in PNGEncoderTests.sizes {
            let image = try TestImage.image(width, height, format, isNoisy: width % 2 == 0)
            let file = try encode(image) { $0.effort = effort }
            let wide = try image.converted(to: .rgba16).content
            let samples = stride(from: 0, to: wide.count, by: 2).map { UInt16(wide[$0]) | UInt16(wide[$0 + 1]) << 8 }
            #expect(ReferenceLibraries.png(file.array, width: width, height: height) == samples)
        }
    }

    @Test(arguments: [PixelFormat.rgba8Premultiplied, .bgra8Premultiplied])
    func premultipliedPixelsAreStoredStraight(_ format: PixelFormat) throws {
        let image = try TestImage.image(40, 30, .rgba8, isNoisy: true).converted(to: format)
        let back = try decode(try encode(image), .rgba8)
        #expect(back.content == (try image.converted(to: .rgba8)).content)
    }

    @Test func lightIsStoredWithSixteenBits() throws {
        let image = try TestImage.image(20, 10, .rgb16, isNoisy: true)
        let file = try encode(try image.converted(to: .rgbaFloat))
        #expect(kind(file) == [16, 2])
        #expect(try decode(file, .rgb16).content == image.content)
    }

    // MARK: Smaller encodings

    @Test func anOpaquePictureIsStoredWithoutAlpha() throws {
        let image = try TestImage.image(64, 48, .rgba8, isNoisy: true, isOpaque: true)
        #expect(kind(try encode(image)) == [8, 2])
        #expect(kind(try encode(try TestImage.image(64, 48, .rgba8, isNoisy: true))) == [8, 6])
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func fewColorsBecomeAPaletteOfAsFewBits(colors: Int, bits: Int) throws {
        for format in [PixelFormat.rgb8, .rgba8] {
            let image = try TestImage.image(61, 43, format) { x, y in
                let color = (x * 7 + y * 31) % colors
                return [UInt8(color), UInt8(255 - color), UInt8(color / 2), UInt8(color % 3 == 0 ? color / 2 : 255)]
            }
            let file = try encode(image)
            #expect(kind(file) == [UInt8(bits), 3])
            #expect(try decode(file, format).content == image.content)
            let reference = ReferenceLibraries.png(file.array, width: 61, height: 43)
            #expect(reference?.enumerated().allSatisfy { $0.offset % 4 == 3 || $0.element & 255 == $0.element >> 8 } == true)
        }
    }

    @Test func moreThan256ColorsAreNoPalette() throws {
        let image = try TestImage.image(100, 100, .rgb8) { x, y in [UInt8(x), UInt8(y == 99 && x > 0 ? 1 : 0), UInt8(x * 2), 255]
        }
        let file = try encode(image)
        #expect(kind(file) == [8, 3])
        let more = try TestImage.image(100, 100, .rgb8) { x, y in [UInt8(x), UInt8(y % 3), UInt8(x * 2), 255] }
        #expect(kind(try encode(more)) == [8, 2])
    }

    @Test func moreEffortMakesSmallerFiles() throws {
        let image = try coder.decode("pictures/badge.png")
        let sizes = try [1, 6, 9].map { effort in try encode(image) { $0.effort = effort }.count }
        #expect(sizes[0] > sizes[1] && sizes[1] > sizes[2])
    }

    // MARK: Metadata

    @Test(arguments: Orientation.allCases) func theDirectionIsKept(_ orientation: Orientation) throws {
        var metadata = ImageMetadata()
        metadata.orientation = orientation
        let file = try encode(try TestImage.image(9, 6, .rgb8, isNoisy: true).with(metadata))
        #expect(try decode(file).metadata.orientation == orientation)
        #expect((chunk("eXIf", of: file) != nil) == (orientation != .up))
    }

    @Test func exifIsWrittenWithTheDirectionOfThePicture() throws {
        var metadata = ImageMetadata()
        metadata.orientation = .left
        // Little-endian, with orientation 6.
        let exif = try Bytes.copying(
            [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0])
        let prefixed = try Bytes.copying(Array("Exif\0\0".utf8) + exif.array)
        for block in [exif, prefixed] {
            let file = try encode(try TestImage.image(9, 6, .rgb8, isNoisy: true).with(metadata)) { $0.exif = block }
            var expected = exif.array
            expected[18] = 8
            #expect(chunk("eXIf", of: file)?.array == expected)
        }
    }

    @Test func aDirectionIsAddedToExifThatHasNone() throws {
        // One rational, XResolution, whose value follows the directory; then an odd byte.
        let exif =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x1A, 0, 5, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0]
            + [0, 0, 0, 144, 0, 0, 0, 2, 7] as [UInt8]
        let block = try #require(try ExifWriter(try .copying(exif), orientation: .right).block())
        #expect(ExifOrientation.read(block) == .right)
        #expect(ExifResolution.read(block)?.x == 72)
        #expect(try ExifWriter(try .copying(exif), orientation: .up).block()?.array == exif)
    }

    @Test func anOrientationOfAnotherTypeIsReplaced() throws {
        // The orientation 6 as a 32-bit number.
        let exif = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 4, 0, 0, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0] as [UInt8]
        for orientation in [Orientation.up, .left] {
            let block = try #require(try ExifWriter(try .copying(exif), orientation: orientation).block())
            #expect(ExifOrientation.find(block) == orientation)
        }
    }

    @Test func damagedExifIsRefused() throws {
        let image = try TestImage.image(9, 6, .rgb8, isNoisy: true)
        let block = try Bytes.copying([1, 2, 3])
        #expect(imageError { _ = try encode(image) { $0.exif = block } }?.status == .invalidArgument)
    }

    @Test func xmpIsWrittenAsText() throws {
        let packet = try Bytes.copying(Array("<x:xmpmeta/>".utf8))
        let file = try encode(try TestImage.image(9, 6, .rgb8, isNoisy: true)) { $0.xmp = packet }
        #expect(try coder.info(file, options: DecodeOptions(), stop: CancellationToken()).xmp?.array == packet.array)
    }

    @Test func theColorSpaceGoesAlong() throws {
        var metadata = ImageMetadata()
        let image = try TestImage.image(9, 6, .rgb8, isNoisy: true)
        #expect(chunk("sRGB", of: try encode(image)) != nil)
        metadata.colorProfile = try .copying(ICCBuilder.rgb(ICCBuilder.wideColumns, curve: ICCBuilder.standardCurve))
        let file = try encode(image.with(metadata))
        #expect(chunk("sRGB", of: file) == nil)
        #expect(try decode(file, toSRGB: false).metadata.colorProfile?.array == metadata.colorProfile?.array)
        metadata.cicp = CodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
        let bright = try encode(image.with(metadata))
        #expect(try decode(bright, toSRGB: false).metadata.cicp == metadata.cicp)
        #expect(chunk("iCCP", of: bright) == nil)
    }

    @Test func greyWithAProfileOfColorsBecomesColor() throws {
        var metadata = ImageMetadata()
        metadata.colorProfile = try .copying(ICCBuilder.rgb(ICCBuilder.wideColumns, curve: ICCBuilder.standardCurve))
        let file = try encode(try TestImage.image(90, 60, .gray8, isNoisy: true).with(metadata))
        #expect(kind(file)[1] != 0)
        #expect(chunk("iCCP", of: file) != nil)
    }

    // MARK: Refusals

    @Test func interlacedPicturesAreNotWritten() throws {
        let image = try TestImage.image(9, 6, .rgb8, isNoisy: true)
        #expect(imageError { _ = try encode(image) { $0.isProgressive = true } }?.status == .unsupported)
    }

    @Test func aCancelledEncodeEndsWithCancelled() throws {
        let stop = CancellationToken()
        stop.cancel()
        let image = try TestImage.image(300, 200, .rgb8, isNoisy: true)
        #expect(
            imageError { _ = try coder.encode(image, format: .png, options: EncodeOptions(), stop: stop) }?.status == .cancelled)
    }

    @Test func onlyTheFirstFrameIsWritten() throws {
        let frame = try TestImage.image(9, 6, .rgb8, isNoisy: true)
        let moving = frame.with(frames: try HeldFrames([frame, frame], durations: [10, 10], loopCount: 0))
        #expect(chunk("acTL", of: try encode(moving)) == nil)
    }
}
