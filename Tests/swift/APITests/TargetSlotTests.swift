import CSDImage
import Foundation
import TestSupport
import Testing

/// Loads in the slots of a target: state, progress and end.
@Suite struct TargetSlotTests {
    @Test func theLatestLoadCanBeCancelledAndIsGoneThen() throws {
        let fixture = try TargetFixture()
        let task = try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(running(fixture.target) == task?.pointer)
        sdimage_target_cancel_latest(fixture.target.pointer)
        #expect(fixture.widget.log == ["clear", "start", "stop", "told CANCELLED 0"])
        #expect(running(fixture.target) == nil)
        // A repeated call is harmless.
        sdimage_target_cancel_latest(fixture.target.pointer)
        #expect(fixture.widget.told == ["told CANCELLED 0"])
    }

    @Test func aSlotIsCancelledByItsKey() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        try fixture.widget.load(
            fixture.target, makeRequest("test://b"), targetOptions { sdimage_target_options_set_key($0, "hover") })
        sdimage_target_cancel(fixture.target.pointer, nil)
        #expect(running(fixture.target) == nil && running(fixture.target, "hover") != nil)
        sdimage_target_cancel(fixture.target.pointer, "hover")
        #expect(running(fixture.target, "hover") == nil)
        #expect(fixture.widget.told == ["told CANCELLED 0", "told CANCELLED 0"])
    }

    // Response fields and metrics of the load are available inside its completion callback.
    @Test func theLoadIsFoundInsideItsLastCallbackAndNotAfterwards() throws {
        let fixture = try TargetFixture()
        let seen = Locked<OpaquePointer?>(nil)
        fixture.widget.onCall = { [target = fixture.target] line in
            if line == "told OK 8" { seen.set(running(target)) }
        }
        let task = try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(seen.wait { $0 != nil })
        #expect(seen.get() == task?.pointer)
        #expect(Locked(()).wait { _ in running(fixture.target) == nil })
    }

    @Test func aLoadOfTheProgramsOwnTakesASlotAndIsCancelledByTheNext() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let listener = Listener()
        let own = try listener.load(fixture.manager, makeRequest("test://own"))
        sdimage_target_set_task(fixture.target.pointer, nil, own.pointer)
        #expect(fixture.widget.told == ["told CANCELLED 0"])
        #expect(running(fixture.target) == own.pointer)
        try fixture.widget.load(fixture.target, makeRequest("test://b"))
        #expect(listener.final()?.status == .SDIMAGE_STATUS_CANCELLED)
    }

    @Test func aLoadOfTheProgramsOwnIsGoneFromItsSlotAfterItsLastCallback() throws {
        let fixture = try TargetFixture()
        let listener = Listener()
        let seen = Locked<OpaquePointer?>(nil)
        listener.onResult = { [target = fixture.target] _, _ in seen.set(running(target)) }
        let request = makeRequest("test://own")
        sdimage_request_set_priority(request.pointer, .SDIMAGE_PRIORITY_HIGH)
        let own = try listener.load(fixture.manager, request)
        sdimage_target_set_task(fixture.target.pointer, nil, own.pointer)
        #expect(sdimage_target_priority(fixture.target.pointer, nil) == .SDIMAGE_PRIORITY_HIGH)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(listener.final()?.width == 8)
        #expect(seen.wait { $0 != nil })
        #expect(seen.get() == own.pointer)
        #expect(Locked(()).wait { _ in running(fixture.target) == nil })
        #expect(sdimage_target_priority(fixture.target.pointer, nil) == .SDIMAGE_PRIORITY_NORMAL)
    }

    @Test func aLoadOfTheProgramsOwnThatIsSetAgainGoesOn() throws {
        let fixture = try TargetFixture()
        let listener = Listener()
        let own = try listener.load(fixture.manager, makeRequest("test://own"))
        for _ in 0..<2 { sdimage_target_set_task(fixture.target.pointer, nil, own.pointer) }
        #expect(running(fixture.target) == own.pointer)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(listener.final()?.width == 8)
    }

    @Test func aLoadTakenOutOfItsSlotGoesOn() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let first = try #require(fixture.held.next())
        sdimage_target_remove_task(fixture.target.pointer, nil)
        #expect(running(fixture.target) == nil)
        try fixture.widget.load(fixture.target, makeRequest("test://b"))
        #expect(fixture.widget.told.isEmpty)
        let bytes = makePNG(width: 8, height: 8)
        _ = sdimage_load_sink_write(first, bytes, bytes.count, nil)
        sdimage_load_sink_finish(first, nil)
        sdimage_load_sink_unref(first)
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.shown.contains("image 8 loader"))
    }

    @Test func aLoadTakenOutOfItsSlotIsToldOfAfterItsTransition() throws {
        let fixture = try TargetFixture()
        let options = targetOptions {
            sdimage_target_options_set_transition($0, .SDIMAGE_TRANSITION_FADE, 1)
            sdimage_target_options_set_wait_for_transition($0, true)
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        sdimage_target_remove_task(fixture.target.pointer, nil)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log.suffix(2) == ["end true", "told OK 8"])
    }

    @Test func aLoadTakenOutOfItsSlotEndsWithItsTarget() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        sdimage_target_remove_task(fixture.target.pointer, nil)
        sdimage_target_cancel_latest(fixture.target.pointer)
        #expect(fixture.widget.told.isEmpty)
        sdimage_target_close(fixture.target.pointer)
        #expect(fixture.widget.told == ["told CANCELLED 0"])
    }

    @Test(arguments: [true, false]) func aTargetThatGoesAwayShowsNothingMoreAndCompletesOnce(_ byClosing: Bool) throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let widget = Widget()
        let late: OpaquePointer
        do {
            let target = try widget.makeTarget(manager, dispatcher: try immediateDispatcher())
            try widget.load(target, makeRequest("test://a"))
            late = try #require(held.next())
            _ = widget.take()
            if byClosing {
                sdimage_target_close(target.pointer)
                sdimage_target_close(target.pointer)
                #expect(throws: CallFailure.self) { try widget.load(target, makeRequest("test://b")) }
            }
        }
        #expect(widget.log == ["told CANCELLED 0"])
        sdimage_load_sink_finish(late, nil)
        sdimage_load_sink_unref(late)
        // One for the table, and one for each load, including the refused one.
        #expect(widget.waitForDestroy(count: byClosing ? 3 : 2))
        #expect(widget.log == ["told CANCELLED 0"])
    }

    @Test func aTargetHoldsItsManager() throws {
        let widget = Widget()
        let target: Owned
        do {
            let loader = try ScriptedLoader.answering(makePNG(width: 8, height: 8)).makeLoader()
            target = try widget.makeTarget(try makeManager(cache: nil, loader: loader))
        }
        try widget.load(target, makeRequest("test://a"))
        #expect(widget.wait("told OK 8"))
    }

    @Test func aLoadThatItsManagerRefusesStopsTheIndicatorAndTellsNothing() throws {
        let fixture = try TargetFixture()
        #expect(sdimage_manager_close(fixture.manager.pointer, 120_000, nil) == .SDIMAGE_STATUS_OK)
        #expect(throws: CallFailure.self) { try fixture.widget.load(fixture.target, makeRequest("test://a")) }
        #expect(fixture.widget.log == ["clear", "start", "stop"])
        #expect(fixture.widget.waitForDestroy(count: 1))
    }

    @Test func progressIsCountedFromNothingToTheWhole() throws {
        let fixture = try TargetFixture()
        let task = try #require(try fixture.widget.load(fixture.target, makeRequest("test://a")))
        #expect(numbers(task)[0] == 0)
        let bytes = makePNG(width: 8, height: 8)
        let total = Int64(bytes.count * 4)
        let sink = try #require(fixture.held.next())
        sdimage_load_sink_set_expected_length(sink, UInt64(total))
        _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
        #expect(Locked(()).wait { _ in numbers(task) == [total / 4, total] })
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(fixture.widget.wait("told OK 8"))
    }

    @Test func theIndicatorStartsAndStopsOnceForEachLoad() throws {
        let fixture = try TargetFixture()
        for _ in 0..<3 { try fixture.widget.load(fixture.target, makeRequest("test://a")) }
        let task = try #require(try fixture.widget.load(fixture.target, makeRequest("test://b")))
        sdimage_task_cancel(task.pointer)
        let indicator = fixture.widget.log.filter { ["start", "stop"].contains($0) }
        #expect(indicator == ["start", "stop", "start", "stop", "start", "stop", "start", "stop"])
    }

    @Test func thePictureOfTheRequestOnDiskCanStandIn() throws {
        let folder = TemporaryDirectory()
        let fixture = try TargetFixture(cache: try makeCache(in: folder.path))
        try fixture.store("test://a", width: 8)
        let placeholder = try makeImage(width: 4)
        let options = targetOptions {
            sdimage_target_options_set_placeholder($0, placeholder.pointer)
            sdimage_target_options_set_cached_placeholder($0, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY_AND_DISK)
        }
        let request = makeRequest("test://a")
        sdimage_request_set_source_policy(request.pointer, .SDIMAGE_SOURCE_POLICY_LOADER_ONLY)
        try fixture.widget.load(fixture.target, request, options)
        #expect(fixture.widget.log == ["placeholder 8", "start"])
        // An image that is not cached shows the given placeholder.
        try fixture.widget.load(fixture.target, makeRequest("test://b"), options)
        #expect(fixture.widget.shown == ["placeholder 8", "placeholder 4"])
    }

    @Test func anotherSizeInMemoryCanStandIn() throws {
        let fixture = try TargetFixture()
        let options = targetOptions {
            sdimage_target_options_set_cached_placeholder($0, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY)
        }
        func request(_ side: UInt32) -> Owned {
            let request = makeRequest("test://a.png")
            setStoreLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY)
            if side > 0 { sdimage_request_set_thumbnail_size(request.pointer, side, side, .SDIMAGE_SCALE_MODE_ASPECT_FIT) }
            return request
        }
        let bytes = makePNG(width: 64, height: 64)
        for side: UInt32 in [16, 32] {
            try fixture.widget.load(fixture.target, request(side))
            #expect(fixture.held.answer(bytes))
            #expect(fixture.widget.wait("told OK \(side)"))
        }
        _ = fixture.widget.take()
        // The largest thumbnail is the placeholder for the full image, and then the full image for a thumbnail.
        try fixture.widget.load(fixture.target, request(0), options)
        #expect(fixture.widget.wait("placeholder 32"))
        #expect(fixture.held.answer(bytes))
        #expect(fixture.widget.wait("told OK 64"))
        try fixture.widget.load(fixture.target, request(24), options)
        #expect(fixture.widget.wait("placeholder 64"))
    }

    /// Keys of sizes are held after the images have left memory, and a long key is a `data:` URL.
    @Test func anotherSizeUnderALongKeyIsNotRemembered() throws {
        let fixture = try TargetFixture()
        let options = targetOptions {
            sdimage_target_options_set_cached_placeholder($0, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY)
        }
        let url = "test://h/" + String(repeating: "a", count: 4096)
        let small = makeRequest(url)
        sdimage_request_set_thumbnail_size(small.pointer, 16, 16, .SDIMAGE_SCALE_MODE_ASPECT_FIT)
        try fixture.widget.load(fixture.target, small)
        #expect(fixture.held.answer(makePNG(width: 64, height: 64)))
        #expect(fixture.widget.wait("told OK 16"))
        _ = fixture.widget.take()
        try fixture.widget.load(fixture.target, makeRequest(url), options)
        #expect(fixture.widget.wait("start"))
        #expect(!fixture.widget.shown.contains("placeholder 16"))
    }

    @Test func aStretchedThumbnailStandsInForNoOther() throws {
        let fixture = try TargetFixture()
        let options = targetOptions {
            sdimage_target_options_set_cached_placeholder($0, .SDIMAGE_CACHED_PLACEHOLDER_MEMORY)
        }
        for (width, height, mode): (UInt32, UInt32, sdimage_scale_mode) in [
            (40, 8, .SDIMAGE_SCALE_MODE_FILL), (16, 16, .SDIMAGE_SCALE_MODE_ASPECT_FIT),
        ] {
            let request = makeRequest("test://a.png")
            setStoreLayers(request.pointer, .SDIMAGE_CACHE_LAYERS_MEMORY)
            sdimage_request_set_thumbnail_size(request.pointer, width, height, mode)
            try fixture.widget.load(fixture.target, request, options)
            #expect(fixture.held.answer(makePNG(width: 64, height: 64)))
            #expect(fixture.widget.wait("told OK \(width)"))
        }
        #expect(!fixture.widget.shown.contains { $0.hasPrefix("placeholder") })
    }

    @Test func hashesAreDrawnAsPlaceholders() throws {
        let fixture = try TargetFixture()
        let blur = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
        try fixture.widget.load(
            fixture.target, makeRequest("test://a"),
            targetOptions { sdimage_target_options_set_blurhash($0, blur, blur.utf8.count, 12, 9) })
        let thumb: [UInt8] = [
            0xDC, 0xF7, 0x0D, 0x12, 0x80, 0x87, 0x76, 0x97, 0x78, 0x89, 0xF7, 0x77, 0x78, 0x79, 0x88, 0x77, 0x87, 0x80,
        ]
        try fixture.widget.load(
            fixture.target, makeRequest("test://b"),
            targetOptions { sdimage_target_options_set_thumbhash($0, thumb, thumb.count) })
        try fixture.widget.load(
            fixture.target, makeRequest("test://c"),
            targetOptions { sdimage_target_options_set_blurhash($0, "no hash", 7, 12, 9) })
        let shown = fixture.widget.shown
        #expect(shown.first == "placeholder 12" && shown.last == "clear")
        #expect(shown.count == 3 && shown[1].hasPrefix("placeholder"))
    }
}

