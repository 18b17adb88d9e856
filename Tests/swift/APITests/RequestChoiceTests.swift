import CSDImage
import Foundation
import TestSupport
import Testing

/// Request options not covered by other suites; each test fails if its option has no effect.
@Suite struct RequestChoiceTests {
    private let folder = TemporaryDirectory()
    private let picture = makePNG(width: 6, height: 4)

    private func result(_ manager: Owned, _ request: Owned) throws -> Owned {
        try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
    }

    private func image(_ result: Owned) -> OpaquePointer? { sdimage_result_image(result.pointer) }

    /// The result of a function of the loaded image; the load's result stays alive until then.
    private func valueOfImage<R>(_ manager: Owned, _ request: Owned, _ question: (OpaquePointer?) -> R) throws -> R {
        let loaded = try result(manager, request)
        return withExtendedLifetime(loaded) { question(image(loaded)) }
    }

    /// A manager whose loader responds with an animation of `frames` frames, and a request for it.
    private func lamp(frames: UInt8, cache: Owned? = nil) throws -> (manager: Owned, request: Owned, coder: Owned) {
        let loader = try ScriptedLoader.answering(LampCoder.file(width: 5, height: 3, frames: frames)).makeLoader()
        let coder = try LampCoder().makeCoder()
        let request = makeRequest("test://h/a.lamp")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        return (try makeManager(cache: cache, loader: loader), request, coder)
    }

    // SDWebImage option bit 22, WaitStoreCache: the load ends after both stores; without it, once they are submitted.
    @Test(arguments: [true, false]) func theEndComesAfterTheStoreWhereThatIsWished(waits: Bool) throws {
        let cache = HeldCache()
        let manager = try makeManager(cache: try cache.makeCache(), loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_wait_for_store(request.pointer, waits)
        let listener = Listener()
        _ = try listener.load(manager, request)
        for next in [cache.query, cache.store] {
            let reply = try #require(next())
            // While the store is pending, a load that waits has no final result, and one that does not wait has one.
            if cache.stored.count == 1 { #expect((listener.final(within: waits ? 0.05 : 120) == nil) == waits) }
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        #expect(listener.final()?.width == 6)
    }

    // SDWebImage option bit 21, MatchAnimatedImageClass: an error, and in memory a miss.
    @Test func whereOnlyAnAnimationWillDoAStillIsAnError() throws {
        let still = try lamp(frames: 1, cache: try makeCache(in: nil)), moving = try lamp(frames: 3)
        #expect(try valueOfImage(still.manager, still.request, sdimage_image_width) == 5)
        for (manager, request, _) in [still, moving] {
            sdimage_request_set_require_animation(request.pointer, true)
            let listener = Listener()
            _ = try listener.load(manager, request)
            let final = listener.final()
            #expect(
                final?.status == (manager.pointer == still.manager.pointer ? .SDIMAGE_STATUS_UNSUPPORTED : .SDIMAGE_STATUS_OK))
        }
        // The URL stays usable for other requests.
        sdimage_request_set_require_animation(still.request.pointer, false)
        #expect(try valueOfImage(still.manager, still.request, sdimage_image_width) == 5)
    }

    // SDWebImage option bit 20, PreloadAllFrames: every frame is decoded.
    @Test(arguments: [true, false]) func allFramesAreAtHandWhereThatIsWished(preloads: Bool) throws {
        let (manager, request, coder) = try lamp(frames: 4)
        sdimage_request_set_preload_frames(request.pointer, preloads)
        let loaded = try result(manager, request)
        let moving = image(loaded)
        #expect(sdimage_image_frame_count(moving) == 4 && sdimage_image_loop_count(moving) == 3)
        #expect(sdimage_image_memory_cost(moving) == (preloads ? 4 : 1) * 64 * 3)
        let last = try make(sdimage_image_unref) { sdimage_image_get_frame(moving, 3, $0, $1) }
        let again = try make(sdimage_image_unref) { sdimage_image_get_frame(moving, 3, $0, $1) }
        #expect((sdimage_image_pixels(last.pointer) == sdimage_image_pixels(again.pointer)) == preloads)
        #expect(sdimage_image_pixels(last.pointer)?.load(as: UInt8.self) == UInt8(truncatingIfNeeded: 300))
        withExtendedLifetime((loaded, coder)) {}
    }

    // SDWebImage option bit 20: the decoded frames stay within the bitmap limit.
    @Test func framesThatWouldTakeTooMuchAreMadeWhenNeeded() throws {
        let (manager, request, coder) = try lamp(frames: 4)
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_max_bytes(options.pointer, 64 * 3 * 3)
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        sdimage_request_set_preload_frames(request.pointer, true)
        let loaded = try result(manager, request)
        #expect(sdimage_image_frame_count(image(loaded)) == 4)
        #expect(sdimage_image_memory_cost(image(loaded)) == 64 * 3)
        withExtendedLifetime((loaded, coder)) {}
    }

    // SDWebImage option bit 20: decoded frames do not replace the bytes that they came from.
    @Test func preloadedFramesKeepTheEncodedBytes() throws {
        let file = try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF)
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(file).makeLoader())
        let request = makeRequest("test://h/a.gif")
        sdimage_request_set_preload_frames(request.pointer, true)
        let loaded = try result(manager, request)
        let encoded = try make(sdimage_data_unref) {
            sdimage_encode(image(loaded), .SDIMAGE_FORMAT_GIF, nil, $0, $1)
        }
        let bytes = UnsafeRawBufferPointer(
            start: sdimage_data_bytes(encoded.pointer), count: sdimage_data_length(encoded.pointer))
        #expect(Array(bytes) == file)
        withExtendedLifetime((loaded, encoded)) {}
    }

