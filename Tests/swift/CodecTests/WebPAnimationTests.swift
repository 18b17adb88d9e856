import SDImage
import SDImageCodecs
import Testing

@Suite struct WebPAnimationTests {
    private let coder = WebPCoder()

    /// The frames of a reference image in which they are stacked vertically.
    private func reference(_ name: String) throws -> [[UInt8]] {
        let strip = try PNGCoder().decode("webp/" + name) { $0.convertToSRGB = false }.content
        let size = 24 * 20 * 4
        return stride(from: 0, to: strip.count, by: size).map { Array(strip[$0..<$0 + size]) }
    }

    private func frames(_ name: String, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> any FrameProvider {
        try #require(try coder.decode("webp/" + name, change).frames)
    }

    private func contents(_ frames: any FrameProvider) throws -> [[UInt8]] {
        try (0..<frames.frameCount).map { try frames.frame(at: $0, stop: CancellationToken()).content }
    }

    // MARK: Composition

    @Test func framesAreThoseOfLibwebp() throws {
        #expect(try contents(try frames("moving.webp")) == (try reference("moving_straight.png")))
    }

    @Test func premultipliedFramesAreThoseOfLibwebp() throws {
        let expected = try reference("moving_premultiplied.png")
        #expect(try contents(try frames("moving.webp") { $0.pixelFormat = .rgba8Premultiplied }) == expected)
        var swapped = expected
        for frame in swapped.indices {
            for red in stride(from: 0, to: swapped[frame].count, by: 4) { swapped[frame].swapAt(red, red + 2) }
        }
        #expect(try contents(try frames("moving.webp") { $0.pixelFormat = .bgra8Premultiplied }) == swapped)
    }

    @Test func framesDoNotDependOnTheOrderOfAsking() throws {
        let expected = try reference("moving_straight.png")
        let frames = try frames("moving.webp")
        for index in [15, 2, 7, 7, 0, 14, 3, 12, 5, 4] {
            #expect(try frames.frame(at: index, stop: CancellationToken()).content == expected[index])
        }
    }

    @Test func aFrameThatCoversTheCanvasNeedsNoneBeforeIt() throws {
        // Frame 11 of 12 resets the canvas. The previous frames are unreadable.
        var data = try CodecFixture.data("webp/keys.webp")
        let expected = try contents(try frames("keys.webp"))
        let names = data.indices.dropLast(3).filter { Array(data[$0..<$0 + 4]) == Array("ANMF".utf8) }
        for start in names.prefix(10) {
            // The payload of the bitstream, after both headers and its signature.
            for position in start + 37..<start + 40 { data[position] ^= 0xFF }
        }
        let bytes = try Bytes.copying(data)
        let decoder = try #require(try coder.open(options: DecodeOptions(), stop: CancellationToken()))
        try decoder.update(bytes, isFinished: true, stop: CancellationToken())
        #expect(decoder.frameCount == 12)
        #expect(try decoder.frame(at: 10, stop: CancellationToken()).content == expected[10])
        #expect(try decoder.frame(at: 11, stop: CancellationToken()).content == expected[11])
    }

    @Test func thePictureIsTheFirstFrame() throws {
        let image = try coder.decode("webp/moving.webp")
        #expect(image.content == (try reference("moving_straight.png").first))
        #expect(image.metadata.frameCount == 16 && image.metadata.loopCount == 2)
        // Ten times 0 … 15, where 0 and 10 mean 100.
        #expect(image.metadata.durationMilliseconds == 1390)
        #expect(image.frames?.durationMilliseconds(at: 1) == 100 && image.frames?.durationMilliseconds(at: 2) == 20)
    }

    @Test func theFirstFrameAloneIsAStill() throws {
        let image = try coder.decode("webp/moving.webp") { $0.firstFrameOnly = true }
        #expect(image.frames == nil && image.metadata.frameCount == 1 && image.metadata.loopCount == 0)
        #expect(image.content == (try reference("moving_straight.png").first))
    }

    // MARK: Sizes

    @Test func everyFrameOfAThumbnailHasItsSize() throws {
        let frames = try frames("moving.webp") { $0.thumbnailSize = PixelSize(width: 12, height: 12) }
        for index in 0..<frames.frameCount {
            #expect(try frames.frame(at: index, stop: CancellationToken()).size == PixelSize(width: 12, height: 10))
        }
    }

    @Test func theByteLimitIsSharedByAllFrames() throws {
        // 16 frames of 12 × 10 pixels.
        let image = try coder.decode("webp/moving.webp") { $0.limitBytes = 16 * 12 * 10 * 4 }
        #expect(image.size == PixelSize(width: 12, height: 10) && !image.metadata.isThumbnail)
        #expect(try image.frame(at: 9, stop: CancellationToken()).size == image.size)
    }

    @Test func framesBeyondTheLimitAreNotPlayed() throws {
        #expect(try frames("moving.webp") { $0.limits.frames = 5 }.frameCount == 5)
        var options = DecodeOptions()
        options.limits.frames = 5
        #expect(
            try coder.info(try CodecFixture.bytes("webp/moving.webp"), options: options, stop: CancellationToken()).frameCount
                == 5)
    }

    @Test func aCanvasBeyondTheLimitIsRefused() throws {
        #expect(imageError { _ = try coder.decode("webp/moving.webp") { $0.limits.heldPixels = 479 } }?.status == .tooLarge)
    }

    // MARK: Damage

    @Test func truncatedAndFlippedFilesAreErrorsOrFramesNeverCrashes() throws {
        let data = try CodecFixture.data("webp/keys.webp")
        for position in data.indices {
            try walk(Array(data.prefix(position)), accepted: true)
            var damaged = data
            damaged[position] ^= UInt8(1 << (position % 8))
            try walk(damaged, accepted: false)
        }
    }

    private func walk(_ data: [UInt8], accepted: Bool) throws {
        let image = try coder.survive(data) {
            $0.acceptPartial = accepted
            $0.limits.heldPixels = 1 << 16
            $0.limits.streamedPixels = 1 << 20
        }
        guard let frames = image?.frames else { return }
        for index in 0..<frames.frameCount {
            do throws(ImageError) { _ = try frames.frame(at: index, stop: CancellationToken()) } catch { continue }
        }
    }

    @Test func aStoppedFrameEndsWithCancelled() throws {
        let frames = try frames("moving.webp")
        let stop = CancellationToken()
        stop.cancel()
        #expect(imageError { _ = try frames.frame(at: 9, stop: stop) }?.status == .cancelled)
    }
}
