import CSDImage
import Foundation
import Testing

/// An animated view and its player.
@Suite struct AnimatedViewTests {
    private static let three: [UInt32] = [100, 100, 100]

    private func made(_ watcher: ViewWatcher) throws -> Owned {
        let view = try watcher.makeView()
        sdimage_animated_view_set_decode_when_due(view.pointer, true)
        return view
    }

    private func set(_ view: Owned, _ image: Owned?) {
        #expect(sdimage_animated_view_set_image(view.pointer, image?.pointer, nil) == .SDIMAGE_STATUS_OK)
    }

    private func playerOf(_ view: Owned) -> Owned? {
        var player: OpaquePointer?
        sdimage_animated_view_get_player(view.pointer, &player)
        return player.map { Owned($0) { sdimage_player_unref($0) } }
    }

    private func tick(_ view: Owned, _ milliseconds: UInt64) {
        sdimage_animated_view_tick(view.pointer, milliseconds * 1_000_000)
    }

    @Test func aNewViewHasTheDefaults() throws {
        let view = try ViewWatcher().makeView()
        let pointer = view.pointer
        #expect(sdimage_animated_view_should_autoplay(pointer) && sdimage_animated_view_is_incremental(pointer))
        #expect(!sdimage_animated_view_should_clear_buffer_when_stopped(pointer))
        #expect(!sdimage_animated_view_should_rewind_when_stopped(pointer))
        #expect(sdimage_animated_view_rate(pointer) == 1 && sdimage_animated_view_max_buffer_size(pointer) == 0)
        #expect(sdimage_animated_view_mode(pointer) == .SDIMAGE_PLAYBACK_MODE_NORMAL)
        #expect(sdimage_animated_view_is_visible(pointer) && !sdimage_animated_view_is_animating(pointer))
        #expect(playerOf(view) == nil)
    }

