import CSDImage
import Foundation
import TestSupport
import Testing

/// HDR renditions of JPEGs with gain maps.
@Suite struct GainMapTests {
    private func jpeg(
        _ width: Int, _ height: Int, progressive: Bool = false, _ pixel: (Int, Int) -> [UInt8]
    ) throws -> [UInt8] {
        let format: sdimage_pixel_format = pixel(0, 0).count == 1 ? .SDIMAGE_PIXEL_FORMAT_GRAY8 : .SDIMAGE_PIXEL_FORMAT_RGB8
        let drawn = try DrawnPicture.draw(width, height, format, pixel)
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_quality(options.pointer, 1)
        sdimage_encode_options_set_progressive(options.pointer, progressive)
        let data = try make(sdimage_data_unref) { sdimage_encode(drawn.pointer, .SDIMAGE_FORMAT_JPEG, options.pointer, $0, $1) }
        return withExtendedLifetime((drawn, options, data)) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    /// A gray base image, and a map of one sample value.
    private func flat(_ file: GainMapFile = GainMapFile(), gray: UInt8 = 128, sample: UInt8 = 255) throws -> [UInt8] {
        file.write(base: try jpeg(32, 16) { _, _ in [gray, gray, gray] }, map: try jpeg(8, 4) { _, _ in [sample] })
    }

    private func decode(
        _ bytes: [UInt8], _ range: sdimage_dynamic_range = .SDIMAGE_DYNAMIC_RANGE_HDR,
        _ change: (OpaquePointer?) -> Void = { _ in }
    ) throws -> Owned {
        let options = decodeOptions {
            sdimage_decode_options_set_dynamic_range($0, range)
            change($0)
        }
        return try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
    }

    /// The light of red at a pixel.
    private func light(_ image: Owned, _ x: Int = 9, _ y: Int = 7) -> Double {
        withExtendedLifetime(image) {
            guard sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT,
                let base = sdimage_image_pixels(image.pointer)
            else { return -1 }
            return Double((base + y * sdimage_image_stride(image.pointer) + x * 16).load(as: Float.self))
        }
    }

    private func sRGB(_ value: Double) -> Double { value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }

    private func expect(_ image: Owned, light expected: Double, headroom: Double, _ location: SourceLocation = #_sourceLocation) {
        #expect(abs(light(image) - expected) <= expected * 0.005, sourceLocation: location)
        #expect(sdimage_image_is_hdr(image.pointer), sourceLocation: location)
        #expect(abs(sdimage_image_headroom(image.pointer) - headroom) < 1e-3, sourceLocation: location)
    }

    // MARK: Forms

    @Test(arguments: GainMapFile.Form.allCases) func eachFormOfTheParametersIsRead(form: GainMapFile.Form) throws {
        let bytes = try flat(GainMapFile(form: form, headroom: form == .apple ? 3 : 2))
        let image = try decode(bytes)
        // Apple's gain of the highest sample is the headroom itself.
        expect(image, light: sRGB(128.0 / 255) * (form == .apple ? 8 : 4), headroom: form == .apple ? 3 : 2)
        #expect(abs(sdimage_image_content_headroom(image.pointer) - (form == .apple ? 3 : 2)) < 1e-3)
        let map = try #require(gainMap(image))
        #expect(sdimage_gain_map_is_linear(map.pointer) == (form == .apple))
        #expect(sdimage_gain_map_base_headroom(map.pointer) == 0)
        #expect(sdimage_gain_map_is_in_base_color_space(map.pointer))
        #expect(sdimage_image_width(sdimage_gain_map_image(map.pointer)) == 8)
    }

    @Test func theHeadroomOfTheContentIsThatOfItsMapWhateverItsColors() throws {
        let kept = try decode(try flat()) { sdimage_decode_options_set_keep_gain_map($0, true) }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(kept.pointer, $0, $1) }
        for primaries in [9, 256] as [UInt32] {
            sdimage_metadata_set_cicp(metadata.pointer, primaries, 13, 0, true)
            let image = try make(sdimage_image_unref) { sdimage_image_with_metadata(kept.pointer, metadata.pointer, $0, $1) }
            #expect(abs(sdimage_image_content_headroom(image.pointer) - 2) < 1e-3)
            #expect(sdimage_image_headroom(image.pointer) == 0 && !sdimage_image_is_hdr(image.pointer))
        }
    }

