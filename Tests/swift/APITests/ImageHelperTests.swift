import CSDImage
import Testing

/// Names of formats, colors, sizes and byte limits through the C API.
@Suite struct ImageHelperTests {
    private func image(_ width: UInt32, _ height: UInt32) throws -> Owned {
        let pixels = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        return try make(sdimage_image_unref) {
            sdimage_image_new(width, height, Int(width) * 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, pixels, $0, $1)
        }
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String { String(cString: pointer!) }

    // MARK: Formats

    @Test func everyFormatIsFoundByItsMediaTypeAndItsExtension() {
        for number in UInt32(1)...13 {
            let format = unsafeBitCast(number, to: sdimage_format.self)
            #expect(sdimage_format_of_mime_type(sdimage_format_mime_type(format)) == format)
            #expect(sdimage_format_of_name("a." + text(sdimage_format_extension(format))) == format)
        }
    }

    @Test(arguments: [
        ("IMAGE/JPEG; q=1", sdimage_format.SDIMAGE_FORMAT_JPEG), ("image/jpg", .SDIMAGE_FORMAT_JPEG),
        ("image/apng", .SDIMAGE_FORMAT_PNG), ("image/heic-sequence", .SDIMAGE_FORMAT_HEIC),
        ("image/x-icon", .SDIMAGE_FORMAT_ICO), ("text/html", .SDIMAGE_FORMAT_UNKNOWN), ("", .SDIMAGE_FORMAT_UNKNOWN),
        (";", .SDIMAGE_FORMAT_UNKNOWN),
    ]) func mediaTypesIgnoreCaseAndParameters(type: String, format: sdimage_format) {
        #expect(sdimage_format_of_mime_type(type) == format)
    }

    @Test func theUnknownFormatHasNoExtension() {
        #expect(text(sdimage_format_extension(.SDIMAGE_FORMAT_UNKNOWN)).isEmpty)
        #expect(sdimage_format_of_mime_type(nil) == .SDIMAGE_FORMAT_UNKNOWN)
    }

    // MARK: Colors

    @Test func theColorsOfARectangleAreThoseOfItsPixels() throws {
        let image = try image(5, 4)
        var colors = [sdimage_color](repeating: sdimage_color(), count: 6)
        #expect(sdimage_image_colors_in(image.pointer, 1, 2, 3, 2, &colors, 6, nil) == .SDIMAGE_STATUS_OK)
        for y in UInt32(0)..<2 {
            for x in UInt32(0)..<3 {
                var one = sdimage_color()
                #expect(sdimage_image_color_at(image.pointer, 1 + x, 2 + y, &one, nil) == .SDIMAGE_STATUS_OK)
                let other = colors[Int(y * 3 + x)]
                #expect(one.red == other.red && one.green == other.green && one.alpha == other.alpha)
            }
        }
    }

    @Test(arguments: [(3, 0, 3, 1, 9), (0, 0, 0, 1, 9), (0, 3, 1, 2, 9), (0, 0, 3, 3, 8), (4_294_967_295, 0, 1, 1, 9)])
    func aRectangleOutsideIsRefused(x: UInt32, y: UInt32, width: UInt32, height: UInt32, capacity: Int) throws {
        let image = try image(5, 4)
        var colors = [sdimage_color](repeating: sdimage_color(), count: 9)
        #expect(
            sdimage_image_colors_in(image.pointer, x, y, width, height, &colors, capacity, nil)
                == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aColorAndItsHexadecimalFormAgree() {
        var color = sdimage_color()
        for (given, written) in [
            ("#12AbfF80", "#12abff80"), ("#fff", "#ffffffff"), ("#0f08", "#00ff0088"), ("#102030", "#102030ff"),
        ] {
            #expect(sdimage_color_from_hex(given, &color, nil) == .SDIMAGE_STATUS_OK)
            var hex = [CChar](repeating: 1, count: Int(SDIMAGE_COLOR_HEX_SIZE))
            sdimage_color_to_hex(color, &hex)
            #expect(hex.withUnsafeBufferPointer { text($0.baseAddress) } == written)
        }
        for wrong in ["", "fff", "#", "#12", "#12345", "#ggg", "#1234567", "#123456789", "#+12"] {
            #expect(sdimage_color_from_hex(wrong, &color, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        }
        #expect(sdimage_color_from_hex(nil, &color, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    // MARK: Sizes

    @Test(arguments: [
        (sdimage_scale_mode.SDIMAGE_SCALE_MODE_ASPECT_FIT, false, UInt32(100), UInt32(50)),
        (.SDIMAGE_SCALE_MODE_ASPECT_FILL, false, 400, 200), (.SDIMAGE_SCALE_MODE_FILL, false, 100, 200),
    ]) func aSizeIsScaledAsAThumbnailIs(mode: sdimage_scale_mode, scaleUp: Bool, width: UInt32, height: UInt32) {
        let size = sdimage_size_scaled(
            sdimage_size(width: 600, height: 300), sdimage_size(width: 100, height: 200), mode, scaleUp)
        #expect(size.width == width && size.height == height)
    }

    /// The exact side is a whole number.
    @Test(arguments: [(UInt32(372), UInt32(720), UInt32(155)), (414, 1080, 115)])
    func aWholeSideIsNotRoundedUp(width: UInt32, height: UInt32, side: UInt32) {
        let box = sdimage_size(width: 300, height: 300)
        let upright = sdimage_size(width: width, height: height), flat = sdimage_size(width: height, height: width)
        #expect(sdimage_size_scaled(upright, box, .SDIMAGE_SCALE_MODE_ASPECT_FIT, false).width == side)
        #expect(sdimage_size_scaled(flat, box, .SDIMAGE_SCALE_MODE_ASPECT_FIT, false).height == side)
    }

    @Test func aSizeIsEnlargedOnRequestOnly() {
        let (small, box) = (sdimage_size(width: 3, height: 2), sdimage_size(width: 30, height: 30))
        #expect(sdimage_size_scaled(small, box, .SDIMAGE_SCALE_MODE_ASPECT_FIT, false).width == 3)
        #expect(sdimage_size_scaled(small, box, .SDIMAGE_SCALE_MODE_ASPECT_FIT, true).width == 30)
        let none = sdimage_size(width: 0, height: 9)
        #expect(sdimage_size_scaled(small, none, .SDIMAGE_SCALE_MODE_FILL, true).width == 3)
    }

    // MARK: Byte limits

    @Test func anImageIsShrunkToANumberOfBytes() throws {
        let image = try image(100, 50)
        let small = try make(sdimage_image_unref) { sdimage_image_limit_bytes(image.pointer, 5000, $0, $1) }
        let (width, height) = (sdimage_image_width(small.pointer), sdimage_image_height(small.pointer))
        #expect(width * height * 4 <= 5000 && width * height * 4 > 4000 && width == 2 * height)
        let same = try make(sdimage_image_unref) { sdimage_image_limit_bytes(image.pointer, 20_000, $0, $1) }
        #expect(same.pointer == image.pointer)
        let long = try self.image(1000, 1)
        let flat = try make(sdimage_image_unref) { sdimage_image_limit_bytes(long.pointer, 40, $0, $1) }
        #expect(sdimage_image_width(flat.pointer) == 10 && sdimage_image_height(flat.pointer) == 1)
        var none: OpaquePointer?
        #expect(sdimage_image_limit_bytes(image.pointer, 3, &none, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_image_limit_bytes(image.pointer, 0, &none, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aTurnedImageKeepsItsProportionsWhenItIsShrunk() throws {
        let stored = try image(100, 50)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(stored.pointer, $0, $1) }
        sdimage_metadata_set_orientation(metadata.pointer, .SDIMAGE_ORIENTATION_RIGHT)
        let turned = try make(sdimage_image_unref) { sdimage_image_with_metadata(stored.pointer, metadata.pointer, $0, $1) }
        let small = try make(sdimage_image_unref) { sdimage_image_limit_bytes(turned.pointer, 5000, $0, $1) }
        #expect(sdimage_image_width(small.pointer) == 25 && sdimage_image_height(small.pointer) == 50)
        #expect(sdimage_image_orientation(small.pointer) == .SDIMAGE_ORIENTATION_UP)
    }

    @Test func theFramesOfAnAnimationShareTheLimit() throws {
        let frames = [try image(20, 10), try image(20, 10)]
        let moving = try withExtendedLifetime(frames) {
            let pointers = frames.map { Optional($0.pointer) }
            return try make(sdimage_image_unref) { sdimage_image_new_animation(pointers, [100, 100], 2, 0, $0, $1) }
        }
        let small = try make(sdimage_image_unref) { sdimage_image_limit_bytes(moving.pointer, 800, $0, $1) }
        #expect(sdimage_image_frame_count(small.pointer) == 2)
        #expect(sdimage_image_width(small.pointer) * sdimage_image_height(small.pointer) * 4 * 2 <= 800)
    }

    // MARK: Decode options

    @Test func aDecodedImageCarriesItsOptions() throws {
        let values = Owned(sdimage_options_new()) { sdimage_options_unref($0) }
        sdimage_options_set_int64(values.pointer, "tint", 7)
        let wanted = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_thumbnail_size(wanted.pointer, 4, 3, .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        sdimage_decode_options_set_options(wanted.pointer, values.pointer)
        let png = makePNG(width: 8, height: 8)
        let image = try make(sdimage_image_unref) { sdimage_decode(png, png.count, wanted.pointer, $0, $1) }
        var options: OpaquePointer?
        sdimage_image_get_decode_options(image.pointer, &options)
        defer { sdimage_decode_options_unref(options) }
        #expect(sdimage_decode_options_thumbnail_size(options).width == 4)
        #expect(sdimage_decode_options_thumbnail_mode(options) == .SDIMAGE_SCALE_MODE_ASPECT_FILL)
        #expect(sdimage_options_int64(sdimage_decode_options_options(options), "tint", 0) == 7)
    }

    @Test func anImageOfPixelsHasNoDecodeOptions() throws {
        var options: OpaquePointer?
        let plain = try image(2, 2)
        sdimage_image_get_decode_options(plain.pointer, &options)
        #expect(options == nil)
    }
}
