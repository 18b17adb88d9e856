import CSDImage
import Foundation
import TestSupport
import Testing

/// Serialized: each of these tests uses the whole machine.
@Suite(.serialized) struct StressTests {
    @Test func everyLoadOfACancelStormEndsExactlyOnce() throws {
        let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: loader)
        let counts = FinalCounts(threads: 8, loads: 2_000)
        let group = DispatchGroup()
        for thread in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                var random = SystemRandomNumberGenerator()
                var tasks: [OpaquePointer] = []
                for index in 0..<2_000 {
                    let request = makeRequest("test://\(Int.random(in: 0..<500, using: &random))")
                    if let task = counts.load(manager, request, slot: thread * 2_000 + index) { tasks.append(task) }
                    if Bool.random(using: &random), let task = tasks.randomElement(using: &random) { sdimage_task_cancel(task) }
                }
                for task in tasks {
                    sdimage_task_cancel(task)
                    sdimage_task_unref(task)
                }
            }
        }
        group.wait()
        #expect(sdimage_manager_close(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(counts.all == [Int](repeating: 1, count: 16_000))
        #expect(sdimage_manager_running_count(manager.pointer) == 0)
    }

    @Test func aThousandProgressiveLoadsEndExactlyOnceAndShowNothingAfterwards() throws {
        let bytes = try Fixtures.bytes("jpeg/large_progressive.jpg")
        // Sends pieces, so that partial images can be shown; each load of a URL starts at a different time.
        let loader = try ScriptedLoader { _, sink in
            for start in stride(from: 0, to: bytes.count, by: 700) {
                let piece = Array(bytes[start..<min(start + 700, bytes.count)])
                if sdimage_load_sink_write(sink, piece, piece.count, nil).rawValue < 0 { break }
                sched_yield()
            }
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }.makeLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: loader)
        let listeners = (0..<1_000).map { _ in Listener() }
        let group = DispatchGroup()
        for thread in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                var random = SystemRandomNumberGenerator()
                var tasks: [Owned] = []
                for index in stride(from: thread, to: listeners.count, by: 4) {
                    let request = makeRequest("test://\(Int.random(in: 0..<200, using: &random))")
                    let side = UInt32.random(in: 1...3, using: &random) * 40
                    sdimage_request_set_thumbnail_size(request.pointer, side, side, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
                    sdimage_request_set_early_thumbnail(request.pointer, Bool.random(using: &random))
                    sdimage_request_set_progressive(request.pointer, true)
                    sdimage_request_set_progressive_interval_ms(request.pointer, 1)
                    if let task = try? listeners[index].load(manager, request) { tasks.append(task) }
                    if index % 3 == 0, let task = tasks.randomElement(using: &random) { sdimage_task_cancel(task.pointer) }
                }
            }
        }
        group.wait()
        for listener in listeners { #expect(listener.final(within: 120) != nil) }
        #expect(sdimage_manager_close(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        for listener in listeners {
            let kinds = listener.results.map(\.kind)
            #expect(kinds.last == .SDIMAGE_DELIVERY_KIND_FINAL)
            #expect(kinds.dropLast().allSatisfy { $0 == .SDIMAGE_DELIVERY_KIND_PARTIAL })
            let status = listener.finals.first?.status
            #expect(status == .SDIMAGE_STATUS_OK || status == .SDIMAGE_STATUS_CANCELLED)
        }
    }

    @Test func fiveHundredManagersComeAndGo() throws {
        let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
        let listeners = (0..<500).map { _ in Listener() }
        for listener in listeners {
            let manager = try makeManager(cache: try makeCache(in: nil), loader: loader)
            for index in 0..<3 { _ = try listener.load(manager, makeRequest("test://\(index)")) }
        }
        for listener in listeners {
            #expect(listener.waitForDestroy(count: 3))
            #expect(listener.finals.count == 3)
            #expect(listener.finals.allSatisfy { $0.status == .SDIMAGE_STATUS_OK || $0.status == .SDIMAGE_STATUS_SHUTDOWN })
        }
    }

    @Test(arguments: ["library", "immediate", "pollable", "host"]) func everythingMayBeCalledFromACallback(_ kind: String) throws
    {
        let folder = TemporaryDirectory()
        let loop = HostLoop()
        let dispatcher: Owned =
            switch kind {
            case "library": try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_library($0, $1) }
            case "immediate": try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
            case "pollable": try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
            default: try loop.makeDispatcher()
            }
        let cache = try makeCache(in: folder.path)
        let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
        for round in 0..<50 {
            let manager = try makeManager(cache: cache, loader: loader, dispatcher: dispatcher)
            let outer = Listener(), inner = Listener()
            let statuses = Locked<[sdimage_status]>([])
            outer.onResult = { task, _ in
                sdimage_task_cancel(task)
                statuses.set([
                    sdimage_task_cancel_and_wait(task, 120_000, nil),
                    sdimage_cache_clear(cache.pointer, .SDIMAGE_CACHE_LAYERS_ALL, nil),
                    sdimage_cache_flush(cache.pointer, nil),
                ])
                _ = try? inner.load(manager, makeRequest("test://inner\(round)"))
                sdimage_manager_cancel_all(manager.pointer)
                _ = sdimage_manager_close(manager.pointer, 0, nil)
            }
            _ = try outer.load(manager, makeRequest("test://outer\(round)"))
            // The limit only ends a hang.
            let end = Date(timeIntervalSinceNow: 120)
            while inner.finals.isEmpty || outer.finals.isEmpty, Date() < end {
                switch kind {
                case "pollable":
                    var entry = pollfd(fd: sdimage_dispatcher_descriptor(dispatcher.pointer), events: Int16(POLLIN), revents: 0)
                    _ = poll(&entry, 1, 1000)
                    _ = sdimage_dispatcher_drain(dispatcher.pointer)
                case "host": _ = loop.runOne(within: 1)
                default:
                    _ = outer.final()
                    _ = inner.final()
                }
            }
            #expect(outer.finals.map(\.status) == [.SDIMAGE_STATUS_OK])
            #expect(inner.finals.count == 1)
            #expect(statuses.get() == [.SDIMAGE_STATUS_OK, .SDIMAGE_STATUS_OK, .SDIMAGE_STATUS_OK])
            // The listeners are in use until the callback has returned.
            withExtendedLifetime((outer, inner)) {}
        }
    }

    @Test func cancelAndWaitWaitsForACallbackOnAnotherThreadAlsoWithoutAQueue() throws {
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: immediate)
        let listener = Listener()
        let entered = DispatchSemaphore(value: 0), mayLeave = DispatchSemaphore(value: 0)
        let hasLeft = Locked(false)
        listener.onResult = { _, _ in
            entered.signal()
            mayLeave.wait()
            hasLeft.set(true)
        }
        let task = try listener.load(manager, makeRequest("test://a"))
        #expect(held.answer(makePNG(width: 2, height: 2)))
        entered.wait()
        #expect(sdimage_task_cancel_and_wait(task.pointer, 50, nil) == .SDIMAGE_STATUS_TIMEOUT)
        #expect(sdimage_manager_close(manager.pointer, 50, nil) == .SDIMAGE_STATUS_TIMEOUT)
        mayLeave.signal()
        #expect(sdimage_task_cancel_and_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(hasLeft.get())
    }

    @Test func cancellingOnTheDispatchersThreadDeliversWhatIsOnItsWay() throws {
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        #expect(sdimage_dispatcher_bind_current_thread(dispatcher.pointer, nil) == .SDIMAGE_STATUS_OK)
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: dispatcher)
        let listener = Listener()
        let task = try listener.load(manager, makeRequest("test://a"))
        #expect(held.answer(makePNG(width: 2, height: 2)))
        #expect(sdimage_task_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_task_cancel_and_wait(task.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listener.finals.map(\.status) == [.SDIMAGE_STATUS_OK])
        _ = sdimage_dispatcher_drain(dispatcher.pointer)
        #expect(listener.finals.count == 1)
    }

    @Test func theReportCountsTheThreadsOfTheLibrary() throws {
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader())
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("test://a"))
        #expect(listener.final() != nil)
        let diagnosis = try make(sdimage_diagnosis_unref) { sdimage_diagnosis_new($0, $1) }
        #expect(sdimage_diagnosis_thread_count(diagnosis.pointer) >= 2 && sdimage_diagnosis_is_running(diagnosis.pointer))
        let json = try make(sdimage_data_unref) { sdimage_diagnosis_to_json(diagnosis.pointer, $0, $1) }
        let data = Data(bytes: sdimage_data_bytes(json.pointer), count: sdimage_data_length(json.pointer))
        let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(try #require(report["library_threads"] as? Int) >= 2)
    }
}

