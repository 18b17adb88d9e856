import CSDImage
import TestSupport
import Testing

/// The decode options of an image, whichever way it was made.
@Suite struct ImageDecodeOptionsTests {
    /// The box of the thumbnail and the value "tint" in the options of an image.
    private struct Used: Equatable {
        var width: UInt32 = 0
        var height: UInt32 = 0
        var tint: Int64 = 0
    }

    private static let wanted = Used(width: 4, height: 3, tint: 7)

    private let options = decodeOptions { options in
        let values = Owned(sdimage_options_new()) { sdimage_options_unref($0) }
        sdimage_options_set_int64(values.pointer, "tint", wanted.tint)
        sdimage_decode_options_set_thumbnail_size(options, wanted.width, wanted.height, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        withExtendedLifetime(values) { sdimage_decode_options_set_options(options, values.pointer) }
    }

    private func used(_ image: OpaquePointer?) -> Used? {
        var options: OpaquePointer?
        sdimage_image_get_decode_options(image, &options)
        defer { sdimage_decode_options_unref(options) }
        guard options != nil else { return nil }
        let size = sdimage_decode_options_thumbnail_size(options)
        return Used(
            width: size.width, height: size.height,
            tint: sdimage_options_int64(sdimage_decode_options_options(options), "tint", 0))
    }

    private func used(_ image: Owned) -> Used? { withExtendedLifetime(image) { used(image.pointer) } }

    private func makeThumbnailRequest(progressive: Bool) -> Owned {
        let request = makeRequest("test://h/a.png")
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        sdimage_request_set_progressive(request.pointer, progressive)
        sdimage_request_set_wait_for_store(request.pointer, true)
        return request
    }

    @Test(arguments: [true, false]) func everySourceOfALoadTellsTheOptionsOfTheRequest(progressive: Bool) throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder)
        let manager = try makeManager(
            cache: cache, loader: try ScriptedLoader.answering(makePNG(width: 8, height: 8)).makeLoader())
        let request = makeThumbnailRequest(progressive: progressive)
        for source: sdimage_image_source in [
            .SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_MEMORY, .SDIMAGE_IMAGE_SOURCE_DISK,
        ] {
            if source == .SDIMAGE_IMAGE_SOURCE_DISK {
                #expect(
                    sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
            }
            let result = try make(sdimage_result_unref) {
                sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
            }
            withExtendedLifetime(result) {
                #expect(sdimage_result_source(result.pointer) == source)
                #expect(used(sdimage_result_image(result.pointer)) == Self.wanted)
            }
        }
    }

    @Test func anOriginalInMemoryIsFittedToTheOptionsOfTheRequest() throws {
        let folder = TemporaryDirectory()
        let manager = try makeManager(
            cache: try makeCache(in: folder), loader: try ScriptedLoader.answering(makePNG(width: 8, height: 8)).makeLoader())
        for request in [makeRequest("test://h/a.png"), makeThumbnailRequest(progressive: false)] {
            let result = try make(sdimage_result_unref) {
                sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
            }
            withExtendedLifetime(result) {
                let isThumbnail = sdimage_image_width(sdimage_result_image(result.pointer)) < 8
                #expect(used(sdimage_result_image(result.pointer)) == (isThumbnail ? Self.wanted : Used()))
            }
        }
    }

    @Test func aDecoderTellsItsOptionsForImagesAndFrames() throws {
        let file = try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF)
        let decoder = try make(sdimage_decoder_unref) { sdimage_decoder_new(options.pointer, nil, $0, $1) }
        #expect(sdimage_decoder_append(decoder.pointer, file, file.count - 10, false, nil) == .SDIMAGE_STATUS_OK)
        let part = try make(sdimage_image_unref) { sdimage_decoder_get_image(decoder.pointer, $0, $1) }
        #expect(used(part) == Self.wanted)
        let rest = Array(file.suffix(10))
        #expect(sdimage_decoder_append(decoder.pointer, rest, rest.count, true, nil) == .SDIMAGE_STATUS_END)
        let whole = try make(sdimage_image_unref) { sdimage_decoder_get_image(decoder.pointer, $0, $1) }
        #expect(used(whole) == Self.wanted)
        for index in 0..<3 as Range<UInt32> {
            let frame = try make(sdimage_image_unref) { sdimage_decoder_get_frame(decoder.pointer, index, $0, $1) }
            #expect(used(frame) == Self.wanted)
        }
    }

    @Test func theFramesOfAnAnimationTellItsOptions() throws {
        let file = try MovingPicture.bytes(3, .SDIMAGE_FORMAT_WEBP)
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        for index in 0..<3 as Range<UInt32> {
            let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, index, $0, $1) }
            #expect(used(frame) == Self.wanted)
        }
    }

    @Test func aDrawnVectorImageTellsItsOptions() throws {
        let coder = try makeVectorCoder()
        #expect(sdimage_coder_register(coder.pointer, nil) == .SDIMAGE_STATUS_OK)
        defer { sdimage_coder_unregister(coder.pointer, nil) }
        let bytes = Array("VECTOR".utf8)
        let image = try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
        let drawn = try make(sdimage_image_unref) { sdimage_image_render(image.pointer, 90, 7, $0, $1) }
        #expect(used(drawn) == Self.wanted)
    }

    @Test func anImageOfALoaderThatWasNotDecodedHasNone() throws {
        let drawn = try DrawnPicture.draw(8, 8, .SDIMAGE_PIXEL_FORMAT_RGBA8) { _, _ in [9, 8, 7, 255] }
        let loader = ScriptedLoader { _, sink in
            sdimage_load_sink_finish_with_image(sink, drawn.pointer)
            return .SDIMAGE_STATUS_OK
        }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        let request = makeThumbnailRequest(progressive: false)
        let result = try make(sdimage_result_unref) {
            sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
        }
        withExtendedLifetime((result, drawn)) {
            #expect(sdimage_image_width(sdimage_result_image(result.pointer)) == 3)
            #expect(used(sdimage_result_image(result.pointer)) == nil)
        }
    }
}
