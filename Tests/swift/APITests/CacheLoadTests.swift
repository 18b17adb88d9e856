import CSDImage
import Foundation
import TestSupport
import Testing

/// A load from one cache with a request: its result, and delivery inside or after the starting call.
@Suite struct CacheLoadTests {
    private let folder = TemporaryDirectory()

    private func storedPicture(inMemory: Bool) throws -> Owned {
        let cache = try makeCache(in: folder.path)
        let bytes = makePNG(width: 6, height: 3)
        let data = try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
        #expect(sdimage_cache_store_data(cache.pointer, "a key", -1, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        if inMemory { _ = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "a key", -1, nil, $0, $1) } }
        return cache
    }

    /// Starts a load without callbacks, and returns it with the result present when the starting call returned.
    private func look(_ cache: Owned, _ request: Owned) throws -> (task: Owned, early: Delivered?) {
        let task = try make(sdimage_task_unref) {
            sdimage_cache_load(cache.pointer, request.pointer, nil, nil, nil, $0, $1)
        }
        return (task, delivered(task))
    }

    private func delivered(_ task: Owned) -> Delivered? {
        var result: OpaquePointer?
        sdimage_task_get_result(task.pointer, &result)
        defer { sdimage_result_unref(result) }
        return result.map { Delivered($0) }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let includesData: Bool
        let reads: sdimage_blocking_reads
        let inMemory: Bool
        /// "none", "early" or "late".
        let bytes: String
        var testDescription: String { "wants \(includesData), reads \(reads.rawValue), in memory \(inMemory)" }
    }