    private func gainMap(_ image: Owned) -> Owned? {
        var map: OpaquePointer?
        sdimage_image_get_gain_map(image.pointer, &map)
        return map.map { Owned($0) { sdimage_gain_map_unref($0) } }
    }

    @Test(arguments: GainMapFile.Form.allCases) func theHeaderTellsTheHeadroom(form: GainMapFile.Form) throws {
        let bytes = try flat(GainMapFile(form: form, headroom: 3))
        // Without the map, which begins with the second SOI marker.
        let base = try #require(bytes.indices.dropFirst().first { bytes[$0...].starts(with: [0xFF, 0xD8, 0xFF]) })
        for (length, expected) in [(bytes.count, 3.0), (base, 0)] {
            let info = try make(sdimage_info_unref) { sdimage_info_new(bytes, length, nil, $0, $1) }
            #expect(abs(sdimage_info_content_headroom(info.pointer) - expected) < 1e-3)
            #expect(sdimage_info_has_gain_map(info.pointer) == (expected > 0))
            #expect(sdimage_info_transfer_characteristics(info.pointer) == 0)
        }
    }

    @Test func theNumbersOfTheMapAreThoseOfTheFile() throws {
        let file = GainMapFile(headroom: 3, minimum: -1, maximum: 2.5, gamma: 0.5, offset: 0.125)
        let map = try #require(gainMap(try decode(try flat(file))))
        for channel in 0..<3 as Range<UInt32> {
            #expect(sdimage_gain_map_minimum(map.pointer, channel) == -1)
            #expect(sdimage_gain_map_maximum(map.pointer, channel) == 2.5)
            #expect(sdimage_gain_map_gamma(map.pointer, channel) == 0.5)
            #expect(sdimage_gain_map_base_offset(map.pointer, channel) == 0.125)
            #expect(sdimage_gain_map_alternate_offset(map.pointer, channel) == 0.125)
        }
        #expect(sdimage_gain_map_alternate_headroom(map.pointer) == 3)
        #expect(sdimage_gain_map_maximum(map.pointer, 3) == 0)
        let other = Owned(sdimage_gain_map_ref(map.pointer)) { sdimage_gain_map_unref($0) }
        #expect(other.pointer == map.pointer)
    }

    @Test func theChannelsOfAGrayMapMayDiffer() throws {
        let image = try decode(try flat(GainMapFile(headroom: 3, maxima: [1, 2, 3])))
        let base = sRGB(128.0 / 255)
        try withExtendedLifetime(image) {
            let pixels = try #require(sdimage_image_pixels(image.pointer))
            for channel in 0..<3 {
                let light = Double(pixels.load(fromByteOffset: 4 * channel, as: Float.self))
                #expect(abs(light - base * exp2(Double(channel + 1))) < 0.01)
            }
        }
    }

    @Test(arguments: [GainMapFile.Form.fields, .attributes]) func anHDRBaseImageIsReduced(form: GainMapFile.Form) throws {
        let bytes = try flat(GainMapFile(form: form, isBaseHDR: true))
        let image = try decode(bytes, .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC) {
            sdimage_decode_options_set_display_headroom($0, 0.5)
        }
        // Three quarters of the two stops of the map are taken away.
        expect(image, light: sRGB(128.0 / 255) * exp2(-1.5), headroom: 0.5)
        #expect(sdimage_image_content_headroom(image.pointer) == 2)
        let whole = try decode(bytes)
        #expect(sdimage_image_pixel_format(whole.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8)
    }

    @Test func aProfileOfTheMapIsNotNeededForTheColorsOfTheBaseImage() throws {
        let profile = GainMapFile.segment(0xE2, "ICC_PROFILE\0", [1, 1] + [UInt8](repeating: 7, count: 200))
        expect(try decode(try flat(GainMapFile(mapSegments: [profile]))), light: sRGB(128.0 / 255) * 4, headroom: 2)
    }

