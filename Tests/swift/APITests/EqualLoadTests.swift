import CSDImage
import Foundation
import SDImage
import TestSupport
import Testing

private let hasTwoWorkers = ProcessInfo.processInfo.activeProcessorCount > 1

/// Loads that are requested at the same time: what they share, and the order of their transfers.
@Suite struct EqualLoadTests {
    private let key = "test://host/a.png"
    private let picture = makePNG(width: 6, height: 4)

    @Test func equalLoadsAskTheDiskAndTheLoaderOnce() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<10 {
            let cache = QueriedCache()
            let held = HeldLoader()
            let manager = try makeManager(cache: try cache.makeCache(), loader: try held.makeLoader())
            let listeners = (0..<100).map { _ in Listener() }
            let tasks = try listeners.map { try $0.load(manager, makeRequest(key)) }
            // The first load is always among the cancelled: it asked for the entry.
            let cancelled = Set([0] + (1..<100).shuffled(using: &random).prefix(49))
            let early = Set(cancelled.shuffled(using: &random).prefix(25))
            for index in early { sdimage_task_cancel(tasks[index].pointer) }
            let first = try #require(cache.next())
            first.complete()
            let sink = try #require(held.next())
            for index in cancelled.subtracting(early) { sdimage_task_cancel(tasks[index].pointer) }
            #expect(held.answer(picture, to: sink))
            for (index, listener) in listeners.enumerated() {
                let isCancelled = cancelled.contains(index)
                #expect(listener.final()?.status == (isCancelled ? .SDIMAGE_STATUS_CANCELLED : .SDIMAGE_STATUS_OK))
            }
            #expect(cache.queryCount == 1)
            #expect(held.startCount == 1)
        }
    }

    @Test func theLastCancelledLoadCancelsTheTransfer() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listeners = [Listener(), Listener()]
        let tasks = try listeners.map { try $0.load(manager, makeRequest(key)) }
        let sink = try #require(held.next())
        defer { sdimage_load_sink_unref(sink) }
        sdimage_task_cancel(tasks[0].pointer)
        #expect(listeners[0].final()?.status == .SDIMAGE_STATUS_CANCELLED)
        #expect(held.cancelCount == 0)
        sdimage_task_cancel(tasks[1].pointer)
        #expect(held.waitForCancel())
    }

    @Test func loadsThatDifferAreNotShared() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let changes: [(OpaquePointer) -> Void] = [
            { _ in }, { sdimage_request_set_thumbnail_size($0, 3, 3, .SDIMAGE_SCALE_MODE_ASPECT_FIT) },
            { sdimage_request_set_include_data($0, true) },
            { sdimage_request_set_retry_failed($0, true) },
        ]
        let listeners = changes.map { _ in Listener() }
        for (listener, change) in zip(listeners, changes) {
            let request = makeRequest(key)
            change(request.pointer)
            _ = try listener.load(manager, request)
        }
        try held.answerOne(picture, manager)
        #expect(listeners.map { $0.final()?.width } == [6, 3, 6, 6])
        #expect(held.startCount == 2)
    }

    // The next two hold one of two workers, so they run in processes of their own.

    @Test(.enabled(if: hasTwoWorkers, "one worker decodes one image at a time"))
    func aLoadThatStartsDuringTheDecodeDoesNotFetchAgain() async {
        await #expect(processExitsWith: .success) { try EqualLoadTests().loadDuringADecode() }
    }

    /// A cached image that is still being made delays no transfer, although transfers wait for look-ups.
    @Test(.enabled(if: hasTwoWorkers, "one worker makes one image at a time"))
    func aCachedImageThatIsBeingMadeHoldsNoOtherLoadBack() async {
        await #expect(processExitsWith: .success) { try EqualLoadTests().loadWhileACachedImageIsMade() }
    }

    /// The second load has another transformer, so that it shares only the transfer.
    private func loadDuringADecode() throws {
        let transformer = HeldTransformer()
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let slow = makeRequest(key)
        // The time in the transformer counts.
        let patient = decodeOptions { sdimage_decode_options_set_max_work_ms($0, 600_000) }
        sdimage_request_set_decode_options(slow.pointer, patient.pointer)
        let held1 = try transformer.makeTransformer()
        sdimage_request_set_transformer(slow.pointer, held1.pointer)
        let first = Listener()
        _ = try first.load(manager, slow)
        #expect(held.answer(picture))
        #expect(transformer.waitForStart())
        defer { transformer.release() }
        let second = Listener()
        _ = try second.load(manager, makeRequest(key))
        #expect(second.final()?.status == .SDIMAGE_STATUS_OK)
        transformer.release()
        #expect(first.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(held.startCount == 1)
    }

    /// The look-ups end in the reverse order.
    @Test func transfersStartInTheOrderOfTheirLoads() throws {
        let paths = (0..<12).map { "/\($0)" }
        let server = LoopbackServer { _, connection in connection.answer(body: makePNG(width: 2, height: 2)) }
        defer { server.stop() }
        let cache = QueriedCache()
        let manager = try makePatientManager(cache: try cache.makeCache(), loader: try makeSerialDownloader())
        let listeners = paths.map { _ in Listener() }
        for (path, listener) in zip(paths, listeners) { _ = try listener.load(manager, makeRequest(server.url(path))) }
        let queries = try paths.map { _ in try #require(cache.next()) }
        for query in queries.reversed() { query.complete() }
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(server.requests.map(\.target) == paths)
    }

    /// A downloader with one transfer at a time.
    private func makeSerialDownloader() throws -> Owned {
        let config = makePatientConfig()
        sdimage_downloader_config_set_max_total(config.pointer, 1)
        return try make(sdimage_loader_unref) { sdimage_downloader_new(config.pointer, $0, $1) }
    }

    private func loadWhileACachedImageIsMade() throws {
        let cache = QueriedCache()
        let transformer = HeldTransformer()
        let manager = try makePatientManager(
            cache: try cache.makeCache(), loader: try ScriptedLoader.answering(picture).makeLoader())
        let listeners = [Listener(), Listener()]
        let request = makeRequest("test://host/stored.png")
        let held = try transformer.makeTransformer()
        sdimage_request_set_transformer(request.pointer, held.pointer)
        setQueryLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY)
        _ = try listeners[0].load(manager, request)
        try #require(cache.next()).complete(picture)
        #expect(transformer.waitForStart())
        defer { transformer.release() }
        _ = try listeners[1].load(manager, makeRequest(key))
        try #require(cache.next()).complete()
        #expect(listeners[1].final()?.status == .SDIMAGE_STATUS_OK)
        #expect(listeners[0].results.isEmpty)
    }

    /// A look-up without a reply delays later loads for a moment only.
    @Test func aLookUpThatTakesLongHoldsNoOtherLoadBack() throws {
        let cache = QueriedCache()
        let loader = ScriptedLoader.answering(picture)
        let manager = try makeManager(cache: try cache.makeCache(), loader: try loader.makeLoader())
        let listeners = [Listener(), Listener()]
        _ = try listeners[0].load(manager, makeRequest("test://host/slow.png"))
        let slow = try #require(cache.next())
        _ = try listeners[1].load(manager, makeRequest(key))
        let quick = try #require(cache.next())
        quick.complete()
        #expect(listeners[1].final()?.status == .SDIMAGE_STATUS_OK)
        #expect(listeners[0].results.isEmpty)
        slow.complete()
        #expect(listeners[0].final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func thePriorityOfARunningLoadChanges() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let server = LoopbackServer { request, connection in
            if request.target == "/first" { mayAnswer.wait() }
            connection.answer(body: makePNG(width: 2, height: 2))
        }
        defer { server.stop() }
        let downloader = try makeSerialDownloader()
        let manager = try makeManager(cache: nil, loader: downloader)
        let listeners = (0..<4).map { _ in Listener() }
        let first = try listeners[0].load(manager, makeRequest(server.url("/first")))
        #expect(server.wait { $0.requests.count == 1 })
        let tasks = try zip(listeners.dropFirst(), ["/a", "/b", "/c"]).map { try $0.load(manager, makeRequest(server.url($1))) }
        #expect(sdimage_task_priority(tasks[0].pointer) == .SDIMAGE_PRIORITY_NORMAL)
        sdimage_task_set_priority(tasks[0].pointer, .SDIMAGE_PRIORITY_LOW)
        sdimage_task_set_priority(tasks[2].pointer, .SDIMAGE_PRIORITY_HIGH)
        sdimage_task_set_priority(tasks[1].pointer, unsafeBitCast(Int32(77), to: sdimage_priority.self))
        #expect(
            tasks.map { sdimage_task_priority($0.pointer) }
                == [.SDIMAGE_PRIORITY_LOW, .SDIMAGE_PRIORITY_NORMAL, .SDIMAGE_PRIORITY_HIGH])
        #expect(becomesTrue { sdimage_downloader_transfer_count(downloader.pointer) == 4 })
        mayAnswer.signal()
        for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
        #expect(server.requests.map(\.target) == ["/first", "/c", "/b", "/a"])
        withExtendedLifetime(first) {}
    }

    enum End: CaseIterable, Sendable { case flush, cacheFlush, close }

    @Test(arguments: End.allCases) func flushingAndClosingCompleteQueuedEncodes(_ end: End) throws {
        let directory = TemporaryDirectory()
        let paths = (0..<20).map { "test://host/\($0).png" }
        var keys: [[UInt8]] = []
        do {
            let cache = try makeCache(in: directory.path)
            let manager = try makeManager(
                cache: cache, loader: try ScriptedLoader.answering(makePNG(width: 600, height: 400)).makeLoader())
            let listeners = paths.map { _ in Listener() }
            for (path, listener) in zip(paths, listeners) {
                let request = makeRequest(path)
                sdimage_request_set_thumbnail_size(request.pointer, 300, 300, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
                let variant = try make(sdimage_data_unref) {
                    sdimage_manager_get_entry_key(manager.pointer, request.pointer, $0, $1)
                }
                keys.append(bytes(variant))
                _ = try listener.load(manager, request)
            }
            for listener in listeners { #expect(listener.final()?.status == .SDIMAGE_STATUS_OK) }
            switch end {
            case .flush: #expect(sdimage_manager_flush(manager.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
            case .cacheFlush: #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
            case .close:
                // On a busy machine the encodes take longer than the default limit.
                let status = CallTimeLimits.$closing.withValue(600_000_000_000) {
                    sdimage_manager_close(manager.pointer, .max, nil)
                }
                #expect(status == .SDIMAGE_STATUS_OK)
            }
            #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        }
        let cache = try makeCache(in: directory.path)
        for key in keys + paths.map({ Array($0.utf8) }) {
            #expect(sdimage_cache_contains(cache.pointer, key, key.count) == .SDIMAGE_CACHE_LAYERS_DISK)
        }
    }

    private func bytes(_ data: Owned) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer)))
    }
}

