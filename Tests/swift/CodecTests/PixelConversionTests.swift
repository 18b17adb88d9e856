import SDImage
import Testing

struct PixelConversionTests {
    /// An image of one row from 8-bit samples.
    private func image(_ format: PixelFormat, _ samples: [UInt8]) throws -> Image {
        let pixels = try PixelBuffer(size: PixelSize(width: samples.count / format.bytesPerPixel, height: 1), format: format)
        if let row = unsafe pixels.mutableRow(0) { unsafe row.copyBytes(from: samples) }
        return Image(pixels: pixels, metadata: ImageMetadata())
    }

    private func image(_ format: PixelFormat, wide samples: [UInt16]) throws -> Image {
        try image(format, samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    }

    private func wide(_ image: Image) -> [UInt16] {
        let bytes = image.content
        return stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }

    @Test func premultiplyingRoundsToNearest() throws {
        let straight = try image(.rgba8, [255, 128, 0, 128, 10, 20, 30, 255, 200, 100, 50, 0, 77, 3, 255, 1])
        #expect(
            try straight.converted(to: .rgba8Premultiplied).content == [
                128, 64, 0, 128, 10, 20, 30, 255, 0, 0, 0, 0, 0, 0, 1, 1,
            ])
        #expect(try straight.converted(to: .bgra8Premultiplied).content.prefix(4) == [0, 64, 128, 128])
    }

    @Test func dividingByAlphaRestoresColorsAndNeverOverflows() throws {
        let image = try image(.rgba8Premultiplied, [128, 64, 0, 128, 0, 0, 0, 0, 200, 1, 2, 100, 7, 8, 9, 255])
        #expect(try image.converted(to: .rgba8).content == [255, 128, 0, 128, 0, 0, 0, 0, 255, 3, 5, 100, 7, 8, 9, 255])
    }

    @Test func everyStraightColorSurvivesTheWayThereAndBackAtFullAlpha() throws {
        let samples: [UInt8] = (0...255).flatMap { (value: UInt8) -> [UInt8] in [value, 255 - value, value / 2, 255] }
        let image = try image(.rgba8, samples)
        for format in [PixelFormat.rgba8Premultiplied, .bgra8Premultiplied, .rgba16] {
            #expect(try image.converted(to: format).converted(to: .rgba8).content == samples)
        }
    }

    @Test func grayIsLibjpegsLuma() throws {
        let image = try image(.rgb8, [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
        #expect(try image.converted(to: .gray8).content == [76, 150, 29, 255])
    }

    @Test func grayBecomesEqualColors() throws {
        let gray = try image(.gray8, [7, 200])
        #expect(try gray.converted(to: .rgba8).content == [7, 7, 7, 255, 200, 200, 200, 255])
        #expect(try gray.converted(to: .rgb8).content == [7, 7, 7, 200, 200, 200])
    }

    @Test func sixteenBitsLoseTheirLowByteAndEightGetItTwice() throws {
        let deep = try image(.rgb16, wide: [0x12FF, 0x8000, 0xFFFF])
        #expect(try deep.converted(to: .rgb8).content == [0x12, 0x80, 0xFF])
        #expect(try deep.converted(to: .rgba8).content == [0x12, 0x80, 0xFF, 0xFF])
        #expect(wide(try image(.rgb8, [0x12, 0, 0xFF]).converted(to: .rgba16)) == [0x1212, 0, 0xFFFF, 0xFFFF])
        #expect(wide(try deep.converted(to: .rgba16)) == [0x12FF, 0x8000, 0xFFFF, 0xFFFF])
        #expect(wide(try image(.gray16, wide: [0x1234]).converted(to: .rgb16)) == [0x1234, 0x1234, 0x1234])
    }

    @Test func droppedAlphaLeavesTheStraightColor() throws {
        #expect(try image(.rgba8Premultiplied, [50, 25, 0, 100]).converted(to: .rgb8).content == [128, 64, 0])
        #expect(try image(.rgba8, [50, 25, 0, 100]).converted(to: .rgb8).content == [50, 25, 0])
    }

    @Test func alphaIsKnownToBeGoneWhereTheFormatHasNone() throws {
        var metadata = ImageMetadata()
        metadata.hasAlpha = true
        let image = try image(.rgba8, [1, 2, 3, 4]).with(metadata)
        #expect(try image.converted(to: .rgba16).metadata.hasAlpha)
        #expect(try !image.converted(to: .rgb8).metadata.hasAlpha)
    }

    @Test func longRowsAreConvertedToTheEnd() throws {
        let samples = (0..<1000 * 3).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let image = try image(.rgb8, samples)
        let back = try image.converted(to: .bgra8Premultiplied).converted(to: .rgb16).converted(to: .rgb8)
        #expect(back.content == samples)
    }

    @Test func theDefaultFormatHasEightBitsAndTheNativeOneIsTheSourcesOwn() {
        var options = DecodeOptions()
        #expect(options.outputFormat(of: .gray16) == .gray8)
        #expect(options.outputFormat(of: .rgb16) == .rgb8)
        #expect(options.outputFormat(of: .rgba16) == .rgba8)
        #expect(options.outputFormat(of: .rgbaFloat, hasAlpha: true) == .rgba8)
        #expect(options.outputFormat(of: .rgbaFloat, hasAlpha: false) == .rgb8)
        for format in PixelFormat.allCases where format.bytesPerChannel == 1 {
            #expect(options.outputFormat(of: format) == format)
        }
        options.keepsDepth = true
        for format in PixelFormat.allCases { #expect(options.outputFormat(of: format) == format) }
        options.pixelFormat = .rgba8
        for format in PixelFormat.allCases { #expect(options.outputFormat(of: format) == .rgba8) }
    }
}
