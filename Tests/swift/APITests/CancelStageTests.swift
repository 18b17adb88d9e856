import CSDImage
import Foundation
import TestSupport
import Testing

/// Cancelling a load in each of its stages: one FINAL with CANCELLED, and all started work is released.
@Suite struct CancelStageTests {
    private let picture = makePNG(width: 6, height: 4)

    /// Cancels twice, and expects exactly one FINAL with CANCELLED.
    private func expectCancelled(_ listener: Listener, _ task: Owned) {
        sdimage_task_cancel(task.pointer)
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(listener.waitForDestroy())
        #expect(listener.results.map(\.status) == [.SDIMAGE_STATUS_CANCELLED])
        #expect(listener.finals.first?.width == 0)
    }

    // During the cache query.
    @Test func inTheQuery() throws {
        let cache = HeldCache()
        let manager = try makeManager(cache: try cache.makeCache(), loader: try ScriptedLoader.answering(picture).makeLoader())
        let listener = Listener()
        let task = try listener.load(manager, makeRequest("test://a"))
        let reply = try #require(cache.query())
        expectCancelled(listener, task)
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
        sdimage_reply_complete(reply)
        sdimage_reply_unref(reply)
    }

    @Test func theTimeUntilTheCancellationIsReported() throws {
        let held = HeldLoader()
        let listener = Listener(), total = Locked<UInt64>(0)
        listener.onResult = { _, result in total.set(sdimage_result_time_ns(result, .SDIMAGE_STAGE_TOTAL)) }
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let task = try listener.load(manager, makeRequest("test://a"))
        usleep(3000)
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(listener.waitForDestroy())
        #expect(total.get() >= 3_000_000)
    }

