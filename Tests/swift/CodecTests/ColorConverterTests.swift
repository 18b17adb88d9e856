import SDImage
import SDImageCodecs
import Testing

@Suite struct ColorConverterTests {
    /// The Display P3 profile of one of the fixtures.
    private func profile() throws -> Bytes {
        let image = try JPEGCoder().decode("pictures/liquid-colour.jpg") { $0.convertToSRGB = false }
        return try #require(image.metadata.colorProfile)
    }

    private func apply(_ transform: any RowTransform, _ row: [UInt8], _ format: PixelFormat) -> [UInt8] {
        var row = row
        let pixels = row.count / format.bytesPerPixel
        unsafe row.withUnsafeMutableBytes { unsafe transform.apply($0, pixels: pixels, format: format) }
        return row
    }

    @Test func colorMovesAndGreyStays() throws {
        let transform = try #require(ColorConverter.transform(profile: try profile(), format: .rgb8, isGray: false))
        let row = apply(transform, [117, 251, 76, 90, 90, 90], .rgb8)
        #expect(row[0] < 8 && row[1] > 252 && row[2] < 8)
        #expect(row[3...].allSatisfy { abs(Int($0) - 90) <= 1 })
    }

    @Test(arguments: [PixelFormat.rgba8, .rgba16]) func alphaStaysAsItIs(_ format: PixelFormat) throws {
        let transform = try #require(ColorConverter.transform(profile: try profile(), format: format, isGray: false))
        let size = format.bytesPerChannel
        var pixel: [UInt8] = []
        for channel: UInt8 in [40, 80, 120, 160] { pixel += [UInt8](repeating: channel, count: size) }
        let row = apply(transform, pixel + pixel, format)
        let alpha = Array(pixel.suffix(size))
        #expect(row != pixel + pixel)
        #expect(Array(row.suffix(size)) == alpha)
        #expect(Array(row.prefix(4 * size).suffix(size)) == alpha)
    }

    @Test func rowsOfAnotherFormatAreLeftAlone() throws {
        let transform = try #require(ColorConverter.transform(profile: try profile(), format: .rgb8, isGray: false))
        let row: [UInt8] = [117, 251, 76, 255]
        #expect(apply(transform, row, .rgba8) == row)
    }

    @Test func aProfileOfAnotherColorSpaceCountsAsSRGB() throws {
        let profile = try profile()
        #expect(ColorConverter.transform(profile: profile, format: .gray8, isGray: true) == nil)
        #expect(ColorConverter.cmykTransform(profile: profile, isInverted: false) == nil)
    }

    @Test func damagedProfilesCountAsSRGBOrConvertSomehow() throws {
        let whole = unsafe try profile().withUnsafeBytes { unsafe Array($0) }
        for length in stride(from: 0, to: whole.count, by: 7) {
            let bytes = try Bytes.copying(Array(whole[..<length]))
            if let transform = ColorConverter.transform(profile: bytes, format: .rgb8, isGray: false) {
                #expect(apply(transform, [1, 2, 3], .rgb8).count == 3)
            }
        }
        #expect(ColorConverter.transform(profile: .empty, format: .rgb8, isGray: false) == nil)
        for bit in stride(from: 0, to: whole.count * 8, by: 11) {
            var damaged = whole
            damaged[bit / 8] ^= 1 << (bit % 8)
            let transform = ColorConverter.transform(profile: try .copying(damaged), format: .rgb8, isGray: false)
            if let transform { #expect(apply(transform, [1, 2, 3], .rgb8).count == 3) }
        }
    }

    @Test func oneTransformServesSeveralThreads() async throws {
        let profile = try profile()
        let row = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let expected = apply(try #require(ColorConverter.transform(profile: profile, format: .rgb8, isGray: false)), row, .rgb8)
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard let transform = ColorConverter.transform(profile: profile, format: .rgb8, isGray: false) else {
                        return false
                    }
                    return (0..<50).allSatisfy { _ in self.apply(transform, row, .rgb8) == expected }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(results)
    }

    @Test func anEncodingWithinReachOfSRGBNeedsNoWork() throws {
        let encoding = try #require(
            RGBEncoding(gamma: 45_455, chromaticities: [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]))
        #expect(ColorConverter.transform(encoding: encoding, format: .rgb8, isGray: false) == nil)
    }

    @Test func codePointsThatNameNoKnownSpaceAreNotUnderstood() {
        for (primaries, transfer): (UInt8, UInt8) in [(2, 13), (1, 2), (0, 0), (10, 8), (255, 255)] {
            let codes = CodePoints(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
            #expect(RGBEncoding(codePoints: codes) == nil)
        }
    }

    @Test(arguments: [UInt8(1), 5, 6, 9, 12], [UInt8(16), 18, 4, 8]) func whiteStaysWhiteInEverySpace(
        primaries: UInt8, transfer: UInt8
    ) throws {
        let codes = CodePoints(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
        let encoding = try #require(RGBEncoding(codePoints: codes))
        let transform = try #require(
            ColorConverter.transform(encoding: encoding, format: .rgb8, isGray: false, output: .rgb8))
        let row = apply(transform, [128, 128, 128, 255, 255, 255], .rgb8)
        #expect(Set(row[..<3]).count == 1 && Set(row[3...]).count == 1)
    }

    @Test func impossibleChromaticitiesAreIgnored() {
        #expect(RGBEncoding(gamma: nil, chromaticities: [0, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(RGBEncoding(gamma: 0, chromaticities: nil) == nil)
    }
}