    @Test func anAnimationIsShownAtOnceAndPlaysByItself() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        #expect(watcher.shown == [0] && sdimage_animated_view_is_animating(view.pointer))
        tick(view, 0)
        tick(view, 100)
        tick(view, 100)
        #expect(watcher.shown == [0, 0, 1, 2])
    }

    @Test func theSameImageAgainChangesNothing() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        let image = try HostFrames(AnimatedViewTests.three).image()
        set(view, image)
        tick(view, 0)
        tick(view, 100)
        let before = watcher.shown
        set(view, image)
        #expect(watcher.shown == before)
        #expect(sdimage_player_frame_index(try #require(playerOf(view)).pointer) == 1)
    }

    @Test func aStillHasNoPlayer() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        set(view, try MovingPicture.image(makePNG(width: 2, height: 2, red: 77)))
        #expect(watcher.shown == [0, 77] && playerOf(view) == nil && !sdimage_animated_view_is_animating(view.pointer))
        #expect(!sdimage_animated_view_tick(view.pointer, 1_000_000_000))
    }

    @Test func noImageShowsNothing() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        set(view, nil)
        #expect(watcher.shown == [0, nil] && playerOf(view) == nil)
        var image: OpaquePointer?
        sdimage_animated_view_get_image(view.pointer, &image)
        #expect(image == nil)
    }

    // Otherwise the widget would never draw its own placeholder.
    @Test func anEmptyViewShowsNothingOnce() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        #expect(watcher.shown.isEmpty)
        set(view, nil)
        set(view, nil)
        #expect(watcher.shown == [nil])
        let failing = try CountingTransformer(width: 5, failure: .SDIMAGE_STATUS_TRANSFORM_FAILED).makeTransformer(key: "never")
        let other = ViewWatcher()
        let empty = try made(other)
        sdimage_animated_view_set_transformer(empty.pointer, failing.pointer)
        let image = try HostFrames(AnimatedViewTests.three).image()
        #expect(sdimage_animated_view_set_image(empty.pointer, image.pointer, nil) == .SDIMAGE_STATUS_TRANSFORM_FAILED)
        #expect(other.shown.isEmpty)
        set(empty, nil)
        #expect(other.shown == [nil])
    }

    @Test func anotherAnimationBeginsAtItsFirstFrame() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        tick(view, 0)
        tick(view, 100)
        let old = try #require(playerOf(view))
        set(view, try HostFrames(AnimatedViewTests.three).image())
        let new = try #require(playerOf(view))
        #expect(new.pointer != old.pointer && sdimage_player_frame_index(new.pointer) == 0)
        // Calls of the previous player no longer reach the view.
        let before = watcher.shown
        sdimage_player_start(old.pointer)
        sdimage_player_tick(old.pointer, 100_000_000)
        #expect(watcher.shown == before)
    }

    @Test func afterTheLastLoopTheLastFrameStays() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames([100, 100], loops: 1).image())
        for _ in 0..<6 { tick(view, 100) }
        #expect(watcher.shown.last == 1 && watcher.loops == [1] && !sdimage_animated_view_is_animating(view.pointer))
    }

    @Test func stoppingKeepsThePlaceAndRewindingDoesNot() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        tick(view, 0)
        tick(view, 100)
        sdimage_animated_view_stop(view.pointer)
        let player = try #require(playerOf(view))
        #expect(!sdimage_animated_view_is_animating(view.pointer) && sdimage_player_frame_index(player.pointer) == 1)
        sdimage_animated_view_set_rewind_when_stopped(view.pointer, true)
        let before = watcher.shown
        sdimage_animated_view_start(view.pointer)
        sdimage_animated_view_stop(view.pointer)
        #expect(sdimage_player_frame_index(player.pointer) == 0 && watcher.shown == before)
    }

    @Test func stoppingLetsGoOfFramesWhereThatIsWished() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        tick(view, 0)
        let player = try #require(playerOf(view))
        sdimage_animated_view_stop(view.pointer)
        #expect(sdimage_player_buffered_frames(player.pointer) > 0)
        sdimage_animated_view_set_clear_buffer_when_stopped(view.pointer, true)
        sdimage_animated_view_stop(view.pointer)
        #expect(sdimage_player_buffered_frames(player.pointer) == 0)
    }

    @Test func itPlaysWhileItIsVisible() throws {
        let view = try made(ViewWatcher())
        sdimage_animated_view_set_visible(view.pointer, false)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        #expect(!sdimage_animated_view_is_animating(view.pointer))
        sdimage_animated_view_start(view.pointer)
        #expect(!sdimage_animated_view_is_animating(view.pointer))
        sdimage_animated_view_set_visible(view.pointer, true)
        #expect(sdimage_animated_view_is_animating(view.pointer))
        sdimage_animated_view_set_visible(view.pointer, false)
        #expect(!sdimage_animated_view_is_animating(view.pointer))
    }

    @Test func withoutAutoplayTheHostStartsIt() throws {
        let view = try made(ViewWatcher())
        sdimage_animated_view_set_autoplay(view.pointer, false)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        sdimage_animated_view_set_visible(view.pointer, false)
        sdimage_animated_view_set_visible(view.pointer, true)
        #expect(!sdimage_animated_view_is_animating(view.pointer))
        sdimage_animated_view_start(view.pointer)
        #expect(sdimage_animated_view_is_animating(view.pointer))
    }

    @Test func aLoopLimitOfTheViewHoldsAtOnceAndForTheNextPicture() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        set(view, try HostFrames([10, 10]).image())
        sdimage_animated_view_set_loop_limit(view.pointer, 2)
        for _ in 0..<20 { tick(view, 10) }
        #expect(watcher.loops == [1, 2])
        set(view, try HostFrames([10, 10]).image())
        for _ in 0..<20 { tick(view, 10) }
        #expect(watcher.loops == [1, 2, 1, 2])
        sdimage_animated_view_reset_loop_limit(view.pointer)
        #expect(sdimage_player_loop_limit(try #require(playerOf(view)).pointer) == 0)
    }

    // MARK: Settings

    @Test func theSettingsAreThoseOfThePlayer() throws {
        let view = try made(ViewWatcher())
        sdimage_animated_view_set_rate(view.pointer, 2)
        sdimage_animated_view_set_mode(view.pointer, .SDIMAGE_PLAYBACK_MODE_BOUNCE)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        let player = try #require(playerOf(view))
        #expect(sdimage_player_rate(player.pointer) == 2)
        #expect(sdimage_player_mode(player.pointer) == .SDIMAGE_PLAYBACK_MODE_BOUNCE)
        sdimage_animated_view_set_drop_late_frames(view.pointer, true)
        #expect(sdimage_player_should_drop_late_frames(player.pointer))
    }

    @Test func aTransformerChangesEveryFrame() throws {
        let watcher = ViewWatcher()
        let view = try made(watcher)
        let tint = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_tint(
                sdimage_color(red: 1, green: 1, blue: 1, alpha: 1), .SDIMAGE_BLEND_MODE_NORMAL, $0, $1)
        }
        sdimage_animated_view_set_transformer(view.pointer, tint.pointer)
        set(view, try HostFrames(AnimatedViewTests.three).image())
        tick(view, 0)
        tick(view, 100)
        #expect(watcher.shown == [255, 255, 255])
    }

    @Test func oneDescriptorServesOnePictureAfterTheOther() throws {
        let watcher = ViewWatcher()
        let view = try watcher.makeView()
        sdimage_animated_view_set_clock(view.pointer, .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, nil, nil)
        let descriptor = sdimage_animated_view_descriptor(view.pointer)
        for _ in 0..<2 {
            set(view, try HostFrames([3, 3], loops: 1).image())
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while sdimage_animated_view_is_animating(view.pointer) {
                #expect(poll(&watched, 1, 120_000) == 1)
                sdimage_animated_view_advance(view.pointer)
            }
        }
        #expect(sdimage_animated_view_descriptor(view.pointer) == descriptor)
        #expect(watcher.shown == [0, 0, 1, 0, 0, 1] && watcher.loops == [1, 1])
    }

    @Test func aPartOfAnAnimationPlaysAsFarAsItHasComeAndWaits() throws {
        let file = try MovingPicture.bytes(4, .SDIMAGE_FORMAT_GIF)
        let feeding = try Feeding()
        let watcher = ViewWatcher()
        let view = try made(watcher)
        var end = 0
        func feed(frames: Int) throws -> Owned {
            while sdimage_decoder_frame_count(feeding.decoder.pointer) < frames {
                feeding.append(file[end..<end + 1])
                end += 1
            }
            return try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        }
        set(view, try feed(frames: 2))
        for _ in 0..<5 { tick(view, 100) }
        #expect(watcher.shown == [5, 5, 15] && watcher.loops.isEmpty)
        let first = try #require(playerOf(view))
        #expect(sdimage_player_frame_index(first.pointer) == 1 && sdimage_animated_view_is_animating(view.pointer))

        // More data has arrived: the same player continues and never goes back.
        set(view, try feed(frames: 3))
        #expect(playerOf(view)?.pointer == first.pointer)
        for _ in 0..<5 { tick(view, 100) }
        #expect(watcher.shown == [5, 5, 15, 25] && watcher.loops.isEmpty)

        // The complete file: playback restarts at the first frame.
        feeding.append(file[end...], finished: true)
        set(view, try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) })
        #expect(playerOf(view)?.pointer != first.pointer)
        for _ in 0..<5 { tick(view, 100) }
        #expect(watcher.shown.dropFirst(4) == [5, 5, 15, 25, 35, 5, 15])
    }

    @Test func withoutMovingPartsTheFirstFrameIsShown() throws {
        let file = try MovingPicture.bytes(4, .SDIMAGE_FORMAT_GIF)
        let feeding = try Feeding()
        var end = 0
        while sdimage_decoder_frame_count(feeding.decoder.pointer) < 3 {
            feeding.append(file[end..<end + 1])
            end += 1
        }
        let part = try make(sdimage_image_unref) { sdimage_decoder_get_image(feeding.decoder.pointer, $0, $1) }
        let watcher = ViewWatcher()
        let view = try made(watcher)
        sdimage_animated_view_set_incremental(view.pointer, false)
        #expect(!sdimage_animated_view_is_incremental(view.pointer))
        set(view, part)
        #expect(watcher.shown == [5] && playerOf(view) == nil)
    }

    // MARK: Handlers

    @Test func aViewMayBeReleasedInItsHandler() throws {
        let watcher = ViewWatcher()
        var view: Owned? = try made(watcher)
        let pointer = try #require(view).pointer
        watcher.onShow = { value in if value == 1 { view = nil } }
        let image = try HostFrames(AnimatedViewTests.three).image()
        #expect(sdimage_animated_view_set_image(pointer, image.pointer, nil) == .SDIMAGE_STATUS_OK)
        sdimage_animated_view_tick(pointer, 0)
        sdimage_animated_view_tick(pointer, 100_000_000)
        #expect(view == nil && watcher.shown == [0, 0, 1])
        #expect(watcher.waitForDestroy())
    }
}
