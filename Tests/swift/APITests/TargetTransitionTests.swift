import CSDImage
import Foundation
import TestSupport
import Testing

/// Transitions from one image to the next.
@Suite struct TargetTransitionTests {
    private func fading(_ milliseconds: UInt32 = 1, _ change: (OpaquePointer?) -> Void = { _ in }) -> Owned {
        targetOptions {
            sdimage_target_options_set_transition($0, .SDIMAGE_TRANSITION_FADE, milliseconds)
            change($0)
        }
    }

    /// Longer than any test waits.
    private let endless: UInt32 = 3_600_000

    @Test func theStepsOfATransitionComeInOrder() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"), fading(7))
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("end true"))
        #expect(
            fixture.widget.log == [
                "clear", "start", "stop", "prepare 1 7", "image 8 loader", "animate 1 7", "told OK 8", "end true",
            ])
    }

    // SDWebImage option AvoidAutoSetImage
    @Test func aTransitionCanSetThePictureItself() throws {
        let fixture = try TargetFixture()
        let options = fading { sdimage_target_options_set_show_image_in_transition($0, false) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("end true"))
        #expect(fixture.widget.shown == ["clear"])
    }

    @Test(arguments: [
        sdimage_transition.SDIMAGE_TRANSITION_FADE, .SDIMAGE_TRANSITION_FLIP_FROM_LEFT, .SDIMAGE_TRANSITION_FLIP_FROM_RIGHT,
        .SDIMAGE_TRANSITION_FLIP_FROM_TOP, .SDIMAGE_TRANSITION_FLIP_FROM_BOTTOM, .SDIMAGE_TRANSITION_CURL_UP,
        .SDIMAGE_TRANSITION_CURL_DOWN, sdimage_transition(rawValue: 1000)!,
    ]) func everyPresetAndThoseOfTheProgramReachTheWidgetWithAStandardDuration(_ preset: sdimage_transition) throws {
        let fixture = try TargetFixture()
        let options = targetOptions { sdimage_target_options_set_transition($0, preset, 0) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("animate \(preset.rawValue) 500"))
    }

    @Test func withoutFunctionsForItThereIsNoTransition() throws {
        let fixture = try TargetFixture(Widget(animates: false))
        let options = fading(endless) { sdimage_target_options_set_wait_for_transition($0, true) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
    }

    // Transitions by source of the image, and the options that change them.
    @Test(arguments: [
        ("loader", false, false, true), ("memory", false, false, false), ("memory", true, false, true),
        ("disk", false, false, true), ("disk", false, true, false), ("disk", true, true, true),
    ]) func anImageThatTookTimeComesWithTheTransition(source: String, always: Bool, blocking: Bool, animates: Bool) throws {
        let folder = TemporaryDirectory()
        let fixture = try TargetFixture(cache: try makeCache(in: folder.path))
        let bytes = makePNG(width: 8, height: 8)
        if source == "memory" { try fixture.keep("test://a", width: 8) }
        if source == "disk" {
            let data = try make(sdimage_data_unref) { sdimage_data_new(bytes, bytes.count, $0, $1) }
            #expect(sdimage_cache_store_data(fixture.cache.pointer, "test://a", 8, data.pointer, nil) == .SDIMAGE_STATUS_OK)
        }
        let request = makeRequest("test://a")
        if blocking { sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_DISK) }
        let options = fading {
            sdimage_target_options_set_transition_rule(
                $0, always ? .SDIMAGE_TRANSITION_RULE_ALWAYS : .SDIMAGE_TRANSITION_RULE_WAITED)
        }
        try fixture.widget.load(fixture.target, request, options)
        if source == "loader" { #expect(fixture.held.answer(bytes)) }
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log.contains("image 8 \(source)"))
        #expect(fixture.widget.log.contains { $0.hasPrefix("prepare") } == animates)
    }

    // Only the bytes of an image in memory are waited for.
    @Test func anImageFromTheDiskTookTimeIfOnlyItsBytesAreWaitedFor() throws {
        let folder = TemporaryDirectory()
        let fixture = try TargetFixture(cache: try makeCache(in: folder.path))
        try fixture.store("test://a", width: 8)
        let request = makeRequest("test://a")
        sdimage_request_set_blocking_reads(request.pointer, .SDIMAGE_BLOCKING_READS_MEMORY_DATA)
        try fixture.widget.load(fixture.target, request, fading())
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log.contains("image 8 disk"))
        #expect(fixture.widget.log.contains { $0.hasPrefix("prepare") })
    }

    // A load without an image has the source "none".
    @Test func aPlaceholderOnFailureComesWithTheTransition() throws {
        let fixture = try TargetFixture()
        let placeholder = try makeImage(width: 4)
        let options = fading {
            sdimage_target_options_set_placeholder($0, placeholder.pointer)
            sdimage_target_options_set_placeholder_time($0, .SDIMAGE_PLACEHOLDER_TIME_ON_FAILURE)
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer([]))
        #expect(fixture.widget.wait("end true"))
        #expect(Array(fixture.widget.log.prefix(5)) == ["start", "stop", "prepare 1 1", "placeholder 4", "animate 1 1"])
    }

    @Test func theHandlerCanWaitForTheEndOfTheTransition() throws {
        let fixture = try TargetFixture()
        let options = fading { sdimage_target_options_set_wait_for_transition($0, true) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log.suffix(2) == ["end true", "told OK 8"])
    }

    @Test func aTransitionThatIsOvertakenEndsAndTellsWhatWasLoaded() throws {
        let fixture = try TargetFixture()
        let options = fading(endless) { sdimage_target_options_set_wait_for_transition($0, true) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("animate 1 \(endless)"))
        #expect(fixture.widget.told.isEmpty)
        _ = fixture.widget.take()
        try fixture.widget.load(fixture.target, makeRequest("test://b"))
        #expect(fixture.widget.wait("start"))
        #expect(fixture.widget.log == ["end false", "told OK 8", "clear", "start"])
    }

    // A target without a set callback.
    @Test func withoutAFunctionThatSetsPicturesTheHandlerIsToldAllTheSame() throws {
        let manager = try makeManager(cache: nil, loader: try ScriptedLoader.answering(makePNG(width: 8, height: 8)).makeLoader())
        var table = sdimage_target_vtable()
        table.size = MemoryLayout<sdimage_target_vtable>.size
        let target = try make(sdimage_target_unref) { sdimage_target_new(manager.pointer, nil, &table, nil, nil, $0, $1) }
        let widget = Widget()
        try widget.load(target, makeRequest("test://a"), fading { sdimage_target_options_set_wait_for_transition($0, true) })
        #expect(widget.wait("told OK 8"))
    }

    @Test func aClosedTargetEndsNoTransitionButTellsWhatWasLoaded() throws {
        let fixture = try TargetFixture()
        let options = fading(endless) { sdimage_target_options_set_wait_for_transition($0, true) }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), options)
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("animate 1 \(endless)"))
        _ = fixture.widget.take()
        sdimage_target_close(fixture.target.pointer)
        #expect(fixture.widget.wait("told OK 8"))
        #expect(fixture.widget.log == ["told OK 8"])
    }

    @Test func cancellingASlotEndsItsTransition() throws {
        let fixture = try TargetFixture()
        try fixture.widget.load(fixture.target, makeRequest("test://a"), fading(endless))
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("told OK 8"))
        sdimage_target_cancel_latest(fixture.target.pointer)
        #expect(fixture.widget.wait("end false"))
    }

    // If the first step cancels the load, no further step of the transition runs.
    @Test func aTransitionThatItsFirstStepEndsShowsNothing() throws {
        let fixture = try TargetFixture()
        fixture.widget.onCall = { [target = fixture.target] line in
            if line.hasPrefix("prepare") { sdimage_target_cancel(target.pointer, nil) }
        }
        try fixture.widget.load(fixture.target, makeRequest("test://a"), fading(endless))
        #expect(fixture.held.answer(makePNG(width: 8, height: 8)))
        #expect(fixture.widget.wait("end false"))
        #expect(fixture.widget.shown == ["clear"])
        #expect(fixture.widget.log.suffix(3) == ["prepare 1 \(endless)", "told OK 8", "end false"])
    }
}
