import CSDImage
import Foundation
import TestSupport
import Testing

/// Gain maps that are made, kept, applied and written.
@Suite struct GainMapEncodingTests {
    private let gray: [UInt8] = [0, 0, 0, 0, 0x40] + [(0, 1), (2, 1), (0, 1), (2, 1), (1, 1), (0, 1), (0, 1)].flatMap(fraction)

    private static func fraction(_ numerator: Int, _ denominator: Int) -> [UInt8] {
        [numerator, denominator].flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    }

    private func map(_ samples: Owned, _ fields: [UInt8]) throws -> Owned {
        try make(sdimage_gain_map_unref) { sdimage_gain_map_new(samples.pointer, fields, fields.count, $0, $1) }
    }

    private func samples(_ format: sdimage_pixel_format = .SDIMAGE_PIXEL_FORMAT_GRAY8, _ value: UInt8 = 255) throws -> Owned {
        try DrawnPicture.draw(4, 2, format) { _, _ in [UInt8](repeating: value, count: sdimage_pixel_format_bytes(format)) }
    }

    /// A base image of one color, with a map.
    private func base(
        _ format: sdimage_pixel_format = .SDIMAGE_PIXEL_FORMAT_RGB8, _ pixel: [UInt8] = [128, 128, 128],
        change: (OpaquePointer) -> Void = { _ in }
    ) throws -> Owned {
        let plain = try DrawnPicture.draw(16, 8, format) { _, _ in pixel }
        let map = try map(try samples(), gray)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        sdimage_metadata_set_gain_map(metadata.pointer, map.pointer)
        change(metadata.pointer)
        #expect(sdimage_metadata_gain_map(metadata.pointer) == map.pointer)
        return try make(sdimage_image_unref) { sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1) }
    }

    private func rendition(_ image: Owned, _ headroom: Double = .infinity) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_image_apply_gain_map(image.pointer, headroom, $0, $1) }
    }

    private func light(_ image: Owned, _ x: Int = 5, _ y: Int = 3) -> [Double] {
        withExtendedLifetime(image) {
            guard sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
                let pixels = sdimage_image_pixels(image.pointer)
            else { return [] }
            let pixel = pixels + y * sdimage_image_stride(image.pointer) + 16 * x
            return (0..<4).map { Double(pixel.load(fromByteOffset: 4 * $0, as: Float.self)) }
        }
    }

    private func gainMap(_ image: Owned) -> Owned? {
        var map: OpaquePointer?
        sdimage_image_get_gain_map(image.pointer, &map)
        return map.map { Owned($0) { sdimage_gain_map_unref($0) } }
    }

    private func sRGB(_ value: Double) -> Double { value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }

    private func encode(_ image: Owned, quality: Double = 1, _ change: (OpaquePointer?) -> Void = { _ in }) throws -> [UInt8] {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_embed_gain_map(options.pointer, true)
        sdimage_encode_options_set_quality(options.pointer, quality)
        change(options.pointer)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_JPEG, options.pointer, $0, $1) }
        return withExtendedLifetime((image, options, data)) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    private func decode(_ bytes: [UInt8], _ change: (OpaquePointer?) -> Void = { _ in }) throws -> Owned {
        let options = decodeOptions {
            sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR)
            change($0)
        }
        return try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
    }

    private func isHDR(_ bytes: [UInt8]) throws -> Bool {
        let image = try decode(bytes)
        return withExtendedLifetime(image) { sdimage_image_is_hdr(image.pointer) }
    }

    /// Occurrences of a text.
    private func count(_ text: String, in bytes: [UInt8]) -> Int {
        let pattern = Array(text.utf8)
        return bytes.indices.count { bytes[$0] == pattern[0] && bytes[$0...].starts(with: pattern) }
    }

    private func replacing(_ text: String, by other: String, in bytes: [UInt8]) -> [UInt8] {
        var data = Data(bytes)
        while let range = data.range(of: Data(text.utf8)) { data.replaceSubrange(range, with: Data(other.utf8)) }
        return Array(data)
    }

    // MARK: Creation

    @Test func theParametersAreReadAndWritten() throws {
        let samples = try samples()
        let made = try map(samples, gray)
        #expect(sdimage_gain_map_alternate_headroom(made.pointer) == 2 && sdimage_gain_map_maximum(made.pointer, 2) == 2)
        let written = try make(sdimage_data_unref) { sdimage_gain_map_copy_parameters(made.pointer, $0, $1) }
        let again = try make(sdimage_gain_map_unref) {
            sdimage_gain_map_new(
                samples.pointer, sdimage_data_bytes(written.pointer), sdimage_data_length(written.pointer), $0, $1)
        }
        for getter in [sdimage_gain_map_minimum, sdimage_gain_map_maximum, sdimage_gain_map_gamma, sdimage_gain_map_base_offset] {
            #expect(getter(again.pointer, 0) == getter(made.pointer, 0))
        }
        #expect(sdimage_gain_map_is_in_base_color_space(again.pointer))
    }

    @Test func samplesOfOtherFormatsAreRefused() throws {
        var map: OpaquePointer?
        let deep = try samples(.SDIMAGE_PIXEL_FORMAT_RGBA8)
        #expect(sdimage_gain_map_new(deep.pointer, gray, gray.count, &map, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_gain_map_new(nil, gray, gray.count, &map, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func damagedParametersAreRefused() throws {
        let samples = try samples()
        var map: OpaquePointer?
        for length in 0..<gray.count {
            #expect(sdimage_gain_map_new(samples.pointer, gray, length, &map, nil) == .SDIMAGE_STATUS_BAD_DATA)
        }
        var later = gray
        later[1] = 1
        #expect(sdimage_gain_map_new(samples.pointer, later, later.count, &map, nil) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(sdimage_gain_map_new_apple(samples.pointer, gray, gray.count, &map, nil) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(map == nil)
    }

    // MARK: Application

    @Test(arguments: [0.5, 1, 2, 9]) func theMapOfAnImageIsApplied(headroom: Double) throws {
        let image = try rendition(try base(), headroom)
        let expected = sRGB(128.0 / 255) * exp2(min(headroom, 2))
        #expect(light(image).dropLast().allSatisfy { abs($0 - expected) < 0.005 * expected } && light(image)[3] == 1)
        #expect(sdimage_image_is_hdr(image.pointer) && sdimage_image_headroom(image.pointer) == min(headroom, 2))
        #expect(sdimage_image_content_headroom(image.pointer) == 2 && gainMap(image) != nil)
    }

    @Test func alphaAndSixteenBitsAreKept() throws {
        let image = try rendition(try base(.SDIMAGE_PIXEL_FORMAT_RGBA8, [128, 128, 128, 51]))
        #expect(abs(light(image)[3] - 0.2) < 1e-4 && abs(light(image)[0] - 4 * sRGB(128.0 / 255)) < 0.005)
        let deep = try rendition(try base(.SDIMAGE_PIXEL_FORMAT_GRAY16, [0, 0x40]))
        #expect(abs(light(deep)[1] - 4 * sRGB(Double(0x4000) / 65535)) < 0.002)
    }

    /// An HDR base image in PQ with the map to its SDR rendition.
    @Test func codePointsOfTheBaseImageCount() throws {
        // 203 cd/m2, and BT.2020 primaries.
        let image = try base(.SDIMAGE_PIXEL_FORMAT_RGB16, [0xA7, 0x94, 0xA7, 0x94, 0xA7, 0x94]) {
            sdimage_metadata_set_cicp($0, 9, 16, 9, true)
        }
        let bright = light(try rendition(image))
        #expect(bright.dropLast().allSatisfy { abs($0 - 4) < 0.05 })
    }

    @Test func anImageThatIsItsOwnRenditionIsReturned() throws {
        let image = try base()
        let same = try rendition(image, 0)
        #expect(same.pointer == image.pointer)
        var other: OpaquePointer?
        let plain = try samples()
        #expect(sdimage_image_apply_gain_map(plain.pointer, 2, &other, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(sdimage_image_apply_gain_map(image.pointer, .nan, &other, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let applied = try rendition(image)
        #expect(sdimage_image_apply_gain_map(applied.pointer, 2, &other, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        let hlg = try base(.SDIMAGE_PIXEL_FORMAT_RGB16, [0, 1, 0, 1, 0, 1]) { sdimage_metadata_set_cicp($0, 9, 18, 9, true) }
        #expect(sdimage_image_apply_gain_map(hlg.pointer, 2, &other, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
    }

    @Test func convertedPixelsLoseTheMap() throws {
        let image = try base()
        let floats = try make(sdimage_image_unref) {
            sdimage_image_convert(image.pointer, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, $0, $1)
        }
        #expect(gainMap(floats) == nil)
        let bgra = try make(sdimage_image_unref) {
            sdimage_image_convert(image.pointer, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, $0, $1)
        }
        #expect(gainMap(bgra) != nil)
        let bright = try rendition(image)
        let reduced = try make(sdimage_image_unref) { sdimage_image_convert(bright.pointer, .SDIMAGE_PIXEL_FORMAT_RGB8, $0, $1) }
        #expect(gainMap(reduced) == nil)
    }

    // MARK: Files

    @Test func aMapIsWrittenInBothForms() throws {
        let bytes = try encode(try base())
        let fields = "urn:iso:std:iso:ts:21496:-1"
        #expect(count(fields, in: bytes) == 2 && count("hdrgm:GainMapMax", in: bytes) == 2 && count("MPF\0", in: bytes) == 1)
        for file in [
            bytes, replacing(fields, by: "urn:of:another:kind:of:data", in: bytes),
            replacing("hdrgm:Gamma", by: "hdrgm:Gomma", in: bytes),
        ] {
            let image = try decode(file)
            #expect(abs(light(image)[0] - 4 * sRGB(128.0 / 255)) < 0.02 && sdimage_image_headroom(image.pointer) == 2)
        }
        let plain = try encode(try base()) { sdimage_encode_options_set_embed_gain_map($0, false) }
        #expect(try count("MPF\0", in: plain) == 0 && !isHDR(plain))
    }

    @Test func theListHasTheLengthsOfBothImages() throws {
        let bytes = try encode(try base())
        let list = try #require(Data(bytes).range(of: Data("MPF\0MM".utf8))).lowerBound + 4
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        let entries = list + number(list + 10 + 24 + 8)
        let (first, second, offset) = (number(entries + 4), number(entries + 20), number(entries + 24))
        #expect(first + second == bytes.count && list + offset == first)
        #expect(Array(bytes[first..<first + 3]) == [0xFF, 0xD8, 0xFF] && Array(bytes[(first - 2)..<first]) == [0xFF, 0xD9])
        #expect(count("Item:Length=\"\(second)\"", in: bytes) == 1)
    }

    @Test func aKeptMapIsWrittenAgain() throws {
        let bytes = try encode(try base())
        let kept = try decode(bytes) { sdimage_decode_options_set_keep_gain_map($0, true) }
        #expect(sdimage_image_pixel_format(kept.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8 && !sdimage_image_is_hdr(kept.pointer))
        #expect(sdimage_image_content_headroom(kept.pointer) == 2 && gainMap(kept) != nil)
        let small = try decode(try encode(kept) { sdimage_encode_options_set_max_pixel_size($0, 3, 3) })
        #expect(sdimage_image_width(small.pointer) == 3 && abs(light(small, 1, 1)[0] - 4 * sRGB(128.0 / 255)) < 0.02)
        let map = try #require(gainMap(small))
        #expect(sdimage_image_width(sdimage_gain_map_image(map.pointer)) == 3)
    }

    /// The right half is bright.
    private func half() throws -> [UInt8] {
        try encode(
            try DrawnPicture.draw(64, 32, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { x, _ in
                [x < 32 ? 0.2 : 3, x < 32 ? 0.2 : 3, x < 32 ? 0.2 : 3, 1 as Float].flatMap { value in
                    withUnsafeBytes(of: value) { Array($0) }
                }
            })
    }

    @Test func aLinearImageBecomesATonedImageAndAMap() throws {
        let bytes = try half()
        let image = try decode(bytes)
        #expect(abs(light(image, 10)[0] - 0.2) < 0.004 && abs(light(image, 54)[0] - 3) < 0.06)
        #expect(abs(sdimage_image_headroom(image.pointer) - log2(3)) < 1e-3)
        // Equal gains of all channels need one of them.
        let map = try #require(gainMap(image))
        #expect(sdimage_image_pixel_format(sdimage_gain_map_image(map.pointer)) == .SDIMAGE_PIXEL_FORMAT_GRAY8)
        #expect(sdimage_image_width(sdimage_gain_map_image(map.pointer)) == 64)
        let plain = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, nil, $0, $1) }
        #expect(DrawnPicture.color(plain, 54, 16)[0] > DrawnPicture.color(plain, 10, 16)[0] + 0.2)
    }

    /// Samples of PQ and HLG have light too, and no map that could be applied to them.
    @Test(arguments: [
        sdimage_transfer_characteristics.SDIMAGE_TRANSFER_CHARACTERISTICS_PQ, .SDIMAGE_TRANSFER_CHARACTERISTICS_HLG,
    ])
    func samplesOfATransferBecomeATonedImageAndAMap(transfer: sdimage_transfer_characteristics) throws {
        let bytes = try half()
        let samples = try decode(bytes) { sdimage_decode_options_set_transfer_characteristics($0, transfer) }
        #expect(sdimage_image_pixel_format(samples.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB16 && gainMap(samples) == nil)
        let written = try decode(try encode(samples))
        #expect(abs(light(written, 10)[0] - 0.2) < 0.006 && abs(light(written, 54)[0] - 3) < 0.1)
    }

    @Test func keptMapsTurnWithTheImage() throws {
        let drawn = try decode(try half()) { sdimage_decode_options_set_keep_gain_map($0, true) }
        let tagged = try DrawnPicture.told(drawn, orientation: .SDIMAGE_ORIENTATION_RIGHT)
        let bytes = try encode(tagged)
        let upright = try decode(bytes)
        #expect(sdimage_image_width(upright.pointer) == 32)
        #expect(abs(light(upright, 16, 10)[0] - 0.2) < 0.01 && abs(light(upright, 16, 54)[0] - 3) < 0.1)
        let kept = try decode(bytes) { sdimage_decode_options_set_keep_gain_map($0, true) }
        #expect(try abs(light(rendition(kept), 16, 54)[0] - 3) < 0.1)
    }

    @Test func colorsAboveWhiteHaveGainsOfTheirOwn() throws {
        let float: [Float] = [4, 1, 0.25, 1]
        let pixel = float.withUnsafeBytes { Array($0) }
        let drawn = try DrawnPicture.draw(33, 17, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { _, _ in pixel }
        let sdr = try DrawnPicture.draw(33, 17, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [200, 180, 160] }
        let map = try make(sdimage_gain_map_unref) { sdimage_gain_map_new_between(sdr.pointer, drawn.pointer, $0, $1) }
        #expect(sdimage_image_pixel_format(sdimage_gain_map_image(map.pointer)) == .SDIMAGE_PIXEL_FORMAT_RGB8)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(sdr.pointer, $0, $1) }
        sdimage_metadata_set_gain_map(metadata.pointer, map.pointer)
        let pair = try make(sdimage_image_unref) { sdimage_image_with_metadata(sdr.pointer, metadata.pointer, $0, $1) }
        let result = light(try decode(try encode(pair)), 20, 9)
        #expect(zip(result, [4, 1, 0.25]).allSatisfy { abs($0 - $1) < 0.03 * $1 })
    }

    @Test func renditionsThatMakeNoPairAreRefused() throws {
        var map: OpaquePointer?
        let white: [Float] = [1, 1, 1, 1]
        let flat = try DrawnPicture.draw(4, 2, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { _, _ in white.withUnsafeBytes { Array($0) } }
        let (sdr, large) = (try samples(), try base())
        #expect(sdimage_gain_map_new_between(large.pointer, flat.pointer, &map, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_gain_map_new_between(flat.pointer, flat.pointer, &map, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_gain_map_new_between(sdr.pointer, flat.pointer, &map, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(try count("MPF\0", in: encode(flat)) == 0)
    }

    @Test func strangeLightIsWritten() throws {
        let strange: [Float] = [.infinity, .nan, -1, 1]
        let drawn = try DrawnPicture.draw(9, 5, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { x, _ in
            (x < 4 ? strange : [2, 2, 2, 1]).withUnsafeBytes { Array($0) }
        }
        #expect(try count("MPF\0", in: encode(drawn)) == 1)
    }

    @Test(arguments: [1e30, .infinity, 1e-30]) func aPixelOfExtremeLightHasAMapOrNone(light: Float) throws {
        let hdr = try DrawnPicture.draw(1, 1, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { _, _ in
            [light, light, light, 1].withUnsafeBytes { Array($0) }
        }
        let sdr = try DrawnPicture.draw(1, 1, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [0, 0, 0] }
        var map: OpaquePointer?
        let status = sdimage_gain_map_new_between(sdr.pointer, hdr.pointer, &map, nil)
        #expect(status == (light > 1 ? .SDIMAGE_STATUS_OK : .SDIMAGE_STATUS_UNSUPPORTED))
        sdimage_gain_map_unref(map)
        #expect(try count("MPF\0", in: encode(hdr)) == (light > 1 ? 1 : 0))
    }

    @Test func floatsAndTransfersKeepNoMap() throws {
        let bytes = try encode(try base())
        for change in [
            { sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) },
            { sdimage_decode_options_set_transfer_characteristics($0, .SDIMAGE_TRANSFER_CHARACTERISTICS_PQ) },
        ] as [(OpaquePointer?) -> Void] {
            let image = try decode(bytes) {
                sdimage_decode_options_set_keep_gain_map($0, true)
                change($0)
            }
            var rendition: OpaquePointer?
            #expect(sdimage_image_is_hdr(image.pointer))
            #expect(sdimage_image_apply_gain_map(image.pointer, 2, &rendition, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        }
    }

    @Test func theBackgroundHasNoGain() throws {
        let clear: [Float] = [8, 8, 8, 0], bright: [Float] = [3, 3, 3, 1]
        let drawn = try DrawnPicture.draw(32, 16, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { x, _ in
            (x < 16 ? clear : bright).withUnsafeBytes { Array($0) }
        }
        let green = sdimage_color(red: 0, green: 1, blue: 0, alpha: 1)
        let image = try decode(try encode(drawn) { sdimage_encode_options_set_background_color($0, green) })
        #expect(zip(light(image, 4, 8), [0, 1, 0]).allSatisfy { abs($0 - $1) < 0.03 } && abs(light(image, 28, 8)[0] - 3) < 0.1)
    }

    @Test func theDepthOfTheFileIsNotThatOfTheMap() throws {
        let image = try decode(try half())
        let bytes = try encode(image) { sdimage_encode_options_set_bits_per_channel($0, 8) }
        #expect(try isHDR(bytes))
    }

    /// A base image whose code points JPEG cannot store becomes sRGB with a new map.
    @Test func aBaseImageWithCodePointsGetsANewMap() throws {
        let image = try base { sdimage_metadata_set_cicp($0, 12, 13, 1, true) }
        let expected = light(try rendition(image))
        #expect(try zip(light(decode(encode(image))), expected).allSatisfy { abs($0 - $1) < 0.03 * $1 + 0.01 })
    }

    @Test func thePacketOfTheCallerIsKept() throws {
        let rdf = "<rdf:RDF><rdf:Description dc:title=\"Sea\"/></rdf:RDF>"
        let stale =
            "<rdf:RDF><rdf:Description hdrgm:Version=\"1.0\"><Container:Item Item:Semantic=\"GainMap\" Item:Length=\"77\"/></rdf:RDF>"
        for (packet, kept) in [(rdf, "dc:title"), (stale, "<Container:Item Item:Semantic"), ("no RDF", "no RDF")] {
            let xmp = try make(sdimage_data_unref) { sdimage_data_new(packet, packet.utf8.count, $0, $1) }
            let bytes = try encode(try base()) { sdimage_encode_options_set_xmp($0, xmp.pointer) }
            #expect(count(kept, in: bytes) == 1 && count("Item:Length=\"77\"", in: bytes) == 0)
            #expect(try isHDR(bytes))
            let info = try make(sdimage_info_unref) { sdimage_info_new(bytes, bytes.count, nil, $0, $1) }
            #expect(sdimage_info_content_headroom(info.pointer) == 2 && sdimage_info_xmp(info.pointer) != nil)
        }
    }

    @Test func applesFormatBecomesLogarithmic() throws {
        let drawn = try DrawnPicture.draw(32, 16, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [128, 128, 128] }
        let flat = try samples(.SDIMAGE_PIXEL_FORMAT_GRAY8, 180)
        let plain = { (image: Owned) in try self.encode(image) { sdimage_encode_options_set_embed_gain_map($0, false) } }
        let bytes = GainMapFile(form: .apple).write(base: try plain(drawn), map: try plain(flat))
        let kept = try decode(bytes) { sdimage_decode_options_set_keep_gain_map($0, true) }
        let map = try #require(gainMap(kept))
        var parameters: OpaquePointer?
        #expect(sdimage_gain_map_copy_parameters(map.pointer, &parameters, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        let expected = light(try decode(bytes))[0]
        let written = try decode(try encode(kept))
        #expect(abs(light(written)[0] - expected) < 0.02 * expected)
        let standard = try #require(gainMap(written))
        #expect(!sdimage_gain_map_is_linear(standard.pointer))
        let info = try make(sdimage_info_unref) { sdimage_info_new(bytes, bytes.count, nil, $0, $1) }
        let exif = try #require(sdimage_info_exif(info.pointer))
        let made = try make(sdimage_gain_map_unref) {
            sdimage_gain_map_new_apple(flat.pointer, sdimage_data_bytes(exif), sdimage_data_length(exif), $0, $1)
        }
        #expect(sdimage_gain_map_is_linear(made.pointer) && abs(sdimage_gain_map_alternate_headroom(made.pointer) - 3) < 1e-3)
    }

    @Test func aLimitOfTheFileSizeCountsTheMap() throws {
        let noise = try DrawnPicture.draw(96, 64, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) { x, y in
            let value = Float((x * 37 + y * 91) % 64) / 16
            return [value, value, value, 1].withUnsafeBytes { Array($0) }
        }
        let bytes = try encode(noise) { sdimage_encode_options_set_max_file_size($0, 6000) }
        #expect(try bytes.count <= 6000 && isHDR(bytes))
    }
}