    struct Scale: Sendable, CustomTestStringConvertible {
        let url: String
        let scale: Double
        var testDescription: String { url }
    }

    // SDWebImage context key `imageScaleFactor`
    @Test(arguments: [
        Scale(url: "test://h/a@2x.png", scale: 2), Scale(url: "test://h/a@3x.png", scale: 3),
        Scale(url: "test://h/b@2x.d/a.png", scale: 2), Scale(url: "test://h/a%402x.png", scale: 1),
        Scale(url: "test://h/a@2x", scale: 1), Scale(url: "t:a@2x.", scale: 1), Scale(url: "test://h/a@4x.png", scale: 1),
    ]) func theKeyTellsTheScale(row: Scale) throws {
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest(row.url)
        #expect(try valueOfImage(manager, request, sdimage_image_scale) == row.scale)
    }

    // The escaped sign is recognized only in keys that are http or https URLs.
    @Test func theKeyOfAWebPictureTellsItsScaleEscapedToo() throws {
        let server = LoopbackServer { [picture] _, connection in connection.answer(body: picture) }
        defer { server.stop() }
        let manager = try makeManager(cache: nil)
        for (path, scale) in [("/a%402x.png", 2.0), ("/a%403x.png", 3)] {
            #expect(try valueOfImage(manager, makeRequest(server.url(path)), sdimage_image_scale) == scale)
        }
    }

    // SDWebImage context key `imageScaleFactor`: the request's scale takes precedence; values below 1 are ignored.
    @Test func theRequestsScaleComesBeforeTheKeys() throws {
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest("test://h/a@2x.png")
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        for (wished, expected) in [(1.5, 1.5), (1, 1), (0.5, 2), (0, 2)] {
            sdimage_decode_options_set_scale(options.pointer, wished)
            sdimage_request_set_decode_options(request.pointer, options.pointer)
            #expect(try valueOfImage(manager, request, sdimage_image_scale) == expected)
        }
    }

    // Direct cache look-ups use the scale, too.
    @Test func aPictureOfACacheHasTheScaleOfItsKey() throws {
        let cache = try makeCache(in: folder.path)
        let data = try make(sdimage_data_unref) { sdimage_data_new(picture, picture.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "picture@3x.png", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        let found = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "picture@3x.png", -1, nil, $0, $1) }
        #expect(sdimage_image_scale(found.pointer) == 3)
    }

