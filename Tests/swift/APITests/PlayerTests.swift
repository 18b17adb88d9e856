import CSDImage
import Testing

/// The order and the time of frames, tick by tick.
@Suite struct PlayerTests {
    private static let three: [UInt32] = [100, 100, 100]

    @Test func aStillHasNoPlayer() throws {
        let png = makePNG(width: 3, height: 2)
        let still = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        #expect(throws: CallFailure.self) { try Playing(image: still) }
        let one = try HostFrames([100]).provider()
        #expect(throws: CallFailure.self) { try Playing(provider: one) }
    }

    @Test func aNewPlayerIsStoppedBeforeItsFirstFrame() throws {
        let playing = try Playing(HostFrames([50, 60, 70], loops: 4))
        #expect(sdimage_player_frame_count(playing.pointer) == 3)
        #expect(sdimage_player_loop_limit(playing.pointer) == 4)
        #expect(sdimage_player_rate(playing.pointer) == 1)
        #expect(sdimage_player_mode(playing.pointer) == .SDIMAGE_PLAYBACK_MODE_NORMAL)
        #expect(sdimage_player_max_buffer_size(playing.pointer) == 0)
        #expect(!sdimage_player_should_drop_late_frames(playing.pointer))
        #expect(playing.shown == nil && playing.index == 0 && playing.loop == 0 && !playing.isPlaying)
    }

    @Test func framesAndLoopsCanBeCutDownAndGivenBack() throws {
        let playing = try Playing(HostFrames([10, 10, 10, 10], loops: 3))
        sdimage_player_set_frame_count(playing.pointer, 2)
        sdimage_player_set_loop_limit(playing.pointer, 7)
        #expect(sdimage_player_frame_count(playing.pointer) == 2 && sdimage_player_loop_limit(playing.pointer) == 7)
        playing.play(frames: 5)
        #expect(playing.frames == [0, 1, 0, 1, 0])
        sdimage_player_reset_frame_count(playing.pointer)
        sdimage_player_reset_loop_limit(playing.pointer)
        #expect(sdimage_player_frame_count(playing.pointer) == 4 && sdimage_player_loop_limit(playing.pointer) == 3)
    }

