import SDImage
import SDImageCodecs
import Testing

@Suite struct ICOTests {
    private let coder = ICOCoder()

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        change(&options)
        return try coder.decode(try .copying(data), options: options, stop: CancellationToken())
    }

    private func status(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) -> Status? {
        imageError { _ = try decode(data, change) }?.status
    }

    /// A square of 24 bits per pixel in one shade of red, with an empty mask.
    private func square(_ side: Int, red: UInt8) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - side * 3 % 4) % 4)
        let row: [UInt8] = (0..<side).flatMap { _ in [0, 0, red] as [UInt8] } + padding
        let mask = [UInt8](repeating: 0, count: (side + 31) / 32 * 4 * side)
        return BMPBuilder(side, side * 2, bits: 24, (0..<side).flatMap { _ in row } + mask).inner
    }

    private func png(_ side: Int, green: UInt8) -> [UInt8] {
        let row: [UInt8] = (0..<side).flatMap { _ in [0, green, 0, 255] as [UInt8] }
        return PNGBuilder.header(side, side, depth: 8, type: 6).finished((0..<side).map { _ in row })
    }

    // MARK: Entry selection

    @Test func theLargestPictureIsTakenAndOfEqualOnesTheDeepest() throws {
        #expect(try coder.decode("ico/three.ico").size == PixelSize(width: 64, height: 64))
        let two = ICOBuilder(square(4, red: 1), png(4, green: 2), square(3, red: 3))
        #expect(try decode(two.bytes).pixel(0, 0) == [0, 2, 0, 255])
    }

    @Test(arguments: [(10, 16), (16, 16), (17, 32), (32, 32), (33, 64), (500, 64)])
    func aThumbnailComesFromTheSmallestPictureThatCoversIt(box: Int, side: Int) throws {
        let image = try coder.decode("ico/three.ico") { $0.thumbnailSize = PixelSize(width: box, height: box) }
        #expect(image.size == PixelSize(width: min(box, side), height: min(box, side)))
        #expect(image.metadata.sourceSize == PixelSize(width: side, height: side))
        #expect(image.pixel(min(box, side) - 1, 0) == [0, 0, UInt8(side), 255])
    }

    @Test func theHeadersOfPicturesCountNotTheDirectory() throws {
        #expect(try decode(ICOBuilder(square(3, red: 9)).bytes).size == PixelSize(width: 3, height: 3))
    }

    @Test func picturesAreAlternativesNotFrames() throws {
        let image = try coder.decode("ico/three.ico")
        #expect(image.metadata.frameCount == 1 && image.frames == nil && image.metadata.format == .ico)
        let info = try coder.info(try CodecFixture.bytes("ico/three.ico"), options: DecodeOptions(), stop: CancellationToken())
        #expect(info.frameCount == 1 && info.format == .ico && info.storedSize == PixelSize(width: 64, height: 64))
    }

    // MARK: Masks

    @Test(arguments: ["three.ico", "pointer.cur"]) func theMaskHidesPixels(_ name: String) throws {
        let image = try coder.decode("ico/\(name)") { $0.thumbnailSize = PixelSize(width: 16, height: 16) }
        #expect(image.pixels.format == .rgba8 && image.metadata.hasAlpha)
        for y in 0..<16 { #expect(image.pixel(7, y) == [0, 0, 0, 0] && image.pixel(8, y) == [0, 0, 16, 255]) }
    }

    @Test func alphaOfPixelsWinsOverTheMask() throws {
        let entry = BMPBuilder(2, 2, bits: 32, [1, 2, 3, 40, 5, 6, 7, 0] + [0x80, 0, 0, 0]).inner
        #expect(try decode(ICOBuilder(entry).bytes).content == [3, 2, 1, 40, 7, 6, 5, 0])
    }

    @Test func theMaskCountsWhereAlphaIsZeroThroughout() throws {
        let entry = BMPBuilder(2, 2, bits: 32, [1, 2, 3, 0, 5, 6, 7, 0] + [0x80, 0, 0, 0]).inner
        #expect(try decode(ICOBuilder(entry).bytes).content == [0, 0, 0, 0, 7, 6, 5, 255])
    }

    @Test func withoutItsMaskAPictureIsSeenInFull() throws {
        let entry = BMPBuilder(1, 4, bits: 24, [1, 2, 3, 0, 4, 5, 6, 0]).inner
        #expect(try decode(ICOBuilder(entry).bytes).content == [6, 5, 4, 255, 3, 2, 1, 255])
    }

    // MARK: Damage and limits

    @Test func picturesOutsideTheFileArePassedOver() throws {
        var icon = ICOBuilder(square(8, red: 8), square(2, red: 2))
        icon.offsets[0] = 1 << 30
        #expect(try decode(icon.bytes).pixel(0, 0) == [2, 0, 0, 255])
        icon.offsets[1] = 1 << 30
        #expect(status(icon.bytes) == .truncated)
    }

    @Test func theNextBestTakesThePlaceOfADamagedPicture() throws {
        var large = png(8, green: 8)
        large[40] ^= 0xFF
        let icon = ICOBuilder(large, square(2, red: 2), square(4, red: 4))
        #expect(try decode(icon.bytes).pixel(0, 0) == [4, 0, 0, 255])
        #expect(status(ICOBuilder(large).bytes) == .badData)
    }

    @Test func compressedBitmapsAreUnsupported() {
        var entry = BMPBuilder(1, 2, bits: 8, [1, 1, 0, 1])
        entry.compression = 1
        #expect(status(ICOBuilder(entry.inner).bytes) == .unsupported)
    }

    @Test func aPictureBeyondTheLimitIsRefused() {
        #expect(status(ICOBuilder(BMPBuilder(1 << 20, 1 << 20, bits: 1).inner).bytes) == .tooLarge)
        #expect(status(ICOBuilder(square(8, red: 1)).bytes) { $0.limits.streamedPixels = 63 } == .tooLarge)
    }

    @Test func noMoreEntriesAreLookedAtThanTheLimitOfFrames() throws {
        let icon = ICOBuilder(square(2, red: 2), square(4, red: 4))
        #expect(try decode(icon.bytes) { $0.limits.frames = 1 }.pixel(0, 0) == [2, 0, 0, 255])
        // 65,535 entries announced, none present.
        #expect(status([0, 0, 1, 0, 255, 255]) == .truncated)
    }

    @Test func everyTruncationAndManyBitFlipsEndInAPictureOrAnError() throws {
        for name in ["three.ico", "pointer.cur"] {
            let data = try CodecFixture.data("ico/\(name)")
            for length in stride(from: 0, to: data.count, by: max(1, data.count / 100)) {
                _ = try coder.survive(Array(data[..<length]))
                _ = try coder.survive(Array(data[..<length])) { $0.acceptPartial = true }
            }
            let bits = Array(0..<min(data.count, 200) * 8) + Array(stride(from: 1600, to: data.count * 8, by: 97))
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
}