/// Number of final results per load.
final class FinalCounts: @unchecked Sendable {
    private final class Slot: @unchecked Sendable {
        let counts: FinalCounts
        let index: Int
        init(_ counts: FinalCounts, _ index: Int) {
            self.counts = counts
            self.index = index
        }
    }

    private let lock = NSLock()
    private var finals: [Int]

    init(threads: Int, loads: Int) { finals = [Int](repeating: 0, count: threads * loads) }

    var all: [Int] { lock.withLock { finals } }

    /// The task, owned by the caller.
    func load(_ manager: Owned, _ request: Owned, slot: Int) -> OpaquePointer? {
        var handler = sdimage_load_handler()
        handler.size = MemoryLayout<sdimage_load_handler>.size
        handler.result = { userData, _, result in
            let slot = Unmanaged<Slot>.fromOpaque(userData!).takeUnretainedValue()
            if sdimage_result_kind(result) == .SDIMAGE_DELIVERY_KIND_FINAL {
                slot.counts.lock.withLock { slot.counts.finals[slot.index] += 1 }
            }
        }
        var task: OpaquePointer?
        let userData = Unmanaged.passRetained(Slot(self, slot)).toOpaque()
        _ = sdimage_manager_load(
            manager.pointer, request.pointer, &handler, userData, { Unmanaged<Slot>.fromOpaque($0!).release() }, &task, nil)
        return task
    }
}
