import SDImage
import SDImageCodecs
import Testing

@Suite struct PNGTests {
    private let coder = PNGCoder()

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(try .copying(data), options: options, stop: CancellationToken())
    }

    private func status(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) -> Status? {
        imageError { _ = try decode(data, change) }?.status
    }

    // MARK: Color types

    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let depth: UInt8
        let type: UInt8
        var palette: [UInt8] = []
        var transparency: [UInt8] = []
        let row: [UInt8]
        let format: PixelFormat
        let pixels: [UInt8]
    }

    /// One row of two or more pixels of every color type and depth, and its expected result.
    static let kinds: [Kind] = [
        Kind(testDescription: "gray 1", depth: 1, type: 0, row: [0x40], format: .gray8, pixels: [0, 255]),
        Kind(testDescription: "gray 2", depth: 2, type: 0, row: [0x60], format: .gray8, pixels: [85, 170]),
        Kind(testDescription: "gray 4", depth: 4, type: 0, row: [0x1F], format: .gray8, pixels: [17, 255]),
        Kind(testDescription: "gray 8", depth: 8, type: 0, row: [7, 9], format: .gray8, pixels: [7, 9]),
        Kind(testDescription: "gray 16", depth: 16, type: 0, row: [1, 2, 3, 4], format: .gray16, pixels: [2, 1, 4, 3]),
        Kind(
            testDescription: "gray 8, one value clear", depth: 8, type: 0, transparency: [0, 7], row: [7, 9], format: .rgba8,
            pixels: [7, 7, 7, 0, 9, 9, 9, 255]),
        Kind(testDescription: "rgb 8", depth: 8, type: 2, row: [1, 2, 3, 4, 5, 6], format: .rgb8, pixels: [1, 2, 3, 4, 5, 6]),
        Kind(
            testDescription: "rgb 16", depth: 16, type: 2, row: Array(1...12), format: .rgb16,
            pixels: [2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11]),
        Kind(
            testDescription: "rgb 8, one color clear", depth: 8, type: 2, transparency: [0, 4, 0, 5, 0, 6],
            row: [1, 2, 3, 4, 5, 6], format: .rgba8, pixels: [1, 2, 3, 255, 4, 5, 6, 0]),
        Kind(
            testDescription: "palette 1", depth: 1, type: 3, palette: [1, 2, 3, 4, 5, 6], row: [0x40], format: .rgb8,
            pixels: [1, 2, 3, 4, 5, 6]),
        Kind(
            testDescription: "palette 8 with alpha", depth: 8, type: 3, palette: [1, 2, 3, 4, 5, 6], transparency: [128],
            row: [0, 1], format: .rgba8, pixels: [1, 2, 3, 128, 4, 5, 6, 255]),
        Kind(
            testDescription: "gray and alpha 8", depth: 8, type: 4, row: [7, 8, 9, 10], format: .rgba8,
            pixels: [7, 7, 7, 8, 9, 9, 9, 10]),
        Kind(
            testDescription: "gray and alpha 16", depth: 16, type: 4, row: Array(1...8), format: .rgba16,
            pixels: [2, 1, 2, 1, 2, 1, 4, 3, 6, 5, 6, 5, 6, 5, 8, 7]),
        Kind(testDescription: "rgba 8", depth: 8, type: 6, row: Array(1...8), format: .rgba8, pixels: Array(1...8)),
    ]

    private func file(_ kind: Kind, interlaced: Bool = false) -> [UInt8] {
        var builder = PNGBuilder.header(2, 1, depth: kind.depth, type: kind.type, interlaced: interlaced)
        if !kind.palette.isEmpty { builder.chunk("PLTE", kind.palette) }
        if !kind.transparency.isEmpty { builder.chunk("tRNS", kind.transparency) }
        return builder.finished([kind.row])
    }

    @Test(arguments: kinds) func everyColorTypeBecomesTheSmallestFormatThatHoldsIt(_ kind: Kind) throws {
        let image = try decode(file(kind)) { $0.keepsDepth = true }
        #expect(image.pixels.format == kind.format)
        #expect(image.content == kind.pixels)
        #expect(image.metadata.hasAlpha == kind.format.hasAlpha)
    }

    @Test(arguments: kinds, PixelFormat.allCases) func everyFormatOnRequestEqualsAConversion(_ kind: Kind, format: PixelFormat)
        throws
    {
        let asked = try decode(file(kind)) { $0.pixelFormat = format }
        #expect(asked.pixels.format == format)
        #expect(asked.content == (try decode(file(kind)) { $0.keepsDepth = true }.converted(to: format).content))
    }

    @Test(arguments: kinds) func theDefaultFormatHasEightBits(_ kind: Kind) throws {
        let image = try decode(file(kind))
        let expected = try decode(file(kind)) { $0.keepsDepth = true }
        #expect(image.pixels.format.bytesPerChannel == 1)
        #expect(image.pixels.format.channels == kind.format.channels)
        #expect(image.content == (try expected.converted(to: image.pixels.format).content))
    }

    @Test func aSuggestedPaletteBehindTheTransparentColorChangesNothing() throws {
        var builder = PNGBuilder.header(2, 1, depth: 8, type: 2)
        builder.chunk("tRNS", [0, 4, 0, 5, 0, 6])
        builder.chunk("PLTE", [9, 9, 9])
        #expect(try decode(builder.finished([[1, 2, 3, 4, 5, 6]])).content == [1, 2, 3, 255, 4, 5, 6, 0])
    }

    // MARK: Decoding paths

    @Test func interlacedPicturesEqualTheirStraightForm() throws {
        // 5 × 3 pixels of value 10y + x, by hand in the seven passes of Adam7.
        let passes: [[[UInt8]]] = [[[0]], [[4]], [], [[2]], [[20, 22, 24]], [[1, 3], [21, 23]], [[10, 11, 12, 13, 14]]]
        let data = PNGBuilder.header(5, 3, depth: 8, type: 0, interlaced: true).finished(passes.flatMap { $0 })
        let image = try decode(data)
        #expect(image.content == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24])
        #expect(try coder.info(try .copying(data), options: DecodeOptions(), stop: CancellationToken()).isProgressive)
    }

    @Test func orientationIsAppliedOrKept() throws {
        var builder = PNGBuilder.header(2, 1, depth: 8, type: 0)
        builder.chunk("eXIf", ExifTests.block(bigEndian: true, value: 6))
        let data = builder.finished([[1, 2]])
        #expect(try decode(data).size == PixelSize(width: 1, height: 2))
        let kept = try decode(data) { $0.applyOrientation = false }
        #expect(kept.size == PixelSize(width: 2, height: 1))
        #expect(kept.metadata.orientation == .right)
    }

    @Test func largePicturesShrinkWithoutBeingHeld() throws {
        let rows = [[UInt8]](repeating: [UInt8](repeating: 200, count: 600 * 3), count: 80)
        let data = PNGBuilder.header(600, 80, depth: 8, type: 2).finished(rows)
        let image = try decode(data) {
            $0.thumbnailSize = PixelSize(width: 30, height: 30)
            // The full image has 144,000 bytes.
            $0.limits.outputBytes = 1 << 14
            $0.limits.workingBytes = 1 << 16
        }
        #expect(image.size == PixelSize(width: 30, height: 4))
        #expect(image.content.allSatisfy { $0 == 200 })
    }

    // MARK: Damage and limits

    private var sample: [UInt8] {
        let rows = (0..<40).map { (y: Int) -> [UInt8] in (0..<120).map { (x: Int) -> UInt8 in UInt8((x * 7 + y * 13) & 255) } }
        return PNGBuilder.header(40, 40, depth: 8, type: 2).finished(rows)
    }

    @Test func aCutPictureIsTruncated() { #expect(status(Array(sample[..<(sample.count / 2)])) == .truncated) }

    @Test func aCutPictureKeepsItsRowsWhenThatIsWanted() throws {
        let whole = try decode(sample)
        let part = try decode(Array(sample[..<(sample.count / 2)])) { $0.acceptPartial = true }
        #expect(part.pixel(39, 0) == whole.pixel(39, 0))
        #expect(part.pixel(39, 39) == [0, 0, 0])
    }

    @Test func damagedPictureDataIsBadData() {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0)
        builder.chunk("IDAT", PNGBuilder.rows([[1]]), damaged: true)
        builder.chunk("IEND", [])
        #expect(status(builder.bytes) == .badData)
    }

    @Test func everyTruncationEndsInAPictureOrAnError() throws {
        let whole = sample
        for length in stride(from: 0, to: whole.count, by: 3) {
            for partial in [false, true] {
                let image = try coder.survive(Array(whole[..<length])) { $0.acceptPartial = partial }
                // After the last row only the checksum, the end of the chunk and IEND are missing.
                if !partial { #expect(image == nil || length >= whole.count - 20) }
            }
        }
    }

    @Test func everySingleBitMayFlip() throws {
        let small = PNGBuilder.header(4, 4, depth: 8, type: 6).finished((0..<4).map { y in (0..<16).map { UInt8($0 + y) } })
        for bit in 0..<small.count * 8 {
            var damaged = small
            damaged[bit / 8] ^= 1 << (bit % 8)
            _ = try coder.survive(damaged) { options in
                options.acceptPartial = bit % 2 == 0
                // A flipped bit in the size can request gigabytes.
                options.limits.outputBytes = 1 << 16
            }
        }
    }

    @Test func anImpossibleSizeIsRefusedBeforeMemoryIsTaken() {
        let huge = PNGBuilder.header(60_000, 60_000, depth: 16, type: 6).finished([])
        #expect(status(huge) == .tooLarge)
        let wide = PNGBuilder.header(1 << 29, 1, depth: 16, type: 6).finished([])
        #expect(status(wide) { $0.thumbnailSize = PixelSize(width: 8, height: 8) } == .tooLarge)
        let interlaced = PNGBuilder.header(20_000, 20_000, depth: 8, type: 0, interlaced: true).finished([])
        #expect(status(interlaced) { $0.thumbnailSize = PixelSize(width: 8, height: 8) } == .tooLarge)
    }

    @Test func dataInMorePiecesThanMemoryAllowsAreRefused() throws {
        var builder = PNGBuilder.header(4, 4, depth: 8, type: 0)
        for byte in PNGBuilder.rows([[UInt8]](repeating: [1, 2, 3, 4], count: 4)) { builder.chunk("IDAT", [byte]) }
        builder.chunk("IEND", [])
        #expect(status(builder.bytes) == nil)
        #expect(status(builder.bytes) { $0.limits.workingBytes = 1 << 10 } == .tooLarge)
    }

    @Test(arguments: [false, true]) func blocksWithoutPixelsCountAgainstTheTime(interlaced: Bool) throws {
        // Empty blocks of the fixed code have ten bits: four of them are five bytes. No row arrives, at which a decode would end.
        let blocks = [0x02, 0x08, 0x20, 0x80, 0x00] as [UInt8]
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0, interlaced: interlaced)
        builder.chunk("IDAT", [0x78, 0x01] + (0..<4 << 20).map { blocks[$0 % blocks.count] })
        builder.chunk("IEND", [])
        let file = try Bytes.copying(builder.bytes)
        let stop = CancellationToken()
        stop.allow(nanoseconds: 10_000_000)
        let failure = imageError { _ = try coder.decode(file, options: DecodeOptions(), stop: stop) }
        #expect(failure?.status == .timeout)
    }

    @Test func aWrongCheckSumBehindTheLastRowIsBadData() throws {
        let stream = PNGBuilder.rows([[1]])
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0)
        builder.chunk("IDAT", stream)
        builder.chunk("IDAT", [0], damaged: true)
        builder.chunk("IEND", [])
        #expect(status(builder.bytes) == .badData)
        #expect(try decode(builder.bytes) { $0.acceptPartial = true }.content == [1])
    }

    @Test func anUnknownFilterIsBadData() {
        var builder = PNGBuilder.header(1, 2, depth: 8, type: 0)
        builder.chunk("IDAT", PNGBuilder.zlib([0, 1, 5, 1]))
        builder.chunk("IEND", [])
        #expect(status(builder.bytes) == .badData)
    }

    @Test func unknownAndOversizedAncillaryChunksArePassedOver() throws {
        var builder = PNGBuilder.header(2, 1, depth: 8, type: 0)
        for _ in 0..<3000 { builder.chunk("teSt", [1, 2, 3]) }
        builder.chunk("iCCP", Array("x\0\0".utf8) + [UInt8](repeating: 0, count: 4000))
        #expect(try decode(builder.finished([[1, 2]])) { $0.limits.metadataBytes = 1000 }.content == [1, 2])
    }

    @Test func aProfileThatUnpacksBeyondTheLimitIsIgnored() throws {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 2)
        builder.chunk("iCCP", Array("x\0\0".utf8) + PNGBuilder.zlib([UInt8](repeating: 0, count: 4096)))
        let info = try coder.info(
            try .copying(builder.finished([[1, 2, 3]])), options: DecodeOptions(), stop: CancellationToken())
        #expect(info.hasColorProfile)
        var options = DecodeOptions()
        options.limits.metadataBytes = 4095
        #expect(
            try !coder.info(try .copying(builder.finished([[1, 2, 3]])), options: options, stop: CancellationToken())
                .hasColorProfile)
    }

    // MARK: Color

    private func gray(_ value: UInt8, _ chunk: (inout PNGBuilder) -> Void) throws -> UInt8 {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0)
        chunk(&builder)
        return try decode(builder.finished([[value]])).content.first ?? 0
    }

    @Test func gammaIsAppliedUnlessThePictureSaysSRGB() throws {
        // Linear 0.5 is 188 in sRGB.
        let linear = PNGBuilder.four(100_000)
        #expect(try gray(128) { $0.chunk("gAMA", linear) } == 188)
        #expect(try gray(128) { $0.chunk("gAMA", PNGBuilder.four(45_455)) } == 128)
        #expect(
            try gray(128) {
                $0.chunk("gAMA", linear); $0.chunk("sRGB", [0])
            } == 128)
        #expect(try gray(128) { $0.chunk("gAMA", linear, damaged: true) } == 128)
        #expect(
            try gray(128) {
                $0.chunk("cICP", [1, 8, 0, 1]); $0.chunk("sRGB", [0])
            } == 188)
    }

    @Test func colorStaysAsStoredWhenThatIsWanted() throws {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0)
        builder.chunk("gAMA", PNGBuilder.four(100_000))
        #expect(try decode(builder.finished([[128]])) { $0.convertToSRGB = false }.content == [128])
    }

    @Test func primariesOfAWiderSpaceAreBroughtToSRGB() throws {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 2)
        builder.chunk("cICP", [12, 13, 0, 1])
        // Display P3 (117, 251, 76) is nearly sRGB (0, 255, 0); gray stays gray.
        let green = try decode(builder.finished([[117, 251, 76]])).content
        #expect(green[0] < 8 && green[1] > 252 && green[2] < 8)
        #expect(try decode(builder.finished([[90, 90, 90]])).content.allSatisfy { abs(Int($0) - 90) <= 1 })
    }

    // MARK: Animation

    private func frameControl(_ number: Int, delay: [UInt8] = [0, 50, 3, 232], width: Int = 1) -> [UInt8] {
        PNGBuilder.four(number) + PNGBuilder.four(width) + PNGBuilder.four(1) + PNGBuilder.four(0) + PNGBuilder.four(0) + delay
            + [0, 0]
    }

    private func animation(_ second: [UInt8]) -> [UInt8] {
        var builder = PNGBuilder.header(1, 1, depth: 8, type: 0)
        builder.chunk("acTL", PNGBuilder.four(2) + PNGBuilder.four(7))
        builder.chunk("fcTL", frameControl(0))
        builder.chunk("IDAT", PNGBuilder.rows([[5]]))
        builder.chunk("fcTL", second)
        builder.chunk("fdAT", PNGBuilder.four(2) + PNGBuilder.rows([[6]]))
        builder.chunk("IEND", [])
        return builder.bytes
    }

    @Test func anAnimationIsToldAndItsFirstPictureShown() throws {
        let data = animation(frameControl(1, delay: [0, 1, 0, 0]))
        let info = try coder.info(try .copying(data), options: DecodeOptions(), stop: CancellationToken())
        #expect(info.frameCount == 2)
        #expect(info.loopCount == 7)
        // 50 of 1,000 are 50 ms; 1 of 0 is a hundredth of a second, below the shortest delay, and becomes 100 ms.
        #expect(info.durationMilliseconds == 150)
        #expect(try decode(data).content == [5, 5, 5, 255])
    }

    @Test func aFrameOutsideTheCanvasMakesNoAnimation() throws {
        let info = try coder.info(
            try .copying(animation(frameControl(1, width: 2))), options: DecodeOptions(), stop: CancellationToken())
        #expect(info.frameCount == 1 && info.loopCount == 0 && info.durationMilliseconds == 0)
    }
}
