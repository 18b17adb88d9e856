import SDImage
import SDImageCodecs
import Testing

@Suite struct LZWTests {
    /// Decodes a gray image whose palette contains all gray values.
    private func decode(
        _ width: Int, _ height: Int, codeSize: UInt8, data: [UInt8], blockSize: Int = 255
    ) throws -> [UInt8] {
        var gif = GIFBuilder(width, height, hasPalette: false)
        gif.frame(0, 0, width, height, codeSize: codeSize, data: data, blockSize: blockSize)
        let gray = (0...255).flatMap { value in [UInt8](repeating: UInt8(value), count: 3) }
        // A global palette of 256 entries.
        let bytes = Array(gif.bytes[..<10]) + [0x87, 0, 0] + gray + gif.bytes[13...]
        var options = DecodeOptions()
        options.pixelFormat = .gray8
        return try GIFCoder().decode(try .copying(bytes), options: options, stop: CancellationToken()).content
    }

    /// Data that repeat at all distances, with runs.
    private func picture(_ count: Int, values: Int) -> [UInt8] {
        var state: UInt32 = 7
        return (0..<count).map { index in
            state = state &* 1_664_525 &+ 1_013_904_223
            return index / 37 % 3 == 0 ? 1 : UInt8(Int(state >> 24) % (index / 1000 % 5 + 2) % values)
        }
    }

    @Test(arguments: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) func everyCodeSizeIsRead(_ codeSize: Int) throws {
        let pixels = picture(100 * 90, values: 4)
        let data = LZWBuilder.compress(pixels, codeSize: codeSize)
        #expect(try decode(100, 90, codeSize: UInt8(codeSize), data: data) == pixels)
        #expect(try decode(100, 90, codeSize: UInt8(codeSize), data: data, blockSize: 3) == pixels)
    }

    @Test func aFullTableIsUsedUntilItIsCleared() throws {
        let pixels = picture(300 * 200, values: 200)
        let data = LZWBuilder.compress(pixels, codeSize: 8, clearsWhenFull: false)
        #expect(try decode(300, 200, codeSize: 8, data: data) == pixels)
    }

    @Test func runsLongerThanTheTableAreWhole() throws {
        let pixels = [UInt8](repeating: 3, count: 400 * 400)
        #expect(try decode(400, 400, codeSize: 2, data: LZWBuilder.compress(pixels, codeSize: 2)) == pixels)
    }

    @Test func neitherTheClearCodeAtTheStartNorTheEndCodeIsNeeded() throws {
        let pixels = picture(50 * 50, values: 4)
        var builder = LZWBuilder(codeSize: 2)
        builder.put(pixels)
        #expect(try decode(50, 50, codeSize: 2, data: builder.bytes) == pixels)
    }

    @Test func pixelsBeyondTheFrameAreIgnored() throws {
        let pixels = picture(400, values: 4)
        #expect(try decode(10, 10, codeSize: 2, data: LZWBuilder.compress(pixels, codeSize: 2)) == Array(pixels[..<100]))
    }

    @Test func aCodeBeyondTheTableIsBadData() {
        for code in [7, 6] {
            var builder = LZWBuilder(codeSize: 2)
            builder.putClear()
            builder.put(code)
            #expect(imageError { _ = try decode(4, 4, codeSize: 2, data: builder.bytes) }?.status == .badData)
        }
    }

    @Test(arguments: [0, 12, 13, 255]) func unknownCodeSizesAreBadData(_ codeSize: UInt8) {
        #expect(imageError { _ = try decode(4, 4, codeSize: codeSize, data: [1, 2, 3]) }?.status == .badData)
    }

    @Test func aPictureWithoutDataIsBadData() {
        #expect(imageError { _ = try decode(4, 4, codeSize: 2, data: []) }?.status == .badData)
    }
}
