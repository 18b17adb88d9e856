import Glibc
import SDImage
import Testing

/// Float pixels, and the alpha arithmetic for them.
@Suite struct LinearLightTests {
    static func image(_ format: PixelFormat, width: Int, height: Int = 1, _ bytes: [UInt8]) throws -> Image {
        let pixels = try PixelBuffer(size: PixelSize(width: width, height: height), format: format)
        let row = width * format.bytesPerPixel
        for y in 0..<height {
            if let target = unsafe pixels.mutableRow(y) { unsafe target.copyBytes(from: bytes[y * row..<(y + 1) * row]) }
        }
        return Image(pixels: pixels, metadata: ImageMetadata())
    }

    static func image(deep samples: [UInt16], _ format: PixelFormat = .rgba16, width: Int) throws -> Image {
        try image(
            format, width: width, samples.flatMap { (value: UInt16) -> [UInt8] in [UInt8(value & 255), UInt8(value >> 8)] })
    }

    static func image(light: [Float], width: Int, height: Int = 1) throws -> Image {
        try image(
            .rgbaFloat, width: width, height: height,
            light.flatMap { (value: Float) -> [UInt8] in
                [0, 8, 16, 24].map { (shift: UInt32) -> UInt8 in UInt8(truncatingIfNeeded: value.bitPattern >> shift) }
            })
    }

    static func light(_ image: Image) -> [Float] {
        let bytes = image.content
        return stride(from: 0, to: bytes.count, by: 4).map { (at: Int) -> Float in
            let low = UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8
            return Float(bitPattern: low | UInt32(bytes[at + 2]) << 16 | UInt32(bytes[at + 3]) << 24)
        }
    }

    static func deep(_ image: Image) -> [UInt16] {
        let bytes = image.content
        return stride(from: 0, to: bytes.count, by: 2).map { (at: Int) -> UInt16 in
            UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8
        }
    }

    // MARK: Alpha

    /// Every color with every alpha: pixel c + 256 a.
    private static let pairs: [UInt8] = (0...65535).flatMap { (pair: Int) -> [UInt8] in
        let color = UInt8(pair & 255)
        return [color, 255 - color, color, UInt8(pair >> 8)]
    }

    /// The number of color samples that differ from `expected` for the given color and alpha.
    private func wrong(_ result: [UInt8], _ expected: (Double, Double) -> Double) -> Int {
        var count = 0
        for sample in 0..<result.count where sample % 4 != 3 {
            let color = Double(LinearLightTests.pairs[sample])
            let alpha = Double(LinearLightTests.pairs[sample | 3])
            if Double(result[sample]) != expected(color, alpha).rounded(.toNearestOrAwayFromZero) { count += 1 }
        }
        return count
    }

    @Test func everyColorTimesEveryAlphaIsTheRoundedProduct() throws {
        let image = try LinearLightTests.image(.rgba8, width: 65536, LinearLightTests.pairs)
        #expect(wrong(try image.converted(to: .rgba8Premultiplied).content) { $0 * $1 / 255 } == 0)
    }

    @Test func everyColorByEveryAlphaIsTheRoundedQuotientAndAtMostWhite() throws {
        let image = try LinearLightTests.image(.rgba8Premultiplied, width: 65536, LinearLightTests.pairs)
        let result = try image.converted(to: .rgba8).content
        #expect(wrong(result) { color, alpha in alpha == 0 ? 0 : min(255, color * 255 / alpha) } == 0)
    }

    @Test func aColorUnderAlphaComesBackAsTheNearestThatAlphaCanTell() throws {
        let straight = try LinearLightTests.image(.rgba8, width: 65536, LinearLightTests.pairs)
        let product = try straight.converted(to: .bgra8Premultiplied)
        let again = try product.converted(to: .rgba8).converted(to: .bgra8Premultiplied)
        #expect(again.content == product.content)
    }

    // MARK: The curve

    @Test func eightBitsSurviveTheWayToLightAndBack() throws {
        let image = try LinearLightTests.image(.rgba8, width: 65536, LinearLightTests.pairs)
        #expect(try image.converted(to: .rgbaFloat).converted(to: .rgba8).content == LinearLightTests.pairs)
    }

    @Test func sixteenBitsSurviveTheWayToLightAndBack() throws {
        let samples = (0...65535).flatMap { (value: Int) -> [UInt16] in
            [UInt16(value), UInt16(65535 - value), UInt16(value / 2), UInt16(value)]
        }
        let image = try LinearLightTests.image(deep: samples, width: 65536)
        #expect(LinearLightTests.deep(try image.converted(to: .rgbaFloat).converted(to: .rgba16)) == samples)
    }

    @Test func lightFollowsTheCurveOfSRGB() throws {
        let samples = (0...65535).flatMap { (value: Int) -> [UInt16] in [UInt16(value), 0, 65535, 65535] }
        let light = LinearLightTests.light(try LinearLightTests.image(deep: samples, width: 65536).converted(to: .rgbaFloat))
        var worst = 0.0
        for value in 1...65535 {
            let v = Double(value) / 65535
            let exact = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
            worst = max(worst, abs(Double(light[value * 4]) / exact - 1))
        }
        #expect(worst < 2e-6)
        #expect(light[0] == 0 && light[1] == 0 && light[2] == 1 && light[3] == 1)
    }

