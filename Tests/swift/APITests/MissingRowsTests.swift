import CSDImage
import Testing

/// Rows of partial images that have not arrived.
@Suite struct MissingRowsTests {
    private static let formats: [sdimage_format] = [.SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_WEBP]

    /// An opaque image of noise, too large to be complete after half of its bytes.
    private func file(_ format: sdimage_format) throws -> [UInt8] {
        var state: UInt32 = 7
        let pixels = (0..<200 * 160 * 3).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(200, 160, 600, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1)
        }
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, nil, $0, $1) }
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    private func copyImage(_ feeding: Feeding) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
    }

    private func alpha(_ image: Owned, _ y: UInt32) throws -> Double {
        var color = sdimage_color()
        #expect(sdimage_image_color_at(image.pointer, 100, y, &color, nil) == .SDIMAGE_STATUS_OK)
        return color.alpha
    }

    @Test(arguments: formats) func missingRowsAreTransparent(format: sdimage_format) throws {
        let file = try file(format)
        let feeding = try Feeding()
        feeding.append(file.prefix(file.count / 2))
        let part = try copyImage(feeding)
        #expect(sdimage_image_is_incremental(part.pointer))
        #expect(sdimage_image_has_alpha(part.pointer))
        #expect(sdimage_image_pixel_format(part.pointer) == .SDIMAGE_PIXEL_FORMAT_RGBA8)
        #expect(try alpha(part, 0) == 1)
        #expect(try alpha(part, 159) == 0)
        feeding.append(file.dropFirst(file.count / 2), finished: true)
        let whole = try copyImage(feeding)
        #expect(!sdimage_image_has_alpha(whole.pointer))
        #expect(Outcome.whole(file) == .picture(Seen(whole.pointer)))
    }

    @Test(arguments: formats) func aRequestedFormatIsThatOfEveryPart(format: sdimage_format) throws {
        let file = try file(format)
        for (wanted, hasAlpha) in [
            (sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGB8, false), (.SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, true),
        ] {
            let feeding = try Feeding(decodeOptions { sdimage_decode_options_set_pixel_format($0, wanted) })
            feeding.append(file.prefix(file.count / 2))
            let part = try copyImage(feeding)
            #expect(sdimage_image_pixel_format(part.pointer) == wanted)
            #expect(sdimage_image_has_alpha(part.pointer) == hasAlpha)
            #expect(try alpha(part, 159) == (hasAlpha ? 0 : 1))
        }
    }
}