/// Re-entrant calls.
@Suite struct TargetReentrancyTests {
    @Test func aLoadFromInsideACallbackComesAfterThatHasReturned() throws {
        let fixture = try TargetFixture()
        try fixture.keep("test://b", width: 9)
        var depth = 0
        fixture.widget.onCall = { [target = fixture.target, widget = fixture.widget] line in
            depth += 1
            #expect(depth == 1)
            if line == "told OK 8" { _ = try? widget.load(target, makeRequest("test://b")) }
            depth -= 1
        }
        try fixture.keep("test://a", width: 8)
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(fixture.widget.log.suffix(5) == ["clear", "start", "stop", "image 9 memory", "told OK 9"])
    }

    @Test func aPlaceholderCanStartAnotherLoadInPlaceOfItsOwn() throws {
        let fixture = try TargetFixture()
        try fixture.keep("test://b", width: 9)
        let isFirst = Locked(true)
        fixture.widget.onCall = { [target = fixture.target, widget = fixture.widget] line in
            guard line == "clear", isFirst.get() else { return }
            isFirst.set(false)
            _ = try? widget.load(target, makeRequest("test://b"))
        }
        let task = try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(sdimage_task_is_finished(task?.pointer))
        #expect(fixture.widget.shown == ["clear", "clear", "image 9 memory"])
        #expect(fixture.widget.told == ["told CANCELLED 0", "told OK 9"])
        #expect(fixture.held.startCount == 0)
    }