    @Test func grayAndProgressiveBaseImagesHaveRenditions() throws {
        let map = try jpeg(8, 4) { _, _ in [255] }
        for base in [try jpeg(32, 16) { _, _ in [128] }, try jpeg(32, 16, progressive: true) { _, _ in [128, 128, 128] }] {
            expect(try decode(GainMapFile().write(base: base, map: map)), light: sRGB(128.0 / 255) * 4, headroom: 2)
        }
    }

    @Test func theMapCountsForCaches() throws {
        let (image, plain) = (try decode(try flat()), try decode(try flat(), .SDIMAGE_DYNAMIC_RANGE_SDR))
        let floats = 32 * 16 * 16
        #expect(sdimage_image_memory_cost(image.pointer) > floats)
        #expect(sdimage_image_memory_cost(plain.pointer) < floats)
    }

    @Test func gammaAndOffsetsAreApplied() throws {
        let file = GainMapFile(headroom: 2, minimum: -1, maximum: 3, gamma: 2, offset: 0.0625)
        let image = try decode(try flat(file, gray: 60, sample: 100))
        let gain = exp2(-1 + 4 * pow(100.0 / 255, 0.5))
        expect(image, light: (sRGB(60.0 / 255) + 0.0625) * gain - 0.0625, headroom: 2)
    }

    // MARK: Renditions

    @Test func withoutARequestTheBaseImageIsUnchanged() throws {
        let base = try jpeg(32, 16) { x, y in [UInt8(x * 8), UInt8(y * 16), 90] }
        let bytes = GainMapFile().write(base: base, map: try jpeg(8, 4) { _, _ in [255] })
        let plain = try make(sdimage_image_unref) { sdimage_decode(base, base.count, nil, $0, $1) }
        let image = try decode(bytes, .SDIMAGE_DYNAMIC_RANGE_SDR)
        #expect(Seen(image.pointer) == Seen(plain.pointer))
        #expect(!sdimage_image_is_hdr(image.pointer) && sdimage_image_headroom(image.pointer) == 0 && gainMap(image) == nil)
    }

    @Test(arguments: [0.5, 1, 2, 5]) func theHeadroomOfTheDisplayLimitsTheGain(stops: Double) throws {
        let image = try decode(try flat(), .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC) {
            sdimage_decode_options_set_display_headroom($0, stops)
        }
        expect(image, light: sRGB(128.0 / 255) * exp2(min(stops, 2)), headroom: min(stops, 2))
        #expect(sdimage_image_content_headroom(image.pointer) == 2)
    }

    @Test func anSDRDisplayShowsTheBaseImage() throws {
        for stops in [0, -1, .nan] {
            let image = try decode(try flat(), .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC) {
                sdimage_decode_options_set_display_headroom($0, stops)
            }
            #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8)
        }
    }

