import CSDImage
import Foundation
import Testing

@Suite struct ImageTests {
    private func image(_ bytes: [UInt8], _ width: UInt32, _ height: UInt32, _ format: sdimage_pixel_format) throws -> Owned {
        let stride = Int(width) * sdimage_pixel_format_bytes(format)
        return try make(sdimage_image_unref) { sdimage_image_new(width, height, stride, format, bytes, $0, $1) }
    }

    private func pixels(_ image: Owned) -> [UInt8] {
        let format = sdimage_image_pixel_format(image.pointer)
        let row = Int(sdimage_image_width(image.pointer)) * sdimage_pixel_format_bytes(format)
        guard let base = sdimage_image_pixels(image.pointer) else { return [] }
        return (0..<Int(sdimage_image_height(image.pointer))).flatMap { y in
            Array(UnsafeRawBufferPointer(start: base + y * sdimage_image_stride(image.pointer), count: row))
        }
    }

    @Test func pixelsComeBackAsTheyWentIn() throws {
        let bytes: [UInt8] = Array(0..<24)
        let picture = try image(bytes, 4, 2, .SDIMAGE_PIXEL_FORMAT_RGB8)
        #expect(pixels(picture) == bytes)
        #expect(sdimage_image_stride(picture.pointer) % 64 == 0)
        #expect(sdimage_image_memory_cost(picture.pointer) == sdimage_image_stride(picture.pointer) * 2)
        #expect(!sdimage_image_has_alpha(picture.pointer))
    }

    @Test func adoptedPixelsAreNotCopiedAndReleasedOnce() throws {
        let releases = Locked(0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 64)
        defer { memory.deallocate() }
        let userData = Unmanaged.passRetained(releases).toOpaque()
        do {
            let picture = try make(sdimage_image_unref) {
                sdimage_image_new_adopting(
                    2, 2, 8, .SDIMAGE_PIXEL_FORMAT_RGBA8, memory, userData,
                    { userData in Unmanaged<Locked<Int>>.fromOpaque(userData!).takeRetainedValue().change { $0 += 1 } }, $0, $1)
            }
            #expect(sdimage_image_pixels(picture.pointer) == UnsafeRawPointer(memory))
        }
        // At once, or on the callback thread when other tests run the engine.
        #expect(releases.wait { $0 > 0 } && releases.get() == 1)
    }

    @Test(arguments: [
        (UInt32(0), UInt32(1), 4, sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT),
        (1, 0, 4, .SDIMAGE_STATUS_INVALID_ARGUMENT), (2, 1, 4, .SDIMAGE_STATUS_INVALID_ARGUMENT),
        (1, .max, Int.max, .SDIMAGE_STATUS_INVALID_ARGUMENT), (1, 1, -4, .SDIMAGE_STATUS_INVALID_ARGUMENT),
        (65535, 65535, 65535 * 4, .SDIMAGE_STATUS_TOO_LARGE),
    ])
    func impossibleSizesAreRefusedBeforeAllocation(width: UInt32, height: UInt32, stride: Int, expected: sdimage_status) {
        var picture: OpaquePointer?
        let status = sdimage_image_new(width, height, stride, .SDIMAGE_PIXEL_FORMAT_RGBA8, [0, 0, 0, 0], &picture, nil)
        #expect(status == expected)
        #expect(picture == nil)
    }

    @Test func alphaIsMultipliedInAndDividedOut() throws {
        let straight = try image([255, 128, 0, 128, 10, 20, 30, 0], 2, 1, .SDIMAGE_PIXEL_FORMAT_RGBA8)
        let premultiplied = try make(sdimage_image_unref) {
            sdimage_image_convert(straight.pointer, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED, $0, $1)
        }
        #expect(pixels(premultiplied) == [0, 64, 128, 128, 0, 0, 0, 0])
        let back = try make(sdimage_image_unref) {
            sdimage_image_convert(premultiplied.pointer, .SDIMAGE_PIXEL_FORMAT_RGBA8, $0, $1)
        }
        let bytes = pixels(back)
        #expect(bytes[0] == 255 && abs(Int(bytes[1]) - 128) <= 1 && bytes[3] == 128 && bytes[7] == 0)
    }

