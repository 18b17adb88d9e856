import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct ManagerTests {
    @Test func aLoadGoesFromLoaderToDiskToMemory() throws {
        let folder = TemporaryDirectory()
        let held = HeldLoader()
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let request = makeRequest("test://pictures/a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)

        let first = Listener()
        let task = try first.load(manager, request)
        #expect(held.answer(makePNG(width: 40, height: 20)))
        #expect(first.final()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(sdimage_task_is_finished(task.pointer))

        let second = Listener()
        _ = try second.load(manager, request)
        #expect(second.final()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)

        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let third = Listener()
        _ = try third.load(manager, request)
        #expect(third.final()?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(third.final()?.hasData == true)
        #expect(held.startCount == 1)
    }

    @Test func equalLoadsShareOneTransferAndOneIsToldToEach() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        let listeners = (0..<100).map { _ in Listener() }
        let tasks = try listeners.map { try $0.load(manager, makeRequest("test://same.png")) }
        // The last 50, not the first: cancelling all waiters that have joined so far would end the transfer, and the next load
        // would start another.
        for task in tasks.suffix(50) { sdimage_task_cancel(task.pointer) }
        #expect(held.answer(makePNG(width: 8, height: 8)))
        for (index, listener) in listeners.enumerated() {
            let final = listener.final()
            #expect(final?.status == (index < 50 ? .SDIMAGE_STATUS_OK : .SDIMAGE_STATUS_CANCELLED))
        }
        #expect(held.startCount == 1)
        #expect(listeners.allSatisfy { $0.finals.count == 1 })
    }

    @Test func theTransferEndsWhenTheLastOneLeaves() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listeners = [Listener(), Listener()]
        let tasks = try listeners.map { try $0.load(manager, makeRequest("test://same.png")) }
        let sink = held.next()
        // Loads start in order: when this one reaches the loader, both earlier loads have joined their transfer.
        let later = Listener()
        _ = try later.load(manager, makeRequest("test://later.png"))
        sdimage_load_sink_unref(held.next())
        #expect(later.final()?.status == .SDIMAGE_STATUS_INTERNAL_ERROR)
        sdimage_task_cancel(tasks[0].pointer)
        #expect(held.cancelCount == 0)
        sdimage_task_cancel(tasks[1].pointer)
        #expect(held.waitForCancel())
        #expect(sdimage_load_sink_is_cancelled(sink))
        sdimage_load_sink_unref(sink)
        #expect(listeners.allSatisfy { $0.final()?.status == .SDIMAGE_STATUS_CANCELLED })
    }

    @Test(arguments: [false, true]) func aLoaderIsDestroyedAfterTheSinkThatItKeeps(isFinished: Bool) throws {
        let held = HeldLoader(), other = HeldLoader()
        var manager: Owned? = try makeManager(cache: nil, loader: try held.makeLoader())
        let listener = Listener()
        let task = try listener.load(try #require(manager), makeRequest("test://a.png"))
        let sink = held.next()
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        manager = nil
        // Destructors run in order: an earlier one would have run, too.
        _ = try other.makeLoader()
        #expect(other.waitForDestroy())
        #expect(held.destroyCount == 0)
        // A sink that was finished keeps nothing: the loader itself may hold it.
        if isFinished { sdimage_load_sink_finish(sink, nil) } else { sdimage_load_sink_unref(sink) }
        #expect(held.waitForDestroy())
        if isFinished { sdimage_load_sink_unref(sink) }
    }

    @Test func differentThumbnailSizesShareTheTransfer() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        let listeners = (10..<20).map { _ in Listener() }
        var tasks: [Owned] = []
        for (index, listener) in listeners.enumerated() {
            let request = makeRequest("test://thumb.png")
            sdimage_request_set_thumbnail_size(request.pointer, UInt32(10 + index), 100, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            tasks.append(try listener.load(manager, request))
        }
        try held.answerOne(makePNG(width: 50, height: 40), manager)
        for (index, listener) in listeners.enumerated() { #expect(listener.final()?.width == UInt32(10 + index)) }
        #expect(held.startCount == 2)
    }

    @Test func otherPixelsHaveAnotherKey() throws {
        let manager = try makeManager(cache: nil)
        let request = makeRequest("http://foo/image.png")
        #expect(try cacheKey(manager, request) == "http://foo/image.png")
        sdimage_request_set_thumbnail_size(request.pointer, 100, 100, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        #expect(try cacheKey(manager, request) == "http://foo/image-Thumbnail(%7B100.000000,100.000000%7D,1).png")
        sdimage_request_set_thumbnail_size(request.pointer, 0, 0, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        #expect(try cacheKey(manager, request) == "http://foo/image.png")
        let options = sdimage_decode_options_new()
        defer { sdimage_decode_options_unref(options) }
        sdimage_decode_options_set_pixel_format(options, .SDIMAGE_PIXEL_FORMAT_RGBA8)
        sdimage_request_set_decode_options(request.pointer, options)
        #expect(try cacheKey(manager, request) != "http://foo/image.png")
    }

    @Test func aPictureWithoutBytesIsFittedIntoWhatWasAskedFor() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        let request = makeRequest("test://picture.png")
        sdimage_request_set_thumbnail_size(request.pointer, 10, 10, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let listener = Listener()
        _ = try listener.load(manager, request)
        let pixels = [UInt8](repeating: 9, count: 40 * 20)
        let image = try make(sdimage_image_unref) {
            sdimage_image_new(40, 20, 40, .SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, $0, $1)
        }
        let sink = held.next()
        sdimage_load_sink_finish_with_image(sink, image.pointer)
        sdimage_load_sink_unref(sink)
        #expect(listener.final()?.width == 10)
        #expect(listener.final()?.hasData == false)
    }

    @Test func cacheOnlyFindsNothingWithoutAnError() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
        let request = makeRequest("test://a.png")
        sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
        let listener = Listener()
        _ = try listener.load(manager, request)
        let final = listener.final()
        #expect(final?.status == .SDIMAGE_STATUS_OK)
        #expect(final?.width == 0)
        #expect(held.startCount == 0)
    }

    @Test func undecodableBytesFailOnceAndAreNotKept() throws {
        let folder = TemporaryDirectory()
        let held = HeldLoader()
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let request = makeRequest("test://html")
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(held.answer(Array("<html>not a picture</html>".utf8)))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(sdimage_cache_contains(cache.pointer, "test://html", -1) == .SDIMAGE_CACHE_LAYERS_NONE)

        let again = Listener()
        _ = try again.load(manager, request)
        #expect(again.final()?.status == .SDIMAGE_STATUS_FAILED_URL)

        sdimage_request_set_retry_failed(request.pointer, true)
        let retried = Listener()
        _ = try retried.load(manager, request)
        #expect(held.answer(makePNG(width: 4, height: 4)))
        #expect(retried.final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func aPoisonedDiskEntryHealsItself() throws {
        let folder = TemporaryDirectory()
        let held = HeldLoader()
        let cache = try makeCache(in: folder.path)
        let manager = try makeManager(cache: cache, loader: try held.makeLoader())
        let junk = try make(sdimage_data_unref) { sdimage_data_new("garbage", 7, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "test://a.png", -1, junk.pointer, nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest("test://a.png")
        sdimage_request_set_wait_for_store(request.pointer, true)
        let listener = Listener()
        _ = try listener.load(manager, request)
        let picture = makePNG(width: 4, height: 4)
        #expect(held.answer(picture))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        let kept = try make(sdimage_data_unref) { sdimage_cache_get_data(cache.pointer, "test://a.png", -1, $0, $1) }
        #expect(sdimage_data_length(kept.pointer) == picture.count)
    }

    @Test func whatOneRequestsCoderCannotReadStaysInTheCache() throws {
        let folder = TemporaryDirectory()
        let cache = try makeCache(in: folder.path)
        let picture = makePNG(width: 4, height: 4)
        let data = try make(sdimage_data_unref) { sdimage_data_new(picture, picture.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "test://a.png", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in true }
        table.decode = { _, _, _, _, _, _ in .SDIMAGE_STATUS_BAD_DATA }
        let coder = try make(sdimage_coder_unref) { sdimage_coder_new_custom("fussy", &table, nil, nil, $0, $1) }
        let manager = try makeManager(cache: cache)
        let request = makeRequest("test://a.png")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_BAD_DATA)
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "test://a.png", -1) == .SDIMAGE_CACHE_LAYERS_DISK)
    }

    @Test func badURLsAreDeliveredAsErrors() throws {
        let manager = try makeManager(cache: nil)
        let expected: [(String, sdimage_status)] = [
            ("", .SDIMAGE_STATUS_INVALID_URL), ("no scheme", .SDIMAGE_STATUS_INVALID_URL),
            ("ftp://host/a.png", .SDIMAGE_STATUS_SCHEME_FORBIDDEN), ("gopher://host/a", .SDIMAGE_STATUS_SCHEME_FORBIDDEN),
            ("file:///nonexistent/a.png", .SDIMAGE_STATUS_NOT_FOUND), ("file:///etc", .SDIMAGE_STATUS_NOT_A_FILE),
        ]
        for (url, status) in expected {
            let listener = Listener()
            _ = try listener.load(manager, makeRequest(url))
            #expect(listener.final()?.status == status, "\(url)")
        }
    }

    @Test func aPathInPlaceOfAURLLacksAScheme() throws {
        let manager = try makeManager(cache: nil), request = makeRequest("cat.jpg")
        var result: OpaquePointer?
        var error: OpaquePointer?
        let status = sdimage_manager_load_sync(manager.pointer, request.pointer, &result, &error)
        sdimage_result_unref(result)
        #expect(CallFailure(status, error).message == "url: no scheme, such as https or file")
    }

    @Test func closingEndsRunningLoadsWithShutdown() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listeners = (0..<1000).map { _ in Listener() }
        let tasks = try listeners.enumerated().map { try $1.load(manager, makeRequest("test://\($0)")) }
        #expect(sdimage_manager_running_count(manager.pointer) == 1000)
        #expect(sdimage_manager_close(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listeners.allSatisfy { $0.finals.map(\.status) == [.SDIMAGE_STATUS_SHUTDOWN] })
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
        #expect(throws: CallFailure.self) { _ = try Listener().load(manager, makeRequest("test://late")) }
        #expect(sdimage_manager_close(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        withExtendedLifetime(tasks) {}
    }

    @Test func destroyComesOnceAlsoWhenTheLoadIsRefused() throws {
        let manager = try makeManager(cache: nil)
        #expect(sdimage_manager_close(manager.pointer, 0, nil) == .SDIMAGE_STATUS_OK)
        let listener = Listener()
        #expect(throws: CallFailure.self) { _ = try listener.load(manager, makeRequest("test://a")) }
        #expect(listener.waitForDestroy())
        #expect(listener.destroyCount == 1)
        #expect(listener.results.isEmpty)
    }

    @Test func pixelsOutliveTheCacheAndTheManager() throws {
        var image: Owned?
        do {
            let held = HeldLoader()
            let manager = try makeManager(cache: try makeCache(in: nil), loader: try held.makeLoader())
            let listener = Listener()
            let task = try listener.load(manager, makeRequest("test://a.png"))
            #expect(held.answer(makePNG(width: 3, height: 2, red: 1, green: 2, blue: 3)))
            #expect(listener.final() != nil)
            var result: OpaquePointer?
            sdimage_task_get_result(task.pointer, &result)
            image = Owned(sdimage_image_ref(sdimage_result_image(result))) { sdimage_image_unref($0) }
            sdimage_result_unref(result)
        }
        let pixels = sdimage_image_pixels(image?.pointer)?.assumingMemoryBound(to: UInt8.self)
        #expect(pixels?[0] == 1 && pixels?[1] == 2 && pixels?[2] == 3)
    }
}

/// Images found in memory, in one call.
@Suite struct FindTests {
    private func find(_ manager: Owned, _ request: Owned) throws -> Owned? {
        var result: OpaquePointer?
        var error: OpaquePointer?
        let status = sdimage_manager_find(manager.pointer, request.pointer, &result, &error)
        guard status == .SDIMAGE_STATUS_OK else { throw CallFailure(status, error) }
        return result.map { Owned($0) { sdimage_result_unref($0) } }
    }

    @Test func onlyWhatIsInMemoryIsFoundAndItIsWhatALoadGives() throws {
        let manager = try makeManager(
            cache: try makeCache(in: nil), loader: try ScriptedLoader.answering(makePNG(width: 9, height: 5)).makeLoader())
        let request = makeRequest("https://user:secret@example.com/a.png")
        #expect(try find(manager, request) == nil)
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.final()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        let found = try #require(try find(manager, request))
        #expect(sdimage_result_source(found.pointer) == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(sdimage_result_kind(found.pointer) == .SDIMAGE_DELIVERY_KIND_FINAL)
        #expect(sdimage_image_width(sdimage_result_image(found.pointer)) == 9)
        #expect(!String(cString: sdimage_result_url(found.pointer)).contains("secret"))
        // A thumbnail is another image, and a request for data needs the bytes as well.
        sdimage_request_set_thumbnail_size(request.pointer, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        #expect(try find(manager, request) == nil)
        let withData = makeRequest("https://user:secret@example.com/a.png")
        sdimage_request_set_include_data(withData.pointer, true)
        #expect(try find(manager, withData) == nil)
        sdimage_request_set_source_policy(withData.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        #expect(try find(manager, withData) == nil)
    }

    @Test func aPictureThatMustBeAskedForIsNotFoundAndAClosedManagerSaysSo() throws {
        let manager = try makeManager(
            cache: try makeCache(in: nil), loader: try ScriptedLoader.answering(makePNG(width: 9, height: 5)).makeLoader())
        let request = makeRequest("test://a")
        let listener = Listener()
        _ = try listener.load(manager, request)
        _ = listener.final()
        sdimage_request_set_freshness(request.pointer, .SDIMAGE_FRESHNESS_RESPECT)
        #expect(try find(manager, request) == nil)
        #expect(sdimage_manager_close(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect { try find(manager, request) } throws: { ($0 as? CallFailure)?.status == .SDIMAGE_STATUS_SHUTDOWN }
    }
}
