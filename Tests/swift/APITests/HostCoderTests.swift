import CSDImage
import Foundation
import Testing

/// Host coders: the calls the library makes, and the processing of their images.
@Suite struct HostCoderTests {
    private func row(_ image: Owned, _ y: Int) -> [UInt8] {
        guard let base = sdimage_image_pixels(image.pointer) else { return [] }
        let format = sdimage_image_pixel_format(image.pointer)
        let count = Int(sdimage_image_width(image.pointer)) * sdimage_pixel_format_bytes(format)
        return Array(UnsafeRawBufferPointer(start: base + y * sdimage_image_stride(image.pointer), count: count))
    }

    private func picture(_ bytes: [UInt8], _ coder: Owned, _ options: Owned? = nil) throws -> Owned {
        let feeding = try Feeding(options, coder: coder)
        feeding.append(bytes, finished: true)
        return try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
    }

    /// A coder of an image of 16,400 x 16,400 pixels in gray, 257 MiB that are never written.
    private func makeLargeCoder(detached: Bool) throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in false }
        table.detached_stack = detached ? 1 << 20 : 0
        table.decode = { _, _, _, _, image, error in
            var pixels: UnsafeMutableRawPointer?
            var stride = 0
            return sdimage_image_new_uninitialized(
                16_400, 16_400, .SDIMAGE_PIXEL_FORMAT_GRAY8, image, &pixels, &stride, error)
        }
        return try make(sdimage_coder_unref) { sdimage_coder_new_custom("large", &table, nil, nil, $0, $1) }
    }

    @Test(arguments: [false, true]) func aCoderUsesTheLimitOfBytesThatTheCallerRaised(detached: Bool) throws {
        let coder = try makeLargeCoder(detached: detached)
        func decode(_ bytes: Int) throws -> sdimage_status {
            let options = decodeOptions {
                sdimage_decode_options_set_max_bytes($0, bytes)
                sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_NATIVE)
            }
            let feeding = try Feeding(options, coder: coder)
            let status = feeding.append([1], finished: true)
            var image: OpaquePointer?
            defer { sdimage_image_unref(image) }
            return status.rawValue < 0 ? status : sdimage_decoder_get_image(feeding.decoder.pointer, &image, nil)
        }
        #expect(try decode(1 << 30) == .SDIMAGE_STATUS_OK)
        #expect(try decode(0) == .SDIMAGE_STATUS_TOO_LARGE)
        #expect(try decode(260 << 20) == .SDIMAGE_STATUS_OK)
        // Outside such a call.
        var (image, pixels, stride): (OpaquePointer?, UnsafeMutableRawPointer?, Int) = (nil, nil, 0)
        let status = sdimage_image_new_uninitialized(
            16_400, 16_400, .SDIMAGE_PIXEL_FORMAT_GRAY8, &image, &pixels, &stride, nil)
        #expect(status == .SDIMAGE_STATUS_TOO_LARGE)
    }

    @Test func aPictureOfTheHostShowsWhileItArrives() throws {
        let coder = try LampCoder().makeCoder()
        let feeding = try Feeding(coder: coder)
        let file = LampCoder.file(width: 9, height: 10)
        #expect(feeding.append(file[..<70]) == .SDIMAGE_STATUS_OK)
        let part = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        let first = Array(UInt8(0)...8), missing = [UInt8](repeating: 0, count: 9), last = Array(UInt8(90)...98)
        #expect(row(part, 0) == first)
        #expect(row(part, 9) == missing)
        #expect(sdimage_image_is_incremental(part.pointer))
        #expect(feeding.append(file[70...], finished: true) == .SDIMAGE_STATUS_END)
        let whole = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        #expect(row(whole, 9) == last)
        #expect(!sdimage_image_is_incremental(whole.pointer))
    }

    @Test func aMovingPictureOfTheHostHasItsFrames() throws {
        let coder = try LampCoder().makeCoder()
        let feeding = try Feeding(coder: coder)
        let file = LampCoder.file(width: 10, height: 8, frames: 3)
        feeding.append(file[..<(8 + 170)])
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == 2)
        feeding.append(file[(8 + 170)...], finished: true)
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == 3)
        #expect(sdimage_decoder_loop_count(feeding.decoder.pointer) == 3)
        #expect(sdimage_decoder_frame_duration_ms(feeding.decoder.pointer, 2) == 70)
        #expect(sdimage_decoder_frame_duration_ms(feeding.decoder.pointer, 3) == 0)
        let last = try make(sdimage_image_unref) { sdimage_decoder_get_frame(feeding.decoder.pointer, 2, $0, $1) }
        let first = Array(UInt8(200)...209)
        #expect(row(last, 0) == first)
        #expect(feeding.frame(3) == .failure(.SDIMAGE_STATUS_INVALID_ARGUMENT))
    }

    @Test func aHostThatStatesTooManyFramesHasTheMostThatAreAccepted() throws {
        let lamp = LampCoder()
        lamp.statedFrames = .max
        let feeding = try Feeding(coder: try lamp.makeCoder())
        feeding.append(LampCoder.file(width: 10, height: 8, frames: 3), finished: true)
        #expect(sdimage_decoder_frame_count(feeding.decoder.pointer) == 10_000)
        let image = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        #expect(sdimage_image_frame_count(image.pointer) == 10_000)
        #expect(sdimage_image_duration_ms(image.pointer) == 700_000)
    }

    @Test func theFinalImageOfAMovingPictureOfTheHostMoves() throws {
        let coder = try LampCoder().makeCoder()
        let feeding = try Feeding(coder: coder)
        let file = LampCoder.file(width: 10, height: 8, frames: 3)
        feeding.append(file[..<(8 + 170)])
        let part = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        #expect(sdimage_image_frame_count(part.pointer) == 2)
        feeding.append(file[(8 + 170)...], finished: true)
        let whole = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        #expect(sdimage_image_frame_count(whole.pointer) == 3)
        #expect(sdimage_image_duration_ms(whole.pointer) == 210)
        let last = try make(sdimage_image_unref) { sdimage_image_get_frame(whole.pointer, 2, $0, $1) }
        #expect(row(last, 0) == Array(UInt8(200)...209))
        let frames = try make(sdimage_frame_provider_unref) { sdimage_frame_provider_new_image(whole.pointer, $0, $1) }
        let data = try make(sdimage_data_unref) { sdimage_frame_provider_get_data(frames.pointer, $0, $1) }
        let base = sdimage_data_bytes(data.pointer), count = sdimage_data_length(data.pointer)
        #expect(Array(UnsafeRawBufferPointer(start: base, count: count)) == file)
    }

    @Test func aProgressiveLoadOfAMovingPictureOfTheHostIsCachedWithItsFrames() throws {
        let coder = try LampCoder().makeCoder()
        let file = LampCoder.file(width: 10, height: 8, frames: 3)
        let loader = ScriptedLoader { _, sink in
            for piece in [file[..<178], file[178...]] {
                let bytes = Array(piece)
                guard sdimage_load_sink_write(sink, bytes, bytes.count, nil) == .SDIMAGE_STATUS_OK else { break }
            }
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try loader.makeLoader())
        let request = makeRequest("test://lamp")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        sdimage_request_set_progressive(request.pointer, true)
        for source in [sdimage_image_source.SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_MEMORY] {
            let result = try make(sdimage_result_unref) {
                sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
            }
            #expect(sdimage_result_source(result.pointer) == source)
            #expect(sdimage_image_frame_count(sdimage_result_image(result.pointer)) == 3)
        }
    }

    /// The frames share the limit, 40 bytes each.
    @Test func theLimitOfBytesHoldsForAllFramesOfTheHost() throws {
        let coder = try LampCoder().makeCoder()
        let options = decodeOptions { sdimage_decode_options_set_limit_bytes($0, 120) }
        let image = try picture(LampCoder.file(width: 10, height: 8, frames: 3), coder, options)
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, 2, $0, $1) }
        for each in [image, frame] {
            #expect(sdimage_image_width(each.pointer) * sdimage_image_height(each.pointer) <= 40)
        }
    }

    @Test func aScaleHoldsForImagesOfTheHost() throws {
        let coder = try LampCoder().makeCoder()
        let options = decodeOptions { sdimage_decode_options_set_scale($0, 2) }
        let still = try picture(LampCoder.file(width: 9, height: 10), coder, options)
        let moving = try picture(LampCoder.file(width: 10, height: 8, frames: 2), coder, options)
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(moving.pointer, 1, $0, $1) }
        for image in [still, moving, frame] { #expect(sdimage_image_scale(image.pointer) == 2) }
    }

    @Test func anErrorOfTheHostComesThrough() throws {
        let coder = try LampCoder().makeCoder()
        let feeding = try Feeding(coder: coder)
        let file = LampCoder.file(width: 10, height: 10)
        feeding.append(file.dropLast(1))
        var error: OpaquePointer?
        let status = sdimage_decoder_append(feeding.decoder.pointer, nil, 0, true, &error)
        #expect(status == .SDIMAGE_STATUS_TRUNCATED)
        #expect(String(cString: sdimage_error_message(error)).contains("the lamp is short"))
        sdimage_error_unref(error)
    }

    @Test func everyInstanceIsDestroyedOnce() throws {
        let lamp = LampCoder()
        do {
            let coder = try lamp.makeCoder()
            for _ in 0..<3 {
                let feeding = try Feeding(coder: coder)
                feeding.append(LampCoder.file(width: 10, height: 10))
                _ = feeding.look()
            }
        }
        #expect(lamp.opened == 3)
        #expect(lamp.waitForEnd(of: 3))
    }

    @Test func aPictureOfTheHostIsShrunkIntoItsBox() throws {
        let coder = try LampCoder().makeCoder()
        let box = decodeOptions { sdimage_decode_options_set_thumbnail_size($0, 5, 5, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        let small = try picture(LampCoder.file(width: 10, height: 8), coder, box)
        #expect(sdimage_image_width(small.pointer) == 5)
        #expect(sdimage_image_height(small.pointer) == 4)
        #expect(sdimage_image_is_thumbnail(small.pointer))
        #expect(sdimage_image_source_size(small.pointer).width == 10)
    }

    @Test func aPictureOfTheHostIsTurnedUprightUnlessItsTagIsKept() throws {
        let coder = try LampCoder().makeCoder()
        let file = LampCoder.file(width: 10, height: 8, orientation: 6)
        let upright = try picture(file, coder)
        #expect(sdimage_image_width(upright.pointer) == 8)
        #expect(sdimage_image_orientation(upright.pointer) == .SDIMAGE_ORIENTATION_UP)
        // Rotated right: the first row is the first column read from the bottom.
        let column: [UInt8] = [70, 60, 50, 40, 30, 20, 10, 0]
        #expect(row(upright, 0) == column)
        let kept = try picture(file, coder, decodeOptions { sdimage_decode_options_set_apply_orientation($0, false) })
        #expect(sdimage_image_width(kept.pointer) == 10)
        #expect(sdimage_image_orientation(kept.pointer) == .SDIMAGE_ORIENTATION_RIGHT)
    }

    @Test func aPictureOfTheHostComesInTheWantedPixelFormat() throws {
        let coder = try LampCoder().makeCoder()
        let wish = decodeOptions { sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED) }
        let wide = try picture(LampCoder.file(width: 10, height: 8), coder, wish)
        #expect(sdimage_image_pixel_format(wide.pointer) == .SDIMAGE_PIXEL_FORMAT_BGRA8_PREMULTIPLIED)
        let start: [UInt8] = [10, 10, 10, 255, 11, 11, 11, 255]
        #expect(Array(row(wide, 1).prefix(8)) == start)
    }
}

