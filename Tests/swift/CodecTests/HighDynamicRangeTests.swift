import Glibc
import SDImage
import SDImageCodecs
import Testing

/// PQ, HLG and wide primaries, converted to linear light and to sRGB; the container is PNG with cICP.
@Suite struct HighDynamicRangeTests {
    private static let pq: UInt8 = 16
    private static let hlg: UInt8 = 18

    /// A PNG of one row of 16-bit RGB.
    private func file(_ samples: [Double], primaries: UInt8, transfer: UInt8) -> [UInt8] {
        var builder = PNGBuilder.header(samples.count / 3, 1, depth: 16, type: 2)
        builder.chunk("cICP", [primaries, transfer, 0, 1])
        let values = samples.map { UInt16(($0 * 65535).rounded()) }
        return builder.finished([values.flatMap { (value: UInt16) -> [UInt8] in [UInt8(value >> 8), UInt8(value & 255)] }])
    }

    private func decode(_ data: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        options.keepsDepth = true
        change(&options)
        return try PNGCoder().decode(try .copying(data), options: options, stop: CancellationToken())
    }

    private func light(_ samples: [Double], primaries: UInt8 = 1, transfer: UInt8) throws -> [Float] {
        LinearLightTests.light(
            try decode(file(samples, primaries: primaries, transfer: transfer)) { $0.pixelFormat = .rgbaFloat })
    }

    /// The inverse EOTF of SMPTE ST 2084, by its formula.
    private func pq(_ nits: Double) -> Double {
        let power = pow(nits / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    private func isClose(_ one: [Float], _ other: [Double], _ relative: Double) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy { (pair: (Float, Double)) -> Bool in
                abs(Double(pair.0) - pair.1) <= max(abs(pair.1), 0.01) * relative
            }
    }

    // MARK: To linear light

    @Test(arguments: [0, 0.1, 1, 48, 100, 203, 1000, 4000, 10_000]) func pqIsLightRelativeToReferenceWhite(_ nits: Double) throws
    {
        let v = pq(nits)
        #expect(
            isClose(try light([v, v, v], transfer: HighDynamicRangeTests.pq), [nits / 203, nits / 203, nits / 203, 1], 2e-3))
    }

    /// ITU-R BT.2408: 75 % is reference white, 38 % is an 18 % gray card at 26 cd/m²; the nominal peak is 1000 cd/m².
    @Test func hlgMeetsTheSignalLevelsOfITU() throws {
        let levels = try light([0.75, 0.75, 0.75, 0.38, 0.38, 0.38, 1, 1, 1, 0, 0, 0], transfer: HighDynamicRangeTests.hlg)
        #expect(abs(levels[0] - 1) < 0.005 && abs(levels[4] * 203 - 26) < 1 && abs(levels[8] * 203 - 1000) < 1)
        #expect(levels[12...14].allSatisfy { $0 == 0 })
    }

