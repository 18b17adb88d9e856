import CSDImage
import Foundation
import TestSupport
import Testing

/// Load hooks of a host.
@Suite struct LoadHooksTests {
    private let folder = TemporaryDirectory()
    private let picture = makePNG(width: 6, height: 4)

    private func answering(_ bytes: [UInt8]? = nil) throws -> Owned {
        try ScriptedLoader.answering(bytes ?? picture).makeLoader()
    }

    private func waiting(_ request: OpaquePointer) { sdimage_request_set_wait_for_store(request, true) }

    // MARK: Keys

    // Keys of scheme, host and path only.
    @Test func aKeyFilterNamesWhatCachesKeep() throws {
        let hooks = HostLoadHooks()
        hooks.cacheKey = { String($0.prefix { $0 != "?" }) }
        let held = HeldLoader()
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try held.makeLoader())
        let request = makeRequest("test://h/a.png?token=1")
        sdimage_request_set_thumbnail_size(request.pointer, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        #expect(try cacheKey(manager, request) == "test://h/a-Thumbnail(%7B3.000000,3.000000%7D,1).png")
        let first = Listener()
        _ = try first.load(manager, makeRequest("test://h/a.png?token=1"))
        #expect(held.answer(picture))
        #expect(first.final()?.width == 6)
        // Another token finds the same image; the download uses the unchanged URL.
        #expect(try load(manager, "test://h/a.png?token=2").source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(diskBytes(cache, "test://h/a.png") == picture)
        #expect(held.startCount == 1)
    }

    // The request's own key and its own filter take precedence over the manager's.
    @Test func theRequestsKeyComesBeforeTheFilters() throws {
        let general = HostLoadHooks(), own = HostLoadHooks()
        general.cacheKey = { _ in "general" }
        own.cacheKey = { _ in "own" }
        let manager = try general.makeManager()
        let request = makeRequest("test://h/a.png")
        #expect(try cacheKey(manager, request) == "general")
        let hooks = try own.make()
        sdimage_request_set_load_hooks(request.pointer, hooks.pointer)
        #expect(try cacheKey(manager, request) == "own")
        sdimage_request_set_cache_key(request.pointer, "mine", 4)
        #expect(try cacheKey(manager, request) == "mine")
        sdimage_request_set_load_hooks(request.pointer, nil)
        sdimage_request_set_cache_key(request.pointer, nil, 0)
        #expect(try cacheKey(manager, request) == "general")
    }

    // The cache is neither queried nor filled.
    @Test func aLoadWithoutAKeyIsLoadedAndCachedNowhere() throws {
        let hooks = HostLoadHooks()
        hooks.cacheKey = { $0.hasSuffix("private") ? nil : $0 }
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try answering())
        for _ in 0..<2 {
            #expect(try load(manager, "test://private", waiting).source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        }
        #expect(try load(manager, "test://public", waiting).source == .SDIMAGE_IMAGE_SOURCE_LOADER)
        #expect(try load(manager, "test://public", waiting).source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(sdimage_cache_contains(cache.pointer, "test://private", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
        #expect(sdimage_cache_contains(cache.pointer, "test://public", -1) == .SDIMAGE_CACHE_LAYERS_ALL)
    }

    // MARK: The processor