    // During a query that the calling thread waits for.
    @Test(arguments: [false, true]) func inABlockingQuery(isClosing: Bool) throws {
        let cache = HeldCache()
        let manager = try makeManager(cache: try cache.makeCache(), loader: try ScriptedLoader.answering(picture).makeLoader())
        let hasReturned = Locked(false)
        Thread.detachNewThread {
            let request = makeRequest("test://a")
            sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_DISK)
            sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_CACHE_ONLY)
            _ = try? Listener().load(manager, request)
            hasReturned.set(true)
        }
        let reply = try #require(cache.query())
        if isClosing { sdimage_manager_close(manager.pointer, 60_000, nil) } else { sdimage_manager_cancel_all(manager.pointer) }
        sdimage_reply_complete(reply)
        sdimage_reply_unref(reply)
        #expect(hasReturned.wait { $0 })
    }

    // In the callback for the cached image of a refresh, which precedes its start: later transfers do not wait for it.
    @Test func inTheDeliveryOfTheCachedImage() throws {
        let held = HeldLoader()
        let cache = try makeCache(in: nil), immediate = try immediateDispatcher(), image = try makeImage(width: 6)
        let manager = try makePatientManager(cache: cache, loader: try held.makeLoader())
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://a", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        let request = makeRequest("test://a")
        sdimage_request_set_freshness(request.pointer, .SDIMAGE_FRESHNESS_REFRESH)
        sdimage_request_set_dispatcher(request.pointer, immediate.pointer)
        let listener = Listener(), later = Listener()
        listener.onResult = { task, result in
            if sdimage_result_kind(result) == .SDIMAGE_DELIVERY_KIND_CACHED { sdimage_task_cancel(task) }
        }
        _ = try listener.load(manager, request)
        #expect(listener.results.map(\.status) == [.SDIMAGE_STATUS_OK, .SDIMAGE_STATUS_CANCELLED])
        _ = try later.load(manager, makeRequest("test://b"))
        #expect(held.answer(picture))
        #expect(later.final()?.width == 6)
        #expect(held.startCount == 1)
    }

    // During the download; the loader is notified.
    @Test func inTheLoader() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listener = Listener()
        let task = try listener.load(manager, makeRequest("test://a"))
        let sink = held.next()
        expectCancelled(listener, task)
        #expect(held.waitForCancel())
        // Data that arrives after the cancellation is ignored.
        _ = sdimage_load_sink_write(sink, picture, picture.count, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(listener.results.count == 1)
    }

    // During decoding in a coder.
    @Test func inTheDecoder() throws {
        let gate = Gate()
        let coder = try gate.makeCoder()
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        let listener = Listener()
        let task = try listener.load(manager, request)
        #expect(gate.waitForEntry())
        expectCancelled(listener, task)
        gate.open()
        // A store of the cancelled load would come before the end of this one.
        let later = Listener(), second = makeRequest("test://b")
        sdimage_request_set_coder(second.pointer, coder.pointer)
        _ = try later.load(manager, second)
        #expect(later.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_contains(cache.pointer, "test://b", -1) == .SDIMAGE_CACHE_LAYERS_MEMORY)
        #expect(sdimage_cache_contains(cache.pointer, "test://a", -1) == .SDIMAGE_CACHE_LAYERS_NONE)
    }

    // During the transform: the result is CANCELLED (2002), without an image.
    @Test func inTheTransformer() throws {
        let gate = Gate()
        var table = sdimage_transformer_vtable()
        table.size = MemoryLayout<sdimage_transformer_vtable>.size
        table.transform = { userData, image, _, _, result, _ in
            Gate.of(userData).pass()
            result?.pointee = sdimage_image_ref(image)
            return .SDIMAGE_STATUS_OK
        }
        let transformer = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_custom("held", &table, gate.retained(), Gate.release, $0, $1)
        }
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_transformer(request.pointer, transformer.pointer)
        let listener = Listener()
        let task = try listener.load(manager, request)
        #expect(gate.waitForEntry())
        expectCancelled(listener, task)
        gate.open()
    }

    // During the wait for the store; the submitted entry is stored.
    @Test func inTheStore() throws {
        let cache = HeldCache()
        let manager = try makeManager(cache: try cache.makeCache(), loader: try ScriptedLoader.answering(picture).makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_wait_for_store(request.pointer, true)
        let listener = Listener()
        let task = try listener.load(manager, request)
        let query = try #require(cache.query())
        sdimage_reply_complete(query)
        sdimage_reply_unref(query)
        let store = try #require(cache.store())
        expectCancelled(listener, task)
        #expect(cache.stored == [picture])
        sdimage_reply_complete(store)
        sdimage_reply_unref(store)
    }

    // No partial image follows the cancellation.
    @Test func betweenPartsOfThePicture() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let request = makeRequest("test://a")
        sdimage_request_set_progressive(request.pointer, true)
        sdimage_request_set_progressive_interval_ms(request.pointer, 1)
        let bytes = makePNG(width: 200, height: 200)
        let listener = Listener()
        let task = try listener.load(manager, request)
        let sink = held.next()
        #expect(sdimage_load_sink_write(sink, bytes, 60_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listener.part() != nil)
        sdimage_task_cancel(task.pointer)
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
        _ = sdimage_load_sink_write(sink, Array(bytes.dropFirst(60_000)), bytes.count - 60_000, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(listener.waitForDestroy())
        #expect(listener.results.last?.kind == .SDIMAGE_DELIVERY_KIND_FINAL)
    }

    // A load runs until its last callback was delivered, through transform and store.
    @Test func aLoadRunsUntilItsEnd() throws {
        let cache = HeldCache()
        let manager = try makeManager(cache: try cache.makeCache(), loader: try ScriptedLoader.answering(picture).makeLoader())
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
        let request = makeRequest("test://a")
        sdimage_request_set_wait_for_store(request.pointer, true)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(sdimage_manager_running_count(manager.pointer) == 1)
        for next in [cache.query, cache.store] {
            let reply = try #require(next())
            #expect(sdimage_manager_running_count(manager.pointer) == 1)
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        #expect(listener.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
    }

    @Test func cancellingAllEndsEveryLoad() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listeners = (0..<50).map { _ in Listener() }
        let tasks = try listeners.enumerated().map { try $1.load(manager, makeRequest("test://\($0)")) }
        sdimage_manager_cancel_all(manager.pointer)
        #expect(listeners.allSatisfy { $0.final()?.status == .SDIMAGE_STATUS_CANCELLED })
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
        // The manager stays usable.
        let later = Listener()
        _ = try later.load(manager, makeRequest("test://later"))
        #expect(Locked(0).wait { _ in held.answer(picture, within: 0.1) || later.finals.count == 1 })
        withExtendedLifetime(tasks) {}
    }

    // Releasing a task does not cancel its load. Releasing the manager ends its loads with SHUTDOWN.
    @Test func releasingATaskCancelsNothingAndAManagerAll() throws {
        let held = HeldLoader()
        var manager: Owned? = try makeManager(cache: nil, loader: try held.makeLoader())
        let first = Listener(), second = Listener()
        do { _ = try first.load(try #require(manager), makeRequest("test://a")) }
        #expect(held.answer(picture))
        #expect(first.final()?.width == 6)
        _ = try second.load(try #require(manager), makeRequest("test://b"))
        manager = nil
        #expect(second.final()?.status == .SDIMAGE_STATUS_SHUTDOWN)
    }
}

/// Blocks a function of the host until the test opens it.
final class Gate: @unchecked Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    static func of(_ pointer: UnsafeMutableRawPointer?) -> Gate { Unmanaged.fromOpaque(pointer!).takeUnretainedValue() }
    static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { Unmanaged<Gate>.fromOpaque($0!).release() }

    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    func pass() {
        entered.signal()
        _ = opened.wait(timeout: .now() + 600)
        opened.signal()
    }

    func waitForEntry() -> Bool { entered.wait(timeout: .now() + 600) == .success }
    func open() { opened.signal() }

    /// A coder for any bytes whose decodes pass the gate; its images have one pixel.
    func makeCoder() throws -> Owned {
        var table = sdimage_coder_vtable()
        table.size = MemoryLayout<sdimage_coder_vtable>.size
        table.can_decode = { _, _, _ in true }
        table.decode = { userData, _, _, _, image, error in
            Gate.of(userData).pass()
            return sdimage_image_new(1, 1, 1, .SDIMAGE_PIXEL_FORMAT_GRAY8, [7], image, error)
        }
        return try make(sdimage_coder_unref) {
            sdimage_coder_new_custom("held", &table, retained(), Gate.release, $0, $1)
        }
    }
}

/// A host cache whose replies the test completes.
final class HeldCache: @unchecked Sendable {
    private let queries = Locked<[OpaquePointer]>([])
    private let stores = Locked<[OpaquePointer]>([])
    private let bytes = Locked<[[UInt8]]>([])

    var stored: [[UInt8]] { bytes.get() }

    /// The reply to the next query, owned by the caller; nil when no query arrives.
    func query() -> OpaquePointer? { next(queries) }
    func store() -> OpaquePointer? { next(stores) }

    private func next(_ replies: Locked<[OpaquePointer]>) -> OpaquePointer? {
        guard replies.wait(until: { !$0.isEmpty }) else { return nil }
        defer { replies.change { $0.removeFirst() } }
        return replies.get().first
    }

    func makeCache() throws -> Owned {
        var table = sdimage_cache_vtable()
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        table.query = { userData, _, _, _, reply in
            Unmanaged<HeldCache>.fromOpaque(userData!).takeUnretainedValue().queries.change { $0.append(reply!) }
        }
        table.store = { userData, _, _, data, _, reply in
            let mine = Unmanaged<HeldCache>.fromOpaque(userData!).takeUnretainedValue()
            let bytes = Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data)))
            mine.bytes.change { $0.append(bytes) }
            mine.stores.change { $0.append(reply!) }
        }
        table.remove = { _, _, _, _, reply in
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_cache_unref) { cache, error in
            sdimage_cache_new_custom(&table, userData, { Unmanaged<HeldCache>.fromOpaque($0!).release() }, cache, error)
        }
    }
}
