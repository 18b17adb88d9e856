import CSDImage
import Foundation
import TestSupport
import Testing

/// Frames decoded ahead, and players that share them.
@Suite(.serialized) struct PlayerBufferTests {
    static let three: [UInt32] = [100, 100, 100]

    private func playing(_ frames: HostFrames) throws -> Playing { try Playing(provider: try frames.provider()) }

    @Test func aBufferOfOneByteHoldsOneFrame() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let playing = try playing(frames)
        sdimage_player_set_max_buffer_size(playing.pointer, 1)
        playing.play()
        for index in 0..<6 as Range<UInt32> {
            #expect(
                playing.wait { playing in
                    playing.tick(100); return playing.frames.count > Int(index)
                })
            #expect(playing.buffered <= 2)
        }
        #expect(playing.frames.prefix(6) == [0, 1, 2, 0, 1, 2])
        // Nothing was held from one loop to the next.
        #expect(frames.made.count >= 6)
    }

    @Test func theOnlyFrameHeldIsMadeEarlyEnough() throws {
        let frames = HostFrames([1000, 1000, 1000])
        let playing = try playing(frames)
        sdimage_player_set_max_buffer_size(playing.pointer, 1)
        frames.hold()
        playing.play()
        playing.tick(0)
        #expect(frames.waitForBegun(1))
        // The time that a frame takes.
        Thread.sleep(forTimeInterval: 0.3)
        frames.release()
        #expect(playing.wait { $0.tick(0) })
        // 310 ms remain.
        playing.tick(690)
        #expect(frames.waitForMade(2))
        #expect(frames.made == [0, 1] && playing.frames == [0])
    }

    @Test func theOnlyFrameHeldIsMadeBeforeTheClockRings() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let playing = try playing(frames)
        sdimage_player_set_max_buffer_size(playing.pointer, 1)
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_DESCRIPTOR, nil, nil)
        playing.play()
        #expect(playing.wait { sdimage_player_advance($0.pointer) })
        // The next frame does not wait until the player advances.
        #expect(frames.waitForMade(2))
        #expect(frames.made == [0, 1] && playing.frames == [0])
    }

    @Test func aBufferWithoutBoundHoldsAllFrames() throws {
        let frames = HostFrames(Array(repeating: 1, count: 40))
        let playing = try playing(frames)
        // SIZE_MAX.
        sdimage_player_set_max_buffer_size(playing.pointer, -1)
        #expect(sdimage_player_max_buffer_size(playing.pointer) == -1)
        playing.play()
        #expect(
            playing.wait { playing in
                playing.tick(1); return playing.loops.count == 3
            })
        #expect(playing.buffered == 40 && frames.made.count == 40)
    }

    @Test func framesStayWhenItStopsAndGoWhenTheyAreCleared() throws {
        let playing = try playing(HostFrames(PlayerBufferTests.three))
        playing.play()
        #expect(playing.wait { $0.buffered == 3 })
        sdimage_player_stop(playing.pointer)
        #expect(playing.buffered == 3)
        sdimage_player_clear_frame_buffer(playing.pointer)
        #expect(playing.buffered == 0)
    }

    @Test func timeStandsStillWhileAFrameIsMissing() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let playing = try playing(frames)
        sdimage_player_set_max_buffer_size(playing.pointer, 1)
        frames.hold()
        playing.play()
        for _ in 0..<5 { #expect(!playing.tick(100)) }
        #expect(playing.index == 0 && playing.shown == nil && sdimage_player_late_frames(playing.pointer) == 1)
        frames.release()
        #expect(playing.wait { $0.tick(0) })
        // The whole duration of the frame remains.
        playing.tick(99)
        #expect(playing.index == 0 && playing.frames == [0])
        playing.tick(1)
        #expect(playing.index == 1)
    }

    @Test func aLateFrameIsShownBeforeOthersAreLeftOut() throws {
        let frames = HostFrames([100, 100, 100, 100, 100])
        let playing = try playing(frames)
        sdimage_player_set_drop_late_frames(playing.pointer, true)
        frames.hold()
        playing.play()
        playing.tick(0)
        for _ in 0..<3 { playing.tick(110) }
        #expect(playing.frames.isEmpty)
        frames.release()
        #expect(
            playing.wait { playing in
                playing.tick(0); return playing.frames.count == 2
            })
        #expect(playing.frames == [0, 3] && sdimage_player_dropped_frames(playing.pointer) == 2)
    }

    @Test func twoPlayersMakeEachFrameOnce() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let image = try frames.image()
        let players = try (0..<2).map { _ in try Playing(image: image) }
        for player in players { player.play() }
        #expect(
            becomesTrue {
                for player in players { player.tick(20) }
                return players.allSatisfy { $0.loops.count > 5 }
            })
        // The first frame came with the image.
        #expect(frames.made.sorted() == [0, 1, 2])
    }

    @Test func theFramesGoWithTheLastPlayer() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let provider = try frames.provider()
        let first = try Playing(provider: provider)
        let second = try Playing(provider: provider)
        first.play()
        #expect(first.wait { $0.buffered == 3 })
        #expect(second.buffered == 3)
        first.release()
        #expect(second.buffered == 3)
        second.release()
        // The worker that made the last frame may hold the frames for a moment.
        var third: Playing?
        #expect(
            becomesTrue {
                third?.release()
                third = try? Playing(provider: provider)
                return third?.buffered == 0
            })
    }

    @Test func oneFrameIsMadeAtATime() throws {
        let frames = HostFrames(Array(repeating: 10, count: 8))
        let playing = try playing(frames)
        frames.hold()
        playing.play()
        for _ in 0..<5 { playing.tick(10) }
        #expect(frames.made.isEmpty)
        frames.release()
        #expect(playing.wait { $0.buffered > 4 })
        // Read once: the worker makes the other frames meanwhile.
        let made = frames.made
        #expect(made == made.sorted() && Set(made).count == made.count)
    }

    @Test func whatIsAllThereIsNotMadeAgain() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let playing = try playing(frames)
        playing.play()
        #expect(
            playing.wait { playing in
                playing.tick(50); return playing.loops.count == 10
            })
        #expect(frames.made.sorted() == [0, 1, 2] && playing.buffered == 3)
    }

    // In a process of its own, because trimming empties the caches of all tests.
    @Test func shortMemoryEmptiesThePoolsButForWhatIsShownNext() async {
        await #expect(processExitsWith: .success) {
            let playing = try Playing(provider: try HostFrames(PlayerBufferTests.three).provider())
            playing.play()
            #expect(playing.wait { $0.buffered == 3 })
            playing.tick(0)
            sdimage_trim_memory(true)
            // The next frame is ready in time.
            playing.tick(100)
            #expect(playing.tick(1) && playing.frames == [0, 1] && sdimage_player_late_frames(playing.pointer) == 0)
            sdimage_player_pause(playing.pointer)
            // One frame may have been in progress.
            #expect(
                playing.wait { playing in
                    sdimage_trim_memory(true)
                    return playing.buffered == 0
                })
        }
    }

    @Test func framesByTheSameTransformerAreTheSame() throws {
        let frames = HostFrames(PlayerBufferTests.three)
        let base = try frames.provider()
        let flips = try [true, true, false].map { horizontal in
            try make(sdimage_transformer_unref) { sdimage_transformer_new_flip(horizontal, !horizontal, $0, $1) }
        }
        let providers = try flips.map { flip in
            try make(sdimage_frame_provider_unref) {
                sdimage_frame_provider_new_transformed(base.pointer, flip.pointer, $0, $1)
            }
        }
        let players = try providers.map { try Playing(provider: $0) }
        players[0].play()
        #expect(players[0].wait { $0.buffered == 3 })
        #expect(players[1].buffered == 3 && players[2].buffered == 0)
        #expect(try Playing(provider: base).buffered == 0)
    }

    @Test func thePoolHoldsTransformedFrames() throws {
        let png = makePNG(width: 4, height: 2, red: 10)
        let still = try make(sdimage_image_unref) { sdimage_decode(png, png.count, nil, $0, $1) }
        let images: [OpaquePointer?] = [still.pointer, still.pointer]
        let image = try make(sdimage_image_unref) { sdimage_image_new_animation(images, [100, 100], 2, 0, $0, $1) }
        let base = try make(sdimage_frame_provider_unref) { sdimage_frame_provider_new_image(image.pointer, $0, $1) }
        let resize = try make(sdimage_transformer_unref) {
            sdimage_transformer_new_resize(8, 6, .SDIMAGE_SCALE_MODE_FILL, $0, $1)
        }
        let provider = try make(sdimage_frame_provider_unref) {
            sdimage_frame_provider_new_transformed(base.pointer, resize.pointer, $0, $1)
        }
        #expect(sdimage_frame_provider_frame_count(provider.pointer) == 2)
        #expect(sdimage_frame_provider_duration_ms(provider.pointer, 1) == 100)
        let frame = try make(sdimage_image_unref) { sdimage_frame_provider_get_frame(provider.pointer, 1, $0, $1) }
        #expect(DrawnPicture.size(frame) == [8, 6])
    }

    // MARK: The budget

    @Test func theBudgetTellsWhatIsHeld() throws {
        let playing = try playing(HostFrames(PlayerBufferTests.three))
        playing.play()
        #expect(playing.wait { $0.buffered == 3 })
        var used = sdimage_frame_budget_statistics()
        used.size = MemoryLayout<sdimage_frame_budget_statistics>.size
        #expect(sdimage_frame_budget_get_statistics(&used, nil) == .SDIMAGE_STATUS_OK)
        #expect(used.limit == 64 << 20 && used.animations >= 1 && used.frames >= 3 && used.decodes >= 3)
        let data = try make(sdimage_data_unref) { sdimage_frame_budget_statistics_to_json($0, $1) }
        let bytes = Data(bytes: sdimage_data_bytes(data.pointer), count: sdimage_data_length(data.pointer))
        let told = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Int])
        #expect(told["limit"] == 64 << 20 && told["limit"] == sdimage_frame_budget_limit())
        #expect(try #require(told["animations"]) >= 1 && told["frames"] ?? 0 >= 3 && told["bytes"] ?? 0 >= 3 * 64)
        #expect(told["decodes"] ?? 0 >= 3)
    }
}