/// Host coders in the process-wide coder list, visible to other tests.
@Suite(.serialized) struct RegisteredHostCoderTests {
    private func whileRegistered(_ lamp: LampCoder = LampCoder(), _ body: () throws -> Void) throws {
        let coder = try lamp.makeCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        try body()
    }

    @Test func theHeaderOfAHostsPictureIsToldByItsOwnFunction() throws {
        try whileRegistered {
            // The header alone, without pixels to decode.
            let header = Array(LampCoder.file(width: 30, height: 20, orientation: 6, frames: 5).prefix(LampCoder.header))
            let info = try makeInfo(header)
            let (shown, stored) = (sdimage_info_size(info.pointer), sdimage_info_stored_size(info.pointer))
            #expect(shown.width == 20 && shown.height == 30 && stored.width == 30 && stored.height == 20)
            #expect(sdimage_info_orientation(info.pointer) == .SDIMAGE_ORIENTATION_RIGHT)
            #expect(sdimage_info_frame_count(info.pointer) == 5 && sdimage_info_loop_count(info.pointer) == 3)
            #expect(sdimage_info_duration_ms(info.pointer) == 350)
            #expect(sdimage_info_channel_count(info.pointer) == 1 && sdimage_info_bits_per_channel(info.pointer) == 8)
        }
    }

    @Test func oneDecodeOfAMovingHostsPictureKnowsItsFrames() throws {
        try whileRegistered {
            let file = LampCoder.file(width: 10, height: 8, orientation: 6, frames: 3)
            let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, nil, $0, $1) }
            #expect(sdimage_image_frame_count(image.pointer) == 3)
            #expect(sdimage_image_duration_ms(image.pointer) == 210)
            let last = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, 2, $0, $1) }
            #expect(sdimage_image_width(last.pointer) == 8)
            // 70 and 60 of the first column read from the bottom, plus 200 for frame 2.
            let start: [UInt8] = [14, 4]
            let pixels = try #require(sdimage_image_pixels(last.pointer))
            #expect(memcmp(pixels, start, 2) == 0)
        }
    }
}
