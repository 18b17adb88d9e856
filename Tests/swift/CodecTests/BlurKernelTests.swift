import SDImage
import SDImagePixels
import Testing

/// Blurring compared with plain arithmetic in double precision.
@Suite struct BlurKernelTests {
    private func blur(_ source: PixelBuffer, radius: Double, hasAlpha: Bool = true) throws -> PixelBuffer {
        var metadata = ImageMetadata()
        metadata.hasAlpha = hasAlpha && source.format.hasAlpha
        let image = Image(pixels: source, metadata: metadata)
        return try image.transformed(by: BlurTransformer(radius: radius), stop: CancellationToken()).pixels
    }

    /// Radius and box size: odd, and about 1.88 times the radius.
    private static let boxes: [(Double, Int)] = [(0.5, 5), (2, 5), (5, 9), (10, 19), (25, 47), (120, 227), (1e12, 1_000_000_001)]

    @Test(arguments: PixelFormat.allCases, [2.0, 10, 25, 120])
    func everyFormatIsAsExactAsItsSamples(format: PixelFormat, radius: Double) throws {
        let box = try #require(BlurKernelTests.boxes.first { $0.0 == radius }).1
        for (width, height) in [(61, 23), (120, 9)] {
            let source = try PixelBuffer.scene(width, height, format)
            let result = try blur(source, radius: radius)
            // Compares premultiplied colors: means are rounded in that form, and division by a small alpha magnifies the rounding
            // error.
            let decibels = ReferenceImage(source).blurred(box: box).psnr(ReferenceImage(result), hasAlpha: false)
            #expect(decibels > (format.bytesPerChannel == 1 ? 52 : 90), "\(format) \(radius): \(decibels)")
        }
    }

    @Test(arguments: [(1, 1), (1, 30), (30, 1), (3, 2), (9, 8)], [0.5, 5, 25, 1e12])
    func smallPicturesGoOnBeyondTheirEdges(size: (Int, Int), radius: Double) throws {
        let box = try #require(BlurKernelTests.boxes.first { $0.0 == radius }).1
        for format in [PixelFormat.gray8, .rgb8, .rgba8Premultiplied, .rgb16, .rgbaFloat] {
            let source = try PixelBuffer.scene(size.0, size.1, format)
            let reference = ReferenceImage(source).blurred(box: box).stored(format)
            #expect(reference.psnr(try blur(source, radius: radius).raw, hasAlpha: format.hasAlpha) > 49)
        }
    }

    @Test(arguments: PixelFormat.allCases)
    func plainPicturesStayWhatTheyAre(format: PixelFormat) throws {
        for value in [0.0, 1, 99.0 / 255] {
            for radius in [2.0, 10, 100, 1000] {
                let source = try PixelBuffer.plain(70, 41, format, value)
                #expect(try blur(source, radius: radius).raw.worst(source.raw) <= (format == .rgbaFloat ? 1e-6 : 0))
            }
        }
    }

    @Test func opaquePicturesNeedNoAlpha() throws {
        let source = try PixelBuffer.scene(50, 40, .rgba8)
        for y in 0..<40 { for x in 0..<50 { source.setSample(x, y, 3, 1) } }
        let weighted = try blur(source, radius: 4)
        #expect(try blur(source, radius: 4, hasAlpha: false).raw.worst(weighted.raw) == 0)
    }

    @Test func nothingMoves() throws {
        let source = try PixelBuffer.plain(41, 31, .gray8, 0)
        source.setSample(20, 15, 0, 1)
        let result = try blur(source, radius: 2)
        for y in 0..<31 {
            for x in 0..<41 {
                #expect(result.sample(x, y, 0) == result.sample(40 - x, y, 0))
                #expect(result.sample(x, y, 0) == result.sample(x, 30 - y, 0))
            }
        }
    }
}
