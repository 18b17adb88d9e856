import CSDImage
import Foundation
import TestSupport
import Testing

/// Targets that show their images in an animated view.
@Suite struct TargetViewTests {
    private let fixture: TargetFixture
    private let watcher = ViewWatcher()
    private let view: Owned

    init() throws {
        fixture = try TargetFixture()
        view = try watcher.makeView()
        sdimage_animated_view_set_decode_when_due(view.pointer, true)
        sdimage_target_set_view(fixture.target.pointer, nil, view.pointer)
    }

    /// Loads, and waits for the final result.
    private func show(_ bytes: [UInt8], _ options: Owned? = nil, name: String = "test://a") throws {
        _ = fixture.widget.take()
        try fixture.widget.load(fixture.target, makeRequest(name), options)
        #expect(fixture.held.answer(bytes))
        #expect(fixture.widget.waitForTold(1))
    }

    private func tick(_ milliseconds: UInt64 = 100) {
        sdimage_animated_view_tick(view.pointer, milliseconds * 1_000_000)
    }

    private var isAnimating: Bool { sdimage_animated_view_is_animating(view.pointer) }

    @Test func aLoadedAnimationPlaysInTheView() throws {
        let gray = try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [200] }
        let options = targetOptions { sdimage_target_options_set_placeholder($0, gray.pointer) }
        try show(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF), options)
        #expect(watcher.shown == [200, 5] && isAnimating)
        for _ in 0..<4 { tick() }
        #expect(watcher.shown == [200, 5, 5, 15, 25, 5, 15])
    }

    // The image is already in the view when the program is notified.
    @Test func theTableIsCalledAfterTheView() throws {
        let seen = Locked([Int]())
        fixture.widget.onCall = { [watcher] line in
            if line == "clear" || line.hasPrefix("image") { seen.set(seen.get() + [watcher.shown.count]) }
        }
        try show(makePNG(width: 2, height: 2, red: 77))
        #expect(watcher.shown == [nil, 77] && seen.get() == [1, 2])
        #expect(fixture.widget.log == ["clear", "start", "stop", "image 2 loader", "told OK 2"])
    }

    // A reused cell
    @Test func theNextLoadStopsAndClearsWhatPlays() throws {
        try show(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF))
        tick(0)
        try fixture.widget.load(fixture.target, makeRequest("test://b"))
        let late = try #require(fixture.held.next())
        // The thread that delivered the first image may not have returned yet; it then makes the calls.
        #expect(fixture.widget.wait("clear", count: 2))
        #expect(watcher.waitForShown(4) == [nil, 5, 5, nil] && !isAnimating)
        try fixture.widget.load(fixture.target, makeRequest("test://c"))
        let bytes = makePNG(width: 2, height: 2, red: 99)
        _ = sdimage_load_sink_write(late, bytes, bytes.count, nil)
        sdimage_load_sink_finish(late, nil)
        sdimage_load_sink_unref(late)
        _ = fixture.widget.take()
        #expect(fixture.held.answer(makePNG(width: 2, height: 2, red: 77)))
        #expect(fixture.widget.waitForTold(1))
        #expect(watcher.waitForShown(5) == [nil, 5, 5, nil, 77])
    }

    @Test func anAnimationInMemoryPlaysBeforeTheStartingCallReturns() throws {
        let image = try MovingPicture.image(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF))
        #expect(sdimage_cache_set_memory_image(fixture.cache.pointer, "test://a", -1, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        try fixture.widget.load(fixture.target, makeRequest("test://a"))
        #expect(watcher.shown == [nil, 5] && isAnimating)
    }

    @Test func aViewShowsItsSlotOnly() throws {
        try show(makePNG(width: 2, height: 2, red: 50), targetOptions { sdimage_target_options_set_key($0, "hover") })
        #expect(watcher.shown.isEmpty)
        sdimage_target_set_view(fixture.target.pointer, "hover", view.pointer)
        try show(
            makePNG(width: 2, height: 2, red: 60), targetOptions { sdimage_target_options_set_key($0, "hover") },
            name: "test://b")
        #expect(watcher.shown == [nil, 60])
    }

    @Test func anAnimationSetWhileInvisibleWaits() throws {
        sdimage_animated_view_set_visible(view.pointer, false)
        try show(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF))
        tick()
        #expect(watcher.shown == [nil, 5] && !isAnimating)
        sdimage_animated_view_set_visible(view.pointer, true)
        #expect(isAnimating)
    }

    // The view shows the image inside the transition.
    @Test func aTransitionSurroundsTheView() throws {
        let order = Locked([String]())
        watcher.onShow = { value in order.set(order.get() + ["show \(value.map { "\($0)" } ?? "nothing")"]) }
        fixture.widget.onCall = { line in order.set(order.get() + [line]) }
        try show(
            try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF),
            targetOptions { sdimage_target_options_set_transition($0, .SDIMAGE_TRANSITION_FADE, 1) })
        #expect(order.wait { $0.contains("end true") })
        #expect(
            order.get().filter { $0 != "told OK 8" } == [
                "show nothing", "clear", "start", "stop", "prepare 1 1", "show 5", "image 8 loader", "animate 1 1", "end true",
            ])
    }

    // SDWebImage option DelayPlaceholder
    @Test func aFailureLeavesTheViewOrShowsThePlaceholderThere() throws {
        let gray = try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [200] }
        try show(makePNG(width: 2, height: 2, red: 77))
        try show([1, 2, 3], name: "test://c")
        #expect(watcher.shown == [nil, 77, nil])
        let options = targetOptions {
            sdimage_target_options_set_placeholder($0, gray.pointer)
            sdimage_target_options_set_placeholder_time($0, .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE)
        }
        try show([1, 2, 3], options, name: "test://b")
        #expect(watcher.shown == [nil, 77, nil, 200])
    }

    @Test func whatTheViewRefusesLeavesItEmpty() throws {
        let failing = try CountingTransformer(width: 5, failure: .SDIMAGE_STATUS_TRANSFORM_FAILED).makeTransformer(key: "never")
        sdimage_animated_view_set_transformer(view.pointer, failing.pointer)
        let gray = try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [200] }
        let options = targetOptions { sdimage_target_options_set_placeholder($0, gray.pointer) }
        try show(try MovingPicture.bytes(3, .SDIMAGE_FORMAT_GIF), options)
        #expect(watcher.shown == [200, nil] && fixture.widget.told == ["told OK 8"])
    }

    /// Loads an animation that arrives in pieces: `feed(n)` sends the bytes up to the point at which `n` frames are visible.
    private func progressive(
        _ format: sdimage_format, _ options: Owned?, transformer: Owned? = nil,
        _ body: (_ feed: (Int) throws -> Void, _ finish: () -> Void) throws -> Void
    ) throws {
        let bytes = try MovingPicture.bytes(4, format, side: 64)
        let request = makeRequest("test://moving")
        sdimage_request_set_progressive(request.pointer, true)
        sdimage_request_set_progressive_interval_ms(request.pointer, 1)
        if let transformer {
            sdimage_request_set_transformer(request.pointer, transformer.pointer)
            sdimage_request_set_transform_animated(request.pointer, true)
        }
        try fixture.widget.load(fixture.target, request, options)
        let sink = try #require(fixture.held.next())
        sdimage_load_sink_set_expected_length(sink, UInt64(bytes.count))
        let feeding = try Feeding()
        var sent = 0
        try body(
            { frames in
                let start = sent
                while sdimage_decoder_frame_count(feeding.decoder.pointer) < frames {
                    feeding.append(bytes[sent..<sent + 1])
                    sent += 1
                }
                _ = fixture.widget.take()
                bytes[start..<sent].withUnsafeBytes { _ = sdimage_load_sink_write(sink, $0.baseAddress, $0.count, nil) }
                #expect(fixture.widget.wait("part 64 loader"))
            },
            {
                _ = fixture.widget.take()
                bytes[sent...].withUnsafeBytes { _ = sdimage_load_sink_write(sink, $0.baseAddress, $0.count, nil) }
                sdimage_load_sink_finish(sink, nil)
                #expect(fixture.widget.wait("told OK 64"))
            })
        sdimage_load_sink_unref(sink)
    }

    @Test(
        arguments: [sdimage_format.SDIMAGE_FORMAT_GIF, .SDIMAGE_FORMAT_PNG, .SDIMAGE_FORMAT_WEBP],
        [(false, false), (true, false), (true, true)])
    func anAnimationPlaysWhileItIsDownloaded(_ format: sdimage_format, _ with: (placeholder: Bool, transformer: Bool)) throws {
        let gray = try DrawnPicture.draw(2, 2, .SDIMAGE_PIXEL_FORMAT_GRAY8) { _, _ in [200] }
        let options = with.placeholder ? targetOptions { sdimage_target_options_set_placeholder($0, gray.pointer) } : nil
        let same = try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(true, true, $0, $1) }
        try progressive(format, options, transformer: with.transformer ? same : nil) { feed, finish in
            try feed(2)
            for _ in 0..<5 { tick() }
            // The available frames are shown, and no loop is complete.
            #expect(watcher.shown.prefix(2) == [with.placeholder ? 200 : nil, 5])
            #expect(watcher.shown.last == 15 && isAnimating && watcher.loops.isEmpty)
            try feed(3)
            for _ in 0..<5 { tick() }
            #expect(watcher.shown.last == 25 && watcher.loops.isEmpty)
            #expect(watcher.shown.count { $0 == 15 } == 1 && watcher.shown.count { $0 == 25 } == 1)
            finish()
            for _ in 0..<5 { tick() }
            // The complete animation: playback restarts at the first frame.
            #expect(watcher.shown.suffix(7) == [5, 5, 15, 25, 35, 5, 15])
        }
    }

    @Test func anAnimationOfAHostCoderPlaysOnceItIsComplete() throws {
        let coder = try LampCoder().makeCoder()
        let file = LampCoder.file(width: 10, height: 8, frames: 3)
        let request = makeRequest("test://lamp")
        sdimage_request_set_coder(request.pointer, coder.pointer)
        sdimage_request_set_progressive(request.pointer, true)
        sdimage_request_set_progressive_interval_ms(request.pointer, 1)
        try fixture.widget.load(fixture.target, request, nil)
        let sink = try #require(fixture.held.next())
        defer { sdimage_load_sink_unref(sink) }
        let halves = [Array(file[..<178]), Array(file[178...])]
        _ = sdimage_load_sink_write(sink, halves[0], halves[0].count, nil)
        #expect(fixture.widget.wait("part 10 loader"))
        for _ in 0..<5 { tick() }
        #expect(Set(watcher.shown) == [nil, 0, 100] && isAnimating)
        _ = sdimage_load_sink_write(sink, halves[1], halves[1].count, nil)
        sdimage_load_sink_finish(sink, nil)
        #expect(fixture.widget.wait("told OK 10"))
        for _ in 0..<5 { tick() }
        #expect(Set(watcher.shown) == [nil, 0, 100, 200] && isAnimating && !watcher.loops.isEmpty)
    }

    @Test func withoutMovingPartsTheFirstFrameStandsUntilAllIsThere() throws {
        sdimage_animated_view_set_incremental(view.pointer, false)
        try progressive(.SDIMAGE_FORMAT_GIF, nil) { feed, finish in
            try feed(2)
            try feed(3)
            for _ in 0..<5 { tick() }
            #expect(Set(watcher.shown) == [nil, 5] && !isAnimating)
            finish()
            tick(0)
            tick()
            #expect(watcher.shown.last == 15)
        }
    }

    // MARK: Lifetime

    @Test func aViewThatIsTakenAwayHearsNoMore() throws {
        sdimage_target_set_view(fixture.target.pointer, nil, nil)
        try show(makePNG(width: 2, height: 2))
        #expect(watcher.shown.isEmpty && fixture.widget.shown == ["clear", "image 2 loader"])
    }

    @Test func theTargetHoldsTheViewUntilItIsClosed() throws {
        let other = ViewWatcher()
        do {
            let lent = try other.makeView()
            sdimage_target_set_view(fixture.target.pointer, nil, lent.pointer)
        }
        try show(makePNG(width: 2, height: 2, red: 77))
        #expect(other.shown == [nil, 77] && watcher.shown.isEmpty)
        sdimage_target_close(fixture.target.pointer)
        #expect(other.waitForDestroy())
        // A closed target ignores the view; otherwise it would hold this one forever.
        let last = ViewWatcher()
        do {
            let lent = try last.makeView()
            sdimage_target_set_view(fixture.target.pointer, nil, lent.pointer)
        }
        #expect(last.waitForDestroy())
    }

    @Test func aViewMayCloseItsTarget() throws {
        watcher.onShow = { [fixture] value in if value == 77 { sdimage_target_close(fixture.target.pointer) } }
        try show(makePNG(width: 2, height: 2, red: 77))
        #expect(watcher.shown == [nil, 77] && fixture.widget.shown == ["clear"])
    }

    // Several threads concurrently load, hide, replace and close the views of cells.
    @Test func viewsShowPicturesOfTheirOwnTargetOnly() throws {
        let files = try (0..<6).map { family in
            try MovingPicture.bytes(of: (0..<3).map { UInt8(family * 40 + $0) }, duration: 1)
        }
        let loader = try ScriptedLoader { request, sink in
            let family = Int(String(cString: sdimage_request_url(request, nil)).dropFirst("test://".count).prefix(1)) ?? 0
            _ = sdimage_load_sink_write(sink, files[family], files[family].count, nil)
            sdimage_load_sink_finish(sink, nil)
            return .SDIMAGE_STATUS_OK
        }.makeLoader()
        let manager = try makeManager(cache: try makeCache(in: nil), loader: loader)
        let watchers = (0..<12).map { _ in ViewWatcher() }
        do {
            let widgets = (0..<6).map { _ in Widget() }
            let targets = try widgets.map { try $0.makeTarget(manager) }
            let views = try watchers.map { try $0.makeView() }
            for view in views { sdimage_animated_view_set_clock(view.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, nil, nil) }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                var random = Randoms(seed: UInt64(thread) + 1)
                for number in 0..<300 {
                    let family = random.below(6)
                    let (view, other) = (views[family].pointer, views[family + 6].pointer)
                    switch random.below(6) {
                    case 0: sdimage_animated_view_set_visible(view, random.below(2) == 0)
                    case 1: sdimage_target_set_view(targets[family].pointer, nil, random.below(2) == 0 ? view : other)
                    case 2: sdimage_target_cancel_latest(targets[family].pointer)
                    default:
                        let request = makeRequest("test://\(family)/\(random.below(number + 1))")
                        sdimage_target_load(targets[family].pointer, request.pointer, nil, nil, nil, nil, nil, nil)
                    }
                }
            }
            for family in 0..<6 {
                sdimage_target_set_view(targets[family].pointer, nil, views[family].pointer)
                try widgets[family].load(targets[family], makeRequest("test://\(family)/last"))
                #expect(widgets[family].waitForTold(1))
            }
            for target in targets.prefix(3) { sdimage_target_close(target.pointer) }
        }
        for (index, watcher) in watchers.enumerated() {
            #expect(watcher.waitForDestroy())
            #expect(watcher.shown.allSatisfy { value in value.map { Int($0) / 40 == index % 6 } ?? true })
        }
        #expect(watchers.prefix(6).allSatisfy { $0.shown.contains { $0 != nil } })
    }
}
