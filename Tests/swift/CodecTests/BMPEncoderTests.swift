import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

@Suite struct BMPEncoderTests {
    private let coder = BMPCoder()

    private func encode(_ image: Image) throws -> Bytes {
        try coder.encode(image, format: .bmp, options: EncodeOptions(), stop: CancellationToken())
    }

    private func decode(_ file: Bytes, _ format: PixelFormat) throws -> Image {
        var options = DecodeOptions()
        options.pixelFormat = format
        return try coder.decode(file, options: options, stop: CancellationToken())
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8]) func everyPixelComesBack(_ format: PixelFormat) throws {
        for (width, height) in [(1, 1), (2, 3), (7, 5), (33, 8), (64, 48)] {
            let image = try TestImage.image(width, height, format, isNoisy: true)
            let file = try encode(image)
            #expect(try decode(file, format).content == image.content)
            #expect(file.reader.byte(at: 28) == [.gray8: 8, .rgb8: 24][format] ?? 32)
        }
    }

    @Test func theLengthInTheHeaderIsThatOfTheFile() throws {
        for format in [PixelFormat.gray8, .rgb8, .rgba8] {
            let file = try encode(try TestImage.image(7, 5, format, isNoisy: true))
            var reader = file.reader
            reader.seek(to: 2)
            #expect(reader.u32(bigEndian: false) == UInt32(file.count))
        }
    }

    @Test func anOpaquePictureHasNoAlpha() throws {
        let image = try TestImage.image(7, 5, .rgba8, isNoisy: true, isOpaque: true)
        var metadata = image.metadata
        metadata.hasAlpha = false
        #expect(try encode(image.with(metadata)).reader.byte(at: 28) == 24)
    }

    @Test func deepSamplesBecomeBytesAndTurnsAreDone() throws {
        let image = try TestImage.image(12, 5, .rgb16, isNoisy: true)
        var metadata = ImageMetadata()
        metadata.orientation = .left
        let back = try decode(try encode(image.with(metadata)), .rgb8)
        #expect(back.size == PixelSize(width: 5, height: 12))
        let small = try image.converted(to: .rgb8)
        #expect(back.pixel(0, 11) == small.pixel(0, 0))
        #expect(back.pixel(4, 0) == small.pixel(11, 4))
    }
}
