import CSDImage
import Foundation
import TestSupport
import Testing

/// Linear light, code points and metadata blocks through the C API.
@Suite struct ColorTests {
    /// One pixel of 16 bits: white of 203 cd/m² in PQ, with BT.2020 primaries.
    private let white: [UInt16] = [38055, 38055, 38055]

    private func image(cicp: (UInt32, UInt32)?) throws -> Owned {
        let plain = try make(sdimage_image_unref) {
            sdimage_image_new(1, 1, 6, .SDIMAGE_PIXEL_FORMAT_RGB16, white, $0, $1)
        }
        guard let cicp else { return plain }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        sdimage_metadata_set_cicp(metadata.pointer, cicp.0, cicp.1, 9, true)
        return try make(sdimage_image_unref) { sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1) }
    }

    private func floats(_ image: Owned, at pixel: Int = 0) -> [Float] {
        guard let base = sdimage_image_pixels(image.pointer) else { return [] }
        return (0..<4).map { base.load(fromByteOffset: (pixel * 4 + $0) * 4, as: Float.self) }
    }

    @Test func codePointsAreKeptWithThePicture() throws {
        let picture = try image(cicp: (9, 16))
        #expect(sdimage_image_color_primaries(picture.pointer) == 9)
        #expect(sdimage_image_transfer_characteristics(picture.pointer) == 16)
        #expect(sdimage_image_is_hdr(picture.pointer))
        let plain = try image(cicp: (1, 13))
        #expect(!sdimage_image_is_hdr(plain.pointer))
        let removed = try image(cicp: (256, 16))
        #expect(sdimage_image_transfer_characteristics(removed.pointer) == 0 && !sdimage_image_is_hdr(removed.pointer))
    }

    @Test func floatPixelsHoldLightAndComeBack() throws {
        let picture = try make(sdimage_image_unref) {
            sdimage_image_new(1, 1, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, [255, 188, 0, 128] as [UInt8], $0, $1)
        }
        let light = try make(sdimage_image_unref) {
            sdimage_image_convert(picture.pointer, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT, $0, $1)
        }
        #expect(sdimage_pixel_format_bytes(.SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT) == 16)
        #expect(String(cString: sdimage_pixel_format_name(.SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)) == "rgba_float")
        #expect(floats(light)[0] == 1 && abs(floats(light)[1] - 0.5029) < 1e-3)
        #expect(sdimage_image_stride(light.pointer) == 64)
        #expect(sdimage_image_memory_cost(light.pointer) == 64)
    }

    /// A PNG of two gray pixels, of 1000 and of 203 cd/m² in PQ.
    private func twoPixels() throws -> Owned {
        let samples: [UInt16] = [49271, 49271, 49271] + white
        let plain = try make(sdimage_image_unref) {
            sdimage_image_new(2, 1, 12, .SDIMAGE_PIXEL_FORMAT_RGB16, samples, $0, $1)
        }
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        sdimage_metadata_set_cicp(metadata.pointer, 9, 16, 0, true)
        let image = try make(sdimage_image_unref) { sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1) }
        return try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, nil, $0, $1) }
    }

    private func decode(_ data: Owned, _ change: (OpaquePointer?) -> Void) throws -> Owned {
        let options = decodeOptions(change)
        return try make(sdimage_image_unref) {
            sdimage_decode(sdimage_data_bytes(data.pointer), sdimage_data_length(data.pointer), options.pointer, $0, $1)
        }
    }

    @Test(arguments: [0.5, 1, 2, 3]) func pqIsReducedToTheDisplay(headroom: Double) throws {
        let file = try twoPixels()
        let image = try decode(file) {
            sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_AUTOMATIC)
            sdimage_decode_options_set_display_headroom($0, headroom)
        }
        let content = 1000.0 / 203, light = floats(image, at: 0)[0], white = floats(image, at: 1)[0]
        #expect(sdimage_image_headroom(image.pointer) == headroom && sdimage_image_is_hdr(image.pointer))
        #expect(abs(sdimage_image_content_headroom(image.pointer) - 5.622) < 1e-3)
        #expect(abs(Double(light) - min(exp2(headroom), content)) < 0.01)
        // White of SDR becomes 0.406 without headroom, and stays with enough of it.
        let share = min(headroom / log2(content), 1)
        #expect(abs(Double(white) - pow(0.406, 1 - share)) < 0.01)
    }

    @Test func lightIsToneMappedWhenItIsConverted() throws {
        let file = try twoPixels()
        let plain = try decode(file) { _ in }
        let light = try decode(file) { sdimage_decode_options_set_dynamic_range($0, .SDIMAGE_DYNAMIC_RANGE_HDR) }
        let converted = try make(sdimage_image_unref) {
            sdimage_image_convert(light.pointer, .SDIMAGE_PIXEL_FORMAT_RGB8, $0, $1)
        }
        for image in [plain, converted] {
            let pixels = try #require(sdimage_image_pixels(image.pointer)?.assumingMemoryBound(to: UInt8.self))
            // sRGB of 1 and of 0.406.
            #expect((254...255).contains(pixels[0]) && (170...172).contains(pixels[3]))
            #expect(!sdimage_image_is_hdr(image.pointer) && sdimage_image_headroom(image.pointer) == 0)
        }
        withExtendedLifetime((plain, light, converted)) {}
    }

    @Test func theHeaderTellsTheTransfer() throws {
        let file = try twoPixels()
        let info = try make(sdimage_info_unref) {
            sdimage_info_new(sdimage_data_bytes(file.pointer), sdimage_data_length(file.pointer), nil, $0, $1)
        }
        #expect(sdimage_info_transfer_characteristics(info.pointer) == 16 && !sdimage_info_has_gain_map(info.pointer))
    }

    // MARK: Images of a coder

    /// A coder that decodes every file to `white`, left in PQ.
    private func coder() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, bytes, length in
            bytes.map { length == 6 && memcmp($0, "bright", 6) == 0 } ?? false
        }
        table.decode = { _, _, _, _, image, error in
            let samples: [UInt16] = [38055, 38055, 38055]
            var plain: OpaquePointer?
            var metadata: OpaquePointer?
            let status = sdimage_image_new(1, 1, 6, .SDIMAGE_PIXEL_FORMAT_RGB16, samples, &plain, error)
            guard status == .SDIMAGE_STATUS_OK else { return status }
            defer {
                sdimage_image_unref(plain)
                sdimage_metadata_unref(metadata)
            }
            sdimage_image_copy_metadata(plain, &metadata, nil)
            sdimage_metadata_set_cicp(metadata, 9, 16, 9, false)
            return sdimage_image_with_metadata(plain, metadata, image, error)
        }
        return try make(sdimage_coder_unref) { sdimage_coder_new_custom("bright", &table, nil, nil, $0, $1) }
    }

    private func decode(
        _ format: sdimage_pixel_format, convert: Bool = true, _ change: (OpaquePointer?) -> Void = { _ in }
    ) throws -> Owned {
        let coder = try coder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        let options = Owned(try #require(sdimage_decode_options_new()), sdimage_decode_options_unref)
        sdimage_decode_options_set_pixel_format(options.pointer, format)
        sdimage_decode_options_set_convert_to_srgb(options.pointer, convert)
        change(options.pointer)
        return try make(sdimage_image_unref) { sdimage_decode("bright", 6, options.pointer, $0, $1) }
    }

    @Test func aCodersPictureInPQBecomesLight() throws {
        let light = try decode(.SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
        #expect(floats(light).allSatisfy { abs($0 - 1) < 1e-3 })
        #expect(sdimage_image_is_hdr(light.pointer))
        #expect(sdimage_image_color_primaries(light.pointer) == 0)
    }

    @Test func aCodersPictureInPQIsBroughtDownToSRGB() throws {
        let picture = try decode(.SDIMAGE_PIXEL_FORMAT_RGB8)
        let base = try #require(sdimage_image_pixels(picture.pointer))
        // White of SDR, and no light above it.
        #expect(base.load(as: UInt8.self) >= 254)
        #expect(!sdimage_image_is_hdr(picture.pointer))
    }

    @Test func aCodersPictureIsLeftAloneWhereThatIsWanted() throws {
        let picture = try decode(.SDIMAGE_PIXEL_FORMAT_NATIVE, convert: false)
        #expect(sdimage_image_transfer_characteristics(picture.pointer) == 16)
        let base = try #require(sdimage_image_pixels(picture.pointer))
        #expect(base.load(as: UInt16.self) == 38055)
    }

    // MARK: Blocks

    /// A PNG of one pixel with a text chunk and an EXIF chunk.
    private func file() -> [UInt8] {
        let png = makePNG(width: 1, height: 1)
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            let content = Array(name.utf8) + body
            var crc: UInt32 = 0xFFFF_FFFF
            for byte in content {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            }
            return four(UInt32(body.count)) + content + four(~crc)
        }
        func four(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
        let exif = Array("MM".utf8) + [0, 42] + four(8) + [0, 0]
        let added =
            chunk("tEXt", Array("Title\0Tea \u{1B}[2J".utf8)) + chunk("tEXt", Array("Title\0two".utf8)) + chunk("eXIf", exif)
        return Array(png[..<33]) + added + chunk("pHYs", four(3937) + four(3937) + [1]) + Array(png[33...])
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

    @Test func infoTellsResolutionTextsAndBlocks() throws {
        let info = try makeInfo(file())
        #expect(abs(sdimage_info_dpi_x(info.pointer) - 100) < 0.01 && abs(sdimage_info_dpi_y(info.pointer) - 100) < 0.01)
        #expect(sdimage_data_length(sdimage_info_exif(info.pointer)) == 10)
        #expect(sdimage_data_bytes(sdimage_info_exif(info.pointer)).load(as: UInt8.self) == 0x4D)
        #expect(sdimage_info_xmp(info.pointer) == nil && sdimage_info_color_profile(info.pointer) == nil)
        #expect(!sdimage_info_is_hdr(info.pointer) && !sdimage_info_has_color_profile(info.pointer))
        var texts: [[String?]] = []
        for index in 0..<sdimage_info_text_count(info.pointer) {
            texts.append([text(sdimage_info_text_name(info.pointer, index)), text(sdimage_info_text_value(info.pointer, index))])
        }
        #expect(texts == [["Title", "Tea \u{1B}[2J"], ["Title", "two"]])
        #expect(sdimage_info_text_name(info.pointer, 2) == nil && sdimage_info_text_value(info.pointer, -1) == nil)
    }

    @Test func theJSONOfInfoEscapesControlCharacters() throws {
        let info = try makeInfo(file())
        let json = try make(sdimage_data_unref) { sdimage_info_to_json(info.pointer, $0, $1) }
        let bytes = Data(bytes: sdimage_data_bytes(json.pointer), count: sdimage_data_length(json.pointer))
        let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        #expect((report["exif_bytes"] as? Int) == 10 && (report["xmp_bytes"] as? Int) == 0)
        #expect(report["text"] as? [String: String] == ["Title": "Tea \u{1B}[2J\ntwo"])
        #expect(!bytes.contains(0x1B))
    }

    @Test func infoWithoutResolutionIsZeroAndNull() throws {
        let info = try makeInfo(makePNG(width: 1, height: 1))
        #expect(sdimage_info_dpi_x(info.pointer) == 0 && sdimage_info_text_count(info.pointer) == 0)
        let json = try make(sdimage_data_unref) { sdimage_info_to_json(info.pointer, $0, $1) }
        let bytes = Data(bytes: sdimage_data_bytes(json.pointer), count: sdimage_data_length(json.pointer))
        let report = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        #expect(report["dpi_x"] is NSNull)
        #expect(report["channel_count"] as? Int == Int(sdimage_info_channel_count(info.pointer)))
        #expect((report["text"] as? [String: String]) == [:])
    }

    @Test func infoOfNothingIsAnError() {
        var info: OpaquePointer?
        #expect(sdimage_info_new(nil, 0, nil, &info, nil) == .SDIMAGE_STATUS_EMPTY_DATA)
        let data = file()
        #expect(sdimage_info_new(data, data.count, nil, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_info_new_file("/nowhere/x.png", nil, &info, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(info == nil)
    }

    @Test func infoOfAFileIsThatOfItsBytes() throws {
        let folder = TemporaryDirectory()
        let path = folder.path + "/picture.png"
        try Data(makePNG(width: 5, height: 3)).write(to: URL(fileURLWithPath: path))
        let info = try make(sdimage_info_unref) { sdimage_info_new_file(path, nil, $0, $1) }
        #expect(sdimage_info_size(info.pointer).width == 5 && sdimage_info_size(info.pointer).height == 3)
    }
}
