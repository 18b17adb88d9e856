import CSDImage
import TestSupport
import Testing

/// Players of damaged, unfinished or extreme animations: an error, or the complete frames; never a crash, never a hang.
@Suite struct PlayerInputTests {
    private func playing(_ file: [UInt8], partial: Bool = false) throws -> Playing {
        let options = decodeOptions { sdimage_decode_options_set_accept_partial($0, partial) }
        let image = try make(sdimage_image_unref) { sdimage_decode(file, file.count, options.pointer, $0, $1) }
        let playing = try Playing(image: image)
        sdimage_player_set_decode_when_due(playing.pointer, true)
        return playing
    }

    private static func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    /// A GIF (GIF89a) with the given frames: position, size, delay in hundredths of a second.
    private static func gif(
        _ width: Int, _ height: Int, _ frames: [(left: Int, top: Int, width: Int, height: Int, delay: Int)]
    ) -> [UInt8] {
        var file = Array("GIF89a".utf8) + little(width) + little(height) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for frame in frames {
            file += [0x21, 0xF9, 4, 4] + little(frame.delay) + [0, 0]
            file += [0x2C] + little(frame.left) + little(frame.top) + little(frame.width) + little(frame.height) + [0]
            // Clear, white, end: codes of three bits (GIF89a, appendix F).
            file += [2, 2, 0x4C, 0x01, 0]
        }
        return file + [0x3B]
    }

    private static let dot = (left: 0, top: 0, width: 1, height: 1, delay: 5)

    @Test func framesOutsideTheCanvasPlayAsNothingNew() throws {
        let outside = (left: 30, top: 30, width: 1, height: 1, delay: 5)
        let playing = try playing(PlayerInputTests.gif(2, 2, [PlayerInputTests.dot, outside, PlayerInputTests.dot]))
        playing.play(frames: 6, milliseconds: 50)
        #expect(playing.frames == [0, 1, 2, 0, 1, 2])
    }

    @Test func framesWithoutPixelsAreAnErrorOrNothingNew() throws {
        let empty = (left: 0, top: 0, width: 0, height: 0, delay: 5)
        let file = PlayerInputTests.gif(2, 2, [PlayerInputTests.dot, empty, PlayerInputTests.dot])
        guard let playing = try? playing(file) else { return }
        playing.play(frames: 4, milliseconds: 50)
        #expect(playing.frames.count == 4)
    }

    @Test func framesWithoutTimeAreShownForATenthOfASecond() throws {
        var still = PlayerInputTests.dot
        still.delay = 0
        let playing = try playing(PlayerInputTests.gif(1, 1, [still, still]))
        playing.play()
        playing.tick(0)
        playing.tick(99)
        #expect(playing.index == 0)
        playing.tick(1)
        #expect(playing.index == 1)
    }

    @Test func framesOfTheHostWithoutTimePlayOneATick() throws {
        let playing = try Playing(HostFrames([0, 0, 0]))
        playing.play()
        for _ in 0..<4 { playing.tick(0) }
        #expect(playing.frames.count >= 4 && playing.frames.prefix(4) == [0, 1, 2, 0])
    }

    @Test func framesThatLastForEverWaitTheirTurn() throws {
        var long = PlayerInputTests.dot
        long.delay = 65535
        let playing = try playing(PlayerInputTests.gif(1, 1, [long, long]))
        playing.play()
        playing.tick(0)
        playing.tick(655_349)
        #expect(playing.index == 0)
        playing.tick(1)
        #expect(playing.index == 1)
    }

    @Test func tenThousandFramesPlay() throws {
        let playing = try playing(PlayerInputTests.gif(1, 1, Array(repeating: PlayerInputTests.dot, count: 10_000)))
        #expect(sdimage_player_frame_count(playing.pointer) == 10_000)
        #expect(sdimage_player_seek(playing.pointer, 9_998, 0, nil) == .SDIMAGE_STATUS_OK)
        playing.play()
        playing.tick(50)
        playing.tick(50)
        #expect(playing.frames == [9_998, 9_999, 0])
    }

    @Test(arguments: AnimationTests.formats)
    func whatEndsInTheMiddlePlaysAsFarAsItIsWhole(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(6, format, side: 24)
        for share in [30, 55, 80] {
            let part = Array(file.prefix(file.count * share / 100))
            for isAccepted in [false, true] {
                // Too few bytes for an animation are refused.
                guard let playing = try? playing(part, partial: isAccepted) else { continue }
                let count = sdimage_player_frame_count(playing.pointer)
                #expect(count >= 2 && count <= 6)
                playing.play(frames: Int(count) + 1)
                #expect(playing.frames == Array(0..<count) + [0])
            }
        }
    }