    // SDWebImage context key `imageDecodeToHDR`
    @Test func lightInPlaceOfColorsIsAWishForAPixelFormat() throws {
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest("test://a")
        let options = Owned(sdimage_decode_options_new()) { sdimage_decode_options_unref($0) }
        sdimage_decode_options_set_pixel_format(options.pointer, .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
        sdimage_request_set_decode_options(request.pointer, options.pointer)
        #expect(try valueOfImage(manager, request, sdimage_image_pixel_format) == .SDIMAGE_PIXEL_FORMAT_RGBA_FLOAT)
    }

    // SDWebImage option bits 11 and 18, context keys `imageScaleDownLimitBytes` and `imageForceDecodePolicy`: set for all loads
    // by a processor.
    @Test func aProcessorMakesChoicesForAllLoads() throws {
        let hooks = HostLoadHooks()
        hooks.process = { request in
            let options = sdimage_decode_options_new()
            sdimage_decode_options_set_limit_bytes(options, 64)
            sdimage_decode_options_set_apply_orientation(options, false)
            sdimage_request_set_decode_options(request, options)
            sdimage_decode_options_unref(options)
        }
        let coder = try LampCoder().makeCoder()
        let loader = try ScriptedLoader.answering(LampCoder.file(width: 40, height: 30, orientation: 6)).makeLoader()
        let manager = try hooks.makeManager(loader: loader)
        let request = makeRequest("test://a.lamp")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        let loaded = try result(manager, request)
        #expect(sdimage_image_orientation(image(loaded)) == .SDIMAGE_ORIENTATION_RIGHT)
        #expect(sdimage_image_width(image(loaded)) < 40)
        withExtendedLifetime(loaded) {}
    }

    // SDWebImage option bit 23, TransformVectorImage
    @Test(arguments: [true, false]) func aPictureOfShapesIsTransformedWhereThatIsWished(isWished: Bool) throws {
        let coder = try makeVectorCoder()
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(Array("VECTOR".utf8)).makeLoader())
        let transformer = try CountingTransformer(width: 5).makeTransformer(key: "five")
        let request = makeRequest("test://a.vect")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        sdimage_request_set_transformer(request.pointer, transformer.pointer)
        sdimage_request_set_transform_vector(request.pointer, isWished)
        let loaded = try result(manager, request)
        #expect(sdimage_image_width(image(loaded)) == (isWished ? 5 : 20))
        #expect(sdimage_image_is_transformed(image(loaded)) == isWished)
        withExtendedLifetime(loaded) {}
    }

    // Host caches receive the options, too.
    @Test func optionsReachCachesOfTheHost() throws {
        var table = sdimage_cache_vtable()
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        table.query = { userData, _, _, options, reply in
            let seen = Unmanaged<Locked<[String]>>.fromOpaque(userData!).takeUnretainedValue()
            seen.change { $0.append("query \(sdimage_options_int64(options, "n", -1))") }
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        table.store = { userData, _, _, _, options, reply in
            let seen = Unmanaged<Locked<[String]>>.fromOpaque(userData!).takeUnretainedValue()
            seen.change { $0.append("store \(sdimage_options_int64(options, "n", -1))") }
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        table.remove = { _, _, _, _, reply in sdimage_reply_unref(reply) }
        let seen = Locked<[String]>([])
        let userData = Unmanaged.passUnretained(seen).toOpaque()
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new_custom(&table, userData, nil, $0, $1) }
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        let options = Owned(sdimage_options_new()) { sdimage_options_unref($0) }
        sdimage_options_set_int64(options.pointer, "n", 9)
        for bag in [options, nil] {
            #expect(
                try load(manager, "test://a") {
                    sdimage_request_set_wait_for_store($0, true)
                    sdimage_request_set_options($0, bag?.pointer)
                }.width == 6)
        }
        #expect(seen.get() == ["query 9", "store 9", "query -1", "store -1"])
    }

    // With memory caching off, every repeated load is found on disk.
    @Test func withoutAMemoryPartEveryLoadIsADiskHit() throws {
        let config = sdimage_cache_config_new()
        defer { sdimage_cache_config_unref(config) }
        sdimage_cache_config_set_directory(config, folder.path)
        sdimage_cache_config_set_keep_in_memory(config, false)
        let cache = try make(sdimage_cache_unref) { sdimage_cache_new(config, $0, $1) }
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        let sources = try (0..<3).map { _ in try load(manager, "test://a") { sdimage_request_set_wait_for_store($0, true) }.source
        }
        #expect(sources == [.SDIMAGE_IMAGE_SOURCE_LOADER, .SDIMAGE_IMAGE_SOURCE_DISK, .SDIMAGE_IMAGE_SOURCE_DISK])
    }
}