/// A host cache without entries, whose queries the test replies to.
final class QueriedCache: @unchecked Sendable {
    struct Query {
        let key: [UInt8]
        let reply: Owned

        /// Replies with the bytes of an entry, or without one.
        func complete(_ bytes: [UInt8] = []) {
            guard !bytes.isEmpty else { return withExtendedLifetime(reply) { sdimage_reply_complete(reply.pointer) } }
            var data: OpaquePointer?
            sdimage_data_new(bytes, bytes.count, &data, nil)
            withExtendedLifetime(reply) { sdimage_reply_complete_with_data(reply.pointer, data) }
            sdimage_data_unref(data)
        }
    }

    private let condition = NSCondition()
    private var queries: [Query] = []
    private var count = 0

    var queryCount: Int { condition.withLock { count } }

    /// The next query, in the order in which they were made.
    func next(within seconds: Double = 60) -> Query? {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while queries.isEmpty { if !condition.wait(until: end) { return nil } }
        return queries.removeFirst()
    }

    func makeCache() throws -> Owned {
        var table = sdimage_cache_vtable()
        table.size = MemoryLayout<sdimage_cache_vtable>.size
        table.query = { userData, key, length, _, reply in
            let cache = Unmanaged<QueriedCache>.fromOpaque(userData!).takeUnretainedValue()
            let key = Array(UnsafeRawBufferPointer(start: key, count: length))
            cache.condition.withLock {
                cache.queries.append(Query(key: key, reply: Owned(reply!) { sdimage_reply_unref($0) }))
                cache.count += 1
                cache.condition.broadcast()
            }
        }
        table.store = { _, _, _, _, _, reply in
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        table.remove = { _, _, _, _, reply in
            sdimage_reply_complete(reply)
            sdimage_reply_unref(reply)
        }
        return try make(sdimage_cache_unref) { cache, error in
            sdimage_cache_new_custom(
                &table, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<QueriedCache>.fromOpaque($0!).release() }, cache,
                error)
        }
    }
}

/// A host transformer that returns its image after `release`.
final class HeldTransformer: @unchecked Sendable {
    private let started = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    func waitForStart() -> Bool { started.wait(timeout: .now() + 60) == .success }

    func release() { released.signal() }

    func makeTransformer() throws -> Owned {
        var table = sdimage_transformer_vtable()
        table.size = MemoryLayout<sdimage_transformer_vtable>.size
        table.transform = { userData, image, _, _, result, _ in
            let transformer = Unmanaged<HeldTransformer>.fromOpaque(userData!).takeUnretainedValue()
            transformer.started.signal()
            transformer.released.wait()
            result?.pointee = sdimage_image_ref(image)
            return .SDIMAGE_STATUS_OK
        }
        return try make(sdimage_transformer_unref) { transformer, error in
            sdimage_transformer_new_custom(
                "held", &table, Unmanaged.passRetained(self).toOpaque(),
                { Unmanaged<HeldTransformer>.fromOpaque($0!).release() }, transformer, error)
        }
    }
}