    @Test(arguments: ["clear", "start", "stop", "image 8 memory", "told OK 8"])
    func aTargetCanBeClosedInEveryCallback(_ when: String) throws {
        let fixture = try TargetFixture()
        try fixture.keep("test://a", width: 8)
        fixture.widget.onCall = { [target = fixture.target] line in
            if line == when { sdimage_target_close(target.pointer) }
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(fixture.widget.told.count == 1)
        let order = ["clear", "start", "stop", "image 8 memory", "told OK 8"]
        let seen = fixture.widget.log.filter { !$0.hasPrefix("told") }
        #expect(seen == order.prefix(through: try #require(order.firstIndex(of: when))).filter { !$0.hasPrefix("told") })
    }

    @Test func theLastReferenceCanGoInsideACallback() throws {
        let held = HeldLoader()
        let manager = try makeManager(cache: nil, loader: try held.makeLoader())
        let widget = Widget()
        let target = Locked<Owned?>(try widget.makeTarget(manager, dispatcher: try immediateDispatcher()))
        try widget.load(try #require(target.get()), makeRequest("test://a"))
        widget.onCall = { line in if line == "stop" { target.set(nil) } }
        #expect(held.answer(makePNG(width: 8, height: 8)))
        #expect(widget.waitForDestroy(count: 2))
        #expect(widget.log == ["clear", "start", "stop", "told CANCELLED 0"])
    }

    @Test func waitingForALoadOfTheSameTargetInACallbackReturns() throws {
        let fixture = try TargetFixture()
        try fixture.keep("test://a", width: 8)
        let hover = try #require(
            try fixture.widget.load(
                fixture.target, makeRequest("test://b"), targetOptions { sdimage_target_options_set_key($0, "hover") }))
        let status = Locked(sdimage_status.SDIMAGE_STATUS_BUSY)
        fixture.widget.onCall = { line in
            if line == "told OK 8" { status.set(sdimage_task_cancel_and_wait(hover.pointer, .max, nil)) }
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(status.get() == .SDIMAGE_STATUS_OK)
        #expect(fixture.widget.log.suffix(2) == ["hover: stop", "told CANCELLED 0"])
    }
}

private func running(_ target: Owned, _ key: String? = nil) -> OpaquePointer? {
    var task: OpaquePointer?
    sdimage_target_get_task(target.pointer, key, &task)
    sdimage_task_unref(task)
    return task
}

private func numbers(_ task: Owned) -> [Int64] {
    var (received, expected): (Int64, Int64) = (0, 0)
    sdimage_task_progress(task.pointer, &received, &expected)
    return [received, expected]
}
