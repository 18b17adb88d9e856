import CSDImage
import Foundation
import Testing

/// JPEG and WebP through the C functions; the other formats have tests of their own.
@Suite struct PhotographEncoderTests {
    private static let formats: [sdimage_format] = [.SDIMAGE_FORMAT_JPEG, .SDIMAGE_FORMAT_WEBP]

    /// Out-of-range values, which every setter accepts.
    private static let strange: [Double] = [.nan, -.infinity, -1, 0, 0.5, 2, .infinity, 1e300]

    private func ramp(_ width: Int = 40, _ height: Int = 30, alpha: UInt8 = 255) throws -> Owned {
        try DrawnPicture.draw(width, height, .SDIMAGE_PIXEL_FORMAT_RGBA8) { x, y in
            [UInt8(x * 5 & 255), UInt8(y * 7 & 255), 99, alpha]
        }
    }

    private func options(_ change: (OpaquePointer?) -> Void = { _ in }) -> Owned {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        change(options.pointer)
        return options
    }

    private func data(_ bytes: [UInt8]) throws -> Owned {
        try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
    }

    private func bytes(_ data: Owned) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    private func encode(_ image: Owned, _ format: sdimage_format, _ options: Owned? = nil) throws -> [UInt8] {
        bytes(try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, options?.pointer, $0, $1) })
    }

    private func decode(_ file: [UInt8]) throws -> Owned {
        try make(sdimage_image_unref) { sdimage_decode(file, file.count, nil, $0, $1) }
    }

    private func block(_ file: [UInt8], _ getter: (OpaquePointer?) -> OpaquePointer?) throws -> [UInt8] {
        let info = try makeInfo(file)
        return withExtendedLifetime(info) {
            let data = getter(info.pointer)
            return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data)))
        }
    }

    private func status(_ image: Owned, _ format: sdimage_format, _ options: Owned? = nil) -> sdimage_status {
        var data: OpaquePointer?
        defer { sdimage_data_unref(data) }
        return sdimage_encode(image.pointer, format, options?.pointer, &data, nil)
    }

    @Test(arguments: formats)
    func thePictureComesBackNearTheOriginal(format: sdimage_format) throws {
        #expect(sdimage_can_encode(format))
        let image = try ramp()
        let back = try decode(try encode(image, format))
        #expect(DrawnPicture.size(back) == [40, 30])
        #expect(sdimage_image_format(back.pointer) == format)
        for (x, y) in [(UInt32(3), UInt32(4)), (39, 29), (20, 10)] {
            for (found, expected) in zip(DrawnPicture.color(back, x, y), DrawnPicture.color(image, x, y)) {
                #expect(abs(found - expected) < 0.06)
            }
        }
    }

    @Test(arguments: formats)
    func blocksProfileAndOrientationComeBack(format: sdimage_format) throws {
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
        let (xmp, profile) = (Array("<x:xmpmeta/>".utf8), [UInt8](repeating: 7, count: 5000))
        let plain = try ramp()
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(plain.pointer, $0, $1) }
        sdimage_metadata_set_orientation(metadata.pointer, .SDIMAGE_ORIENTATION_LEFT)
        let given = [try data(exif), try data(xmp), try data(profile)]
        defer { withExtendedLifetime(given) {} }
        sdimage_metadata_set_color_profile(metadata.pointer, given[2].pointer)
        let image = try make(sdimage_image_unref) {
            sdimage_image_with_metadata(plain.pointer, metadata.pointer, $0, $1)
        }
        let file = try encode(
            image, format,
            options {
                sdimage_encode_options_set_exif($0, given[0].pointer)
                sdimage_encode_options_set_xmp($0, given[1].pointer)
            })
        var expected = exif
        expected[18] = format == .SDIMAGE_FORMAT_JPEG ? 8 : 1
        #expect(try block(file, sdimage_info_exif) == expected)
        #expect(try block(file, sdimage_info_xmp) == xmp)
        #expect(try block(file, sdimage_info_color_profile) == profile)
        #expect(DrawnPicture.size(try decode(file)) == [30, 40])
    }

    @Test func anAnimationStaysOneInWebPAndIsAStillInJPEG() throws {
        let frames = try [10, 200].map { alpha in try ramp(alpha: alpha) }
        let animation = try make(sdimage_image_unref) {
            sdimage_image_new_animation(frames.map { $0.pointer }, [40, 1234], 2, 5, $0, $1)
        }
        defer { withExtendedLifetime((frames, animation)) {} }
        let moving = try decode(try encode(animation, .SDIMAGE_FORMAT_WEBP))
        #expect(sdimage_image_frame_count(moving.pointer) == 2 && sdimage_image_loop_count(moving.pointer) == 5)
        #expect(sdimage_image_frame_duration_ms(moving.pointer, 0) == 40)
        #expect(sdimage_image_frame_duration_ms(moving.pointer, 1) == 1234)
        let first = options { sdimage_encode_options_set_first_frame_only($0, true) }
        let others = [try encode(animation, .SDIMAGE_FORMAT_WEBP, first), try encode(animation, .SDIMAGE_FORMAT_JPEG)]
        for file in others {
            let still = try decode(file)
            #expect(sdimage_image_frame_count(still.pointer) == 1)
            withExtendedLifetime(still) {}
        }
        let small = options { sdimage_encode_options_set_max_pixel_size($0, 20, 20) }
        let shrunk = try decode(try encode(animation, .SDIMAGE_FORMAT_WEBP, small))
        #expect(DrawnPicture.size(shrunk) == [20, 15] && sdimage_image_frame_count(shrunk.pointer) == 2)
    }

    @Test(arguments: formats)
    func noValueOfAnOptionIsMoreThanAnError(format: sdimage_format) throws {
        let image = try ramp(9, 7, alpha: 77)
        for value in Self.strange {
            let wild = options {
                sdimage_encode_options_set_quality($0, value)
                sdimage_encode_options_set_dithering($0, value)
                sdimage_encode_options_set_background_color(
                    $0, sdimage_color(red: value, green: value, blue: value, alpha: value))
                sdimage_encode_options_set_effort($0, .max)
                sdimage_encode_options_set_max_file_size($0, .max)
                sdimage_encode_options_set_loop_count($0, .max - 1)
                sdimage_encode_options_set_chroma($0, unsafeBitCast(UInt32(99), to: sdimage_chroma.self))
                sdimage_encode_options_set_max_pixel_size($0, 1, .max)
                sdimage_encode_options_set_max_colors($0, .max)
            }
            if (0...1).contains(value) {
                #expect(DrawnPicture.size(try decode(try encode(image, format, wild))) == [1, 1])
            } else {
                #expect(status(image, format, wild) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
            }
            for parameter in 0...20 {
                let place = unsafeBitCast(UInt32(parameter), to: sdimage_webp_parameter.self)
                let one = options { sdimage_encode_options_set_webp($0, place, value) }
                let found = status(image, format, one)
                let isExpected = found == .SDIMAGE_STATUS_OK || found == .SDIMAGE_STATUS_INVALID_ARGUMENT
                #expect(isExpected, "parameter \(parameter), value \(value), status \(found.rawValue)")
                if format == .SDIMAGE_FORMAT_JPEG { #expect(found == .SDIMAGE_STATUS_OK) }
            }
        }
    }

    @Test func theBestQualityThatFitsIsFound() throws {
        let image = try DrawnPicture.draw(90, 70, .SDIMAGE_PIXEL_FORMAT_RGB8) { x, y in
            let mixed = (x &* 7919) ^ (y &* 104_729)
            return [UInt8(mixed & 255), UInt8(mixed >> 3 & 255), UInt8(mixed >> 5 & 255)]
        }
        for format in Self.formats {
            func size(_ change: (OpaquePointer?) -> Void) throws -> Int { try encode(image, format, options(change)).count }
            let best = try size { _ in }
            let worst = try size { sdimage_encode_options_set_quality($0, 0) }
            let limit = (best + worst) / 2
            let kept = try size { sdimage_encode_options_set_max_file_size($0, limit) }
            #expect(kept > worst && kept <= limit && limit < best)
        }
    }

    @Test func whatAFormatCannotDoIsSaid() throws {
        let image = try ramp()
        let lossless = options { sdimage_encode_options_set_lossless($0, true) }
        #expect(status(image, .SDIMAGE_FORMAT_JPEG, lossless) == .SDIMAGE_STATUS_UNSUPPORTED)
        sdimage_encode_options_set_max_file_size(lossless.pointer, 100)
        #expect(status(image, .SDIMAGE_FORMAT_WEBP, lossless) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        let long = try DrawnPicture.draw(16384, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [1] }
        #expect(status(long, .SDIMAGE_FORMAT_WEBP) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(status(long, .SDIMAGE_FORMAT_JPEG) == .SDIMAGE_STATUS_OK)
        let words = try data(Array("words".utf8))
        let none = options { sdimage_encode_options_set_exif($0, words.pointer) }
        defer { withExtendedLifetime(words) {} }
        for format in Self.formats { #expect(status(image, format, none) == .SDIMAGE_STATUS_INVALID_ARGUMENT) }
    }
}
