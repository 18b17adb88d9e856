import SDImage
import SDImageCodecs
import Testing

@Suite struct BMPTests {
    private let coder = BMPCoder()

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(try .copying(data), options: options, stop: CancellationToken())
    }

    private func info(_ data: [UInt8]) throws -> ImageInfo {
        try coder.info(try .copying(data), options: DecodeOptions(), stop: CancellationToken())
    }

    private func status(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) -> Status? {
        imageError { _ = try decode(data, change) }?.status
    }

    private let red: [UInt8] = [255, 0, 0], green: [UInt8] = [0, 255, 0], blue: [UInt8] = [0, 0, 255]
    private let black: [UInt8] = [0, 0, 0]
    /// Black, red, green, blue.
    private let palette: [UInt8] = [0, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0]

    // MARK: Kinds

    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        let format: PixelFormat
        let tolerance: Int
        let color: @Sendable (Int, Int) -> [UInt8]
        var testDescription: String { name }

        init(
            _ name: String, _ format: PixelFormat = .rgb8, tolerance: Int = 0, color: @escaping @Sendable (Int, Int) -> [UInt8]
        ) {
            self.name = name
            self.format = format
            self.tolerance = tolerance
            self.color = color
        }
    }

    /// The images drawn by `make_bitmaps.py`.
    static let kinds: [Kind] = [
        Kind("palette_1", .gray8) { x, _ in [x % 2 == 0 ? 0 : 255] },
        Kind("palette_2") { x, _ in [UInt8(x / 16 * 64), 0, 128] },
        Kind("palette_4") { x, _ in [UInt8(x / 4 * 16), 0, 128] },
        Kind("palette_8", color: blocks),
        Kind("os2_1", color: blocks),
        Kind("os2_2_short", color: blocks),
        Kind("os2_2_rle24", color: CodecFixture.ramp),
        Kind("rle8", color: blocks),
        Kind("rle4") { x, _ in [UInt8(x / 4 * 16), 0, 128] },
        Kind("ramp_16") { x, y in cut(x, y, [31, 31, 31]) },
        Kind("ramp_24", color: CodecFixture.ramp),
        Kind("ramp_24_top_down", color: CodecFixture.ramp),
        Kind("ramp_32", color: CodecFixture.ramp),
        Kind("fields_565") { x, y in cut(x, y, [31, 63, 31]) },
        Kind("fields_v3_alpha", .rgba8) { x, y in cut(x, y, [15, 15, 15, 15]) },
        Kind("fields_v5_alpha", .rgba8) { x, y in cut(x, y, [255, 255, 255, 255]) },
        Kind("wraps_png", color: CodecFixture.ramp),
        Kind("wraps_jpeg", tolerance: 6, color: CodecFixture.ramp),
    ]

    private static func blocks(_ x: Int, _ y: Int) -> [UInt8] { [UInt8(x / 4 * 16), UInt8(y / 3 * 15), 128] }

    /// The ramp, with red as its alpha, quantized to fields with these maxima and scaled to 255.
    private static func cut(_ x: Int, _ y: Int, _ largest: [Int]) -> [UInt8] {
        zip([4 * x, 5 * y, 128, 4 * x], largest).map { value, most in
            UInt8((Double(value * (most + 1) / 256) * 255 / Double(most)).rounded())
        }
    }

    @Test(arguments: kinds) func everyKindShowsItsPicture(_ kind: Kind) throws {
        let image = try coder.decode("bmp/\(kind.name).bmp")
        #expect(image.pixels.format == kind.format)
        #expect(image.size == CodecFixture.rampSize)
        #expect(image.distance(to: kind.color) <= kind.tolerance)
        #expect(image.metadata.format == .bmp && image.metadata.hasAlpha == kind.format.hasAlpha)
    }

    @Test(arguments: kinds) func headersTellWhatDecodingGives(_ kind: Kind) throws {
        let info = try info(try CodecFixture.data("bmp/\(kind.name).bmp"))
        #expect(info.format == .bmp && info.storedSize == CodecFixture.rampSize)
        #expect(info.channels == kind.format.channels && info.hasAlpha == kind.format.hasAlpha)
    }

    @Test(arguments: kinds) func aThumbnailLooksLikeTheWhole(_ kind: Kind) throws {
        let small = try coder.decode("bmp/\(kind.name).bmp") {
            $0.thumbnailSize = PixelSize(width: 16, height: 16)
            $0.pixelFormat = .rgb8
        }
        #expect(small.size == PixelSize(width: 16, height: 12) && small.metadata.isThumbnail)
        guard kind.format == .rgb8 else { return }
        #expect(small.distance { x, y in kind.color(x * 4 + 2, y * 4 + 2) } <= 48)
    }

    @Test(arguments: PixelFormat.allCases) func everyFormatOnRequestEqualsAConversion(_ format: PixelFormat) throws {
        for name in ["palette_1", "palette_8", "ramp_24", "fields_v5_alpha"] {
            let asked = try coder.decode("bmp/\(name).bmp") { $0.pixelFormat = format }
            #expect(asked.content == (try coder.decode("bmp/\(name).bmp").converted(to: format).content))
        }
    }

    // MARK: Fields and alpha

    @Test(arguments: 1...16) func fieldsOfEveryWidthAreScaledAndRounded(_ width: Int) throws {
        let most = (1 << width) - 1
        for value in [0, 1, most / 3, most / 2, most] {
            var bitmap = BMPBuilder(1, 1, bits: 32, BMPBuilder.four(value << 5))
            (bitmap.compression, bitmap.masks) = (3, [UInt32(most << 5), 0, 0])
            #expect(try decode(bitmap.bytes).content == [UInt8((value * 510 + most) / (2 * most)), 0, 0])
        }
    }

    @Test func aFieldMayHaveAllBits() throws {
        var bitmap = BMPBuilder(2, 1, bits: 32, [255, 255, 255, 255, 0, 0, 0, 128])
        (bitmap.compression, bitmap.masks) = (3, [UInt32.max, 0, 0])
        #expect(try decode(bitmap.bytes).content == [255, 0, 0, 128, 0, 0])
    }

    @Test func theFourthByteIsNoAlphaUnlessAMaskSaysSo() throws {
        var bitmap = BMPBuilder(1, 1, bits: 32, [1, 2, 3, 99])
        #expect(try decode(bitmap.bytes).content == [3, 2, 1])
        (bitmap.headerLength, bitmap.masks) = (124, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000])
        #expect(try decode(bitmap.bytes).content == [3, 2, 1])
        bitmap.compression = 3
        #expect(try decode(bitmap.bytes).content == [3, 2, 1, 99])
    }

    @Test func masksWithAlphaMayStandBehindTheHeader() throws {
        var bitmap = BMPBuilder(1, 1, bits: 32, [1, 2, 3, 99])
        (bitmap.compression, bitmap.masks) = (6, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000])
        #expect(try decode(bitmap.bytes).content == [3, 2, 1, 99])
    }

    @Test func alphaThatIsZeroThroughoutIsNone() throws {
        var bitmap = BMPBuilder(2, 1, bits: 32, [1, 2, 3, 0, 4, 5, 6, 0])
        (bitmap.headerLength, bitmap.compression, bitmap.masks) = (124, 3, [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000])
        #expect(try decode(bitmap.bytes).content == [3, 2, 1, 6, 5, 4])
        bitmap.data[7] = 1
        #expect(try decode(bitmap.bytes).content == [3, 2, 1, 0, 6, 5, 4, 1])
    }

    @Test func bitsOfAColorThatAreNotSideBySideAreRefused() {
        var bitmap = BMPBuilder(1, 1, bits: 32, [1, 2, 3, 4])
        (bitmap.compression, bitmap.masks) = (3, [0xF0F0, 0xFF0000, 0xFF])
        #expect(status(bitmap.bytes) == .badData)
    }

    // MARK: Palettes and offsets

    @Test func aPaletteOfGreysMakesOneChannel() throws {
        var bitmap = BMPBuilder(2, 1, bits: 8, [1, 0, 0, 0])
        (bitmap.colors, bitmap.palette) = (2, [7, 7, 7, 0, 200, 200, 200, 0])
        let image = try decode(bitmap.bytes)
        #expect(image.pixels.format == .gray8 && image.content == [200, 7])
        #expect(try info(bitmap.bytes).channels == 1)
    }

    @Test func indicesBeyondThePaletteAreBlack() throws {
        var bitmap = BMPBuilder(2, 1, bits: 8, [1, 200, 0, 0])
        (bitmap.colors, bitmap.palette) = (2, Array(palette.prefix(8)))
        #expect(try decode(bitmap.bytes).content == red + black)
    }

    @Test func thePaletteEndsWhereTheDataBegin() throws {
        var bitmap = BMPBuilder(1, 1, bits: 8, [3, 2, 1, 0])
        bitmap.palette = palette
        #expect(try decode(bitmap.bytes).content == blue)
    }

    @Test func anOffsetIntoTheHeadersMeansBehindThePalette() throws {
        for offset in [0, 20, 54] {
            var bitmap = BMPBuilder(2, 1, bits: 2, [0b0111_0000, 0, 0, 0])
            (bitmap.palette, bitmap.offset) = (palette, offset)
            #expect(try decode(bitmap.bytes).content == red + blue)
        }
    }

    @Test func thereMayBeAGapBeforeTheData() throws {
        var bitmap = BMPBuilder(1, 1, bits: 24, [9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 0])
        bitmap.offset = 14 + 40 + 8
        #expect(try decode(bitmap.bytes).content == [3, 2, 1])
    }

    @Test func aPaletteLongerThanTheFileIsRefused() {
        var bitmap = BMPBuilder(1, 1, bits: 8, [0, 0, 0, 0])
        (bitmap.colors, bitmap.palette) = (305_402_420, palette)
        #expect(status(bitmap.bytes) == .badData)
    }

    // MARK: Runs

    private func runs(_ width: Int, _ height: Int, bits: Int = 8, _ data: [UInt8]) -> BMPBuilder {
        var bitmap = BMPBuilder(width, height, bits: bits, data)
        (bitmap.compression, bitmap.palette, bitmap.colors) = (bits == 8 ? 1 : 2, palette, 4)
        return bitmap
    }

    @Test func pixelsThatNoRunReachesHaveTheFirstColor() throws {
        // One pixel, then a delta of one right and one up, one pixel, end.
        let bitmap = runs(3, 2, [1, 1, 0, 2, 1, 1, 1, 2, 0, 1])
        #expect(try decode(bitmap.bytes).content == black + black + green + red + black + black)
    }

    @Test func runsAreCutAtTheEndOfTheLine() throws {
        let bitmap = runs(2, 2, [200, 1, 0, 0, 0, 5, 2, 2, 2, 2, 2, 0, 0, 1])
        #expect(try decode(bitmap.bytes).content == green + green + red + red)
    }

    @Test func linesAndMovesBeyondTheTopAreTheEnd() throws {
        #expect(try decode(runs(1, 1, [1, 1, 0, 0, 1, 2]).bytes).content == red)
        #expect(try decode(runs(1, 1, [1, 1, 0, 2, 255, 255, 1, 2]).bytes).content == red)
    }

    @Test func theCodeForTheEndMayBeMissingBehindTheLastPixel() throws {
        #expect(try decode(runs(2, 1, [2, 1]).bytes).content == red + red)
        #expect(try decode(runs(3, 1, bits: 4, [0, 3, 0x12, 0x30]).bytes).content == red + green + blue)
    }

    @Test func oddNumbersOfPixelsArePadded() throws {
        #expect(try decode(runs(4, 1, [0, 3, 1, 2, 3, 99, 1, 1, 0, 1]).bytes).content == red + green + blue + red)
        let four = runs(6, 1, bits: 4, [0, 5, 0x12, 0x31, 0x20, 99, 1, 0x30, 0, 1])
        #expect(try decode(four.bytes).content == red + green + blue + red + green + blue)
    }

    @Test func runsThatEndEarlyAreTruncated() throws {
        let data = runs(2, 2, [2, 1, 0, 0, 1]).bytes
        #expect(status(data) == .truncated)
        let part = try decode(data) { $0.acceptPartial = true }
        #expect(part.content == black + black + red + red)
        #expect(part.metadata.isIncremental)
    }

    // MARK: Color

    /// The 2.30 and 16.16 fixed-point fields for BT.709 primaries, and one gamma for all three channels.
    private func calibrated(_ gamma: Double, _ data: [UInt8]) -> BMPBuilder {
        var bitmap = BMPBuilder(data.count / 3, 1, bits: 24, data + [0])
        bitmap.headerLength = 108
        let points = [0.64, 0.33, 0.03, 0.30, 0.60, 0.10, 0.15, 0.06, 0.79]
        for (index, value) in points.enumerated() { bitmap.fields[60 + index * 4] = UInt32(value * Double(1 << 30)) }
        for index in 0..<3 { bitmap.fields[96 + index * 4] = UInt32(gamma * 65536) }
        return bitmap
    }

    @Test func calibratedColorsBecomeSRGB() throws {
        let linear = calibrated(1, [55, 55, 55])
        // A linear value of 55 / 255 is 128 in sRGB.
        #expect(try decode(linear.bytes).distance { _, _ in [128, 128, 128] } <= 1)
        #expect(try decode(linear.bytes) { $0.convertToSRGB = false }.content == [55, 55, 55])
    }

    @Test(arguments: [2.2, 1 / 2.2]) func bothWaysToWriteTheUsualGammaAreSRGB(_ gamma: Double) throws {
        #expect(try decode(calibrated(gamma, [55, 66, 77]).bytes).content == [77, 66, 55])
    }

    @Test func colorsWithoutNumbersAreSRGB() throws {
        var bitmap = BMPBuilder(1, 1, bits: 24, [1, 2, 3, 0])
        bitmap.headerLength = 124
        #expect(try decode(bitmap.bytes).content == [3, 2, 1])
    }

    @Test func aPaletteIsConvertedInPlaceOfThePixels() throws {
        var bitmap = calibrated(1, [])
        (bitmap.width, bitmap.bits, bitmap.data) = (1, 8, [0, 0, 0, 0])
        (bitmap.colors, bitmap.palette) = (1, [55, 55, 55, 0])
        let image = try decode(bitmap.bytes)
        #expect(image.pixels.format == .gray8 && image.distance { _, _ in [128] } <= 1)
    }

    @Test func anEmbeddedProfileIsAppliedOrKept() throws {
        let photo = try JPEGCoder().decode("pictures/liquid-colour.jpg") { $0.convertToSRGB = false }
        let profile = try #require(photo.metadata.colorProfile)
        let reader = profile.reader
        var bitmap = BMPBuilder(1, 1, bits: 24, [0, 200, 0, 0])
        bitmap.headerLength = 124
        bitmap.fields = [56: 0x4D42_4544, 112: 124 + 4, 116: UInt32(profile.count)]
        bitmap.data += (0..<profile.count).map { reader.byte(at: $0) ?? 0 }
        bitmap.offset = 14 + 124
        #expect(try decode(bitmap.bytes).content != [0, 200, 0])
        let kept = try decode(bitmap.bytes) { $0.convertToSRGB = false }
        #expect(kept.content == [0, 200, 0])
        #expect(kept.metadata.colorProfile?.count == profile.count)
        let told = try info(bitmap.bytes)
        #expect(told.hasColorProfile && told.colorProfile?.count == profile.count)
    }

    @Test func colorsThatSRGBHasNoRoomForAreKeptAsLight() throws {
        // Stored as blue, green and red: full red in Display P3.
        var bitmap = BMPBuilder(1, 1, bits: 24, [0, 0, 255, 0])
        bitmap.headerLength = 124
        bitmap.fields = [56: 0x4D42_4544, 112: 124 + 4, 116: UInt32(ICCBuilder.displayP3.count)]
        bitmap.data += ICCBuilder.displayP3
        bitmap.offset = 14 + 124
        let light = LinearLightTests.light(try decode(bitmap.bytes) { $0.pixelFormat = .rgbaFloat })
        #expect(abs(light[0] - 1.2249) < 0.004 && abs(light[1] + 0.0420) < 0.002 && abs(light[2] + 0.0197) < 0.002)
    }

    @Test func aProfileOutsideTheFileIsNone() throws {
        var bitmap = BMPBuilder(1, 1, bits: 24, [1, 2, 3, 0])
        bitmap.headerLength = 124
        bitmap.fields = [56: 0x4D42_4544, 112: UInt32.max, 116: UInt32.max]
        #expect(try decode(bitmap.bytes).content == [3, 2, 1])
        #expect(try !info(bitmap.bytes).hasColorProfile)
    }

    // MARK: Header fields

    @Test func pixelsPerMetreAreTheResolution() throws {
        var bitmap = BMPBuilder(1, 1, bits: 24, [1, 2, 3, 0])
        #expect(try info(bitmap.bytes).dpi == nil)
        bitmap.fields = [24: 2835, 28: 5669]
        let dpi = try #require(try info(bitmap.bytes).dpi)
        #expect(abs(dpi.x - 72) < 0.01 && abs(dpi.y - 144) < 0.01)
        bitmap.fields = [24: 0x8000_0000, 28: 1]
        #expect(try info(bitmap.bytes).dpi == nil)
    }

    // MARK: Damage and limits

    @Test func aPictureThatEndsEarlyIsTruncatedAndItsFirstRowsAreTheLowest() throws {
        let data = BMPBuilder(1, 3, bits: 24, [1, 2, 3, 0, 4, 5, 6, 0, 7]).bytes
        #expect(status(data) == .truncated)
        let part = try decode(data) { $0.acceptPartial = true }
        #expect(part.content == black + [6, 5, 4] + [3, 2, 1])
        #expect(part.metadata.isIncremental)
        #expect(status(Array(data.prefix(54))) { $0.acceptPartial = true } == .truncated)
    }

    @Test func thePaddingOfTheLastRowMayBeMissing() throws {
        #expect(try decode(BMPBuilder(1, 2, bits: 24, [1, 2, 3, 0, 4, 5, 6]).bytes).content == [6, 5, 4, 3, 2, 1])
    }

    @Test func whatCannotBeReadIsUnsupported() {
        for (bits, compression) in [(64, 0), (0, 0), (1, 3), (8, 2), (32, 4), (32, 9)] {
            var bitmap = BMPBuilder(1, 1, bits: bits, [UInt8](repeating: 0, count: 64))
            (bitmap.compression, bitmap.headerLength) = (compression, compression == 3 || compression == 0 ? 40 : 64)
            #expect(status(bitmap.bytes) == .unsupported)
        }
    }

    @Test func aWrapperAroundSomethingElseIsBad() {
        var bitmap = BMPBuilder(1, 1, bits: 0, Array("GIF89a".utf8))
        (bitmap.headerLength, bitmap.compression) = (124, 5)
        #expect(status(bitmap.bytes) == .badData)
        bitmap.data = []
        #expect(status(bitmap.bytes) == .truncated)
    }

    @Test func sizesWithoutPixelsAreBad() {
        for (width, height) in [(0, 1), (1, 0), (-1, 1), (0x8000_0000, 1)] {
            #expect(status(BMPBuilder(width, height, bits: 24, [1, 2, 3, 0]).bytes) == .badData)
        }
    }

    @Test func areasBeyondTheLimitsAreRefusedBeforeAnyMemory() {
        #expect(status(BMPBuilder(0x7FFF_FFFF, 0x7FFF_FFFF, bits: 32).bytes) == .tooLarge)
        #expect(status(BMPBuilder(1, 0x8000_0000, bits: 24, [1, 2, 3, 0]).bytes) == .tooLarge)
        #expect(status(runs(16384, 16384, [1, 1, 0, 1]).bytes) == .tooLarge)
        #expect(status(runs(4, 4, [1, 1, 0, 1]).bytes) { $0.limits.heldPixels = 15 } == .tooLarge)
        #expect(status(runs(4, 4, [1, 1, 0, 1]).bytes) { $0.limits.workingBytes = 63 } == .tooLarge)
        // Within the area limit, but without data.
        #expect(status(BMPBuilder(30000, 30000, bits: 32).bytes) == .truncated)
    }

    @Test func withLimitsRaisedNoNumberOverflows() {
        for bits in [1, 8, 32] {
            #expect(
                status(BMPBuilder(0x7FFF_FFFF, 0x7FFF_FFFF, bits: bits, [0, 0, 0, 0]).bytes) {
                    ($0.limits.streamedPixels, $0.limits.workingBytes) = (.max, 1 << 20)
                } != nil)
        }
    }

    @Test(arguments: ["palette_4", "rle4", "rle8", "os2_1", "fields_565", "fields_v5_alpha", "os2_2_rle24", "wraps_png"])
    func everyTruncationAndManyBitFlipsEndInAPictureOrAnError(_ name: String) throws {
        let data = try CodecFixture.data("bmp/\(name).bmp")
        // After the last pixel come padding bytes, or, in a PNG, two checksums and the IEND chunk.
        let end = data.count - (name == "wraps_png" ? 20 : 3)
        for length in stride(from: 0, to: data.count, by: max(1, data.count / 100)) {
            #expect(try coder.survive(Array(data[..<length])) == nil || length >= end)
            _ = try coder.survive(Array(data[..<length])) { $0.acceptPartial = true }
        }
        // Every bit of the headers, and some of the rest.
        let bits = Array(0..<138 * 8) + Array(stride(from: 138 * 8, to: data.count * 8, by: max(1, data.count / 40)))
        for bit in bits where bit / 8 < data.count {
            var damaged = data
            damaged[bit / 8] ^= 1 << (bit % 8)
            _ = try coder.survive(damaged) { options in
                options.acceptPartial = bit % 2 == 0
                options.limits.streamedPixels = 1 << 15
            }
        }
    }
}
