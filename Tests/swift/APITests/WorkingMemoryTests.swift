import CSDImage
import Foundation
import SDImage
import Testing

/// Coders refuse work before allocating buffers that would exceed the working memory limit.
@Suite struct WorkingMemoryTests {
    /// Zero pixels in lazily committed memory.
    private func blank(_ width: UInt32, _ height: UInt32, _ format: sdimage_pixel_format, bytesPerPixel: Int) throws -> Owned {
        let stride = Int(width) * bytesPerPixel, count = stride * Int(height)
        let pixels = try #require(
            mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
        let length = UnsafeMutablePointer<Int>.allocate(capacity: 2)
        (length[0], length[1]) = (Int(bitPattern: pixels), count)
        return try make(sdimage_image_unref) {
            sdimage_image_new_adopting(
                width, height, stride, format, pixels, length,
                { userData in
                    let length = userData!.assumingMemoryBound(to: Int.self)
                    munmap(UnsafeMutableRawPointer(bitPattern: length[0]), length[1])
                    length.deallocate()
                }, $0, $1)
        }
    }

    private func expectRefusal(
        _ image: Owned, _ format: sdimage_format, _ change: (OpaquePointer) -> Void = { _ in }
    ) throws {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        sdimage_encode_options_set_max_work_ms(options.pointer, .max)
        change(options.pointer)
        var data: OpaquePointer?
        var error: OpaquePointer?
        #expect(sdimage_encode(image.pointer, format, options.pointer, &data, &error) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(String(cString: sdimage_error_message(error)).contains("working memory in bytes exceeds the limit"))
        sdimage_error_unref(error)
        sdimage_data_unref(data)
    }

    @Test func gifEncodersCountTheirFrames() throws {
        try expectRefusal(try blank(16_384, 16_384, .SDIMAGE_PIXEL_FORMAT_GRAY8, bytesPerPixel: 1), .SDIMAGE_FORMAT_GIF)
    }

    @Test func webpEncodersCountTheirPixels() throws {
        let image = try blank(16_000, 16_000, .SDIMAGE_PIXEL_FORMAT_GRAY8, bytesPerPixel: 1)
        try expectRefusal(image, .SDIMAGE_FORMAT_WEBP) { sdimage_encode_options_set_lossless($0, true) }
    }

    /// The limit allows the largest bitmap of a decode.
    @Test func aLargePictureIsEncoded() throws {
        let image = try blank(8192, 8192, .SDIMAGE_PIXEL_FORMAT_RGBA8, bytesPerPixel: 4)
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        // The standard limit of a minute includes the time for which a busy machine runs other threads.
        sdimage_encode_options_set_max_work_ms(options.pointer, .max)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, options.pointer, $0, $1) }
        #expect(sdimage_data_length(data.pointer) > 0)
    }

    /// The third frame needs a separate canvas, and its passes need a buffer of their own.
    @Test func interlacedFramesCountTheirBufferBesideTheCanvas() throws {
        // The standard limits of ten seconds include that time, too.
        try CallTimeLimits.$frame.withValue(.max) { try makeInterlacedFrames() }
    }

    private func makeInterlacedFrames() throws {
        let file = HostileFile.interlacedFrames(6000, 6000)
        let options = decodeOptions { sdimage_decode_options_set_max_work_ms($0, .max) }
        func decoded() throws -> Owned {
            try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        }
        let image = try decoded()
        var frame: OpaquePointer?
        var error: OpaquePointer?
        #expect(sdimage_image_get_frame(image.pointer, 1, &frame, nil) == .SDIMAGE_STATUS_OK)
        sdimage_image_unref(frame)
        frame = nil
        let fresh = try decoded()
        #expect(sdimage_image_get_frame(fresh.pointer, 2, &frame, &error) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(String(cString: sdimage_error_message(error)).contains("working memory in bytes exceeds the limit"))
        sdimage_error_unref(error)
        sdimage_image_unref(frame)
    }
}
