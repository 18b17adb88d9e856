import CSDImage
import Foundation
import TestSupport
import Testing

/// Frames of images, of decoders and of host providers.
@Suite struct AnimationTests {
    private func provider(_ image: Owned) throws -> Owned {
        try make(sdimage_frame_provider_unref) { sdimage_frame_provider_new_image(image.pointer, $0, $1) }
    }

    private func bytes(_ provider: Owned) throws -> [UInt8] {
        let data = try make(sdimage_data_unref) { sdimage_frame_provider_get_data(provider.pointer, $0, $1) }
        return Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }

    static let formats: [sdimage_format] = [.SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_WEBP]

    @Test(arguments: formats)
    func theFramesOfAnImageAreThoseOfItsBytes(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(4, format, duration: 70, loops: 3)
        let image = try MovingPicture.image(file)
        let provider = try provider(image)
        #expect(sdimage_frame_provider_frame_count(provider.pointer) == 4)
        #expect(sdimage_frame_provider_loop_count(provider.pointer) == 3)
        #expect(sdimage_frame_provider_duration_ms(provider.pointer, 3) == 70)
        #expect(!sdimage_frame_provider_is_growing(provider.pointer))
        for index in [3, 0, 2, 1] as [UInt32] {
            let frame = try make(sdimage_image_unref) { sdimage_frame_provider_get_frame(provider.pointer, index, $0, $1) }
            #expect(Playing.firstByte(frame.pointer) == UInt8(index * 10 + 5))
            // A decoded still image.
            #expect(sdimage_image_frame_count(frame.pointer) == 1)
        }
        #expect(try bytes(provider) == file)
        let data = try bytes(provider)
        #expect(sdimage_sniff(data, data.count) == format && sdimage_image_format(image.pointer) == format)
    }