    @Test func convertingToTheSameFormatIsTheSameImage() throws {
        let picture = try image([1, 2, 3], 1, 1, .SDIMAGE_PIXEL_FORMAT_RGB8)
        let same = try make(sdimage_image_unref) {
            sdimage_image_convert(picture.pointer, .SDIMAGE_PIXEL_FORMAT_RGB8, $0, $1)
        }
        #expect(same.pointer == picture.pointer)
    }

    @Test func metadataMakesAnotherImageOnTheSamePixels() throws {
        let picture = try image([1, 2, 3], 1, 1, .SDIMAGE_PIXEL_FORMAT_RGB8)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(picture.pointer, $0, $1) }
        let note = try make(sdimage_data_unref) { sdimage_data_new("note", 4, $0, $1) }
        sdimage_metadata_set_scale(metadata.pointer, 2)
        sdimage_metadata_set_extended_data(metadata.pointer, note.pointer)
        sdimage_metadata_set_memory_cost(metadata.pointer, 77)
        let copy = try make(sdimage_image_unref) { sdimage_image_with_metadata(picture.pointer, metadata.pointer, $0, $1) }
        #expect(sdimage_image_scale(copy.pointer) == 2)
        #expect(sdimage_image_memory_cost(copy.pointer) == 77)
        #expect(sdimage_image_pixels(copy.pointer) == sdimage_image_pixels(picture.pointer))
        #expect(sdimage_data_length(sdimage_image_extended_data(copy.pointer)) == 4)
        #expect(sdimage_image_scale(picture.pointer) == 1)
    }

    @Test func pixelsOfTheLibraryAreWrittenInPlace() throws {
        var pixels: UnsafeMutableRawPointer?
        var stride = 0
        let picture = try make(sdimage_image_unref) {
            sdimage_image_new_uninitialized(5, 3, .SDIMAGE_PIXEL_FORMAT_RGB16, $0, &pixels, &stride, $1)
        }
        let base = try #require(pixels)
        #expect(stride % 64 == 0 && stride >= 30)
        #expect(UInt(bitPattern: base) % 64 == 0)
        for y in 0..<3 { memset(base + y * stride, Int32(y + 1), 30) }
        #expect(sdimage_image_pixels(picture.pointer) == UnsafeRawPointer(base))
        let rows = (1...3).flatMap { [UInt8](repeating: UInt8($0), count: 30) }
        #expect(self.pixels(picture) == rows)
    }

    @Test(arguments: [
        (UInt32(0), UInt32(1), sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_RGB8, sdimage_status.SDIMAGE_STATUS_INVALID_ARGUMENT),
        (1, 0, .SDIMAGE_PIXEL_FORMAT_RGB8, .SDIMAGE_STATUS_INVALID_ARGUMENT),
        (1, 1, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC, .SDIMAGE_STATUS_INVALID_ARGUMENT),
        (.max, .max, .SDIMAGE_PIXEL_FORMAT_RGBA16, .SDIMAGE_STATUS_INVALID_ARGUMENT),
        (65535, 65535, .SDIMAGE_PIXEL_FORMAT_GRAY8, .SDIMAGE_STATUS_TOO_LARGE),
    ])
    func impossiblePixelsOfTheLibraryAreRefused(
        width: UInt32, height: UInt32, format: sdimage_pixel_format, expected: sdimage_status
    ) {
        var picture: OpaquePointer?
        var pixels: UnsafeMutableRawPointer?
        var stride = 0
        #expect(sdimage_image_new_uninitialized(width, height, format, &picture, &pixels, &stride, nil) == expected)
        #expect(picture == nil && pixels == nil && stride == 0)
    }

    @Test func whatACoderTellsIsWhatTheImageSays() throws {
        let picture = try image([1, 2, 3, 4], 1, 1, .SDIMAGE_PIXEL_FORMAT_RGBA8)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(picture.pointer, $0, $1) }
        let profile = try make(sdimage_data_unref) { sdimage_data_new("profile", 7, $0, $1) }
        sdimage_metadata_set_format(metadata.pointer, .SDIMAGE_FORMAT_TIFF)
        sdimage_metadata_set_orientation(metadata.pointer, .SDIMAGE_ORIENTATION_LEFT)
        sdimage_metadata_set_source_size(metadata.pointer, 300, 200)
        sdimage_metadata_set_has_alpha(metadata.pointer, false)
        sdimage_metadata_set_frame_count(metadata.pointer, 7)
        sdimage_metadata_set_loop_count(metadata.pointer, 2)
        sdimage_metadata_set_duration_ms(metadata.pointer, 700)
        sdimage_metadata_set_color_profile(metadata.pointer, profile.pointer)
        let copy = try make(sdimage_image_unref) { sdimage_image_with_metadata(picture.pointer, metadata.pointer, $0, $1) }
        #expect(sdimage_image_format(copy.pointer) == .SDIMAGE_FORMAT_TIFF)
        #expect(sdimage_image_orientation(copy.pointer) == .SDIMAGE_ORIENTATION_LEFT)
        #expect(sdimage_image_source_size(copy.pointer).width == 300 && sdimage_image_source_size(copy.pointer).height == 200)
        #expect(!sdimage_image_has_alpha(copy.pointer))
        #expect(sdimage_image_frame_count(copy.pointer) == 7)
        #expect(sdimage_image_loop_count(copy.pointer) == 2)
        #expect(sdimage_image_duration_ms(copy.pointer) == 700)
        #expect(sdimage_data_length(sdimage_image_color_profile(copy.pointer)) == 7)
    }

    @Test func badMetadataActsAsTheNearestGoodOne() throws {
        let picture = try image([1], 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(picture.pointer, $0, $1) }
        for scale in [0, -1, Double.nan, -Double.infinity] { sdimage_metadata_set_scale(metadata.pointer, scale) }
        sdimage_metadata_set_frame_count(metadata.pointer, 0)
        sdimage_metadata_set_duration_ms(metadata.pointer, .max)
        sdimage_metadata_set_source_size(metadata.pointer, .max, .max)
        sdimage_metadata_set_bits_per_channel(metadata.pointer, .max)
        sdimage_metadata_set_channels(metadata.pointer, .max)
        sdimage_metadata_set_color_profile(metadata.pointer, nil)
        let copy = try make(sdimage_image_unref) { sdimage_image_with_metadata(picture.pointer, metadata.pointer, $0, $1) }
        #expect(sdimage_image_scale(copy.pointer) == 1)
        #expect(sdimage_image_frame_count(copy.pointer) >= 1)
        #expect(sdimage_image_color_profile(copy.pointer) == nil)
    }

    @Test func gettersOfNothingAreNeutral() {
        #expect(sdimage_image_width(nil) == 0)
        #expect(sdimage_image_pixels(nil) == nil)
        #expect(sdimage_image_pixel_format(nil) == .SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
        #expect(sdimage_error_code(nil) == .SDIMAGE_STATUS_OK)
        #expect(String(cString: sdimage_error_message(nil)).isEmpty)
        sdimage_image_unref(nil)
    }

    @Test func anotherKindOfHandleIsToldApart() throws {
        let picture = try image([1, 2, 3], 1, 1, .SDIMAGE_PIXEL_FORMAT_RGB8)
        #expect(sdimage_data_length(picture.pointer) == 0)
        var converted: OpaquePointer?
        let data = try make(sdimage_data_unref) { sdimage_data_new("x", 1, $0, $1) }
        #expect(
            sdimage_image_convert(data.pointer, .SDIMAGE_PIXEL_FORMAT_RGB8, &converted, nil) == .SDIMAGE_STATUS_BAD_HANDLE)
        // Releasing a reference that was never taken must not release the image.
        sdimage_data_unref(picture.pointer)
        #expect(sdimage_image_width(picture.pointer) == 1)
    }
}
