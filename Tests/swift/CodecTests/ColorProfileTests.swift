import SDImage
import SDImageCodecs
import Testing

/// Profiles of every kind, embedded in each format.
@Suite struct ColorProfileTests {
    private func apply(_ transform: any RowTransform, _ row: [UInt8], _ format: PixelFormat) -> [UInt8] {
        var row = row
        let pixels = row.count / format.bytesPerPixel
        unsafe row.withUnsafeMutableBytes { unsafe transform.apply($0, pixels: pixels, format: format) }
        return row
    }

    private func transform(_ profile: [UInt8], _ format: PixelFormat = .rgb8, isGray: Bool = false) throws -> (any RowTransform)?
    {
        ColorConverter.transform(profile: try .copying(profile), format: format, isGray: isGray)
    }

    private func array(_ bytes: Bytes?) -> [UInt8]? { bytes.map { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } } }

    // MARK: Kinds

    @Test func profilesOfPrimariesAndCurvesMoveColors() throws {
        let wide = try #require(try transform(ICCBuilder.displayP3))
        let row = apply(wide, [200, 100, 50, 128, 128, 128, 255, 255, 255], .rgb8)
        #expect(row[0] > 205 && row[1] < 98 && row[2] < 40)
        #expect(row[3...5].allSatisfy { abs(Int($0) - 128) <= 1 } && row[6...].allSatisfy { $0 >= 254 })
    }

    @Test func aProfileThatIsSRGBUnderAnotherNameNeedsNoWork() throws {
        #expect(try transform(ICCBuilder.standard) == nil)
        let light = ColorConverter.transform(
            profile: try .copying(ICCBuilder.standard), format: .rgb8, isGray: false, output: .rgbaFloat)
        #expect(light == nil)
    }

    @Test func profilesOfTablesMoveColors() throws {
        let table = try #require(try transform(ICCBuilder.table))
        let row = apply(table, [0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0], .rgb8)
        #expect(row[0...2].allSatisfy { $0 <= 2 } && row[3...5].allSatisfy { $0 >= 253 })
        #expect(row[6] > row[7] && row[10] > row[9])
    }

    /// A profile of a few kilobytes may list thousands of them, which take minutes and gigabytes.
    @Test func multiProcessElementsAreIgnored() throws {
        var builder = ICCBuilder("RGB ")
        builder.primaries(ICCBuilder.wideColumns)
        for curve in ["rTRC", "gTRC", "bTRC"] { builder.curve(curve, ICCBuilder.standardCurve) }
        builder.elements("D2B0", count: 2)
        let both = try #require(try transform(builder.bytes))
        let plain = try #require(try transform(ICCBuilder.displayP3))
        let row: [UInt8] = [200, 100, 50, 128, 128, 128]
        #expect(apply(both, row, .rgb8) == apply(plain, row, .rgb8))
        var alone = ICCBuilder("RGB ")
        alone.elements("D2B0", count: 2)
        #expect(try transform(alone.bytes) == nil)
    }

    @Test func grayProfilesKeepThePictureGray() throws {
        let gamma = try #require(try transform(ICCBuilder.gray(gamma: 1.8), .gray8, isGray: true))
        let row = apply(gamma, [0, 128, 255], .gray8)
        // 0.5 to the power of 1.8 is a linear value of 0.289, which sRGB encodes as 147.
        #expect(row[0] == 0 && abs(Int(row[1]) - 147) <= 1 && row[2] == 255)
        let icc = Array("icc".utf8) + [0, 0] + PNGBuilder.zlib(ICCBuilder.gray(gamma: 1.8))
        let image = try PNGCoder().decode(
            try .copying(MetadataFixture.png([("iCCP", icc)])), options: DecodeOptions(), stop: CancellationToken())
        #expect(image.pixels.format == .gray8)
    }

    @Test func aWebPOfAGrayImageKeepsItsBrightness() throws {
        let pixels = try PixelBuffer(size: PixelSize(width: 16, height: 16), format: .gray8, limit: .max)
        for y in 0..<16 { unsafe pixels.mutableRow(y)?.initializeMemory(as: UInt8.self, repeating: 128) }
        var metadata = ImageMetadata()
        metadata.colorProfile = try .copying(ICCBuilder.gray(gamma: 1.8))
        let file = try WebPCoder().encode(
            Image(pixels: pixels, metadata: metadata), format: .webp, options: EncodeOptions(), stop: CancellationToken())
        let shown = try WebPCoder().decode(file, options: DecodeOptions(), stop: CancellationToken()).pixels
        let value = unsafe try #require(shown.row(8)?.loadUnaligned(as: UInt8.self))
        #expect(abs(Int(value) - 147) <= 2)
    }

    @Test func codePointsAreKnownIfTheyCanBeConverted() {
        for primaries in UInt8.min...UInt8.max {
            let codes = (UInt8.min...UInt8.max).map {
                CodePoints(primaries: primaries, transfer: $0, matrix: 0, isFullRange: true)
            }
            #expect(codes.allSatisfy { $0.isKnown == (RGBEncoding(codePoints: $0) != nil) })
        }
    }

    @Test func inksBecomeColorsByTheirProfile() throws {
        let inks = try #require(ColorConverter.cmykTransform(profile: try .copying(ICCBuilder.inks), isInverted: false))
        let row: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0]
        var colors = [UInt8](repeating: 7, count: 9)
        unsafe row.withUnsafeBytes { source in
            unsafe colors.withUnsafeMutableBytes { unsafe inks.apply(source, to: $0, pixels: 3) }
        }
        #expect(colors[0...2].allSatisfy { $0 >= 253 } && colors[3...5].allSatisfy { $0 <= 2 })
        #expect(colors[6...].allSatisfy { $0 > 100 && $0 < 200 })
    }

    @Test func inksWithoutProfileAreMultiplied() throws {
        let cmyk = ColorConverter.cmykTransform(profile: try .copying(ICCBuilder.displayP3), isInverted: true)
        #expect(cmyk == nil)
    }

    @Test(arguments: ["Lab ", "XYZ ", "HSV ", "YCbr", "2CLR", "????"]) func otherColorSpacesCountAsSRGB(_ space: String) throws {
        for deviceClass in ["mntr", "spac", "link", "nmcl"] {
            var builder = ICCBuilder(space, deviceClass: deviceClass, connection: "Lab ")
            builder.table(inputs: 3, corners: [[Double]](repeating: [50, 0, 0], count: 8))
            #expect(try transform(builder.bytes) == nil)
            #expect(try transform(builder.bytes, .gray8, isGray: true) == nil)
            #expect(ColorConverter.cmykTransform(profile: try .copying(builder.bytes), isInverted: false) == nil)
        }
    }

    @Test(arguments: [PixelFormat.rgb8, .rgba8]) func curvesAndPrimariesAgreeWithLittleCMS(_ format: PixelFormat) throws {
        var builder = ICCBuilder("RGB ")
        builder.primaries(ICCBuilder.wideColumns)
        for name in ["rTRC", "gTRC", "bTRC"] {
            // Curves that differ imperceptibly are converted by Little CMS.
            builder.curve(name, name == "bTRC" ? ICCBuilder.standardCurve.dropLast() + [65527] : ICCBuilder.standardCurve)
        }
        let row = (0..<format.bytesPerPixel * 997).map { UInt8(truncatingIfNeeded: $0 &* 89 >> 2) }
        let own = apply(try #require(try transform(ICCBuilder.displayP3, format)), row, format)
        let other = apply(try #require(try transform(builder.bytes, format)), row, format)
        #expect(zip(own, other).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        #expect(own != row)
    }

    @Test func sixteenBitsAreConvertedAsEight() throws {
        let row = (0..<3 * 997).map { UInt8(truncatingIfNeeded: $0 &* 89 >> 2) }
        let low = apply(try #require(try transform(ICCBuilder.displayP3)), row, .rgb8)
        let deep = apply(try #require(try transform(ICCBuilder.displayP3, .rgb16)), row.flatMap { [$0, $0] }, .rgb16)
        let values = (0..<row.count).map { (at: Int) -> Int in Int(deep[2 * at]) | Int(deep[2 * at + 1]) << 8 }
        #expect(zip(low, values).allSatisfy { abs(Int($0) * 257 - $1) <= 130 })
    }

    @Test func transformsAreMadeOnce() throws {
        let profile = try Bytes.copying(ICCBuilder.table)
        let first = try #require(ColorConverter.transform(profile: profile, format: .rgb8, isGray: false))
        let second = try #require(ColorConverter.transform(profile: profile, format: .rgb8, isGray: false))
        let isSame = ObjectIdentifier(first as AnyObject) == ObjectIdentifier(second as AnyObject)
        #expect(isSame)
    }

    // MARK: Linear light

    @Test(arguments: [PixelFormat.rgb8, .rgba8, .rgb16, .rgba16]) func wideColorsAreKeptAsLight(_ format: PixelFormat) throws {
        let transform = try #require(
            ColorConverter.transform(
                profile: try .copying(ICCBuilder.displayP3), format: format, isGray: false, output: .rgbaFloat))
        #expect(transform.output(for: format) == .rgbaFloat)
        let size = format.bytesPerChannel
        var source = [UInt8](repeating: 255, count: size) + [UInt8](repeating: 0, count: 2 * size)
        if format.hasAlpha { source += [UInt8](repeating: 0x80, count: size) }
        var light = [Float](repeating: 9, count: 4)
        unsafe source.withUnsafeBytes { source in
            unsafe light.withUnsafeMutableBytes { unsafe transform.apply(source, to: $0, pixels: 1, format: format) }
        }
        #expect(abs(light[0] - 1.2249) < 0.004 && abs(light[1] + 0.0420) < 0.002 && abs(light[2] + 0.0197) < 0.002)
        #expect(abs(light[3] - (format.hasAlpha ? 128.0 / 255 : 1)) < 0.002)
    }

    @Test func aDecodeToLightKeepsWideColors() throws {
        let image = try JPEGCoder().decode("pictures/liquid-colour.jpg") { $0.pixelFormat = .rgbaFloat }
        let light = LinearLightTests.light(image)
        #expect(light.contains { $0 < -0.005 } || light.contains { $0 > 1.005 })
        #expect(!image.metadata.isHighDynamicRange)
    }

    // MARK: Carried by files

    private func decodedProfile(_ coder: any ImageCoder, _ data: [UInt8], convert: Bool) throws -> [UInt8]? {
        var options = DecodeOptions()
        options.convertToSRGB = convert
        let image = try coder.decode(try .copying(data), options: options, stop: CancellationToken())
        return array(image.metadata.colorProfile)
    }

    private func segments(_ profile: [UInt8], _ size: Int) -> [(marker: UInt8, body: [UInt8])] {
        let count = (profile.count + size - 1) / size
        return (0..<count).map { index in
            let part = profile[index * size..<min((index + 1) * size, profile.count)]
            return (0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(count)] + part)
        }
    }

    @Test func everyFormatKeepsItsProfileWherePixelsAreLeftAlone() throws {
        let profile = ICCBuilder.displayP3
        let icc = Array("icc".utf8) + [0, 0] + PNGBuilder.zlib(profile)
        let files: [(any ImageCoder, [UInt8])] = [
            (PNGCoder(), MetadataFixture.png([("iCCP", icc)])), (JPEGCoder(), MetadataFixture.jpeg(segments(profile, 65_519))),
            (JPEGCoder(), MetadataFixture.jpeg(segments(profile, 100))),
            (WebPCoder(), try MetadataFixture.webp([("ICCP", profile)], flags: 0x20)),
        ]
        for (coder, data) in files {
            #expect(try decodedProfile(coder, data, convert: false) == profile)
            #expect(try decodedProfile(coder, data, convert: true) == nil)
        }
    }

    @Test func aProfileOfManySegmentsIsJoinedInOrder() throws {
        let profile = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let inOrder = segments(profile, 65_000)
        #expect(try decodedProfile(JPEGCoder(), MetadataFixture.jpeg(inOrder.reversed()), convert: false) == profile)
        #expect(try decodedProfile(JPEGCoder(), MetadataFixture.jpeg(Array(inOrder.dropFirst())), convert: false) == nil)
    }
}