    @Test func widePrimariesBecomeNegativeLightOutsideSRGB() throws {
        let v = pq(203)
        let p3 = try light([v, 0, 0, 0, v, 0, 0, 0, v], primaries: 12, transfer: HighDynamicRangeTests.pq)
        #expect(
            isClose(p3, [1.2249, -0.0420, -0.0197, 1, -0.2249, 1.0420, -0.0786, 1, 0, 0, 1.0983, 1], 5e-3))
        let wide = try light([v, 0, 0, 0, v, 0, 0, 0, v], primaries: 9, transfer: HighDynamicRangeTests.pq)
        #expect(
            isClose(wide, [1.6605, -0.1246, -0.0182, 1, -0.5876, 1.1329, -0.1006, 1, -0.0728, -0.0083, 1.1187, 1], 5e-3))
    }

    @Test func standardCurvesOfWidePrimariesBecomeLightToo() throws {
        let red = try light([1, 0, 0], primaries: 12, transfer: 13)
        #expect(isClose(red, [1.2249, -0.0420, -0.0197, 1], 5e-3))
        let gray = try light([0.5, 0.5, 0.5], primaries: 12, transfer: 13)
        #expect(isClose(gray, [0.21404, 0.21404, 0.21404, 1], 1e-3))
    }

    @Test func lightIsMarkedAsBeyondTheStandardRangeAndPlainPicturesAreNot() throws {
        let bright = file([0.5, 0.5, 0.5], primaries: 9, transfer: HighDynamicRangeTests.pq)
        #expect(try decode(bright) { $0.pixelFormat = .rgbaFloat }.metadata.isHighDynamicRange)
        #expect(try !decode(bright).metadata.isHighDynamicRange)
        let plain = file([0.5, 0.5, 0.5], primaries: 12, transfer: 13)
        #expect(try !decode(plain) { $0.pixelFormat = .rgbaFloat }.metadata.isHighDynamicRange)
    }

    @Test func samplesLeftAloneKeepTheirCodePoints() throws {
        let data = file([0.5, 0.25, 0.75], primaries: 9, transfer: HighDynamicRangeTests.pq)
        let image = try decode(data) { $0.convertToSRGB = false }
        #expect(LinearLightTests.deep(image) == [32768, 16384, 49151])
        #expect(image.metadata.cicp == CodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true))
        #expect(image.metadata.isHighDynamicRange)
    }

    // MARK: Narrow range

    /// A row of gray samples whose code points have a narrow range (ITU-T H.273, section 8.3), and alpha 7.
    private func narrow(_ samples: [Int], primaries: UInt8 = 1, transfer: UInt8 = 13, depth: UInt8 = 8) throws -> Image {
        var builder = PNGBuilder.header(samples.count, 1, depth: depth, type: 6)
        builder.chunk("cICP", [primaries, transfer, 0, 0])
        let row = samples.flatMap { [$0, $0, $0, 7] }.flatMap { (sample: Int) -> [UInt8] in
            depth == 8 ? [UInt8(sample)] : [UInt8(sample >> 8), UInt8(sample & 255)]
        }
        return try decode(builder.finished([row])) { if transfer > 15 { $0.pixelFormat = .rgbaFloat } }
    }

    @Test(arguments: [UInt8(1), 12]) func samplesOfNarrowRangeReachFromBlackToWhite(_ primaries: UInt8) throws {
        let image = try narrow([0, 16, 17, 126, 235, 255], primaries: primaries)
        let gray = [0, 0, 1, 128, 255, 255].flatMap { (value: UInt8) -> [UInt8] in [value, value, value, 7] }
        #expect(zip(image.content, gray).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        let deep = try narrow([16 << 8, 235 << 8], primaries: primaries, depth: 16)
        #expect(LinearLightTests.deep(deep) == [0, 0, 0, 7, 65535, 65535, 65535, 7])
    }

    @Test func lightOfNarrowRangeIsThatOfTheFullRange() throws {
        for (transfer, level, nits) in [(HighDynamicRangeTests.pq, pq(203), 203.0), (HighDynamicRangeTests.hlg, 0.75, 203)] {
            let v = Int(((219 * level + 16) * 256).rounded())
            let light = LinearLightTests.light(try narrow([16 << 8, v], transfer: transfer, depth: 16))
            #expect(light[0] == 0 && abs(light[4] - Float(nits / 203)) < 0.005)
        }
    }

    @Test func grayAndPalettesOfNarrowRangeAreExpanded() throws {
        var builder = PNGBuilder.header(2, 1, depth: 8, type: 0)
        builder.chunk("cICP", [1, 13, 0, 0])
        #expect(try decode(builder.finished([[16, 235]])).content == [0, 255])
        builder = PNGBuilder.header(2, 1, depth: 8, type: 3)
        builder.chunk("cICP", [1, 13, 0, 0])
        builder.chunk("PLTE", [16, 16, 16, 235, 16, 235])
        #expect(try decode(builder.finished([[0, 1]])).content == [0, 0, 0, 255, 0, 255])
    }

    // MARK: To sRGB

    /// The samples of gray light as 16 bits, after the tone mapping of one image.
    private func mapped(_ nits: [Double]) throws -> [Double] {
        let samples = nits.flatMap { (value: Double) -> [Double] in [Double](repeating: pq(value), count: 3) }
        let image = try decode(file(samples, primaries: 1, transfer: HighDynamicRangeTests.pq))
        #expect(image.pixels.format == .rgb16 && !image.metadata.isHighDynamicRange && image.metadata.headroom == 0)
        let deep = LinearLightTests.deep(image)
        return stride(from: 0, to: deep.count, by: 3).map { (at: Int) -> Double in Double(deep[at]) / 65535 }
    }

    private func stored(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    @Test func nothingChangesWithoutLightAboveWhite() throws {
        let nits: [Double] = [0.5, 5, 20, 80, 150, 202]
        let expected = nits.map { (value: Double) -> Double in stored(value / 203) }
        #expect(zip(try mapped(nits), expected).allSatisfy { (pair: (Double, Double)) -> Bool in abs(pair.0 - pair.1) < 5e-4 })
    }

    /// ITU-R BT.2446-1, section 4.1, for gray: computed with its formulas outside of this library.
    @Test func theCurveIsThatOfTheReport() throws {
        let light: [Double: [Double]] = [
            1000: [0.0313, 0.0722, 0.1265, 0.2266, 0.4060, 0.6446, 0.7691],
            600: [0.0411, 0.0971, 0.1734, 0.3179, 0.5575, 0.8353, 0.9656],
        ]
        for (peak, expected) in light {
            let samples = try mapped([10, 26, 50, 100, 203, 400, 550, peak])
            #expect(
                zip(samples, expected + [1]).allSatisfy { (pair: (Double, Double)) -> Bool in
                    abs(pair.0 - stored(pair.1)) < 3e-3
                })
        }
    }

    @Test func brighterLightRisesToWhiteWithoutAStep() throws {
        let levels = try mapped(stride(from: 100.0, through: 10_000, by: 10).map { (nits: Double) -> Double in nits })
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 && $1 - $0 < 0.04 })
        // Light above 1000 cd/m² is white.
        #expect(levels[88] < 1 && levels[91] > 0.999)
    }

    @Test func theToneMappingNeverBrightens() throws {
        for peak in [210.0, 250, 300, 400, 1000] {
            let nits: [Double] = [0.5, 5, 26, 100, 203]
            let levels = try mapped(nits + [peak])
            #expect(zip(levels, nits).allSatisfy { (pair: (Double, Double)) -> Bool in pair.0 <= stored(pair.1 / 203) + 5e-4 })
        }
    }

    @Test func fewHighlightsDoNotDarkenTheImage() throws {
        let plain = [Double](repeating: 150, count: 399)
        #expect(abs(try mapped(plain + [1000])[0] - stored(150.0 / 203)) < 5e-4)
        #expect(try mapped(plain + [1000, 1000, 1000])[0] < 0.9 * stored(150.0 / 203))
    }

    @Test func samplesBeyondTheLimitOfTheResultAreMappedInRows() throws {
        let data = file([Double](repeating: pq(203), count: 3 * 300), primaries: 1, transfer: HighDynamicRangeTests.pq)
        let image = try decode(data) {
            $0.pixelFormat = .rgb8
            $0.limits.outputBytes = 1000
        }
        // 0.406 of white, for a peak of 1000 cd/m².
        #expect(image.content.allSatisfy { (170...172).contains($0) })
    }

    @Test func brightColorsKeepTheirHue() throws {
        let image = try decode(
            file([pq(2000), pq(1000), pq(500)], primaries: 1, transfer: HighDynamicRangeTests.pq))
        let light = LinearLightTests.light(try image.converted(to: .rgbaFloat))
        #expect(abs(light[0] / light[1] - 2) < 0.02 && abs(light[1] / light[2] - 2) < 0.02)
    }

    @Test func lightThatIsConvertedLooksAsTheDecodeDoes() throws {
        let data = file([pq(2000), pq(100), pq(1), pq(400), pq(300), pq(0)], primaries: 9, transfer: HighDynamicRangeTests.pq)
        let light = try decode(data) { $0.pixelFormat = .rgbaFloat }
        let converted = try light.converted(to: .rgb8)
        #expect(converted.content == (try decode(data) { $0.pixelFormat = .rgb8 }).content)
        #expect(!converted.metadata.isHighDynamicRange)
    }

    /// Gray light on a display with a headroom, in stops.
    private func displayed(_ nits: [Double], headroom: Double) throws -> Image {
        let samples = nits.flatMap { (value: Double) -> [Double] in [Double](repeating: pq(value), count: 3) }
        return try decode(file(samples, primaries: 9, transfer: HighDynamicRangeTests.pq)) {
            ($0.dynamicRange, $0.displayHeadroom) = (.automatic, headroom)
        }
    }

    @Test func lightIsReducedToTheDisplay() throws {
        let nits: [Double] = [10, 100, 203, 500, 1000, 5000]
        var darker: [Float] = []
        for headroom in [0.01, 0.5, 1, 2, 2.2] {
            let image = try displayed(nits, headroom: headroom)
            let light = LinearLightTests.light(image).enumerated().filter { $0.offset % 4 == 0 }.map { $0.element }
            #expect(image.metadata.headroom == headroom && image.metadata.isHighDynamicRange)
            #expect(abs(image.metadata.contentHeadroom - 5.622) < 1e-3)
            let limit = Float(exp2(headroom))
            #expect(light.allSatisfy { $0 <= limit * 1.00001 } && abs(light[4] - limit) < 0.01 * limit)
            #expect(darker.isEmpty || zip(darker, light).allSatisfy { $0 <= $1 })
            darker = light
        }
        // More than the peak of the curve: only what exceeds the display changes.
        let bright = LinearLightTests.light(try displayed(nits, headroom: 3))
        let gray = 1000.0 / 203
        #expect(isClose(Array(bright[16...19]), [gray, gray, gray, 1], 2e-3))
        #expect(abs(bright[20] - 8) < 1e-3)
        // Near the headroom of SDR the result is that of SDR.
        let plain = try mapped(nits), dim = LinearLightTests.light(try displayed(nits, headroom: 1e-6))
        #expect(plain.indices.allSatisfy { abs(plain[$0] - stored(Double(dim[4 * $0]))) < 5e-4 })
    }

    @Test func thumbnailsOfBrightPicturesAreThumbnails() throws {
        let v = pq(203)
        let data = file([Double](repeating: v, count: 90), primaries: 9, transfer: HighDynamicRangeTests.pq)
        let image = try decode(data) {
            $0.pixelFormat = .rgbaFloat
            $0.thumbnailSize = PixelSize(width: 10, height: 10)
        }
        #expect(image.size == PixelSize(width: 10, height: 1))
        #expect(LinearLightTests.light(image).allSatisfy { abs($0 - 1) < 2e-3 })
    }

    @Test func grayAndAlphaPassToo() throws {
        var builder = PNGBuilder.header(1, 1, depth: 16, type: 4)
        builder.chunk("cICP", [9, 16, 0, 1])
        let v = UInt16((pq(203) * 65535).rounded())
        let data = builder.finished([[UInt8(v >> 8), UInt8(v & 255), 0x80, 0]])
        let light = LinearLightTests.light(try decode(data) { $0.pixelFormat = .rgbaFloat })
        #expect(light[0...2].allSatisfy { abs($0 - 1) < 2e-3 } && abs(light[3] - 0.5) < 1e-4)
        #expect(LinearLightTests.deep(try decode(data))[3] == 0x8000)
    }

    // MARK: Post-processed images

    private func finished(_ image: Image, _ change: (inout ImageMetadata) -> Void) -> Image {
        var metadata = image.metadata
        change(&metadata)
        return image.with(metadata)
    }

    private func converted(_ image: Image, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions()
        options.keepsDepth = true
        change(&options)
        return try image.convertedToSRGB(options, stop: CancellationToken())
    }

    @Test(arguments: [nil, PixelFormat.rgb8, .rgbaFloat, .gray8]) func aFinishedPictureIsConvertedAsItsFileWouldBe(
        _ format: PixelFormat?
    ) throws {
        let data = file([pq(2000), pq(100), pq(1), pq(400), pq(300), pq(0)], primaries: 9, transfer: HighDynamicRangeTests.pq)
        let raw = try decode(data) { $0.convertToSRGB = false }
        let image = try converted(raw) { $0.pixelFormat = format }
        let expected = try decode(data) { $0.pixelFormat = format }
        #expect(image.content == expected.content)
        #expect(image.metadata.cicp == nil)
        #expect(image.metadata.isHighDynamicRange == expected.metadata.isHighDynamicRange)
    }

    @Test func aFinishedPictureIsConvertedByItsProfile() throws {
        let raw = try JPEGCoder().decode("pictures/liquid-colour.jpg") { $0.convertToSRGB = false }
        let image = try converted(raw)
        #expect(image.content == (try JPEGCoder().decode("pictures/liquid-colour.jpg")).content)
        #expect(image.metadata.colorProfile == nil)
    }

    @Test func shrinkingAndTurningHappenOnTheWay() throws {
        let raw = finished(try LinearLightTests.image(.rgb8, width: 40, height: 20, [UInt8](repeating: 200, count: 2400))) {
            $0.cicp = CodePoints(primaries: 9, transfer: 18, matrix: 9, isFullRange: true)
            $0.orientation = .right
        }
        let image = try converted(raw) { $0.thumbnailSize = PixelSize(width: 10, height: 10) }
        #expect(image.size == PixelSize(width: 5, height: 10))
        #expect(image.metadata.orientation == .up)
        #expect(Set(image.content).count == 1 && image.content[0] != 200)
    }

    @Test func premultipliedPicturesAreConvertedStraight() throws {
        let bytes: [UInt8] = [100, 50, 25, 128, 0, 0, 0, 0]
        let raw = finished(try LinearLightTests.image(.rgba8Premultiplied, width: 2, bytes)) {
            $0.cicp = CodePoints(primaries: 12, transfer: 13, matrix: 0, isFullRange: true)
        }
        let image = try converted(raw)
        #expect(image.pixels.format == .rgba8Premultiplied)
        let straight = finished(try raw.converted(to: .rgba8)) { _ in }
        #expect(image.content == (try converted(straight).converted(to: .rgba8Premultiplied)).content)
    }

    @Test func aPictureThatIsStandardAlreadyIsLeftAlone() throws {
        let image = try LinearLightTests.image(.rgb8, width: 1, [1, 2, 3])
        #expect(try converted(image) === image)
        let named = finished(image) { $0.cicp = CodePoints(primaries: 1, transfer: 13, matrix: 0, isFullRange: true) }
        #expect(try converted(named).content == [1, 2, 3])
        let unknown = finished(image) { $0.cicp = CodePoints(primaries: 255, transfer: 255, matrix: 0, isFullRange: true) }
        #expect(try converted(unknown).content == [1, 2, 3])
    }
}