    // Called for every load, also without a URL; the request it leaves is loaded.
    @Test func aProcessorChangesWhatIsAskedFor() throws {
        let hooks = HostLoadHooks()
        hooks.process = { request in
            let url = String(cString: sdimage_request_url(request, nil))
            if url.hasSuffix("small") { sdimage_request_set_thumbnail_size(request, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
            if url.hasSuffix("cached") { sdimage_request_set_source_policy(request, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY) }
            if url.hasSuffix("elsewhere") { sdimage_request_set_url(request, "test://there", -1) }
        }
        let manager = try hooks.makeManager(cache: try makeCache(in: nil), loader: try answering())
        #expect(try load(manager, "test://small").width == 3)
        #expect(try load(manager, "test://plain").width == 6)
        #expect(try load(manager, "test://cached").width == 0)
        let request = makeRequest("test://elsewhere")
        #expect(try cacheKey(manager, request) == "test://there")
        #expect(try load(manager, "").status == .SDIMAGE_STATUS_INVALID_URL)
        #expect(hooks.calls.get().count == 5)
        // The processor received a copy.
        #expect(String(cString: sdimage_request_url(request.pointer, nil)) == "test://elsewhere")
    }

    // The processor sees the request with the manager's defaults filled in.
    @Test func aTransformerThatAProcessorAddsComesAfterTheManagers() throws {
        let transformers = try [5, 8].map { try CountingTransformer(width: $0).makeTransformer(key: "by\($0)") }
        let hooks = HostLoadHooks()
        hooks.process = { sdimage_request_add_transformer($0, transformers[1].pointer) }
        let manager = try hooks.makeManager(loader: try answering(), transformer: transformers[0])
        #expect(try cacheKey(manager, makeRequest("test://h/a.png")) == "test://h/a-by5-by8.png")
        #expect(try load(manager, "test://h/a.png").width == 8)
    }

    // The check for failed URLs uses the processed request.
    @Test func aProcessorMayHaveFailedURLsTriedAgain() throws {
        let hooks = HostLoadHooks()
        let retries = Locked(false)
        hooks.process = { sdimage_request_set_retry_failed($0, retries.get()) }
        let manager = try hooks.makeManager(loader: try answering(Array("no picture".utf8)))
        #expect(try load(manager, "test://a").status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
        #expect(try load(manager, "test://a").status == .SDIMAGE_STATUS_FAILED_URL)
        retries.set(true)
        #expect(try load(manager, "test://a").status == .SDIMAGE_STATUS_NOT_AN_IMAGE)
    }

    // One option changes, the others stay.
    @Test func aProcessorChangesOneOfTheDecodeOptions() throws {
        let hooks = HostLoadHooks()
        hooks.process = { request in
            var options: OpaquePointer?
            sdimage_request_copy_decode_options(request, &options)
            sdimage_decode_options_set_scale(options, 3)
            sdimage_request_set_decode_options(request, options)
            sdimage_decode_options_unref(options)
        }
        let manager = try hooks.makeManager(loader: try answering())
        let request = makeRequest("test://a")
        sdimage_request_set_thumbnail_size(request.pointer, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let result = try make(sdimage_result_unref) { sdimage_manager_load_sync(manager.pointer, request.pointer, $0, $1) }
        #expect(sdimage_image_width(sdimage_result_image(result.pointer)) == 3)
        #expect(sdimage_image_scale(sdimage_result_image(result.pointer)) == 3)
    }

    @Test func whatAProcessorMakesIsCheckedLikeAnyRequest() throws {
        let hooks = HostLoadHooks()
        hooks.process = { request in
            let bad: [UInt8] = [0xFF, 0xFE]
            bad.withUnsafeBytes { sdimage_request_set_url(request, $0.baseAddress?.assumingMemoryBound(to: CChar.self), 2) }
        }
        let manager = try hooks.makeManager(loader: try answering())
        let listener = Listener()
        #expect(throws: CallFailure.self) { _ = try listener.load(manager, makeRequest("test://a")) }
        #expect(listener.waitForDestroy())
    }

    // MARK: The serializer

    // The bytes it returns for an original are stored on disk and read back.
    @Test func aSerializerChoosesTheBytesOfAnOriginal() throws {
        let hooks = HostLoadHooks()
        let other = makePNG(width: 2, height: 2)
        hooks.serialize = { [picture] image, data in
            #expect(sdimage_image_width(image) == 6 && data == picture)
            return other
        }
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try answering())
        #expect(try load(manager, "test://a", waiting).width == 6)
        #expect(diskBytes(cache, "test://a") == other)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        #expect(try load(manager, "test://a").width == 2)
        #expect(hooks.calls.get() == ["serialize original"])
    }

    // A thumbnail has no encoded data; its original is stored on disk unchanged.
    @Test func aSerializerSeesWhatIsMadeToo() throws {
        let hooks = HostLoadHooks()
        let other = makePNG(width: 2, height: 2)
        hooks.serialize = { _, data in data == nil ? other : nil }
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try answering())
        #expect(
            try load(manager, "test://h/a.png") {
                waiting($0)
                sdimage_request_set_thumbnail_size($0, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
            }.width == 3)
        #expect(diskBytes(cache, "test://h/a.png") == picture)
        #expect(diskBytes(cache, "test://h/a-Thumbnail(%7B3.000000,3.000000%7D,1).png") == other)
        #expect(hooks.calls.get() == ["serialize made", "serialize original"])
    }

    @Test func whereASerializerSaysNothingThePictureIsEncoded() throws {
        let hooks = HostLoadHooks()
        hooks.serialize = { _, _ in nil }
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try answering())
        #expect(try load(manager, "test://a", waiting).width == 6)
        let kept = try #require(diskBytes(cache, "test://a"))
        #expect(kept != picture)
        #expect(sdimage_sniff(kept, kept.count) == .SDIMAGE_FORMAT_PNG)
    }

