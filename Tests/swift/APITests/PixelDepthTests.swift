import CSDImage
import TestSupport
import Testing

/// The depth of decoded pixels: 8 bits by default, that of the file on request.
@Suite struct PixelDepthTests {
    private static let deepSamples: [UInt16] = [0x12FF, 0x8000, 0xFFFF, 0, 0x3412, 0x00FF]

    /// A PNG of two pixels with 16 bits a channel.
    private func deepPNG() throws -> [UInt8] {
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(2, 1, 12, .SDIMAGE_PIXEL_FORMAT_RGB16, PixelDepthTests.deepSamples, $0, $1)
        }
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, nil, $0, $1) }
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    private func decode(_ bytes: [UInt8], _ format: sdimage_pixel_format? = nil) throws -> Owned {
        let options = decodeOptions { if let format { sdimage_decode_options_set_pixel_format($0, format) } }
        return try make(sdimage_image_unref) { sdimage_decode(bytes, bytes.count, options.pointer, $0, $1) }
    }

    private func bytes(of image: Owned) -> [UInt8] {
        let format = sdimage_image_pixel_format(image.pointer)
        let count = Int(sdimage_image_width(image.pointer)) * sdimage_pixel_format_bytes(format)
        return Array(UnsafeRawBufferPointer(start: sdimage_image_pixels(image.pointer), count: count))
    }

    @Test func aDeepFileHasEightBitsByDefault() throws {
        let image = try decode(try deepPNG())
        #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8)
        #expect(bytes(of: image) == [0x12, 0x80, 0xFF, 0, 0x34, 0])
        let automatic = try decode(try deepPNG(), .SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
        #expect(Seen(automatic.pointer) == Seen(image.pointer))
    }

    @Test func nativePixelsKeepTheDepthOfTheFile() throws {
        let image = try decode(try deepPNG(), .SDIMAGE_PIXEL_FORMAT_NATIVE)
        #expect(sdimage_image_pixel_format(image.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB16)
        let samples = PixelDepthTests.deepSamples.flatMap { (sample: UInt16) -> [UInt8] in
            [UInt8(sample & 255), UInt8(sample >> 8)]
        }
        #expect(bytes(of: image) == samples)
        let shallow = try decode(makePNG(width: 4, height: 3), .SDIMAGE_PIXEL_FORMAT_NATIVE)
        #expect(sdimage_image_pixel_format(shallow.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB8)
    }

    @Test func optionsReturnTheNativeFormat() {
        let options = decodeOptions()
        for format in [
            sdimage_pixel_format.SDIMAGE_PIXEL_FORMAT_NATIVE, .SDIMAGE_PIXEL_FORMAT_RGB16, .SDIMAGE_PIXEL_FORMAT_AUTOMATIC,
        ] {
            sdimage_decode_options_set_pixel_format(options.pointer, format)
            #expect(sdimage_decode_options_pixel_format(options.pointer) == format)
        }
    }

    @Test func nativeIsNoLayoutOfPixels() {
        #expect(String(cString: sdimage_pixel_format_name(.SDIMAGE_PIXEL_FORMAT_NATIVE)) == "native")
        #expect(sdimage_pixel_format_bytes(.SDIMAGE_PIXEL_FORMAT_NATIVE) == 0)
        var image: OpaquePointer?
        #expect(
            sdimage_image_new(2, 1, 12, .SDIMAGE_PIXEL_FORMAT_NATIVE, PixelDepthTests.deepSamples, &image, nil)
                == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }

    @Test func aLimitOfBytesHoldsForNativePixels() throws {
        let samples = [UInt16](repeating: 500, count: 64 * 64 * 3)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(64, 64, 64 * 6, .SDIMAGE_PIXEL_FORMAT_RGB16, samples, $0, $1)
        }
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_PNG, nil, $0, $1) }
        let options = decodeOptions {
            sdimage_decode_options_set_pixel_format($0, .SDIMAGE_PIXEL_FORMAT_NATIVE)
            sdimage_decode_options_set_limit_bytes($0, 8192)
        }
        let small = try make(sdimage_image_unref) {
            sdimage_decode(sdimage_data_bytes(data.pointer), sdimage_data_length(data.pointer), options.pointer, $0, $1)
        }
        #expect(sdimage_image_width(small.pointer) * sdimage_image_height(small.pointer) * 8 <= 8192)
        #expect(sdimage_image_pixel_format(small.pointer) == .SDIMAGE_PIXEL_FORMAT_RGB16)
    }

    @Test(arguments: [false, true]) func loadsKeepDefaultAndNativePixelsApart(isThumbnail: Bool) throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder)
        let loader = try ScriptedLoader.answering(try deepPNG()).makeLoader()
        let manager = try makeManager(cache: cache, loader: loader)
        for clearsMemory in [false, true] {
            for isNative in [false, true, false] {
                #expect(
                    try load(manager, isNative: isNative, isThumbnail: isThumbnail)
                        == (isNative ? .SDIMAGE_PIXEL_FORMAT_RGB16 : .SDIMAGE_PIXEL_FORMAT_RGB8))
                if clearsMemory { _ = sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) }
            }
        }
    }

    /// The pixel format of a loaded image.
    private func load(_ manager: Owned, isNative: Bool, isThumbnail: Bool) throws -> sdimage_pixel_format {
        let request = makeRequest("test://h/deep.png")
        let options = decodeOptions {
            sdimage_decode_options_set_pixel_format(
                $0, isNative ? .SDIMAGE_PIXEL_FORMAT_NATIVE : .SDIMAGE_PIXEL_FORMAT_AUTOMATIC)
            if isThumbnail { sdimage_decode_options_set_thumbnail_size($0, 1, 1, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        }
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        sdimage_request_set_wait_for_store(request.pointer, true)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        return sdimage_image_pixel_format(sdimage_result_image(result.pointer))
    }
}
