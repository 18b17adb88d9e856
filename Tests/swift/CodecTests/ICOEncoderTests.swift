import SDImage
import TestSupport
import Testing

@testable import SDImageCodecs

@Suite struct ICOEncoderTests {
    private let coder = ICOCoder()

    private func encode(_ image: Image) throws -> Bytes {
        try coder.encode(image, format: .ico, options: EncodeOptions(), stop: CancellationToken())
    }

    private func decode(_ file: Bytes) throws -> Image {
        var options = DecodeOptions()
        options.pixelFormat = .rgba8
        return try coder.decode(file, options: options, stop: CancellationToken())
    }

    @Test(arguments: [(1, 1), (16, 16), (33, 47), (255, 12), (256, 256), (20, 256)])
    func everyPixelThatShowsComesBack(width: Int, height: Int) throws {
        let image = try TestImage.image(width, height, .rgba8) { x, y in
            let alpha = UInt8((x * 3 + y * 5) & 255)
            return alpha == 0 ? [0, 0, 0, 0] : [UInt8(x & 255), UInt8(y & 255), 77, alpha]
        }
        let file = try encode(image)
        #expect(try decode(file).content == image.content)
        #expect(file.reader.matches("PNG", at: 23) == (max(width, height) == 256))
    }

    @Test func anOpaqueIconStaysOpaque() throws {
        let image = try TestImage.image(32, 32, .rgb8, isNoisy: true)
        #expect(try decode(try encode(image)).content == (try image.converted(to: .rgba8)).content)
    }

    @Test func largerPicturesAreRefused() throws {
        let image = try TestImage.image(257, 4, .rgba8, isNoisy: true)
        #expect(imageError { _ = try encode(image) }?.status == .tooLarge)
        var options = EncodeOptions()
        options.maxPixelSize = PixelSize(width: 64, height: 64)
        let registry = CoderRegistry([coder])
        let file = try registry.encode(image, format: .ico, options: options, stop: CancellationToken())
        #expect(try decode(file).size == PixelSize(width: 64, height: 1))
    }
}