    /// Frames of that size are decoded ahead when a worker is idle.
    @Test(arguments: formats)
    func framesInOrderAreTheSameBesideTheWorkersOfAManager(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(12, format, side: 200)
        let manager = try makeManager(cache: nil)
        for _ in 0..<3 {
            let image = try MovingPicture.image(file)
            for index in Array(0..<12) + [7, 8, 9, 2, 11] as [UInt32] {
                let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, index, $0, $1) }
                #expect(Playing.firstByte(frame.pointer) == UInt8(index * 10 + 5))
            }
        }
        withExtendedLifetime(manager) {}
    }

    @Test func aScaleIsKept() throws {
        let file = try MovingPicture.bytes(2, .SDIMAGE_FORMAT_GIF)
        let options = decodeOptions { sdimage_decode_options_set_scale($0, 2) }
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, 1, $0, $1) }
        #expect(sdimage_image_scale(image.pointer) == 2 && sdimage_image_scale(frame.pointer) == 2)
    }

    @Test(arguments: [
        ("a@2x.gif", 2.0), ("a@1.5x.gif", 1.5), ("a@2x", 2), ("a@1.5x", 1.5), ("a.gif", 1), ("a@0.5x.gif", 1), ("a@x.gif", 1),
        ("a@2xx.gif", 1), ("a@2.x.gif", 1), ("a@-3x.gif", 1), ("a@1@3x.b.gif", 1), ("a@4x.tar@3x.gif", 3),
    ])
    func theNameOfAFileSaysItsScale(name: String, scale: Double) throws {
        let folder = TemporaryDirectory()
        let path = folder.path + "/" + name
        let file = try MovingPicture.bytes(2, .SDIMAGE_FORMAT_GIF)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(file)))
        let image = try make(sdimage_image_unref) { sdimage_decode_file(path, nil, $0, $1) }
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, 1, $0, $1) }
        #expect(sdimage_image_scale(image.pointer) == scale && sdimage_image_scale(frame.pointer) == scale)
        let options = decodeOptions { sdimage_decode_options_set_scale($0, 3) }
        let wished = try make(sdimage_image_unref) { sdimage_decode_file(path, options.pointer, $0, $1) }
        #expect(sdimage_image_scale(wished.pointer) == 3)
    }

    @Test(arguments: ["", "/"])
    func noNameIsNoFile(path: String) {
        var image: OpaquePointer?
        #expect(sdimage_decode_file(path, nil, &image, nil).rawValue < 0 && image == nil)
    }

    @Test func noBytesAreNoAnimation() {
        #expect(Outcome.whole([]).status == .SDIMAGE_STATUS_EMPTY_DATA)
    }

    @Test(arguments: ["jpeg", "webp", "gif"])
    func stillsHaveNoFramesToPlay(kind: String) throws {
        let file: [UInt8] =
            switch kind {
            case "gif": try MovingPicture.bytes(1, .SDIMAGE_FORMAT_GIF)
            case "webp": try MovingPicture.bytes(1, .SDIMAGE_FORMAT_WEBP)
            default: try Fixtures.bytes(try #require(Fixtures.pictures.first { $0.hasSuffix(".jpg") }))
            }
        let image = try MovingPicture.image(file)
        let provider = try provider(image)
        #expect(sdimage_image_frame_count(image.pointer) == 1 && !sdimage_image_is_animated(image.pointer))
        #expect(sdimage_image_loop_count(image.pointer) == 0)
        #expect(sdimage_frame_provider_frame_count(provider.pointer) == 0)
        #expect(sdimage_frame_provider_loop_count(provider.pointer) == 0)
        #expect(sdimage_frame_provider_duration_ms(provider.pointer, 0) == 0)
        var frame: OpaquePointer?
        let status = sdimage_frame_provider_get_frame(provider.pointer, 0, &frame, nil)
        #expect(status == .SDIMAGE_STATUS_INVALID_ARGUMENT && frame == nil)
        var data: OpaquePointer?
        #expect(sdimage_frame_provider_get_data(provider.pointer, &data, nil) == .SDIMAGE_STATUS_NOT_FOUND)
    }

    @Test(arguments: [3, 4, UInt32.max])
    func outsideTheFramesThereIsNothing(index: UInt32) throws {
        let provider = try provider(try MovingPicture.image(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF)))
        var frame: OpaquePointer?
        let status = sdimage_frame_provider_get_frame(provider.pointer, index, &frame, nil)
        #expect(status == .SDIMAGE_STATUS_INVALID_ARGUMENT && frame == nil)
        #expect(sdimage_frame_provider_duration_ms(provider.pointer, index) == 0)
    }

    private func encode(
        _ image: Owned, _ format: sdimage_format, _ change: (OpaquePointer?) -> Void = { _ in }
    ) throws -> [UInt8] {
        let options = Owned(sdimage_encode_options_new()) { sdimage_encode_options_unref($0) }
        change(options.pointer)
        let data = try make(sdimage_data_unref) { sdimage_encode(image.pointer, format, options.pointer, $0, $1) }
        return withExtendedLifetime((image, options, data)) {
            Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
        }
    }

    @Test(arguments: formats)
    func anAnimationInItsOwnFormatIsTheBytesItCameFrom(format: sdimage_format) throws {
        // Trailing zeros that no encoder writes: they identify the original file.
        let file = try MovingPicture.bytes(4, format) + [0, 0, 0, 0]
        let image = try MovingPicture.image(file)
        #expect(try encode(image, sdimage_image_format(image.pointer)) == file)
        #expect(try encode(image, format) { sdimage_encode_options_set_lossless($0, true) } == file)
        #expect(try encode(image, format) { sdimage_encode_options_set_quality($0, 0.9) } != file)
        #expect(try encode(image, format) { sdimage_encode_options_set_loop_count($0, 7) } != file)
        #expect(try encode(image, format) { sdimage_encode_options_set_max_pixel_size($0, 4, 4) } != file)
        let other: sdimage_format = format == .SDIMAGE_FORMAT_GIF ? .SDIMAGE_FORMAT_PNG : .SDIMAGE_FORMAT_GIF
        let translated = try MovingPicture.image(try encode(image, other))
        #expect(sdimage_image_format(translated.pointer) == other && sdimage_image_frame_count(translated.pointer) == 4)
    }

    @Test(arguments: formats) func itsFirstFrameAloneIsEncodedAgain(format: sdimage_format) throws {
        let image = try MovingPicture.image(try MovingPicture.bytes(4, format))
        let first = try MovingPicture.image(
            try encode(image, format) { sdimage_encode_options_set_first_frame_only($0, true) })
        #expect(sdimage_image_format(first.pointer) == format && sdimage_image_frame_count(first.pointer) == 1)
    }

    /// Images that lack part of their encoded bytes, or differ from them.
    @Test(arguments: formats) func aSmallerOrChangedAnimationIsEncodedAgain(format: sdimage_format) throws {
        // Trailing zeros that no encoder writes.
        let file = try MovingPicture.bytes(3, format) + [0, 0, 0, 0]
        let options = decodeOptions { sdimage_decode_options_set_thumbnail_size($0, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
        let small = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        let again = try MovingPicture.image(try encode(small, format))
        #expect(sdimage_image_width(again.pointer) == 4 && sdimage_image_frame_count(again.pointer) == 3)
        let whole = try MovingPicture.image(file)
        let turned = try make(sdimage_image_unref) { rotatedImage(whole.pointer, 90, true, $0, $1) }
        #expect(try encode(turned, format) != file)
        // With another orientation or format in its metadata, the image no longer matches its bytes.
        let told = try DrawnPicture.told(whole, orientation: .SDIMAGE_ORIENTATION_RIGHT)
        #expect(try encode(told, format) != file)
        let metadata = try make(sdimage_metadata_unref) { sdimage_image_copy_metadata(whole.pointer, $0, $1) }
        let other: sdimage_format = format == .SDIMAGE_FORMAT_GIF ? .SDIMAGE_FORMAT_PNG : .SDIMAGE_FORMAT_GIF
        sdimage_metadata_set_format(metadata.pointer, other)
        let renamed = try make(sdimage_image_unref) { sdimage_image_with_metadata(whole.pointer, metadata.pointer, $0, $1) }
        let bytes = try encode(renamed, other)
        #expect(sdimage_sniff(bytes, bytes.count) == other)
    }

    @Test(arguments: formats) func anImageThatALimitHasShrunkIsEncodedAgain(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(3, format)
        let options = decodeOptions { sdimage_decode_options_set_limit_bytes($0, 3 * 4 * 16) }
        let small = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        let again = try MovingPicture.image(try encode(small, format))
        #expect(sdimage_image_width(again.pointer) == sdimage_image_width(small.pointer))
        #expect(try encode(small, format) != file)
    }

    @Test(arguments: formats) func theFramesOfAFileShareTheLimitOfBytes(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(3, format)
        let options = decodeOptions { sdimage_decode_options_set_limit_bytes($0, 3 * 4 * 16) }
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        try withExtendedLifetime(image) { try expectShare(of: 16, image.pointer) }
    }

    @Test func theFramesOfAnImageWithoutBytesShareTheLimitOfBytes() throws {
        let moving = try HostFrames([100, 100, 100]).image()
        let loader = ScriptedLoader { _, sink in
            sdimage_load_sink_finish_with_image(sink, moving.pointer)
            return .SDIMAGE_STATUS_OK
        }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        let pixels = sdimage_image_width(moving.pointer) * sdimage_image_height(moving.pointer)
        let options = decodeOptions { sdimage_decode_options_set_limit_bytes($0, 3 * 4 * Int(pixels) / 4) }
        let request = makeRequest("test://h/a")
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        let result = try make(sdimage_result_unref) {
            sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
        }
        try withExtendedLifetime((result, moving)) {
            try expectShare(of: pixels / 4, sdimage_result_image(result.pointer))
        }
    }

    @Test func theScaleOfTheKeyHoldsForImagesWithoutBytes() throws {
        let moving = try HostFrames([100, 100]).image()
        let loader = ScriptedLoader { _, sink in
            sdimage_load_sink_finish_with_image(sink, moving.pointer)
            return .SDIMAGE_STATUS_OK
        }
        let manager = try makeManager(cache: nil, loader: try loader.makeLoader())
        let request = makeRequest("test://h/a@2x.gif")
        let result = try make(sdimage_result_unref) {
            sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1)
        }
        let image = sdimage_result_image(result.pointer)
        let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image, 1, $0, $1) }
        #expect(sdimage_image_scale(image) == 2 && sdimage_image_scale(frame.pointer) == 2)
        withExtendedLifetime((result, moving)) {}
    }

    /// Expects frames of at most `pixels` pixels.
    private func expectShare(of pixels: UInt32, _ image: OpaquePointer?) throws {
        let count = sdimage_image_frame_count(image)
        #expect(count == 3)
        for index in 0..<count {
            let frame = try make(sdimage_image_unref) { sdimage_image_get_frame(image, index, $0, $1) }
            #expect(sdimage_image_width(frame.pointer) * sdimage_image_height(frame.pointer) <= pixels)
        }
    }

    @Test(arguments: formats) func theSmallestFrameIsOnePixel(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(3, format)
        let options = decodeOptions { sdimage_decode_options_set_limit_bytes($0, 1) }
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        try withExtendedLifetime(image) { try expectShare(of: 1, image.pointer) }
    }

    @Test func aFlatImageStaysWithinTheLimitOfBytes() throws {
        let file = makePNG(width: 1000, height: 1)
        let options = decodeOptions { sdimage_decode_options_set_limit_bytes($0, 40) }
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        #expect(sdimage_image_width(image.pointer) == 10 && sdimage_image_height(image.pointer) == 1)
    }

    @Test func withoutAFormatAlphaDecides() throws {
        let opaque = try DrawnPicture.draw(4, 4, .SDIMAGE_PIXEL_FORMAT_RGB8) { _, _ in [9, 8, 7] }
        let clear = try DrawnPicture.draw(4, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8) { _, _ in [9, 8, 7, 128] }
        for (drawn, format) in [(opaque, sdimage_format.SDIMAGE_FORMAT_JPEG), (clear, .SDIMAGE_FORMAT_PNG)] {
            let bytes = try encode(drawn, .SDIMAGE_FORMAT_UNKNOWN)
            #expect(sdimage_sniff(bytes, bytes.count) == format)
        }
    }

    @Test func preloadedFramesAreHeldAndCounted() throws {
        let frames = HostFrames([100, 100, 100])
        let image = try frames.image()
        let cost = sdimage_image_memory_cost(image.pointer)
        #expect(!sdimage_image_has_all_frames(image.pointer))
        #expect(sdimage_image_preload_frames(image.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_image_has_all_frames(image.pointer) && sdimage_image_memory_cost(image.pointer) == 3 * cost)
        let made = frames.made.count
        for index in 0..<3 as Range<UInt32> {
            _ = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, index, $0, $1) }
        }
        #expect(frames.made.count == made)
        sdimage_image_unload_frames(image.pointer)
        #expect(!sdimage_image_has_all_frames(image.pointer) && sdimage_image_memory_cost(image.pointer) == cost)
        _ = try make(sdimage_image_unref) { sdimage_image_get_frame(image.pointer, 2, $0, $1) }
        #expect(frames.made.count == made + 1)
    }

    @Test func preloadingAStillDoesNothing() throws {
        let image = try MovingPicture.image(makePNG(width: 2, height: 2))
        #expect(sdimage_image_preload_frames(image.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(!sdimage_image_has_all_frames(image.pointer))
    }

    @Test func aFrameThatCannotBeMadeFailsPreloading() throws {
        let frames = HostFrames([100, 100, 100])
        frames.broken = [1]
        let image = try frames.image()
        #expect(sdimage_image_preload_frames(image.pointer, nil) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(!sdimage_image_has_all_frames(image.pointer))
    }

    @Test func anAnimationStoredWithoutBytesIsStoredAsTheBytesItCameFrom() throws {
        let file = try MovingPicture.bytes(3, .SDIMAGE_FORMAT_WEBP)
        let image = try MovingPicture.image(file)
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let key = "moving"
        #expect(
            sdimage_cache_store(cache.pointer, key, -1, image.pointer, nil, .SDIMAGE_CACHE_LAYERS_ALL, nil, nil)
                == .SDIMAGE_STATUS_OK)
        let data = try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, key, -1, $0, $1) }
        let stored = UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        #expect(Array(stored) == file)
    }

    // MARK: Frames of the host

    @Test func aTableNeedsACountAndFrames() {
        var table = sdimage_frame_provider_vtable()
        table.size = MemoryLayout<sdimage_frame_provider_vtable>.size
        var provider: OpaquePointer?
        let status = sdimage_frame_provider_new_custom(&table, nil, nil, &provider, nil)
        #expect(status == .SDIMAGE_STATUS_INVALID_ARGUMENT && provider == nil)
    }

    @Test func whatATableLacksHasADefault() throws {
        var table = sdimage_frame_provider_vtable()
        table.size = MemoryLayout<sdimage_frame_provider_vtable>.size
        table.frame_count = { _ in 2 }
        table.frame = { _, _, image, _ in
            sdimage_image_new(1, 1, 4, .SDIMAGE_PIXEL_FORMAT_RGBA8, [1, 2, 3, 4], image, nil)
        }
        let provider = try make(sdimage_frame_provider_unref) {
            sdimage_frame_provider_new_custom(&table, nil, nil, $0, $1)
        }
        #expect(sdimage_frame_provider_duration_ms(provider.pointer, 1) == 100)
        #expect(sdimage_frame_provider_loop_count(provider.pointer) == 0)
        #expect(!sdimage_frame_provider_is_growing(provider.pointer))
        let image = try make(sdimage_image_unref) { sdimage_image_new_provider(provider.pointer, $0, $1) }
        #expect(sdimage_image_frame_count(image.pointer) == 2 && sdimage_image_duration_ms(image.pointer) == 200)
        let encoded = try make(sdimage_data_unref) { sdimage_encode(image.pointer, .SDIMAGE_FORMAT_GIF, nil, $0, $1) }
        #expect(sdimage_data_length(encoded.pointer) > 0)
    }
}