    // Requests with and without data.
    @Test(arguments: [
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_NONE, inMemory: true, bytes: "none"),
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_MEMORY_DATA, inMemory: true, bytes: "none"),
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_DISK, inMemory: true, bytes: "none"),
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_ALL, inMemory: true, bytes: "none"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_NONE, inMemory: true, bytes: "late"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_MEMORY_DATA, inMemory: true, bytes: "early"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_DISK, inMemory: true, bytes: "late"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_ALL, inMemory: true, bytes: "early"),
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_NONE, inMemory: false, bytes: "late"),
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_MEMORY_DATA, inMemory: false, bytes: "late"),
        Row(includesData: false, reads: .SDIMAGE_BLOCKING_READS_DISK, inMemory: false, bytes: "early"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_MEMORY_DATA, inMemory: false, bytes: "late"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_DISK, inMemory: false, bytes: "early"),
        Row(includesData: true, reads: .SDIMAGE_BLOCKING_READS_ALL, inMemory: false, bytes: "early"),
    ])
    func bytesComeWhenTheTableSays(row: Row) throws {
        let cache = try storedPicture(inMemory: row.inMemory)
        let request = makeRequest("a key")
        sdimage_request_set_include_data(request.pointer, row.includesData)
        sdimage_request_set_blocking_reads(request.pointer, row.reads)
        let (task, early) = try look(cache, request)
        // A fast disk read may be complete already: only the rows with "early" require the bytes here.
        if row.bytes == "early" { #expect(early?.hasData == true) }
        if row.bytes == "none" { #expect(early?.width == 6) }
        #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        let final = try #require(delivered(task))
        #expect(final.width == 6)
        #expect(final.status == .SDIMAGE_STATUS_OK)
        #expect(final.hasData == (row.bytes != "none"))
        #expect(final.source == (row.inMemory ? .SDIMAGE_IMAGE_SOURCE_MEMORY : .SDIMAGE_IMAGE_SOURCE_DISK))
    }

    @Test(arguments: [[], [0xFF], Array("a".utf8) + [0xC3]]) func anImpossibleCacheKeyFailsTheLoad(key: [UInt8]) throws {
        let loader = ScriptedLoader.answering(makePNG(width: 8, height: 8))
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try loader.makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_cache_key(request.pointer, key, key.count)
        var result: OpaquePointer?
        #expect(
            sdimage_manager_load_sync(manager.pointer, request.pointer, &result, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        sdimage_result_unref(result)
    }

    @Test func aMissHasNeitherImageNorErrorAndAsksNoLoader() throws {
        let cache = try makeCache(in: folder.path)
        let request = makeRequest("no URL at all")
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_ALL)
        let (_, early) = try look(cache, request)
        #expect(early?.status == .SDIMAGE_STATUS_OK)
        #expect(early?.width == 0)
        #expect(early?.source == .SDIMAGE_IMAGE_SOURCE_NONE)
    }

    @Test func whatAManagerFindsNearbyIsDeliveredBeforeTheLoadReturns() throws {
        let cache = try storedPicture(inMemory: false)
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let manager = try makeManager(cache: cache, dispatcher: immediate)
        let request = makeRequest("https://h/a.png")
        sdimage_request_set_cache_key(request.pointer, "a key", -1)
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_DISK)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.finals.first?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
        #expect(listener.finals.first?.thread == UInt(pthread_self()))
    }

    @Test func aLoadThatGoesOnToALoaderIsNotWaitedFor() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: try makeCache(in: folder.path), loader: try held.makeLoader())
        let request = makeRequest("test://a.png")
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_ALL)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.finals.isEmpty)
        #expect(held.answer(makePNG(width: 2, height: 2)))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
    }

    // No cache to look up and a loader that responds at once: the fast path, which must not block at its end.
    @Test func nothingIsWaitedForWhereNoCacheIs() throws {
        let server = LoopbackServer { _, connection in connection.answer(404) }
        defer { server.stop() }
        let manager = try makeManager(cache: nil)
        let request = makeRequest(server.url("/a.png"))
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_ALL)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.final()?.httpStatus == 404)
    }

    @Test func onAThreadOfTheLibraryNothingIsWaitedForAndAllComes() throws {
        let cache = try storedPicture(inMemory: false)
        let manager = try makeManager(cache: cache)
        let inner = Listener()
        let outer = Listener()
        let request = makeRequest("https://h/a.png")
        sdimage_request_set_cache_key(request.pointer, "a key", -1)
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_ALL)
        setQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_DISK)
        outer.onResult = { _, _ in _ = try? inner.load(manager, request) }
        _ = try outer.load(manager, request)
        #expect(inner.final()?.source == .SDIMAGE_IMAGE_SOURCE_DISK)
    }

    @Test func extendedDataComesBackWithThePicture() throws {
        let cache = try storedPicture(inMemory: false)
        let note = try make(sdimage_data_unref) { sdimage_data_new("note", 4, $0, $1) }
        #expect(sdimage_cache_set_extended_data(cache.pointer, "a key", -1, note.pointer, nil) == .SDIMAGE_STATUS_OK)
        let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "a key", -1, nil, $0, $1) }
        #expect(sdimage_data_length(sdimage_image_extended_data(image.pointer)) == 4)
    }

    /// The number of entries on disk, after all encodes and stores.
    private func entries(_ cache: Owned) -> UInt64 {
        var count: UInt64 = 0
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_get_disk_totals(cache.pointer, nil, &count, nil) == .SDIMAGE_STATUS_OK)
        return count
    }

    @Test(arguments: [true, false]) func aQueryStoresItsThumbnailInMemoryOnly(_ originalInMemory: Bool) throws {
        let cache = try storedPicture(inMemory: originalInMemory)
        let request = makeRequest("a key")
        sdimage_request_set_thumbnail_size(request.pointer, 2, 2, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        sdimage_request_set_wait_for_store(request.pointer, true)
        setOriginalQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_ALL)
        let (task, _) = try look(cache, request)
        #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(delivered(task)?.width == 2)
        #expect(entries(cache) == 1)
        let (again, _) = try look(cache, request)
        #expect(sdimage_task_wait(again.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(delivered(again)?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
    }

    // sdimage_cache_get_image, and the placeholder of a target.
    @Test func otherQueriesStoreNothingOnDiskEither() throws {
        let cache = try storedPicture(inMemory: false)
        let options = sdimage_decode_options_new()
        defer { sdimage_decode_options_unref(options) }
        sdimage_decode_options_set_thumbnail_size(options, 2, 2, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let image = try make(sdimage_image_unref) { sdimage_cache_get_image(cache.pointer, "a key", -1, options, $0, $1) }
        #expect(sdimage_image_width(image.pointer) == 2)
        #expect(entries(cache) == 1)
        #expect(sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY, nil) == .SDIMAGE_STATUS_OK)
        let held = HeldLoader(), widget = Widget()
        let target = try widget.makeTarget(
            try makeManager(cache: cache, loader: try held.makeLoader()), dispatcher: try immediateDispatcher())
        let request = makeRequest("test://h/a.png")
        sdimage_request_set_cache_key(request.pointer, "a key", -1)
        sdimage_request_set_thumbnail_size(request.pointer, 2, 2, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        sdimage_request_set_wait_for_store(request.pointer, true)
        let placeholder = targetOptions {
            sdimage_target_options_set_cached_placeholder($0, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY_AND_DISK)
        }
        try widget.load(target, request, placeholder)
        #expect(widget.shown == ["placeholder 2"])
        #expect(entries(cache) == 1)
    }
}
