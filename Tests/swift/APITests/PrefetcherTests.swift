import CSDImage
import Foundation
import TestSupport
import Testing

/// Lists of URLs loaded ahead of time.
@Suite struct PrefetcherTests {
    private func makePrefetcher(_ manager: Owned?, dispatcher: Owned? = nil, atOnce: UInt32 = 3) throws -> Owned {
        let prefetcher = try make(sdimage_prefetcher_unref) {
            sdimage_prefetcher_new(manager?.pointer, dispatcher?.pointer, $0, $1)
        }
        sdimage_prefetcher_set_max_concurrent(prefetcher.pointer, atOnce)
        return prefetcher
    }

    private func answering(width: Int = 8) throws -> Owned {
        try ScriptedLoader.answering(makePNG(width: width, height: width)).makeLoader()
    }

    private func urls(_ count: Int) -> [String] { (0..<count).map { "test://\($0)" } }

    @Test func aListIsLoadedIntoTheCacheAndCompletedOnce() throws {
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: try answering())
        let prefetcher = try makePrefetcher(manager, atOnce: 1)
        let listener = PrefetchListener()
        let group = try #require(try listener.start(prefetcher, urls(2)))
        #expect(listener.waitForCompletion())
        #expect(
            listener.log == [
                "fetched 0 loader", "progress 1 of 2", "fetched 1 loader", "progress 2 of 2", "completed 2 0",
            ])
        #expect(sdimage_prefetch_group_is_finished(group.pointer))
        #expect(listener.waitForDestroy())
        let found = Listener()
        _ = try found.load(manager, makeRequest("test://1"))
        #expect(found.final()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
    }

    @Test func threeLoadsRunAtOnceUnlessToldOtherwise() throws {
        let prefetcher = try make(sdimage_prefetcher_unref) { sdimage_prefetcher_new(nil, nil, $0, $1) }
        #expect(sdimage_prefetcher_max_concurrent(prefetcher.pointer) == 3)
        sdimage_prefetcher_set_max_concurrent(prefetcher.pointer, 0)
        #expect(sdimage_prefetcher_max_concurrent(prefetcher.pointer) == 1)
    }

    @Test func theProcessSharesAPrefetcherAsLongAsItIsReferenced() throws {
        let one = try make(sdimage_prefetcher_unref) { sdimage_prefetcher_get_shared($0, $1) }
        let other = try make(sdimage_prefetcher_unref) { sdimage_prefetcher_get_shared($0, $1) }
        #expect(one.pointer == other.pointer)
        let listener = PrefetchListener()
        _ = try listener.start(one, ["data:,nothing"])
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 1 1"])
    }

    // No thread can take the callbacks of a dispatcher that the program has released.
    @Test(arguments: [false, true]) func aListEndsWithItsDispatcher(isThatOfTheManager: Bool) throws {
        let listener = PrefetchListener()
        do {
            let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
            let manager = try makeManager(
                cache: nil, loader: try answering(), dispatcher: isThatOfTheManager ? dispatcher : nil)
            let prefetcher = try makePrefetcher(manager, dispatcher: dispatcher)
            let group = try #require(try listener.start(prefetcher, urls(2)))
            #expect(sdimage_prefetch_group_wait(group.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
            #expect(waitUntilReadable(dispatcher))
            withExtendedLifetime(prefetcher) {}
        }
        #expect(listener.waitForDestroy())
        #expect(listener.log.isEmpty)
    }

    // The request has the last reference to the dispatcher, whose queue has the callbacks of the list.
    @Test(arguments: [false, true]) func aListEndsWithTheDispatcherOfTheRequest(isReplaced: Bool) throws {
        let listener = PrefetchListener()
        do {
            let prefetcher: Owned
            do {
                let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
                prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: try answering()), dispatcher: dispatcher)
                let request = makeRequest("test://standard")
                sdimage_request_set_dispatcher(request.pointer, dispatcher.pointer)
                sdimage_prefetcher_set_request(prefetcher.pointer, request.pointer)
                let group = try #require(try listener.start(prefetcher, urls(2)))
                #expect(sdimage_prefetch_group_wait(group.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
                #expect(waitUntilReadable(dispatcher))
            }
            if isReplaced { sdimage_prefetcher_set_request(prefetcher.pointer, nil) }
            withExtendedLifetime(prefetcher) {}
        }
        #expect(listener.waitForDestroy())
        #expect(listener.log.isEmpty)
    }

    @Test func theCompletionOfACancelledListReportsAllThatFinished() throws {
        let prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: try answering()))
        for round in 0..<100 {
            let listener = PrefetchListener()
            let group = try #require(try listener.start(prefetcher, urls(50)))
            while sdimage_prefetch_group_finished_count(group.pointer) < round % 40 { sched_yield() }
            sdimage_prefetch_group_cancel(group.pointer)
            #expect(listener.waitForCompletion())
            let finished = sdimage_prefetch_group_finished_count(group.pointer)
            #expect(listener.completed == ["completed \(finished) 0" + (finished < 50 ? " CANCELLED" : "")])
        }
    }

    // A limit of 0 counts as 1.
    @Test func noPlacesAtAllIsOne() throws {
        let prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: try answering()), atOnce: 0)
        let listener = PrefetchListener()
        _ = try listener.start(prefetcher, urls(3))
        #expect(listener.waitForCompletion())
    }

    // One limit for all groups, oldest first; changes apply immediately.
    @Test func theLimitHoldsOverAllListsAndChangesAtOnce() throws {
        let held = HeldLoader()
        let prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: try held.makeLoader()), atOnce: 2)
        let listeners = [PrefetchListener(), PrefetchListener()]
        _ = try listeners[0].start(prefetcher, ["test://a", "test://b", "test://c"])
        _ = try listeners[1].start(prefetcher, ["test://d"])
        let first = [held.next(), held.next()]
        #expect(held.startCount == 2)
        sdimage_prefetcher_set_max_concurrent(prefetcher.pointer, 4)
        let second = [held.next(), held.next()]
        for sink in first + second { finish(sink) }
        #expect(listeners.allSatisfy { $0.waitForCompletion() })
        #expect(held.startCount == 4)
    }

    @Test func loadsAskForWhatTheTemplateSays() throws {
        let seen = Locked<[String]>([])
        let loader = try ScriptedLoader { request, sink in
            let value = sdimage_request_header(request, "X-Kind").map { String(cString: $0) } ?? "none"
            seen.change { $0.append(value) }
            let bytes = makePNG(width: 8, height: 8)
            _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }.makeLoader()
        let cache = try makeCache(in: nil)
        let manager = try makeManager(cache: cache, loader: loader)
        let prefetcher = try makePrefetcher(manager)
        let standard = makeRequest("ignored"), own = makeRequest("ignored")
        sdimage_request_set_header(standard.pointer, "X-Kind", "standard")
        sdimage_request_set_header(own.pointer, "X-Kind", "own")
        sdimage_request_set_cache_key(own.pointer, "one key", 7)
        sdimage_request_set_thumbnail_size(own.pointer, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        sdimage_prefetcher_set_request(prefetcher.pointer, standard.pointer)
        let listener = PrefetchListener()
        _ = try listener.start(prefetcher, ["test://a"])
        #expect(listener.waitForCompletion())
        _ = try listener.start(prefetcher, ["test://b", "test://c"], own)
        #expect(listener.waitForCompletion(count: 2))
        sdimage_prefetcher_set_request(prefetcher.pointer, nil)
        _ = try listener.start(prefetcher, ["test://d"])
        #expect(listener.waitForCompletion(count: 3))
        #expect(seen.get() == ["standard", "own", "own", "none"])
        // Each image is stored under its own key, where a load with the same request finds it.
        let visible = makeRequest("test://c")
        sdimage_request_set_thumbnail_size(visible.pointer, 4, 4, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        let found = Listener()
        _ = try found.load(manager, visible)
        #expect(found.final()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
    }

    @Test func anEmptyListIsCompletedInsideTheStartingCall() throws {
        let prefetcher = try makePrefetcher(
            try makeManager(cache: nil, loader: try answering()), dispatcher: try immediateDispatcher())
        let listener = PrefetchListener()
        #expect(try listener.start(prefetcher, []) == nil)
        #expect(listener.log == ["completed 0 0"])
        #expect(listener.waitForDestroy())
    }

    @Test func failuresAreCountedAndToldWithTheirPlace() throws {
        let loader = try ScriptedLoader { request, sink in
            let isGood = String(cString: sdimage_request_url(request, nil)).hasSuffix("good")
            let bytes = isGood ? makePNG(width: 8, height: 8) : [1, 2, 3]
            _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }.makeLoader()
        let prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: loader), atOnce: 1)
        let listener = PrefetchListener()
        let group = try #require(try listener.start(prefetcher, ["test://good", "test://bad", "", "test://2good"]))
        #expect(sdimage_prefetch_group_wait(group.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 4 2"])
        let counts = [
            sdimage_prefetch_group_total_count(group.pointer), sdimage_prefetch_group_finished_count(group.pointer),
            sdimage_prefetch_group_skipped_count(group.pointer),
        ]
        #expect(counts == [4, 4, 2])
        #expect(failure(group, 0) == "1 NOT_AN_IMAGE" && failure(group, 1) == "2 INVALID_URL" && failure(group, 2) == nil)
        #expect(url(group, 1) == "test://bad" && url(group, 4) == nil)
    }

    @Test func theObserverHearsSumsOverAllListsBeforeTheirOwnCallbacks() throws {
        let held = HeldLoader()
        let prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: try held.makeLoader()), atOnce: 1)
        let listener = PrefetchListener()
        listener.observe(prefetcher)
        _ = try listener.start(prefetcher, ["test://a", "test://b"])
        _ = try listener.start(prefetcher, ["test://c"])
        for _ in 0..<3 { finish(held.next()) }
        #expect(listener.waitForCompletion(count: 2))
        #expect(
            listener.log == [
                "all 1 of 3", "fetched 0 loader", "progress 1 of 2", "all 2 of 3", "fetched 1 loader", "progress 2 of 2",
                "completed 2 0", "all 1 of 1", "fetched 0 loader", "progress 1 of 1", "idle 1 0", "completed 1 0",
            ])
    }

    @Test func aCancelledListCompletesOnceSayingSoAndStartsNothingMore() throws {
        let held = HeldLoader()
        let prefetcher = try makePrefetcher(
            try makeManager(cache: nil, loader: try held.makeLoader()), dispatcher: try immediateDispatcher(), atOnce: 1)
        let listener = PrefetchListener()
        let group = try #require(try listener.start(prefetcher, urls(5)))
        finish(held.next())
        let running = held.next()
        sdimage_prefetch_group_cancel(group.pointer)
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 1 0 CANCELLED"])
        #expect(sdimage_prefetch_group_is_cancelled(group.pointer) && sdimage_prefetch_group_is_finished(group.pointer))
        #expect(held.waitForCancel())
        finish(running)
        sdimage_prefetch_group_cancel(group.pointer)
        // The slot of the cancelled group is free for others.
        let next = PrefetchListener()
        _ = try next.start(prefetcher, ["test://next"])
        finish(held.next())
        #expect(next.waitForCompletion())
        #expect(held.startCount == 3)
        #expect(listener.log == ["fetched 0 loader", "progress 1 of 5", "completed 1 0 CANCELLED"])
    }

    @Test(arguments: [true, false]) func allListsAreCancelledTogetherOrWithTheirPrefetcher(_ byCall: Bool) throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let listeners = [PrefetchListener(), PrefetchListener()]
        do {
            let prefetcher = try makePrefetcher(manager)
            for listener in listeners { _ = try listener.start(prefetcher, urls(4)) }
            if byCall { sdimage_prefetcher_cancel_all(prefetcher.pointer) }
        }
        for listener in listeners {
            #expect(listener.waitForCompletion() && listener.waitForDestroy())
            #expect(listener.completed == ["completed 0 0 CANCELLED"])
        }
    }

    @Test func loadsCancelledBehindItsBackAreSkipped() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let prefetcher = try makePrefetcher(manager)
        let listener = PrefetchListener()
        _ = try listener.start(prefetcher, urls(3))
        for _ in 0..<3 { #expect(held.next() != nil) }
        sdimage_manager_cancel_all(manager.pointer)
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 3 3"])
    }

    @Test func aListWhoseManagerClosesIsCompleted() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let prefetcher = try makePrefetcher(manager)
        let listener = PrefetchListener()
        let group = try #require(try listener.start(prefetcher, urls(100)))
        #expect(held.next() != nil)
        #expect(sdimage_manager_close(manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 100 100"])
        #expect(failure(group, 99)?.hasSuffix("SHUTDOWN") == true)
    }

    @Test func equalURLsAreCountedEach() throws {
        let prefetcher = try makePrefetcher(try makeManager(cache: try makeCache(in: nil), loader: try answering()))
        let listener = PrefetchListener()
        _ = try listener.start(prefetcher, ["test://a", "test://a", "test://a"])
        #expect(listener.waitForCompletion())
        #expect(listener.completed == ["completed 3 0"])
    }

    // The prefetcher stores under the keys of the manager passed to it.
    @Test func aPrefetcherOnTheVisibleManagerStoresUnderItsKeys() throws {
        let cache = try makeCache(in: nil)
        let config = sdimage_manager_config_new()
        defer { sdimage_manager_config_unref(config) }
        let flip = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, false, $0, $1) }
        let loader = try answering()
        sdimage_manager_config_set_cache(config, cache.pointer)
        sdimage_manager_config_set_loader(config, loader.pointer)
        sdimage_manager_config_set_transformer(config, flip.pointer)
        let manager = try make(sdimage_manager_unref) { sdimage_manager_new(config, $0, $1) }
        let listener = PrefetchListener()
        let prefetcher = try makePrefetcher(manager)
        _ = try listener.start(prefetcher, ["test://a"])
        #expect(listener.waitForCompletion())
        let found = Listener()
        _ = try found.load(manager, makeRequest("test://a"))
        #expect(found.final()?.source == .SDIMAGE_IMAGE_SOURCE_MEMORY)
        // Another manager without the transformer has another key.
        let other = Listener()
        let plain = try makeManager(cache: cache, loader: loader)
        _ = try other.load(plain, makeRequest("test://a"))
        #expect(other.final()?.source == .SDIMAGE_IMAGE_SOURCE_LOADER)
    }

    // A long list found in memory must neither block the caller nor overflow the stack.
    @Test func tenThousandPicturesInMemoryAreCountedInOrder() throws {
        let manager = try makeManager(cache: try makeCache(in: nil), loader: try answering(width: 1))
        let prefetcher = try makePrefetcher(manager)
        let listener = PrefetchListener()
        _ = try listener.start(prefetcher, ["test://a"])
        #expect(listener.waitForCompletion())
        _ = try listener.start(prefetcher, [String](repeating: "test://a", count: 10_000))
        #expect(listener.waitForCompletion(count: 2))
        let progress = listener.log.filter { $0.hasPrefix("progress") }.dropFirst()
        #expect(progress.map { $0 } == (1...10_000).map { "progress \($0) of 10000" })
    }

    @Test func aListCanBeCancelledAndStartedInsideItsCallbacks() throws {
        let prefetcher = try makePrefetcher(
            try makeManager(cache: nil, loader: try answering()), dispatcher: try immediateDispatcher(), atOnce: 1)
        let first = PrefetchListener(), second = PrefetchListener()
        first.onCall = { line, group in
            if line == "progress 2 of 9" { sdimage_prefetch_group_cancel(group) }
            if line.hasPrefix("completed") { _ = try? second.start(prefetcher, ["test://z"]) }
        }
        _ = try first.start(prefetcher, urls(9))
        #expect(second.waitForCompletion())
        #expect(first.completed == ["completed 2 0 CANCELLED"] || first.completed == ["completed 3 0 CANCELLED"])
    }

    @Test func waitingOnALibraryThreadIsRefused() throws {
        let held = HeldLoader()
        let prefetcher = try makePrefetcher(try makeManager(cache: nil, loader: try held.makeLoader()))
        let listener = PrefetchListener()
        let status = Locked(sdimage_status.SDIMAGE_STATUS_OK)
        listener.onCall = { line, group in
            if line == "progress 1 of 2" { status.set(sdimage_prefetch_group_wait(group, 100, nil)) }
        }
        let group = try #require(try listener.start(prefetcher, urls(2)))
        finish(held.next())
        #expect(status.wait { $0 == .SDIMAGE_STATUS_WOULD_DEADLOCK })
        #expect(sdimage_prefetch_group_wait(group.pointer, 1, nil) == .SDIMAGE_STATUS_TIMEOUT)
        sdimage_prefetch_group_cancel(group.pointer)
        #expect(sdimage_prefetch_group_wait(group.pointer, .max, nil) == .SDIMAGE_STATUS_OK)
    }

    private func finish(_ sink: OpaquePointer?) {
        let bytes = makePNG(width: 8, height: 8)
        _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
    }

    private func failure(_ group: Owned, _ number: Int) -> String? {
        var index = 0
        var failure: OpaquePointer?
        guard sdimage_prefetch_group_get_failure(group.pointer, number, &index, &failure, nil) == .SDIMAGE_STATUS_OK else {
            return nil
        }
        defer { sdimage_error_unref(failure) }
        return "\(index) " + String(cString: sdimage_status_name(sdimage_error_code(failure)))
    }

    private func url(_ group: Owned, _ index: Int) -> String? {
        var url: OpaquePointer?
        guard sdimage_prefetch_group_get_url(group.pointer, index, &url, nil) == .SDIMAGE_STATUS_OK else { return nil }
        defer { sdimage_data_unref(url) }
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(url), count: sdimage_data_length(url))
        return String(decoding: bytes, as: UTF8.self)
    }
}
