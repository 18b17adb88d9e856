import CSDImage
import Foundation
import Testing

@Suite(.serialized) struct CoderTests {
    private func decode(_ bytes: [UInt8], _ options: Owned? = nil) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options?.pointer, $0, $1) }
    }

    private func status(_ bytes: [UInt8], _ options: Owned? = nil) -> sdimage_status {
        do {
            _ = try decode(bytes, options)
            return .SDIMAGE_STATUS_OK
        } catch let failure as CallFailure { return failure.status } catch { return .SDIMAGE_STATUS_INTERNAL_ERROR }
    }

    private func options(_ change: (OpaquePointer?) -> Void) -> Owned {
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        change(options.pointer)
        return options
    }

    @Test func aPictureIsDecodedIntoTheSmallestFormatThatHoldsIt() throws {
        let picture = try decode(makePNG(width: 30, height: 20))
        #expect(sdimage_image_pixel_format(picture.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8)
        #expect(sdimage_image_format(picture.pointer) == .SDIMAGE_FORMAT_PNG)
        #expect(sdimage_image_width(picture.pointer) == 30)
        #expect(sdimage_image_height(picture.pointer) == 20)
    }

    @Test func aThumbnailFitsItsBoxAndKnowsItsSource() throws {
        let box = options { sdimage_decode_options_set_thumbnail_size($0, 10, 10, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        let picture = try decode(makePNG(width: 30, height: 20), box)
        #expect(sdimage_image_width(picture.pointer) == 10)
        #expect(sdimage_image_height(picture.pointer) == 7)
        #expect(sdimage_image_is_thumbnail(picture.pointer))
        #expect(sdimage_image_source_size(picture.pointer).width == 30)
    }

    @Test(arguments: [("jpeg/large_progressive.jpg", UInt32(100)), ("pictures/contour-map.png", 70)])
    func anEarlyThumbnailTellsHowManyBytesItNeeded(name: String, side: UInt32) throws {
        let data = try Fixtures.bytes(name)
        let early = options {
            sdimage_decode_options_set_thumbnail_size($0, side, side, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            sdimage_decode_options_set_early_thumbnail($0, true)
        }
        let whole = try decode(data, early)
        let needed = Int(sdimage_image_consumed_bytes(whole.pointer))
        #expect(needed > 0 && needed < data.count * 2 / 3)
        #expect(status(Array(data.prefix(needed)), early) == .SDIMAGE_STATUS_OK)
        let feeding = try Feeding(early)
        // A JPEG scan ends at the next marker.
        #expect(feeding.append(data.prefix(needed + 2)) == .SDIMAGE_STATUS_END)
        #expect(feeding.look() == .picture(Seen(whole.pointer)))
        let late = options { sdimage_decode_options_set_thumbnail_size($0, side, side, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        #expect(status(Array(data.prefix(needed)), late) == .SDIMAGE_STATUS_TRUNCATED)
        let full = try decode(data, late)
        #expect(sdimage_image_consumed_bytes(full.pointer) == 0)
        #expect(sdimage_image_consumed_bytes(nil) == 0)
    }

    @Test func aSmallPictureIsNeverEnlarged() throws {
        let box = options { sdimage_decode_options_set_thumbnail_size($0, 100, 100, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        let picture = try decode(makePNG(width: 30, height: 20), box)
        #expect(sdimage_image_width(picture.pointer) == 30)
    }

    @Test func eachKindOfBadInputHasItsOwnStatus() {
        let png = makePNG(width: 64, height: 64)
        #expect(status([]) == .SDIMAGE_STATUS_EMPTY_DATA)
        #expect(status(Array("<html></html>".utf8)) == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(status(Array("%PDF-1.7 and so on, and so on".utf8)) == .SDIMAGE_STATUS_UNSUPPORTED)
        #expect(status(Array(png.prefix(png.count / 2))) == .SDIMAGE_STATUS_TRUNCATED)
        var flipped = png
        flipped[png.count / 2] ^= 0x55
        #expect(status(flipped) == .SDIMAGE_STATUS_BAD_DATA)
    }

    @Test func aHeaderOfThirtyThousandSquareIsRefusedWithItsLimitNamed() throws {
        let huge = makeHeaderPNG(width: 30_000, height: 30_000)
        let failure = #expect(throws: CallFailure.self) { try decode(huge) }
        #expect(failure?.status == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(failure?.message.contains("limit") == true)
    }

    /// A PNG with large dimensions in its header and almost no image data.
    private func makeHeaderPNG(width: UInt32, height: UInt32) -> [UInt8] {
        var png = makePNG(width: 1, height: 1)
        png.replaceSubrange(16..<24, with: bigEndian(width) + bigEndian(height))
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in png[12..<29] {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        png.replaceSubrange(29..<33, with: bigEndian(~crc))
        return png
    }

    @Test func aCoderOfTheHostIsAskedFirstAndCanBeTakenOut() throws {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, bytes, length in length >= 4 && bytes.map { memcmp($0, "HOST", 4) == 0 } ?? false }
        table.decode = { _, _, _, options, image, error in
            let box = sdimage_decode_options_thumbnail_size(options)
            return sdimage_image_new(
                max(box.width, 1), 1, 256, .SDIMAGE_PIXEL_FORMAT_GRAY8, [UInt8](repeating: 9, count: 256), image, error)
        }
        let coder = try make(sdimage_coder_unref) { sdimage_coder_new_custom("host", &table, nil, nil, $0, $1) }
        let bytes = Array("HOST picture".utf8)
        #expect(status(bytes) == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        let box = options { sdimage_decode_options_set_thumbnail_size($0, 5, 5, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        let picture = try decode(bytes, box)
        #expect(sdimage_image_width(picture.pointer) == 5)
        #expect(sdimage_coder_unregister(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_coder_unregister(coder.pointer, nil) == .SDIMAGE_STATUS_NOT_FOUND)
        #expect(status(bytes) == .SDIMAGE_STATUS_NOT_AN_IMAGE)
    }

    @Test func theDefaultByteLimitIgnoresWhatHoldsNoPixel() {
        #expect(sdimage_default_limit_bytes() == 62_914_560)
        sdimage_set_default_limit_bytes(3)
        #expect(sdimage_default_limit_bytes() == 62_914_560)
        sdimage_set_default_limit_bytes(4)
        #expect(sdimage_default_limit_bytes() == 4)
        sdimage_set_default_limit_bytes(-1)
        #expect(sdimage_default_limit_bytes() == .max)
        sdimage_set_default_limit_bytes(62_914_560)
    }

    @Test func aTableThatIsTooShortIsRefused() {
        var table = sdimage_coder_vtable()
        var coder: OpaquePointer?
        for size in [0, 8, MemoryLayout<sdimage_coder_vtable>.offset(of: \.can_encode)!] {
            table.size = size
            #expect(sdimage_coder_new_custom("x", &table, nil, nil, &coder, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
    }

    @Test func theHeaderIsReadWithoutDecoding() throws {
        let png = makePNG(width: 30, height: 20)
        let info = try makeInfo(png)
        #expect(sdimage_info_format(info.pointer) == .SDIMAGE_FORMAT_PNG)
        #expect(sdimage_info_size(info.pointer).width == 30 && sdimage_info_size(info.pointer).height == 20)
        #expect(sdimage_info_stored_size(info.pointer).width == 30)
        #expect(sdimage_info_orientation(info.pointer) == .SDIMAGE_ORIENTATION_UP)
        #expect(sdimage_info_frame_count(info.pointer) == 1 && sdimage_info_duration_ms(info.pointer) == 0)
        #expect(sdimage_info_bits_per_channel(info.pointer) == 8 && !sdimage_info_is_progressive(info.pointer))
        let json = try make(sdimage_data_unref) { sdimage_info_to_json(info.pointer, $0, $1) }
        let data = Data(bytes: sdimage_data_bytes(json.pointer), count: sdimage_data_length(json.pointer))
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(report["format"] as? String == "png" && report["width"] as? Int == 30 && report["frame_count"] as? Int == 1)
    }
}
