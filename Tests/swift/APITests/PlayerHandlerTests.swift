import CSDImage
import Foundation
import Testing

/// Handlers may call any function, and clocks call them on the expected thread.
@Suite struct PlayerHandlerTests {
    private static let three: [UInt32] = [100, 100, 100]

    @Test func aPlayerMayBeReleasedInItsHandler() throws {
        let frames = HostFrames(PlayerHandlerTests.three)
        let playing = try Playing(frames)
        playing.onCall = { playing, call in if case .frame(1, _) = call { playing.release() } }
        playing.play()
        playing.tick(0)
        playing.tick(100)
        #expect(playing.frames == [0, 1] && playing.pointer == nil)
        #expect(playing.wait { $0.destroyCount == 1 })
        #expect(frames.waitForDestroy())
    }

    @Test func stoppingInTheFrameHandlerEndsTheTick() throws {
        let playing = try Playing(HostFrames(PlayerHandlerTests.three))
        playing.onCall = { playing, call in if case .frame(0, _) = call { sdimage_player_stop(playing.pointer) } }
        playing.play()
        playing.tick(500)
        #expect(playing.frames == [0] && playing.index == 0 && !playing.isPlaying && playing.shown == nil)
    }

    @Test func stoppingInTheLoopHandlerShowsNothingMore() throws {
        let playing = try Playing(HostFrames([100, 100]))
        playing.onCall = { playing, call in if case .loop = call { sdimage_player_pause(playing.pointer) } }
        playing.play(frames: 99)
        #expect(playing.calls == [.frame(0, 0), .frame(1, 1), .loop(1)] && playing.index == 0)
    }

    @Test func seekingInAHandlerIsWhereItGoesOn() throws {
        let playing = try Playing(HostFrames([100, 100, 100, 100, 100]))
        playing.onCall = { playing, call in
            if case .frame(1, _) = call { sdimage_player_seek(playing.pointer, 3, 0, nil) }
        }
        playing.play(frames: 4)
        #expect(playing.frames == [0, 1, 3, 4])
    }

    @Test func theTimeOfATickInAHandlerIsAddedToTheNext() throws {
        let playing = try Playing(HostFrames(PlayerHandlerTests.three))
        playing.onCall = { playing, call in if case .frame(0, _) = call { playing.onCall = nil; playing.tick(60) } }
        playing.play()
        playing.tick(0)
        #expect(playing.frames == [0])
        playing.tick(39)
        #expect(playing.index == 0)
        playing.tick(1)
        #expect(playing.index == 1)
    }