    @Test func integerFormatsHoldSDR() throws {
        let image = try decode(try flat()) { sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_RGBA8) }
        #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA8 && !sdimage_image_is_hdr(image.pointer))
        let native = try decode(try flat()) { sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_NATIVE) }
        #expect(sdimage_image_pixel_format(native.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
    }

    @Test func theOptionsAreReadBack() {
        let options = decodeOptions()
        #expect(sdimage_decode_options_dynamic_range(options.pointer) == .SDIMAGE_DYNAMIC_RANGE_SDR)
        sdimage_decode_options_set_dynamic_range(options.pointer, .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC)
        sdimage_decode_options_set_display_headroom(options.pointer, 1.5)
        #expect(sdimage_decode_options_dynamic_range(options.pointer) == .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC)
        #expect(sdimage_decode_options_display_headroom(options.pointer) == 1.5)
        sdimage_decode_options_set_dynamic_range(options.pointer, unsafeBitCast(Int32(9), to: sdimage_dynamic_range.self))
        #expect(sdimage_decode_options_dynamic_range(options.pointer) == .SDIMAGE_DYNAMIC_RANGE_SDR)
    }

    @Test func keptAndWrittenMapsAreOptions() {
        let decode = decodeOptions()
        #expect(!sdimage_decode_options_should_keep_gain_map(decode.pointer))
        sdimage_decode_options_set_keep_gain_map(decode.pointer, true)
        #expect(sdimage_decode_options_should_keep_gain_map(decode.pointer))
        let encode = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        #expect(!sdimage_encode_options_should_embed_gain_map(encode.pointer))
        sdimage_encode_options_set_embed_gain_map(encode.pointer, true)
        #expect(sdimage_encode_options_should_embed_gain_map(encode.pointer))
    }

    @Test(
        arguments: [
            sdimage_format.SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_WEBP, .SDIMAGE_FORMAT_BMP,
            .SDIMAGE_FORMAT_ICO,
        ])
    func formatsWithoutMapsRefuseThem(format: sdimage_format) throws {
        let image = try DrawnPicture.draw(8, 8, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in [UInt8(x), UInt8(y), 0] }
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        var data: OpaquePointer?
        sdimage_encode_options_set_embed_gain_map(options.pointer, true)
        #expect(sdimage_encode(image.pointer, format, options.pointer, &data, nil) == .SDIMAGE_STATUS_UNSUPPORTED)
        sdimage_encode_options_set_embed_gain_map(options.pointer, false)
        #expect(sdimage_encode(image.pointer, format, options.pointer, &data, nil) == .SDIMAGE_STATUS_OK)
        sdimage_data_unref(data)
        withExtendedLifetime((image, options)) {}
    }

    // MARK: Geometry

    /// The right half of the map is bright.
    private func half(_ file: GainMapFile = GainMapFile()) throws -> [UInt8] {
        file.write(base: try jpeg(64, 32) { _, _ in [128, 128, 128] }, map: try jpeg(16, 8) { x, _ in [x < 8 ? 0 : 255] })
    }

    @Test func theMapIsEnlargedBetweenTheCentersOfItsSamples() throws {
        let image = try decode(try half())
        let dark = sRGB(128.0 / 255)
        #expect(abs(light(image, 10) - dark) < 0.01 && abs(light(image, 54) - 4 * dark) < 0.01)
        // Symmetric around the middle, in stops.
        #expect(abs(log2(light(image, 31) / dark) + log2(light(image, 32) / dark) - 2) < 0.1)
    }

    @Test func thumbnailsHaveTheMapInTheirSize() throws {
        let image = try decode(try half()) { sdimage_decode_options_set_thumbnail_size($0, 8, 8, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        #expect(sdimage_image_width(image.pointer) == 8 && sdimage_image_height(image.pointer) == 4)
        let map = try #require(gainMap(image))
        #expect(sdimage_image_width(sdimage_gain_map_image(map.pointer)) == 8)
        let dark = sRGB(128.0 / 255)
        #expect(abs(light(image, 1, 1) - dark) < 0.01 && abs(light(image, 6, 1) - 4 * dark) < 0.02)
    }

    @Test func theLimitOfBytesCountsFloats() throws {
        let image = try decode(try half()) { sdimage_decode_options_set_limit_bytes($0, 16 * 128) }
        #expect(
            sdimage_image_width(image.pointer) * sdimage_image_height(image.pointer) <= 128 && sdimage_image_is_hdr(image.pointer)
        )
    }

    @Test func theMapIsTurnedAsTheImageIs() throws {
        // EXIF 2.32: 6 is displayed after a turn to the right.
        let tag: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        let bytes = try half(GainMapFile(segments: [GainMapFile.segment(0xE1, "Exif\0\0", tag)]))
        let dark = sRGB(128.0 / 255)
        let image = try decode(bytes)
        #expect(sdimage_image_width(image.pointer) == 32 && sdimage_image_height(image.pointer) == 64)
        #expect(abs(light(image, 16, 10) - dark) < 0.01 && abs(light(image, 16, 54) - 4 * dark) < 0.01)
        let stored = try decode(bytes) { sdimage_decode_options_set_apply_orientation($0, false) }
        #expect(sdimage_image_width(stored.pointer) == 64 && abs(light(stored, 54, 16) - 4 * dark) < 0.01)
    }

    // MARK: Damage

    @Test func aMapThatCannotBeUsedLeavesTheBaseImage() throws {
        let whole = try flat()
        for bytes in [
            try flat(GainMapFile(gamma: 0)), try flat(GainMapFile(headroom: 0)), try flat(GainMapFile(minimum: 3)),
            try flat(GainMapFile(maximum: 900)), try flat(GainMapFile(error: 7)), Array(whole.dropLast(60)),
        ] {
            let image = try decode(bytes)
            #expect(
                sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8 && !sdimage_image_is_hdr(image.pointer))
        }
    }

    /// The limits of the result are those of every decode, and no reason to return less than was requested.
    @Test func aRenditionBeyondTheLimitIsRefused() throws {
        let options = decodeOptions {
            sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR)
            sdimage_decode_options_set_max_bytes($0, 64 * 32 * 4)
        }
        let bytes = try half()
        var image: OpaquePointer?
        #expect(sdimage_decode(bytes, bytes.count, options.pointer, &image, nil) == .SDIMAGE_STATUS_TOO_LARGE)
    }

    @Test func aBaseImageWithADamagedProfileStaysSDR() throws {
        let profile = GainMapFile.segment(0xE2, "ICC_PROFILE\0", [1, 1] + [UInt8](repeating: 7, count: 200))
        let image = try decode(try flat(GainMapFile(segments: [profile])))
        #expect(!sdimage_image_is_hdr(image.pointer))
    }

    @Test func aMapBehindADamagedListIsFound() throws {
        let image = try decode(try flat(GainMapFile(form: .attributes, error: 9)))
        expect(image, light: sRGB(128.0 / 255) * 4, headroom: 2)
    }

    @Test func everyTruncationAndManyChangesEndInAnImageOrAnError() throws {
        for form in GainMapFile.Form.allCases {
            let bytes = try flat(GainMapFile(form: form))
            var changed = bytes
            for index in stride(from: 0, to: bytes.count, by: 7) {
                changed[index] ^= UInt8(truncatingIfNeeded: index | 1)
                _ = try? decode(changed)
                changed[index] = bytes[index]
                _ = try? decode(Array(bytes[..<index]))
            }
        }
    }

    // MARK: Loads

    @Test func partsAreSDRAndTheWholeIsHDR() throws {
        let bytes = try half()
        let options = decodeOptions { sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR) }
        let feeding = try Feeding(options)
        // The base image is complete, the map is not.
        feeding.append(bytes[..<(bytes.count - 40)])
        let part = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        #expect(!sdimage_image_is_hdr(part.pointer))
        #expect(feeding.append(bytes[(bytes.count - 40)...], finished: true) == .SDIMAGE_STATUS_END)
        let whole = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        let atOnce = try decode(bytes)
        #expect(Seen(whole.pointer) == Seen(atOnce.pointer) && sdimage_image_is_hdr(whole.pointer))
    }

    @Test func cachesKeepRenditionsApart() throws {
        let folder = TemporaryDirectory()
        let bytes = try half()
        let manager = try makeManager(cache: try makeCache(in: folder), loader: try ScriptedLoader.answering(bytes).makeLoader())
        for range in [
            sdimage_dynamic_range.SDIMAGE_DYNAMIC_RANGE_HDR, .SDIMAGE_DYNAMIC_RANGE_SDR, .SDIMAGE_DYNAMIC_RANGE_HDR,
        ] {
            let options = decodeOptions {
                sdimage_decode_options_set_dynamic_range($0, range)
                sdimage_decode_options_set_thumbnail_size($0, 16, 16, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            }
            let request = makeRequest("test://h/hdr.jpg")
            sdimage_request_set_decode_options(request.pointer, options.pointer)
            sdimage_request_set_wait_for_store(request.pointer, true)
            let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
            withExtendedLifetime(result) {
                #expect(sdimage_image_is_hdr(sdimage_result_image(result.pointer)) == (range == .SDIMAGE_DYNAMIC_RANGE_HDR))
            }
        }
    }
}