    @Test func everyFormatAndLightMeetInTheMiddle() throws {
        let gray = try LinearLightTests.image(.gray8, width: 2, [0, 188])
        #expect(LinearLightTests.light(try gray.converted(to: .rgbaFloat)).prefix(4) == [0, 0, 0, 1])
        let premultiplied = try LinearLightTests.image(.bgra8Premultiplied, width: 1, [0, 64, 128, 128])
        let light = LinearLightTests.light(try premultiplied.converted(to: .rgbaFloat))
        #expect(light[0] == 1 && abs(light[1] - 0.2159) < 0.001 && light[2] == 0 && abs(light[3] - 128.0 / 255) < 1e-6)
        for format in PixelFormat.allCases where format != .rgbaFloat {
            let image = try LinearLightTests.image(light: [1, 1, 1, 1, 0, 0, 0, 1], width: 2).converted(to: format)
            #expect(try image.converted(to: .rgba8).content == [255, 255, 255, 255, 0, 0, 0, 255])
        }
    }

    @Test func lightOutsideTheRangeIsCutOffOnTheWayToIntegers() throws {
        let image = try LinearLightTests.image(light: [2, -1, .nan, 3, .infinity, -.infinity, 1e-30, -0.5], width: 2)
        #expect(try image.converted(to: .rgba8).content == [255, 0, 0, 255, 255, 0, 0, 0])
        #expect(LinearLightTests.deep(try image.converted(to: .rgba16)) == [65535, 0, 0, 65535, 65535, 0, 0, 0])
    }

    // MARK: Shrinking and turning

    private func fitted(_ image: Image, _ change: (inout DecodeOptions) -> Void) throws -> Image {
        var options = DecodeOptions()
        options.keepsDepth = true
        change(&options)
        return try image.fitted(options, stop: CancellationToken())
    }

    private func isClose(_ one: [Float], _ other: [Float]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { (pair: (Float, Float)) -> Bool in abs(pair.0 - pair.1) < 1e-4 }
    }

    /// The sanitizers end the test on undefined arithmetic.
    @Test func samplesWithoutAValueBecomeSomeColor() throws {
        let samples: [Float] = [
            .nan, -.nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, 1e10, -1e10, .signalingNaN, 0, 1, 2, 0.5,
        ]
        for shift in 0..<4 {
            let image = try LinearLightTests.image(light: Array(samples[shift...] + samples[..<shift]), width: 4)
            for format in PixelFormat.allCases { #expect(try image.converted(to: format).size == image.size) }
            #expect(try !ThumbHash(image).image().size.isEmpty)
            #expect(try BlurHash(image, across: 4, down: 1).text.count == 12)
        }
    }

    @Test func lightIsShrunkAsLightAndKeepsWhatExceedsWhite() throws {
        let pixels = (0..<64).flatMap { (index: Int) -> [Float] in index % 2 == 0 ? [8, 0, -0.25, 1] : [0, 4, -0.25, 1] }
        let image = try fitted(try LinearLightTests.image(light: pixels, width: 8, height: 8)) {
            $0.thumbnailSize = PixelSize(width: 2, height: 2)
        }
        #expect(image.pixels.format == .rgbaFloat)
        let mean = LinearLightTests.light(image)
        #expect(mean.count == 16)
        for pixel in 0..<4 { #expect(isClose(Array(mean[pixel * 4..<pixel * 4 + 4]), [4, 2, -0.25, 1])) }
    }

    @Test func clearLightHasNoPartInTheMean() throws {
        let pixels = (0..<64).flatMap { (index: Int) -> [Float] in index % 2 == 0 ? [3, 3, 3, 1] : [100, 100, 100, 0] }
        let image = try fitted(try LinearLightTests.image(light: pixels, width: 8, height: 8)) {
            $0.thumbnailSize = PixelSize(width: 1, height: 1)
        }
        #expect(isClose(LinearLightTests.light(image), [3, 3, 3, 0.5]))
    }

    @Test(arguments: 1...8) func lightIsTurnedAsEverythingElse(_ exif: Int) throws {
        let width = 37
        let height = 41
        let bytes = (0..<width * height).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index % 251), UInt8(index % 241), UInt8(index % 17), 255]
        }
        var metadata = ImageMetadata()
        metadata.orientation = Orientation(exif: exif)
        let image = try LinearLightTests.image(.rgba8, width: width, height: height, bytes).with(metadata)
        let turned = try fitted(image) { _ in }
        let light = try fitted(image.converted(to: .rgbaFloat)) { _ in }
        #expect(light.size == turned.size)
        #expect(try light.converted(to: .rgba8).content == turned.content)
    }

    @Test func lightCostsSixteenBytesAPixel() throws {
        let image = try LinearLightTests.image(light: [Float](repeating: 1, count: 4 * 8), width: 8)
        #expect(image.memoryCost == 8 * 16)
    }
}
