import SDImage
import Testing

/// Frames that only the test completes: the handling of a frame in progress after its last player was released.
private final class HeldFrames: FrameProvider {
    struct State {
        var started = 0
        var cancelled = 0
        /// Number of frames that may finish.
        var released = 0
    }

    let frameCount = 2
    let loopCount = 0
    private let state = Monitor(State())
    /// True if cancellation ends a frame before the test does.
    private let heedsCancellation: Bool

    init(heedsCancellation: Bool = true) { self.heedsCancellation = heedsCancellation }

    func durationMilliseconds(at index: Int) -> Int { 100 }

    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        _ = wait { $0.released >= number || self.heedsCancellation && stop.isCancelled }
        if stop.isCancelled {
            state.withLock { $0.cancelled += 1 }
            throw .cancelled
        }
        return Image(
            pixels: try PixelBuffer(size: PixelSize(width: 8, height: 8), format: .rgba8), metadata: ImageMetadata())
    }

    func release(_ count: Int) { state.withLock { $0.released += count } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    /// Returns false if the condition does not hold within two minutes.
    func wait(_ isTrue: (State) -> Bool) -> Bool {
        state.wait(deadline: MonotonicClock.now + 120_000_000_000) { state, wake in
            wake = MonotonicClock.now + 1_000_000
            return isTrue(state) ? true : nil
        } ?? false
    }
}

@Suite struct AbandonedFrameTests {
    private let budget = FrameBudget(limit: 1 << 20)

    private func player(_ frames: HeldFrames) throws -> AnimationPlayer {
        try AnimationPlayer(FrameSource(frames), handler: nil, budget: budget, lease: try Engine.acquire())
    }

    @Test func theLastPlayerCancelsTheFrameInTheMaking() throws {
        let frames = HeldFrames()
        do {
            let player = try player(frames)
            player.start()
            #expect(frames.wait { $0.started == 1 })
            withExtendedLifetime(player) {}
        }
        #expect(frames.wait { $0.cancelled == 1 })
    }

    @Test func aFrameIsFinishedWhileAnotherPlayerWantsIt() throws {
        let frames = HeldFrames()
        let staying = try player(frames)
        do {
            let leaving = try player(frames)
            leaving.start()
            #expect(frames.wait { $0.started == 1 })
            staying.start()
            withExtendedLifetime(leaving) {}
        }
        frames.release(2)
        #expect(frames.wait { _ in staying.bufferedFrames == 2 })
        #expect(frames.cancelled == 0)
    }

    @Test func aPlayerThatComesAfterTheCancellationGetsTheFrame() throws {
        let frames = HeldFrames(heedsCancellation: false)
        do {
            let leaving = try player(frames)
            leaving.start()
            #expect(frames.wait { $0.started == 1 })
            withExtendedLifetime(leaving) {}
        }
        // The worker that makes the frame holds the pool.
        let coming = try player(frames)
        coming.start()
        frames.release(3)
        #expect(frames.wait { _ in coming.bufferedFrames == 2 })
        #expect(frames.cancelled == 1)
    }
}