    // Called only for store layers that include the disk.
    @Test func aSerializerIsNotAskedWhereTheDiskKeepsNothing() throws {
        let hooks = HostLoadHooks()
        hooks.serialize = { _, data in data }
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try answering())
        _ = try load(manager, "test://a") { setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_MEMORY) }
        _ = try load(manager, "test://b") { setStoreLayers($0, .SDIMAGE_CACHE_LAYERS_NONE) }
        #expect(hooks.calls.get().isEmpty)
    }

    @Test func aSerializerWorksAfterItsLoadIsDelivered() throws {
        let hooks = HostLoadHooks()
        let gate = DispatchSemaphore(value: 0)
        hooks.serialize = { _, data in
            gate.wait()
            return data
        }
        let cache = try makeCache(in: folder.path)
        let manager = try hooks.makeManager(cache: cache, loader: try answering())
        #expect(try load(manager, "test://a").status == .SDIMAGE_STATUS_OK)
        gate.signal()
        #expect(Locked(0).wait { _ in diskBytes(cache, "test://a") == picture })
    }

    // MARK: Loading and failing

    @Test func aHostRefusesToLoadAndWhatIsCachedIsFound() throws {
        let hooks = HostLoadHooks()
        let allows = Locked(true)
        hooks.shouldLoad = { _ in allows.get() }
        let manager = try hooks.makeManager(cache: try makeCache(in: nil), loader: try answering())
        #expect(try load(manager, "test://a").width == 6)
        allows.set(false)
        #expect(try load(manager, "test://a").width == 6)
        let refused = try load(manager, "test://b")
        #expect(refused.status == .SDIMAGE_STATUS_OK && refused.width == 0)
        #expect(refused.source == .SDIMAGE_IMAGE_SOURCE_NONE)
    }

    // The hook's decision overrides the loader's, in both directions.
    @Test func aHostJudgesFailures() throws {
        let server = LoopbackServer { request, connection in connection.answer(request.target == "/gone" ? 404 : 500) }
        defer { server.stop() }
        let hooks = HostLoadHooks()
        hooks.shouldRemember = { url, status in
            #expect(status == .SDIMAGE_STATUS_HTTP_STATUS)
            return url.hasSuffix("broken")
        }
        let manager = try hooks.makeManager()
        let once: (OpaquePointer) -> Void = { sdimage_request_set_max_retries($0, 0) }
        for path in ["/gone", "/broken"] {
            #expect(try load(manager, server.url(path), once).status == .SDIMAGE_STATUS_HTTP_STATUS)
        }
        #expect(try load(manager, server.url("/gone"), once).httpStatus == 404)
        #expect(try load(manager, server.url("/broken"), once).status == .SDIMAGE_STATUS_FAILED_URL)
        #expect(hooks.calls.get().count == 3)
    }

    // CANCELLED (2002) is never remembered.
    @Test func aCancelledLoadIsNotJudged() throws {
        let hooks = HostLoadHooks()
        hooks.shouldRemember = { _, _ in true }
        let held = HeldLoader()
        let manager = try hooks.makeManager(loader: try held.makeLoader())
        let listener = Listener()
        let task = try listener.load(manager, makeRequest("test://a"))
        let sink = held.next()
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(held.waitForCancel())
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        let again = Listener()
        _ = try again.load(manager, makeRequest("test://a"))
        #expect(held.answer(picture))
        #expect(again.final()?.width == 6)
        #expect(hooks.calls.get().isEmpty)
    }

    // Hooks missing in the request's table are called in the manager's.
    @Test func theRequestsHooksComeBeforeTheManagers() throws {
        let general = HostLoadHooks(), own = HostLoadHooks()
        general.shouldLoad = { _ in false }
        general.process = { _ in }
        own.shouldLoad = { _ in true }
        own.process = { sdimage_request_set_source_policy($0, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY) }
        let manager = try general.makeManager(loader: try answering())
        let hooks = try own.make()
        #expect(try load(manager, "test://a") { sdimage_request_set_load_hooks($0, hooks.pointer) }.width == 6)
        #expect(general.calls.get() == ["process"] && own.calls.get() == ["should load"])
    }

    @Test func theOptionsOfARequestReachItsHooks() throws {
        let seen = Locked<[Int64]>([])
        var table = sdimage_load_hooks_vtable()
        table.size = MemoryLayout<sdimage_load_hooks_vtable>.size
        table.should_load = { userData, request in
            let seen = Unmanaged<Locked<[Int64]>>.fromOpaque(userData!).takeUnretainedValue()
            seen.change { $0.append(sdimage_options_int64(sdimage_request_options(request), "n", -1)) }
            return false
        }
        let userData = Unmanaged.passUnretained(seen).toOpaque()
        let hooks = try make(sdimage_load_hooks_unref) { sdimage_load_hooks_new_custom(&table, userData, nil, $0, $1) }
        let options = Owned(sdimage_options_new()) { sdimage_options_unref($0) }
        sdimage_options_set_int64(options.pointer, "n", 7)
        let manager = try makeManager(cache: nil, loader: try answering())
        _ = try load(manager, "test://a") {
            sdimage_request_set_options($0, options.pointer)
            sdimage_request_set_load_hooks($0, hooks.pointer)
        }
        #expect(seen.get() == [7])
    }

    @Test func hooksAreDestroyedOnceWithTheirLastUser() throws {
        let hooks = HostLoadHooks()
        hooks.shouldLoad = { _ in true }
        do {
            let manager = try hooks.makeManager(loader: try answering())
            #expect(try load(manager, "test://a").width == 6)
            #expect(hooks.destroyed.get() == 0)
        }
        #expect(hooks.destroyed.wait { $0 == 1 })
    }
}