    @Test func aHandlerMayReleaseTheFramesItPlays() throws {
        let frames = HostFrames(PlayerHandlerTests.three)
        var provider: Owned? = try frames.provider()
        let playing = try Playing(provider: try #require(provider))
        provider = nil
        sdimage_player_set_decode_when_due(playing.pointer, true)
        playing.play(frames: 4)
        #expect(playing.frames == [0, 1, 2, 0] && frames.destroyCount == 0)
        playing.release()
        #expect(frames.waitForDestroy())
    }

    @Test func destroyIsCalledOnceAlsoWhenThereIsNoPlayer() throws {
        var handler = sdimage_player_handler()
        handler.size = MemoryLayout<sdimage_player_handler>.size
        let told = Listener()
        var player: OpaquePointer?
        let status = sdimage_player_new(nil, &handler, Unmanaged.passRetained(told).toOpaque(), Listener.destroy, &player, nil)
        #expect(status == .SDIMAGE_STATUS_INVALID_ARGUMENT && player == nil)
        #expect(told.waitForDestroy())
    }

    @Test func aPlayerWorksWithoutAHandler() throws {
        let provider = try HostFrames(PlayerHandlerTests.three).provider()
        let player = try make(sdimage_player_unref) {
            sdimage_player_new_provider(provider.pointer, nil, nil, nil, $0, $1)
        }
        sdimage_player_set_decode_when_due(player.pointer, true)
        sdimage_player_start(player.pointer)
        #expect(sdimage_player_tick(player.pointer, 0))
        #expect(sdimage_player_tick(player.pointer, 100_000_000))
        #expect(sdimage_player_frame_index(player.pointer) == 1 && sdimage_player_shown_frames(player.pointer) == 2)
    }

    @Test func ticksOfManyThreadsShowEveryFrameInItsOrder() throws {
        let playing = try Playing(HostFrames(Array(repeating: 1, count: 50)))
        playing.play()
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) { for _ in 0..<200 { playing.tick(0.5) } }
        }
        group.wait()
        let frames = playing.frames
        #expect(frames == (0..<frames.count).map { UInt32($0 % 50) } && frames.count > 10)
    }

    // MARK: Clocks

    @Test func aDescriptorIsReadableWhenAFrameIsDue() throws {
        let playing = try Playing(provider: try HostFrames([5, 5, 5, 5]).provider())
        #expect(sdimage_player_descriptor(playing.pointer) == -1)
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, nil, nil)
        var watched = pollfd(fd: sdimage_player_descriptor(playing.pointer), events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 0) == 0)
        playing.play()
        while playing.frames.count < 9 {
            #expect(poll(&watched, 1, 120_000) == 1)
            sdimage_player_advance(playing.pointer)
        }
        #expect(playing.frames == [0, 1, 2, 3, 0, 1, 2, 3, 0])
        sdimage_player_pause(playing.pointer)
        #expect(poll(&watched, 1, 20) == 0)
    }

    @Test func aClockGoesOnAfterASeekToADamagedFrame() throws {
        // The frame that the player awaits stays for the rest of the test.
        let frames = HostFrames([60_000, 5, 5, 5])
        frames.broken = [3]
        frames.hold(only: 0)
        let playing = try Playing(provider: try frames.provider())
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, nil, nil)
        var watched = pollfd(fd: sdimage_player_descriptor(playing.pointer), events: Int16(POLLIN), revents: 0)
        playing.play()
        #expect(poll(&watched, 1, 30_000) == 1)
        sdimage_player_advance(playing.pointer)
        // The clock stands still until the first frame has arrived.
        #expect(poll(&watched, 1, 50) == 0)
        #expect(sdimage_player_seek(playing.pointer, 3, 0, nil) == .SDIMAGE_STATUS_BAD_DATA)
        #expect(playing.isPlaying && playing.index == 3)
        #expect(poll(&watched, 1, 30_000) == 1)
        frames.release()
        while playing.frames.isEmpty {
            #expect(poll(&watched, 1, 30_000) == 1)
            sdimage_player_advance(playing.pointer)
        }
        #expect(playing.frames == [0])
    }

    @Test func aClockGoesOnIfTheMissingFramePlaysNoMore() throws {
        let frames = HostFrames([5, 5, 5])
        frames.hold(only: 2)
        defer { frames.release() }
        let playing = try Playing(provider: try frames.provider())
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, nil, nil)
        playing.play()
        #expect(playing.wait { sdimage_player_late_frames($0.pointer) > 0 && $0.index == 2 })
        let before = playing.frames.count
        sdimage_player_set_frame_count(playing.pointer, 2)
        #expect(playing.wait { $0.frames.count > before + 1 })
        #expect(playing.frames.dropFirst(before).prefix(2) == [0, 1])
    }

    @Test func theLibrarysClockPlaysOnItsDispatcher() throws {
        let playing = try Playing(provider: try HostFrames([5, 5, 5], loops: 3).provider())
        let dispatcher = try make(sdimage_dispatcher_unref) { sdimage_dispatcher_new_pollable($0, $1) }
        let status = sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, dispatcher.pointer, nil)
        #expect(status == .SDIMAGE_STATUS_OK)
        playing.play()
        var watched = pollfd(fd: sdimage_dispatcher_descriptor(dispatcher.pointer), events: Int16(POLLIN), revents: 0)
        while playing.isPlaying {
            #expect(poll(&watched, 1, 120_000) == 1)
            sdimage_dispatcher_drain(dispatcher.pointer)
        }
        #expect(playing.frames == [0, 1, 2, 0, 1, 2, 0, 1, 2] && playing.loops == [1, 2, 3])
        #expect(playing.callingThreads == [UInt(pthread_self())])
    }

    @Test func theCallbackThreadPlaysWhereNoDispatcherIsNamed() throws {
        let playing = try Playing(provider: try HostFrames([2, 2], loops: 4).provider())
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, nil, nil)
        playing.play()
        #expect(playing.wait { !$0.isPlaying })
        #expect(playing.loops == [1, 2, 3, 4])
        #expect(!playing.callingThreads.contains(UInt(pthread_self())) && playing.callingThreads.count == 1)
    }

    @Test func aPlayerOnTheLibrarysClockEndsWithItsLastReference() throws {
        let playing = try Playing(provider: try HostFrames([1, 1]).provider())
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, nil, nil)
        playing.play()
        #expect(playing.wait { $0.frames.count > 3 })
        playing.release()
        #expect(playing.wait { $0.destroyCount == 1 })
    }

    @Test func aPlayerMayBeReleasedInAHandlerOfTheLibrarysClock() throws {
        let playing = try Playing(provider: try HostFrames([1, 1]).provider())
        // The starting call holds a reference until it returns.
        let isStarted = DispatchSemaphore(value: 0)
        playing.onCall = { playing, call in
            guard case .loop(2) = call else { return }
            isStarted.wait()
            playing.release()
        }
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, nil, nil)
        playing.play()
        isStarted.signal()
        #expect(playing.wait { $0.destroyCount == 1 })
        #expect(playing.loops == [1, 2])
    }

    @Test func anUnknownClockIsRefused() throws {
        let playing = try Playing(HostFrames(PlayerHandlerTests.three))
        let unknown = sdimage_player_clock(rawValue: 9)
        guard let unknown else { return }
        #expect(sdimage_player_set_clock(playing.pointer, unknown, nil, nil) == .SDIMAGE_STATUS_INVALID_ARGUMENT)
    }
}
