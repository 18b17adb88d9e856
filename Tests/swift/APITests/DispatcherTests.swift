import CSDImage
import Foundation
import TestSupport
import Testing

@Suite struct DispatcherTests {
    /// A manager that has the image of `request` in memory and uses the test's dispatcher.
    private func warmManager(_ dispatcher: Owned?) throws -> (manager: Owned, request: Owned) {
        let cache = try makeCache(in: nil)
        let pixels = [UInt8](repeating: 7, count: 4 * 4 * 3)
        let image = try make(sdimage_image_unref) { sdimage_image_new(4, 4, 12, .SDIMAGE_PIXEL_FORMAT_RGB8, pixels, $0, $1) }
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://warm", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        return (try makeManager(cache: cache, dispatcher: dispatcher), makeRequest("test://warm"))
    }

    private func pollable() throws -> Owned { try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) } }

    @Test func immediateDeliversAMemoryHitInsideTheCall() throws {
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let (manager, request) = try warmManager(immediate)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.finals.map(\.source) == [.SDIMAGE_IMAGE_SOURCE_MEMORY])
        #expect(listener.finals.first?.thread == UInt(pthread_self()))
    }

    // Delivered within the call, by the library's callback thread, and with events.
    @Test func theTaskOfAMemoryHitHasThePriorityOfItsRequest() throws {
        for dispatcher in [try immediateDispatcher(), nil, try pollable()] {
            let (manager, request) = try warmManager(dispatcher)
            for priority: sdimage_priority in [.SDIMAGE_PRIORITY_LOW, .SDIMAGE_PRIORITY_HIGH] {
                sdimage_request_set_priority(request.pointer, priority)
                let task = try Listener().load(manager, request)
                #expect(sdimage_task_is_finished(task.pointer))
                #expect(sdimage_task_priority(task.pointer) == priority)
            }
        }
    }

    // The result of a load is known before its callback ends; those of a target pass through a queue of its own.
    @Test(arguments: [false, true]) func waitingForAllIncludesImmediateCallbacks(ofTarget: Bool) throws {
        let gate = Gate(), held = HeldLoader(), listener = Listener(), widget = Widget(animates: false)
        listener.onResult = { _, _ in gate.pass() }
        widget.onCall = { if $0.hasPrefix("told") { gate.pass() } }
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: immediate)
        let target = try widget.makeTarget(manager, dispatcher: immediate)
        if ofTarget {
            try widget.load(target, makeRequest("test://a"))
        } else {
            _ = try listener.load(manager, makeRequest("test://a"))
        }
        #expect(held.answer(makePNG(width: 5, height: 5)))
        #expect(gate.waitForEntry())
        #expect(sdimage_manager_wait_all(manager.pointer, 20, nil) == .SDIMAGE_STATUS_TIMEOUT)
        gate.open()
        #expect(sdimage_manager_wait_all(manager.pointer, 60_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(ofTarget ? widget.told == ["told OK 5"] : listener.finals.count == 1)
    }

    @Test func libraryDispatcherNeverCallsInsideTheStartingCall() throws {
        let (manager, request) = try warmManager(nil)
        let listener = Listener()
        let task = try listener.load(manager, request)
        // The result is available immediately, so that a cell need not flash.
        #expect(sdimage_task_is_finished(task.pointer))
        let final = listener.final()
        #expect(final != nil)
        #expect(final?.thread != UInt(pthread_self()))
    }

    @Test func pollableCallsOnTheDrainingThreadOnly() throws {
        let dispatcher = try pollable()
        let (manager, request) = try warmManager(dispatcher)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.results.isEmpty)
        #expect(waitUntilReadable(dispatcher))
        #expect(sdimage_dispatcher_drain(dispatcher.pointer) == 1)
        #expect(listener.finals.first?.thread == UInt(pthread_self()))
        #expect(!waitUntilReadable(dispatcher, milliseconds: 0))
        #expect(sdimage_dispatcher_drain(dispatcher.pointer) == 0)
    }

    @Test func boundPollableDeliversMemoryHitsInline() throws {
        let dispatcher = try pollable()
        #expect(sdimage_dispatcher_bind_current_thread(dispatcher.pointer, nil) == .SDIMAGE_STATUS_OK)
        let (manager, request) = try warmManager(dispatcher)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.finals.count == 1)
    }

    @Test func eventsReplaceCallbacks() throws {
        let dispatcher = try pollable()
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: dispatcher)
        let token = UnsafeMutableRawPointer(bitPattern: 0xABC)
        let request = makeRequest("test://event")
        let task = try make(sdimage_task_unref) {
            sdimage_manager_load(manager.pointer, request.pointer, nil, token, nil, $0, $1)
        }
        #expect(held.answer(makePNG(width: 5, height: 5)))
        var sawResult = false
        while !sawResult, waitUntilReadable(dispatcher) {
            var event: OpaquePointer?
            guard sdimage_dispatcher_next_event(dispatcher.pointer, &event, nil) == .SDIMAGE_STATUS_OK else { continue }
            defer { sdimage_event_unref(event) }
            #expect(sdimage_event_token(event) == token)
            #expect(sdimage_event_task(event) == task.pointer)
            guard sdimage_event_callback_kind(event) == .SDIMAGE_CALLBACK_KIND_RESULT else { continue }
            sawResult = true
            #expect(sdimage_image_width(sdimage_result_image(sdimage_event_result(event))) == 5)
        }
        #expect(sawResult)
        var event: OpaquePointer?
        #expect(sdimage_dispatcher_next_event(dispatcher.pointer, &event, nil) == .SDIMAGE_STATUS_END)
    }

    @Test(arguments: [false, true]) func aHandlerWithoutProgressSavesItsEvents(hasHandler: Bool) throws {
        let dispatcher = try pollable()
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: dispatcher)
        let request = makeRequest("test://event")
        var handler = sdimage_load_handler(size: MemoryLayout<sdimage_load_handler>.size, result: nil, progress: nil)
        let task = try make(sdimage_task_unref) { task, error in
            withUnsafePointer(to: &handler) {
                sdimage_manager_load(manager.pointer, request.pointer, hasHandler ? $0 : nil, nil, nil, task, error)
            }
        }
        let sink = try #require(held.next())
        sdimage_load_sink_set_expected_length(sink, 6)
        #expect(sdimage_load_sink_write(sink, [1, 2, 3], 3, nil) == .SDIMAGE_STATUS_OK)
        #expect(becomesTrue { self.received(by: task) == 3 })
        #expect(waitUntilReadable(dispatcher, milliseconds: hasHandler ? 0 : 120_000) == !hasHandler)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        // Three bytes are no image.
        var kinds: [sdimage_callback_kind] = []
        while kinds.last != .SDIMAGE_CALLBACK_KIND_RESULT, waitUntilReadable(dispatcher) {
            var event: OpaquePointer?
            guard sdimage_dispatcher_next_event(dispatcher.pointer, &event, nil) == .SDIMAGE_STATUS_OK else { continue }
            kinds.append(sdimage_event_callback_kind(event))
            sdimage_event_unref(event)
        }
        #expect(kinds.last == .SDIMAGE_CALLBACK_KIND_RESULT)
        if hasHandler { #expect(kinds.count == 1) }
    }

    private func received(by task: Owned) -> Int64 {
        var received: Int64 = 0
        var expected: Int64 = 0
        sdimage_task_progress(task.pointer, &received, &expected)
        return received
    }

    @Test func theUserDataOfALoadOutlivesItsFinalEvent() throws {
        let dispatcher = try pollable()
        let (manager, request) = try warmManager(dispatcher)
        let listener = Listener(), later = Listener()
        let userData = Unmanaged.passRetained(listener).toOpaque()
        let status = sdimage_manager_load(manager.pointer, request.pointer, nil, userData, Listener.destroy, nil, nil)
        #expect(status == .SDIMAGE_STATUS_OK)
        #expect(waitUntilReadable(dispatcher))
        var event: OpaquePointer?
        #expect(sdimage_dispatcher_next_event(dispatcher.pointer, &event, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_result_kind(sdimage_event_result(event)) == .SDIMAGE_DELIVERY_KIND_FINAL)
        // The callback thread calls destructors in order.
        let (other, warm) = try warmManager(nil)
        _ = try later.load(other, warm)
        #expect(later.waitForDestroy())
        #expect(listener.destroyCount == 0)
        #expect(sdimage_event_token(event) == userData)
        sdimage_event_unref(event)
        #expect(listener.waitForDestroy())
    }

    @Test func releasingAPollableDropsItsDeliveries() throws {
        let listener = Listener()
        do {
            let dispatcher = try pollable()
            let (manager, request) = try warmManager(dispatcher)
            _ = try listener.load(manager, request)
            #expect(waitUntilReadable(dispatcher))
        }
        #expect(listener.waitForDestroy())
        #expect(listener.results.isEmpty)
    }

    @Test func hostPostedRunsOnTheHostsLoop() throws {
        let loop = HostLoop()
        let dispatcher = try loop.makeDispatcher()
        let (manager, request) = try warmManager(dispatcher)
        let listener = Listener()
        _ = try listener.load(manager, request)
        #expect(listener.results.isEmpty)
        #expect(loop.runOne())
        #expect(listener.finals.count == 1)
    }

    @Test func cancellingInsideACallbackIsSafe() throws {
        let immediate = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        let (manager, request) = try warmManager(immediate)
        let listener = Listener()
        listener.onResult = { task, _ in sdimage_task_cancel(task) }
        _ = try listener.load(manager, request)
        #expect(listener.finals.map(\.status) == [.SDIMAGE_STATUS_OK])
    }

    @Test func loadingAndClosingInsideACallbackIsSafe() throws {
        let (manager, request) = try warmManager(nil)
        let outer = Listener()
        let inner = Listener()
        outer.onResult = { _, _ in
            _ = try? inner.load(manager, request)
            _ = sdimage_manager_close(manager.pointer, 1000, nil)
        }
        _ = try outer.load(manager, request)
        #expect(outer.final()?.status == .SDIMAGE_STATUS_OK)
        #expect(inner.final()?.status == .SDIMAGE_STATUS_OK)
    }

    @Test func cancelAndWaitLeavesNoCallbackBehind() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        for index in 0..<200 {
            let listener = Listener()
            let task = try listener.load(manager, makeRequest("test://\(index)"))
            #expect(sdimage_task_cancel_and_wait(task.pointer, 60_000, nil) == .SDIMAGE_STATUS_OK)
            #expect(listener.finals.map(\.status) == [.SDIMAGE_STATUS_CANCELLED])
        }
    }

    @Test func waitingOnALibraryThreadIsRefused() throws {
        let held = HeldLoader()
        let (warm, request) = try warmManager(nil)
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let running = Listener()
        let task = try running.load(manager, makeRequest("test://running"))
        let listener = Listener()
        let seen = Locked(sdimage_status.SDIMAGE_STATUS_OK)
        listener.onResult = { _, _ in seen.set(sdimage_task_wait(task.pointer, 1000, nil)) }
        _ = try listener.load(warm, request)
        #expect(listener.final() != nil)
        #expect(listener.waitForDestroy())
        #expect(seen.get() == .SDIMAGE_STATUS_WOULD_DEADLOCK)
        sdimage_task_cancel(task.pointer)
    }
}

