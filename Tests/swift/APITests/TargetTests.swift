import CSDImage
import Foundation
import TestSupport
import Testing

/// The calls that a widget receives for loads.
@Suite struct TargetTests {
    @Test func aLoadShowsThePlaceholderAndThenThePicture() throws {
        let fixture = try TargetFixture()
        let placeholder = try makeImage(width: 4)
        let task = try fixture.widget.load(
            fixture.target, makeRequest("test://a"),
            targetOptions { sdimage_target_options_set_placeholder($0, placeholder.pointer) })
        #expect(task != nil)
        // Before the starting call returns, on the calling thread.
        #expect(fixture.widget.log == ["placeholder 4", "start"])
        #expect(fixture.widget.threads == [UInt(pthread_self())])
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log == ["placeholder 4", "start", "stop", "image 8 loader", "told OK 8"])
    }

    // A NULL placeholder clears the target.
    @Test func withoutAPlaceholderTheTargetIsCleared() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(fixture.widget.log == ["clear", "start"])
    }

    // In a process of its own, because trimming empties the caches of all tests.
    @Test func aPictureThatOnlyTheWidgetHoldsSurvivesItsClearing() async {
        await #expect(processExitsWith: .success) {
            let fixture = try TargetFixture()
            sdimage_cache_set_keep_weakly(fixture.cache.pointer, true)
            do {
                try fixture.keep("test://a", width: 8)
                try fixture.widget.load(fixture.target, makeRequest("test://a"))
            }
            sdimage_trim_memory(true)
            _ = fixture.widget.take()
            try fixture.widget.load(fixture.target, makeRequest("test://a"))
            #expect(fixture.widget.log == ["clear", "start", "stop", "image 8 memory", "told OK 8"])
        }
    }

    @Test func differentKeysLoadIndependently() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let first = try #require(fixture.held.next())
        try fixture.widget.load(
            fixture.target, makeRequest("test://b"), targetOptions { sdimage_target_options_set_key($0, "hover") })
        #expect(fixture.held.answer(makePNG(width: 9, height: 9)))
        #expect(fixture.widget.wait("told OK 9"))
        let bytes = makePNG(width: 8, height: 8)
        _ = sdimage_load_sink_write(first, bytes, bytes.count, nil)
        sdimage_load_sink_finish(first, nil)
        sdimage_load_sink_unref(first)
        #expect(fixture.widget.wait("told OK 8"))
        #expect(
            fixture.widget.log == [
                "clear", "start", "hover: clear", "hover: start", "hover: stop", "hover: image 9 loader", "told OK 9", "stop",
                "image 8 loader", "told OK 8",
            ])
    }

    @Test(arguments: [nil, "hover"]) func hooksSeeTheKeyAndTheTargetRemembersIt(_ key: String?) throws {
        let seen = Locked("")
        let loader = try ScriptedLoader { request, sink in
            let options = sdimage_request_options(request)
            seen.set(sdimage_options_string(options, "setImageOperationKey", nil).map { String(cString: $0) } ?? "none")
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }.makeLoader()
        let manager = try makeManager(cache: nil, loader: loader)
        let widget = Widget()
        let target = try widget.makeTarget(manager)
        try widget.load(target, makeRequest("test://a"), targetOptions { sdimage_target_options_set_key($0, key) })
        #expect(seen.wait { !$0.isEmpty })
        #expect(seen.get() == key ?? "image")
        var latest: OpaquePointer?
        sdimage_target_get_latest_key(target.pointer, &latest)
        #expect(text(latest) == key ?? "image")
    }

    @Test(arguments: [nil, "hover"]) func twoWidgetsShareAFetchOfTheirLoader(key: String?) throws {
        let fixture = try TargetFixture()
        let other = Widget()
        let second = try other.makeTarget(fixture.manager)
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        try other.load(second, makeRequest("test://a"), targetOptions { sdimage_target_options_set_key($0, key) })
        try fixture.held.answerOne(makePNG(width: 8, height: 8), fixture.manager)
        #expect(fixture.widget.wait("told OK 8") && other.wait("told OK 8"))
        #expect(fixture.held.startCount == 2)
    }

    @Test func theNextLoadCancelsTheOneBeforeAndCompletesItFirst() throws {
        let fixture = try TargetFixture()
        let first = try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let late = try #require(fixture.held.next())
        try fixture.widget.load(fixture.target, makeRequest("test://b"))
        #expect(fixture.widget.log == ["clear", "start", "stop", "told CANCELLED 0", "clear", "start"])
        #expect(sdimage_task_is_finished(first?.pointer))
        let bytes = makePNG(width: 3, height: 3)
        _ = sdimage_load_sink_write(late, bytes, bytes.count, nil)
        sdimage_load_sink_finish(late, nil)
        sdimage_load_sink_unref(late)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.shown == ["clear", "clear", "image 8 loader"])
    }

    // SDWebImage option AvoidAutoCancel
    @Test func aLoadThatKeepsTheOneBeforeLetsBothShowTheirPictures() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let first = try #require(fixture.held.next())
        try fixture.widget.load(
            fixture.target, makeRequest("test://b"),
            targetOptions { sdimage_target_options_set_previous_load($0, .SDIMAGE_PREVIOUS_LOAD_KEEP) })
        #expect(fixture.held.answer(makePNG(width: 9, height: 9)))
        #expect(fixture.widget.wait("told OK 9"))
        let bytes = makePNG(width: 8, height: 8)
        _ = sdimage_load_sink_write(first, bytes, bytes.count, nil)
        sdimage_load_sink_finish(first, nil)
        sdimage_load_sink_unref(first)
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.shown == ["clear", "clear", "image 9 loader", "image 8 loader"])
    }

    @Test func theTargetKnowsTheURLOfEachSlotAlsoWhereThereIsNone() throws {
        let fixture = try TargetFixture()
        #expect(url(fixture.target) == "")
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        try fixture.widget.load(
            fixture.target, makeRequest("test://b"), targetOptions { sdimage_target_options_set_key($0, "hover") })
        #expect(url(fixture.target) == "test://b" && url(fixture.target, "image") == "test://a")
        try fixture.widget.load(fixture.target, nil)
        #expect(url(fixture.target) == "" && url(fixture.target, "hover") == "test://b")
    }

    @Test func anotherManagerCanLoadAndIsNoOptionOfTheRequest() throws {
        let fixture = try TargetFixture()
        let other = try makeManager(cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 5, height: 5)).makeLoader())
        let options = targetOptions { sdimage_target_options_set_manager($0, other.pointer) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.widget.wait("told OK 5"))
        #expect(fixture.held.startCount == 0)
    }

    @Test(arguments: [true, false]) func withoutAURLThePlaceholderIsShownAndTheLoadEnds(_ isNull: Bool) throws {
        let fixture = try TargetFixture()
        let placeholder = try makeImage(width: 4)
        let options = targetOptions { sdimage_target_options_set_placeholder($0, placeholder.pointer) }
        let task = try fixture.widget.load(fixture.target, isNull ? nil : makeRequest(""), options)
        #expect(task == nil)
        #expect(fixture.widget.log == ["placeholder 4", "start", "stop", "told INVALID_URL 0"])
        #expect(fixture.held.startCount == 0)
    }

    // The indicator of the previous load is stopped.
    @Test func withoutAURLTheLoadBeforeIsEndedToo() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        _ = fixture.widget.take()
        try fixture.widget.load(fixture.target, nil)
        #expect(fixture.widget.log.prefix(3) == ["stop", "told CANCELLED 0", "clear"])
        #expect(fixture.widget.log.last == "told INVALID_URL 0")
    }

    @Test func anErrorLeavesWhatIsShown() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(fixture.held.answer([]))
        #expect(fixture.widget.wait("stop"))
        #expect(fixture.widget.waitForTold(1))
        #expect(fixture.widget.shown == ["clear"])
    }

    // The placeholder as a failure image
    @Test func aPlaceholderOnFailureIsShownAtTheEndAndNotBefore() throws {
        let fixture = try TargetFixture(Widget(animates: false))
        let placeholder = try makeImage(width: 4)
        let options = targetOptions {
            sdimage_target_options_set_placeholder($0, placeholder.pointer)
            sdimage_target_options_set_placeholder_time($0, .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE)
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.widget.log == ["start"])
        #expect(fixture.held.answer([]))
        #expect(fixture.widget.waitForTold(1))
        #expect(fixture.widget.log.prefix(3) == ["start", "stop", "placeholder 4"] && fixture.widget.log.count == 4)
        // A successful load never shows it.
        try fixture.widget.load(fixture.target, makeRequest("test://b"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.shown == ["placeholder 4", "image 8 loader"])
    }

    // A cancelled load shows it, without a transition.
    @Test func aCancelledLoadShowsItsPlaceholderOnFailure() throws {
        let fixture = try TargetFixture()
        let placeholder = try makeImage(width: 4)
        let options = targetOptions {
            sdimage_target_options_set_placeholder($0, placeholder.pointer)
            sdimage_target_options_set_placeholder_time($0, .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE)
        }
        let task = try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        sdimage_task_cancel(task?.pointer)
        #expect(fixture.widget.log == ["start", "stop", "placeholder 4", "told CANCELLED 0"])
    }

    // SDWebImage option AvoidAutoSet
    @Test func aPictureThatTheProgramSetsIsNotSetByTheTarget() throws {
        let fixture = try TargetFixture()
        let options = targetOptions {
            sdimage_target_options_set_image_setting($0, .SDIMAGE_IMAGE_SETTING_MANUAL)
            sdimage_target_options_set_transition($0, .SDIMAGE_TRANSITION_FADE, 1)
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log == ["clear", "start", "stop", "told OK 8"])
    }

    @Test(arguments: [false, true]) func partsAreReportedOnlyWhereTheWidgetSetsThem(_ isManual: Bool) throws {
        let fixture = try TargetFixture()
        let request = makeRequest("test://a.jpg")
        sdimage_request_set_progressive(request.pointer, true)
        sdimage_request_set_progressive_interval_ms(request.pointer, 1)
        let options = targetOptions {
            sdimage_target_options_set_image_setting(
                $0, isManual ? .SDIMAGE_IMAGE_SETTING_MANUAL : .SDIMAGE_IMAGE_SETTING_AUTOMATIC)
        }
        try fixture.widget.load(fixture.target, request, options)
        let bytes = try Fixtures.bytes("jpeg/large.jpg")
        let sink = try #require(fixture.held.next())
        let half = Array(bytes.prefix(bytes.count / 2)), rest = Array(bytes.dropFirst(bytes.count / 2))
        _ = sdimage_load_sink_write(sink, half, half.count, nil)
        #expect(fixture.widget.wait(isManual ? "told part 1024" : "part 1024 loader"))
        _ = sdimage_load_sink_write(sink, rest, rest.count, nil)
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
        #expect(fixture.widget.wait("told OK 1024"))
        #expect(fixture.widget.told.contains("told part 1024") == isManual)
        #expect(fixture.widget.shown.contains("part 1024 loader") != isManual)
    }

    @Test func aPictureInMemoryIsSetInsideTheStartingCall() throws {
        let fixture = try TargetFixture()
        try fixture.keep("test://a", width: 8)
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(fixture.widget.log == ["clear", "start", "stop", "image 8 memory", "told OK 8"])
        #expect(fixture.widget.threads == [UInt(pthread_self())])
    }

    // SDWebImage option QueryDiskDataSync
    @Test func aPictureOnDiskIsSetInsideTheStartingCallWhereThatWaits() throws {
        let folder = TemporaryDirectory()
        let fixture = try TargetFixture(cache: try makeCache(in: folder.path))
        try fixture.store("test://a", width: 8)
        let request = makeRequest("test://a")
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_DISK)
        try fixture.widget.load(fixture.target, request)
        #expect(fixture.widget.log == ["clear", "start", "stop", "image 8 disk", "told OK 8"])
    }

    @Test func aRefreshThatBringsNothingNewIsNotSetAgain() throws {
        let fixture = try FreshnessFixture(["ETag": "\"a\""])
        _ = try fixture.load(.SDIMAGE_FRESHNESS_IGNORE)
        let widget = Widget()
        let target = try widget.makeTarget(fixture.manager, dispatcher: try immediateDispatcher())
        try widget.load(target, fixture.request(.SDIMAGE_FRESHNESS_REFRESH))
        #expect(widget.wait("told OK 8"))
        #expect(widget.shown == ["clear", "cached 8 memory"] && widget.told == ["told cached 8", "told OK 8"])
        fixture.origin.now { ($0.headers["ETag"], $0.body) = ("\"b\"", makePNG(width: 9, height: 9)) }
        try widget.load(target, fixture.request(.SDIMAGE_FRESHNESS_REFRESH))
        #expect(widget.wait("told OK 9"))
        #expect(widget.shown.suffix(2) == ["cached 8 memory", "image 9 network"])
        // A failed refresh leaves the image unchanged.
        fixture.origin.stop()
        try widget.load(target, fixture.request(.SDIMAGE_FRESHNESS_REFRESH))
        #expect(widget.waitForTold(6))
        #expect(widget.shown.suffix(2) == ["clear", "cached 9 memory"])
    }

    @Test func progressComesOnTheDispatcherOfTheTarget() throws {
        let loop = HostLoop()
        let fixture = try TargetFixture(Widget(updates: true), dispatcher: try loop.makeDispatcher())
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        let bytes = makePNG(width: 8, height: 8)
        let sink = try #require(fixture.held.next())
        sdimage_load_sink_set_expected_length(sink, UInt64(bytes.count * 2))
        _ = sdimage_load_sink_write(sink, bytes, bytes.count, nil)
        while !fixture.widget.log.contains("progress \(bytes.count) of \(bytes.count * 2)") { #expect(loop.runOne()) }
        #expect(fixture.widget.log.contains("update 0.5"))
        #expect(fixture.widget.threads == [UInt(pthread_self())])
        sdimage_load_sink_finish(sink, nil)
        sdimage_load_sink_unref(sink)
    }

    // Regardless of the request's own dispatcher.
    @Test func everythingComesOnTheDispatcherOfTheTarget() throws {
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        let fixture = try TargetFixture(dispatcher: dispatcher)
        let request = makeRequest("test://a")
        let immediate = try immediateDispatcher()
        sdimage_request_set_dispatcher(request.pointer, immediate.pointer)
        try fixture.widget.load(fixture.target, request)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.log.isEmpty)
        var event: OpaquePointer?
        while !fixture.widget.log.contains("told OK 8") {
            var entry = pollfd(fd: sdimage_dispatcher_descriptor(dispatcher.pointer), events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 120_000) == 1)
            // These calls have no event type: next_event makes them directly.
            #expect(sdimage_dispatcher_next_event(dispatcher.pointer, &event, nil) == .SDIMAGE_STATUS_END)
        }
        #expect(fixture.widget.log == ["clear", "start", "stop", "image 8 loader", "told OK 8"])
        #expect(fixture.widget.threads == [UInt(pthread_self())])
    }

    private func url(_ target: Owned, _ key: String? = nil) -> String {
        var url: OpaquePointer?
        sdimage_target_get_url(target.pointer, key, &url)
        return text(url)
    }

    /// Takes ownership of the reference.
    private func text(_ data: OpaquePointer?) -> String {
        defer { sdimage_data_unref(data) }
        let bytes = UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data))
        return String(decoding: bytes, as: UTF8.self)
    }
}