    @Test(arguments: [false, true]) func aMissingFrameThatPlaysNoMoreIsNotAwaited(isGrowing: Bool) throws {
        let frames = HostFrames([10, 10, 10, 10, 10], growingFrom: isGrowing ? 4 : nil)
        frames.hold(only: 3)
        defer { frames.release() }
        let playing = try Playing(provider: try frames.provider())
        playing.play()
        #expect(
            playing.wait {
                $0.tick(10); return sdimage_player_late_frames($0.pointer) > 0 && $0.index == 3
            })
        // Looks for the frame that became due.
        playing.tick(0)
        let before = playing.frames.count
        sdimage_player_set_frame_count(playing.pointer, 2)
        for _ in 0..<8 { playing.tick(10) }
        #expect(playing.frames.dropFirst(before).prefix(4) == [0, 1, 0, 1])
    }

    @Test func theFirstTickShowsThePosterOfAnImage() throws {
        let frames = HostFrames(PlayerTests.three)
        let image = try frames.image()
        let playing = try Playing(image: image)
        defer { playing.release() }
        playing.play()
        // Creation is blocked: only the existing image can be shown.
        frames.hold()
        defer { frames.release() }
        #expect(playing.tick(1) && playing.frames == [0])
        #expect(sdimage_player_late_frames(playing.pointer) == 0)
    }

    @Test(arguments: [sdimage_playback_mode.SDIMAGE_PLAYBACK_MODE_REVERSE, .SDIMAGE_PLAYBACK_MODE_REVERSED_BOUNCE])
    func reversedModesBeginAtTheLastFrameAndNotWithThePoster(mode: sdimage_playback_mode) throws {
        let frames = HostFrames(PlayerTests.three)
        let image = try frames.image()
        let playing = try Playing(image: image)
        sdimage_player_set_decode_when_due(playing.pointer, true)
        sdimage_player_set_mode(playing.pointer, mode)
        playing.play()
        playing.tick(0)
        #expect(playing.calls == [.frame(2, 2)])
    }

    @Test func aReversedModeThatWasSoughtElsewhereBeginsThere() throws {
        let playing = try Playing(HostFrames(PlayerTests.three), mode: .SDIMAGE_PLAYBACK_MODE_REVERSE)
        #expect(sdimage_player_seek(playing.pointer, 1, 0, nil) == .SDIMAGE_STATUS_OK)
        playing.play()
        playing.tick(100)
        #expect(playing.frames == [1, 0])
    }

    @Test func pauseKeepsEverythingAndStartGoesOn() throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        playing.play(frames: 2)
        playing.tick(60)
        sdimage_player_pause(playing.pointer)
        #expect(!playing.tick(500) && playing.index == 1 && playing.shown == 1)
        playing.play()
        playing.tick(39)
        #expect(playing.index == 1)
        playing.tick(1)
        #expect(playing.frames == [0, 1, 2])
    }

    @Test func stopGoesBackWithoutAWord() throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        playing.play(frames: 5)
        let before = playing.calls
        sdimage_player_stop(playing.pointer)
        #expect(playing.index == 0 && playing.loop == 0 && playing.shown == nil && !playing.isPlaying)
        #expect(playing.calls == before)
        playing.play(frames: 7)
        #expect(playing.frames.suffix(2) == [0, 1])
    }

    @Test func seekShowsAFrameAtOnceAlsoWhilePaused() throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        #expect(sdimage_player_seek(playing.pointer, 2, 5, nil) == .SDIMAGE_STATUS_OK)
        #expect(playing.calls == [.frame(2, 2)] && playing.index == 2 && playing.loop == 5 && !playing.isPlaying)
        playing.play()
        playing.tick(99)
        #expect(playing.index == 2)
        playing.tick(1)
        #expect(playing.calls == [.frame(2, 2), .loop(6), .frame(0, 0)])
    }

    @Test func seekBeyondTheFramesChangesNothing() throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        playing.play(frames: 2)
        #expect(sdimage_player_seek(playing.pointer, 3, 0, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(sdimage_player_seek(playing.pointer, .max, 0, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
        #expect(playing.index == 1 && playing.shown == 1 && playing.frames == [0, 1])
    }

    @Test func timeThatPassesBeforeTheStartCountsForNothing() throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        #expect(!playing.tick(1000) && playing.calls.isEmpty)
        playing.play()
        #expect(playing.tick(0) && playing.frames == [0])
    }

    @Test(arguments: [0.0, -1, .nan, .infinity])
    func aRateThatIsNoneStopsAtTheNextTick(rate: Double) throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        playing.play(frames: 2)
        sdimage_player_set_rate(playing.pointer, rate)
        #expect(playing.isPlaying)
        playing.tick(1)
        #expect(!playing.isPlaying && playing.index == 0)
    }

    @Test(arguments: [0, 1] as [UInt32], [false, true])
    func fewerThanTwoFramesLeftStopAtTheNextTick(count: UInt32, isGrowing: Bool) throws {
        let playing = try Playing(HostFrames(PlayerTests.three, growingFrom: isGrowing ? 2 : nil))
        playing.play(frames: 2)
        #expect(playing.frames == [0, 1])
        sdimage_player_set_frame_count(playing.pointer, count)
        playing.tick(100)
        #expect(!playing.isPlaying && playing.loops.isEmpty)
    }

    @Test(arguments: [
        (sdimage_playback_mode.SDIMAGE_PLAYBACK_MODE_NORMAL, [0, 1, 2, 3, 0, 1, 2, 3, 0] as [UInt32]),
        (.SDIMAGE_PLAYBACK_MODE_REVERSE, [3, 2, 1, 0, 3, 2, 1, 0, 3]),
        (.SDIMAGE_PLAYBACK_MODE_BOUNCE, [0, 1, 2, 3, 2, 1, 0, 1, 2]),
        (.SDIMAGE_PLAYBACK_MODE_REVERSED_BOUNCE, [3, 2, 1, 0, 1, 2, 3, 2, 1]),
    ])
    func everyModeHasItsOrder(mode: sdimage_playback_mode, order: [UInt32]) throws {
        let playing = try Playing(HostFrames([100, 100, 100, 100]), mode: mode)
        playing.play(frames: order.count)
        #expect(playing.frames == order)
        // The image shown is the frame with that index.
        #expect(playing.shown == order.last.map { UInt8($0) })
    }

    @Test func aFrameThatBecomesDueIsShownByTheNextTick() throws {
        let frames = HostFrames(PlayerTests.three)
        let playing = try Playing(provider: try frames.provider())
        playing.play()
        #expect(playing.wait { $0.buffered == 3 })
        #expect(playing.tick(99) && playing.frames == [0])
        #expect(!playing.tick(1) && playing.index == 1 && playing.shown == 0)
        #expect(playing.tick(1) && playing.frames == [0, 1])
    }

    @Test func eachFrameHasItsOwnTime() throws {
        let playing = try Playing(HostFrames([20, 300, 70]))
        playing.play()
        playing.tick(0)
        var times: [UInt32: Int] = [:]
        for _ in 0..<390 {
            times[playing.index, default: 0] += 1
            playing.tick(1)
        }
        #expect(times == [0: 20, 1: 300, 2: 70] && playing.loop == 1)
    }

    @Test func anyTickMovesByOneFrameAndLeavesTheTimeOfOne() throws {
        let playing = try Playing(HostFrames([100, 50, 100, 100]))
        playing.play()
        playing.tick(0)
        playing.tick(100_000)
        #expect(playing.index == 1 && playing.frames == [0, 1])
        // The excess time is capped at this frame's duration of 50 ms.
        playing.tick(0)
        #expect(playing.index == 2)
        playing.tick(99)
        #expect(playing.index == 2 && playing.frames == [0, 1, 2])
        playing.tick(1)
        #expect(playing.index == 3)
    }

    @Test func ticksLargerThanAnyNumberDoNotOverflow() throws {
        let playing = try Playing(HostFrames([.max, .max]))
        playing.play()
        for _ in 0..<4 { sdimage_player_tick(playing.pointer, .max) }
        #expect(playing.frames == [0, 1, 0, 1, 0])
        sdimage_player_set_rate(playing.pointer, 1e-300)
        #expect(!sdimage_player_tick(playing.pointer, 1_000_000_000))
        sdimage_player_set_rate(playing.pointer, 1e300)
        #expect(sdimage_player_tick(playing.pointer, 1))
    }

    @Test func aLoopIsCountedBeforeFrameZeroIsShown() throws {
        let playing = try Playing(HostFrames([100, 100]))
        playing.play(frames: 3)
        #expect(playing.calls == [.frame(0, 0), .frame(1, 1), .loop(1), .frame(0, 0)] && playing.loop == 1)
    }

    @Test func theEndOfTheLastLoopStopsAtIndexZeroWithoutAFrame() throws {
        let playing = try Playing(HostFrames([100, 100], loops: 2))
        playing.play(frames: 99)
        #expect(playing.calls == [.frame(0, 0), .frame(1, 1), .loop(1), .frame(0, 0), .frame(1, 1), .loop(2)])
        #expect(!playing.isPlaying && playing.index == 0 && playing.loop == 0 && playing.shown == nil)
        // The complete animation plays again.
        playing.play(frames: 99)
        #expect(playing.loops == [1, 2, 1, 2])
    }

    @Test func inReverseTheLastFrameZeroIsNotShown() throws {
        let playing = try Playing(HostFrames(PlayerTests.three, loops: 1), mode: .SDIMAGE_PLAYBACK_MODE_REVERSE)
        playing.play(frames: 99)
        #expect(playing.calls == [.frame(2, 2), .frame(1, 1), .loop(1)] && !playing.isPlaying)
    }

    @Test(arguments: [
        (sdimage_playback_mode.SDIMAGE_PLAYBACK_MODE_BOUNCE, [0, 1, 2, 1] as [UInt32]),
        (.SDIMAGE_PLAYBACK_MODE_REVERSED_BOUNCE, [2, 1]),
    ])
    func bouncingCountsALoopEachTimeZeroComesNext(mode: sdimage_playback_mode, shown: [UInt32]) throws {
        let playing = try Playing(HostFrames(PlayerTests.three, loops: 1), mode: mode)
        playing.play(frames: 99)
        #expect(playing.frames == shown && playing.loops == [1] && !playing.isPlaying)
    }

    @Test func aLoopLimitSetInTheLoopHandlerHolds() throws {
        let playing = try Playing(HostFrames([100, 100]))
        playing.onCall = { playing, call in
            if case .loop(2) = call { sdimage_player_set_loop_limit(playing.pointer, 2) }
        }
        playing.play(frames: 99)
        #expect(playing.loops == [1, 2] && !playing.isPlaying)
    }

    @Test(arguments: [(2.0, 50.0), (0.5, 200)])
    func theRateDividesTheTimeOfFrames(rate: Double, time: Double) throws {
        let playing = try Playing(HostFrames(PlayerTests.three))
        sdimage_player_set_rate(playing.pointer, rate)
        playing.play()
        playing.tick(0)
        playing.tick(time - 1)
        #expect(playing.index == 0)
        playing.tick(1)
        #expect(playing.frames == [0, 1])
    }

    // MARK: Late frames

    @Test func lateFramesAreLeftOutWhereThatIsWished() throws {
        let playing = try Playing(HostFrames([100, 100, 100, 100, 100, 100]))
        sdimage_player_set_drop_late_frames(playing.pointer, true)
        playing.play()
        playing.tick(0)
        playing.tick(350)
        #expect(playing.frames == [0, 3] && sdimage_player_dropped_frames(playing.pointer) == 2)
        playing.tick(50)
        #expect(playing.frames == [0, 3, 4])
    }

    @Test func aLoopThatIsLeftOutIsCounted() throws {
        let playing = try Playing(HostFrames([100, 100, 100]))
        sdimage_player_set_drop_late_frames(playing.pointer, true)
        playing.play()
        playing.tick(0)
        playing.tick(310)
        #expect(playing.calls == [.frame(0, 0), .loop(1), .frame(0, 0)])
    }

    @Test func afterALongPauseAtMostOneRoundIsLeftOut() throws {
        let playing = try Playing(HostFrames([0, 0, 0]))
        sdimage_player_set_drop_late_frames(playing.pointer, true)
        playing.play()
        playing.tick(0)
        playing.tick(1e9)
        #expect(playing.loops.count <= 1 + 1)
    }
}
