import CSDImage
import Foundation
import TestSupport
import Testing

/// The thread, the time and the order of callbacks on each kind of dispatcher.
@Suite struct CallbackTests {
    static let kinds = ["library", "immediate", "pollable", "host"]
    private let loop = HostLoop()

    private func makeDispatcher(_ kind: String) throws -> Owned {
        switch kind {
        case "library": try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_library($0, $1) }
        case "immediate": try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_immediate($0, $1) }
        case "pollable": try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        default: try loop.makeDispatcher()
        }
    }

    /// Drives a dispatcher until the condition holds.
    private func run(_ kind: String, _ dispatcher: Owned, until isDone: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        while !isDone() {
            if Date() > end { return false }
            switch kind {
            case "pollable":
                var entry = pollfd(fd: sdimage_dispatcher_descriptor(dispatcher.pointer), events: Int16(POLLIN), revents: 0)
                _ = poll(&entry, 1, 10)
                _ = sdimage_dispatcher_drain(dispatcher.pointer)
            case "host": _ = loop.runOne(within: 0.01)
            default: _ = Locked(0).wait(within: 1) { _ in isDone() }
            }
        }
        return true
    }

    // Serialized callbacks: partial results before the final one, and nothing after FINAL.
    @Test(arguments: kinds) func callbacksOfALoadComeInOrderAndNeverTogether(kind: String) throws {
        let dispatcher = try makeDispatcher(kind)
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: dispatcher)
        let bytes = makePNG(width: 300, height: 300)
        let isInside = Locked(false), overlaps = Locked(0)
        let listeners = (0..<8).map { _ in Listener() }
        for (index, listener) in listeners.enumerated() where index == 0 {
            listener.onResult = { _, _ in
                isInside.change {
                    if $0 { overlaps.change { $0 += 1 } }; $0 = true
                }
                Thread.sleep(forTimeInterval: 0.002)
                isInside.set(false)
            }
        }
        for listener in listeners {
            let request = makeRequest("test://a")
            sdimage_request_set_progressive(request.pointer, true)
            sdimage_request_set_progressive_interval_ms(request.pointer, 1)
            _ = try listener.load(manager, request)
        }
        let address = UInt(bitPattern: held.next())
        let thread = Thread { [bytes] in
            let sink = OpaquePointer(bitPattern: address)
            for start in stride(from: 0, to: bytes.count, by: 20_000) {
                let piece = Array(bytes[start..<min(start + 20_000, bytes.count)])
                _ = sdimage_load_sink_write(sink, piece, piece.count, nil)
                Thread.sleep(forTimeInterval: 0.002)
            }
            sdimage_load_sink_finish(sink, nil)
            sdimage_load_sink_unref(sink)
        }
        thread.start()
        #expect(run(kind, dispatcher) { listeners.allSatisfy { $0.finals.count == 1 } })
        for listener in listeners {
            let kinds = listener.results.map(\.kind.rawValue)
            #expect(kinds == kinds.sorted() && kinds.last == sdimage_delivery_kind.SDIMAGE_DELIVERY_KIND_FINAL.rawValue)
        }
        #expect(overlaps.get() == 0)
    }

    // The last reference to the manager is released inside the manager's own callback.
    @Test(arguments: kinds) func aManagerMayGoInsideACallback(kind: String) throws {
        let dispatcher = try makeDispatcher(kind)
        let held = HeldLoader()
        let manager = Locked<Owned?>(try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: dispatcher))
        let first = Listener(), second = Listener()
        first.onResult = { _, _ in manager.set(nil) }
        do {
            let manager = try #require(manager.get())
            _ = try first.load(manager, makeRequest("test://first"))
            let sink = held.next()
            _ = try second.load(manager, makeRequest("test://second"))
            let bytes = makePNG(width: 2, height: 2)
            _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            sdimage_load_sink_unref(sink)
        }
        #expect(run(kind, dispatcher) { first.finals.count == 1 && second.finals.count == 1 })
        #expect(first.finals.map(\.status) == [.SDIMAGE_STATUS_OK])
        #expect(second.finals.map(\.status) == [.SDIMAGE_STATUS_SHUTDOWN])
        #expect(first.waitForDestroy() && second.waitForDestroy())
    }

    // Closing the manager inside a callback delivers the final result of every other load, once.
    @Test(arguments: kinds) func shuttingDownInsideACallbackEndsAllOtherLoads(kind: String) throws {
        let dispatcher = try makeDispatcher(kind)
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: dispatcher)
        let first = Listener()
        first.onResult = { _, _ in _ = sdimage_manager_close(manager.pointer, 0, nil) }
        _ = try first.load(manager, makeRequest("test://first"))
        let sink = held.next()
        let others = (0..<50).map { _ in Listener() }
        for (index, listener) in others.enumerated() { _ = try listener.load(manager, makeRequest("test://\(index)")) }
        let bytes = makePNG(width: 2, height: 2)
        _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(run(kind, dispatcher) { others.allSatisfy { !$0.finals.isEmpty } })
        #expect(first.finals.map(\.status) == [.SDIMAGE_STATUS_OK])
        #expect(others.allSatisfy { $0.finals.map(\.status) == [.SDIMAGE_STATUS_SHUTDOWN] })
        #expect(throws: CallFailure.self) { _ = try Listener().load(manager, makeRequest("test://late")) }
    }

    // A load started inside a callback ends like any other, also when its image is in memory.
    @Test(arguments: kinds) func aLoadMayBeStartedInsideACallback(kind: String) throws {
        let dispatcher = try makeDispatcher(kind)
        let loader = try ScriptedLoader.answering(makePNG(width: 2, height: 2)).makeLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: loader, dispatcher: dispatcher)
        let outer = Listener(), known = Listener(), new = Listener()
        outer.onResult = { _, _ in
            _ = try? known.load(manager, makeRequest("test://a"))
            _ = try? new.load(manager, makeRequest("test://b"))
        }
        _ = try outer.load(manager, makeRequest("test://a"))
        #expect(run(kind, dispatcher) { [outer, known, new].allSatisfy { $0.finals.count == 1 } })
        #expect(known.finals.first?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        #expect(new.finals.first?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
    }

    // SafeExecute runs the callback inline when the host reports that its loop is current, and posts it otherwise.
    @Test(arguments: [true, false]) func aHostsLoopIsCalledInlineWhereItIsCurrent(isCurrent: Bool) throws {
        let state = Locked((isCurrent: isCurrent, posted: 0))
        var table = sdimage_dispatcher_vtable()
        table.size = MemoryLayout<sdimage_dispatcher_vtable>.size
        table.post = { userData, run, argument in
            let state = Unmanaged<Locked<(isCurrent: Bool, posted: Int)>>.fromOpaque(userData!).takeUnretainedValue()
            state.change { $0.posted += 1 }
            run?(argument)
        }
        table.is_current = { userData in
            Unmanaged<Locked<(isCurrent: Bool, posted: Int)>>.fromOpaque(userData!).takeUnretainedValue().get().isCurrent
        }
        let userData = Unmanaged.passUnretained(state).toOpaque()
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_custom(&table, userData, nil, $0, $1) }
        let cache = try makeCache(in: nil)
        let pixels = [UInt8](repeating: 7, count: 4)
        let image = try make(sdimage_image_unref) { sdimage_image_new(2, 2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8, pixels, $0, $1) }
        #expect(sdimage_cache_set_memory_image(cache.pointer, "test://a", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        let manager = try makeManager(cache: cache, dispatcher: dispatcher)
        let listener = Listener()
        _ = try listener.load(manager, makeRequest("test://a"))
        #expect(listener.finals.count == 1)
        #expect(state.get().posted == (isCurrent ? 0 : 1))
    }

    // Each load is delivered on the dispatcher of its own request, even when loads share a transfer.
    @Test func loadsThatShareATransferAreDeliveredEachInItsOwnPlace() throws {
        let held = HeldLoader()
        let pollable = try makeDispatcher("pollable"), immediate = try makeDispatcher("immediate")
        let manager = try makeManager(cache: nil, loader: try held.makeLoader(), dispatcher: immediate)
        let here = Listener(), there = Listener()
        let request = makeRequest("test://a")
        _ = try there.load(manager, request)
        sdimage_request_set_dispatcher(request.pointer, pollable.pointer)
        _ = try here.load(manager, request)
        #expect(held.answer(makePNG(width: 2, height: 2)))
        #expect(there.final()?.width == 2)
        #expect(run("pollable", pollable) { here.finals.count == 1 })
        #expect(here.finals.first?.thread == UInt(pthread_self()))
        #expect(there.finals.first?.thread != UInt(pthread_self()))
        #expect(held.startCount == 1)
    }
}