/// A value that a callback writes and a test reads.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSCondition()
    private var value: Value
    init(_ value: Value) { self.value = value }
    func get() -> Value { lock.withLock { value } }
    func set(_ new: Value) { change { $0 = new } }

    func change(_ body: (inout Value) -> Void) {
        lock.withLock {
            body(&value)
            lock.broadcast()
        }
    }

    /// Waits until the condition holds; re-evaluates it periodically, because objects that the value refers to may change.
    func wait(within seconds: Double = 120, until isTrue: (Value) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        lock.lock()
        defer { lock.unlock() }
        while !isTrue(value) {
            if Date() > end { return false }
            _ = lock.wait(until: Date(timeIntervalSinceNow: 0.02))
        }
        return true
    }
}

/// A main loop of a host program.
final class HostLoop: @unchecked Sendable {
    private let condition = NSCondition()
    private var posted: [() -> Void] = []

    func makeDispatcher() throws -> Owned {
        var table = sdimage_dispatcher_vtable()
        table.size = MemoryLayout<sdimage_dispatcher_vtable>.size
        table.post = { userData, run, argument in
            let loop = Unmanaged<HostLoop>.fromOpaque(userData!).takeUnretainedValue()
            nonisolated(unsafe) let argument = argument
            loop.condition.withLock {
                loop.posted.append { run?(argument) }
                loop.condition.signal()
            }
        }
        let userData = Unmanaged.passRetained(self).toOpaque()
        return try make(sdimage_dispatcher_unref) { dispatcher, error in
            sdimage_dispatcher_new_custom(
                &table, userData, { Unmanaged<HostLoop>.fromOpaque($0!).release() }, dispatcher, error)
        }
    }

    /// Runs one posted call; returns false when none arrives.
    func runOne(within seconds: Double = 120) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        while posted.isEmpty {
            if !condition.wait(until: end) {
                condition.unlock()
                return false
            }
        }
        let next = posted.removeFirst()
        condition.unlock()
        next()
        return true
    }
}