    @Test(arguments: AnimationTests.formats)
    func damagedFramesNeverStopTheOthers(format: sdimage_format) throws {
        let file = try MovingPicture.bytes(5, format, side: 24)
        var randoms = Randoms(seed: 5)
        for _ in 0..<40 {
            var damaged = file
            for _ in 0..<4 { damaged[40 + randoms.below(file.count - 40)] ^= UInt8(1 << randoms.below(8)) }
            guard let playing = try? playing(damaged, partial: true) else { continue }
            playing.play()
            var ticks = 0
            while playing.loop < 2, playing.isPlaying, ticks < 200 {
                playing.tick(70_000)
                ticks += 1
            }
            // Playback continues past frames that cannot be decoded.
            #expect(playing.loop == 2 || !playing.isPlaying)
        }
    }

    @Test func aFrameThatCannotBeMadeHasItsTimeWithTheOneBeforeOnShow() throws {
        let frames = HostFrames([100, 100, 100])
        frames.broken = [1]
        let playing = try Playing(frames)
        playing.play(frames: 4)
        #expect(playing.frames == [0, 2, 0, 2] && sdimage_player_failed_frames(playing.pointer) >= 1)
    }

    @Test func whereNoFrameCanBeMadeNothingIsShownAndTimeGoesOn() throws {
        let frames = HostFrames([100, 100], loops: 3)
        frames.broken = [0, 1]
        let playing = try Playing(frames)
        playing.play()
        for _ in 0..<10 { playing.tick(100) }
        #expect(playing.loops == [1, 2, 3] && playing.frames.isEmpty && !playing.isPlaying)
    }

    @Test func aBrokenFrameDoesNotStopTheWorkers() throws {
        let frames = HostFrames([1, 1, 1])
        frames.broken = [2]
        let playing = try Playing(provider: try frames.provider())
        playing.play()
        #expect(
            playing.wait { playing in
                playing.tick(1); return playing.loops.count == 3
            })
        #expect(!playing.frames.contains(2))
    }

    @Test func aCountThatShrinksEndsInWhatThereIs() throws {
        let frames = HostFrames([100, 100, 100, 100])
        let playing = try Playing(frames)
        playing.play(frames: 4)
        frames.grow(to: 2, isLast: true)
        for _ in 0..<6 { playing.tick(100) }
        #expect(playing.frames.suffix(4) == [0, 1, 0, 1] || playing.frames.suffix(4) == [1, 0, 1, 0])
        frames.grow(to: 0, isLast: true)
        playing.tick(100)
        #expect(!playing.isPlaying)
    }

    // MARK: Growing

    @Test func aGrowingAnimationWaitsAtItsEndForMore() throws {
        let frames = HostFrames([100, 100, 100, 100], growingFrom: 1)
        let playing = try Playing(frames)
        playing.play()
        for _ in 0..<5 { playing.tick(100) }
        #expect(playing.frames == [0] && playing.isPlaying)
        frames.grow(to: 3)
        for _ in 0..<5 { playing.tick(100) }
        #expect(playing.frames == [0, 1, 2] && playing.loop == 0)
        frames.grow(to: 4, isLast: true)
        for _ in 0..<2 { playing.tick(100) }
        #expect(playing.frames == [0, 1, 2, 3, 0] && playing.loop == 1)
    }

    @Test func aDecoderThatGrowsIsPlayedWhileItDoes() throws {
        let file = try MovingPicture.bytes(4, .SDIMAGE_FORMAT_PNG)
        let feeding = try Feeding()
        let provider = try make(sdimage_frame_provider_unref) {
            sdimage_frame_provider_new_decoder(feeding.decoder.pointer, $0, $1)
        }
        #expect(sdimage_frame_provider_is_growing(provider.pointer))
        let playing = try Playing(provider: provider)
        defer { playing.release() }
        sdimage_player_set_decode_when_due(playing.pointer, true)
        playing.play()
        for byte in file.dropLast() {
            feeding.append([byte])
            playing.tick(1)
        }
        for _ in 0..<8 { playing.tick(100) }
        #expect(playing.frames == [0, 1, 2, 3] || playing.frames == [0, 1, 2])
        feeding.append(file.suffix(1), finished: true)
        #expect(!sdimage_frame_provider_is_growing(provider.pointer))
        playing.play(frames: playing.frames.count + 2)
        #expect(playing.loop >= 1)
    }

    @Test func aClockGoesOnWhenMoreHasCome() throws {
        let frames = HostFrames([1, 1, 1, 1], loops: 1, growingFrom: 2)
        let playing = try Playing(provider: try frames.provider())
        sdimage_player_set_clock(playing.pointer, .SDIMAGE_PLAYER_CLOCK_LIBRARY, nil, nil)
        playing.play()
        #expect(playing.wait { $0.frames.count == 2 })
        frames.grow(to: 4, isLast: true)
        sdimage_player_update(playing.pointer)
        #expect(playing.wait { !$0.isPlaying })
        #expect(playing.frames == [0, 1, 2, 3] && playing.loops == [1])
    }
}
