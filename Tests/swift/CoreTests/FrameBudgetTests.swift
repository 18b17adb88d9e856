import SDImage
import Testing

/// Frames of 64 x 64 RGBA, 16 KiB each, counted when they are made.
private final class Squares: FrameProvider {
    static let bytes = 64 * 64 * 4

    let frameCount: Int
    let loopCount = 0
    let milliseconds: Int
    private let log = Monitor<[Int]>([])
    /// The priorities of the frames, where they wait for a decoder process.
    private let priorities = Monitor<Set<LoadPriority>>([])

    init(_ count: Int, milliseconds: Int = 100) {
        frameCount = count
        self.milliseconds = milliseconds
    }

    var made: [Int] { log.withLock { $0 } }
    var madePriorities: Set<LoadPriority> { priorities.withLock { $0 } }
    func durationMilliseconds(at index: Int) -> Int { milliseconds }

    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        log.withLock { $0.append(index) }
        _ = priorities.withLock { $0.insert(stop.priority) }
        return Image(
            pixels: try PixelBuffer(size: PixelSize(width: 64, height: 64), format: .rgba8), metadata: ImageMetadata())
    }

    func waitForMade(_ count: Int) -> Bool {
        log.wait(deadline: MonotonicClock.now + 120_000_000_000) { made, wake in
            wake = MonotonicClock.now + 2_000_000
            return made.count >= count ? true : nil
        } ?? false
    }
}

@Suite struct FrameBudgetTests {
    private func waitUntil(_ isTrue: () -> Bool) -> Bool {
        let pause = Monitor(())
        let end = MonotonicClock.now + 120_000_000_000
        while !isTrue() {
            if MonotonicClock.now > end { return false }
            _ = pause.wait(deadline: MonotonicClock.now + 1_000_000) { _, _ in nil as Void? }
        }
        return true
    }

    private func player(_ frames: Squares, _ budget: FrameBudget) throws -> AnimationPlayer {
        try AnimationPlayer(FrameSource(frames), handler: nil, budget: budget, lease: try Engine.acquire())
    }

    @Test func twoPlayersMakeEachFrameOnce() throws {
        let budget = FrameBudget(limit: 1 << 20)
        let frames = Squares(12)
        let players = [try player(frames, budget), try player(frames, budget)]
        for player in players { player.start() }
        #expect(
            waitUntil {
                players[0].tick(30_000_000)
                players[1].tick(20_000_000)
                return players.allSatisfy { $0.loopCount >= 3 }
            })
        #expect(frames.made.count == 12 && budget.statistics.decodes == 12 && budget.statistics.pools == 1)
        #expect(budget.statistics.bytes == 12 * Squares.bytes)
        #expect(frames.madePriorities == [.high])
    }

    @Test func poolsTogetherStayUnderTheLimit() throws {
        let limit = 40 * Squares.bytes
        let budget = FrameBudget(limit: limit)
        let all = (0..<6).map { _ in Squares(30, milliseconds: 10) }
        let players = try all.map { try player($0, budget) }
        for player in players { player.start() }
        var isWithin = true
        #expect(
            waitUntil {
                for player in players { player.tick(10_000_000) }
                isWithin = isWithin && budget.statistics.bytes + players.count * Squares.bytes <= limit + Squares.bytes
                return players.allSatisfy { $0.statistics.shown > 60 }
            })
        #expect(isWithin)
    }

    @Test func aSmallAnimationIsHeldWholeBesideLargeOnes() throws {
        let budget = FrameBudget(limit: 30 * Squares.bytes)
        let small = Squares(4)
        let players = [try player(small, budget), try player(Squares(200), budget), try player(Squares(200), budget)]
        for player in players { player.start() }
        for _ in 0..<40 {
            #expect(
                waitUntil {
                    players[0].tick(0); return players[0].tick(100_000_000) || players[0].frame != nil
                })
            players[1].tick(100_000_000)
            players[2].tick(100_000_000)
        }
        #expect(waitUntil { players[0].bufferedFrames == 4 })
        #expect(small.made.count == 4)
    }

    @Test func evenWithoutABudgetEveryPlayerGetsItsNextFrame() throws {
        let budget = FrameBudget(limit: 0)
        let players = try (0..<5).map { _ in try player(Squares(10, milliseconds: 1), budget) }
        for player in players { player.start() }
        #expect(
            waitUntil {
                for player in players { player.tick(1_000_000) }
                return players.allSatisfy { $0.statistics.shown >= 12 }
            })
        #expect(budget.statistics.frames <= players.count)
    }

    @Test func aLowerLimitTakesEffectAtOnce() throws {
        let budget = FrameBudget(limit: 100 * Squares.bytes)
        let one = try player(Squares(20, milliseconds: 5), budget)
        one.start()
        #expect(
            waitUntil {
                one.tick(5_000_000); return one.bufferedFrames == 20
            })
        one.pause()
        budget.setLimit(3 * Squares.bytes)
        #expect(budget.statistics.bytes <= 3 * Squares.bytes)
    }

    @Test func framesOfPausedPlayersMakeRoomForPlayingOnes() throws {
        let budget = FrameBudget(limit: 24 * Squares.bytes)
        let paused = try player(Squares(20, milliseconds: 5), budget)
        paused.start()
        #expect(
            waitUntil {
                paused.tick(5_000_000); return paused.bufferedFrames == 20
            })
        paused.pause()
        let playing = try player(Squares(20, milliseconds: 5), budget)
        playing.start()
        #expect(
            waitUntil {
                playing.tick(5_000_000); return playing.bufferedFrames == 20
            })
        #expect(paused.bufferedFrames == 0)
    }

    @Test func emptyingLeavesTheNextFramesOfPlayingPlayers() throws {
        let budget = FrameBudget(limit: 1 << 20)
        let player = try player(Squares(3), budget)
        player.start()
        #expect(waitUntil { player.bufferedFrames == 3 })
        budget.empty()
        #expect(player.tick(0) && player.index == 0)
        player.pause()
        // One frame may have been in progress.
        #expect(
            waitUntil {
                budget.empty()
                let left = budget.statistics
                return left.frames == 0 && left.bytes == 0
            })
    }

    @Test func canvasesForSeekingTakeWhatFramesLeave() throws {
        let budget = FrameBudget(limit: 4 * Squares.bytes)
        let shelf = CanvasCache(budget)
        let canvases = try (0..<6).map { _ in try PixelBuffer(size: PixelSize(width: 64, height: 64), format: .rgba8) }
        for (index, canvas) in canvases.enumerated() { shelf.keep(.whole(canvas), at: index) }
        #expect(budget.statistics.canvasBytes == 4 * Squares.bytes && shelf[3] != nil && shelf[4] == nil)
        shelf.keepOnly([0, 3])
        #expect(budget.statistics.canvasBytes == 2 * Squares.bytes && shelf[1] == nil)
        let player = try player(Squares(3), budget)
        player.start()
        #expect(waitUntil { player.bufferedFrames == 3 })
        // Three buffered frames and the one shown need the whole budget.
        #expect(budget.statistics.canvasBytes == 0 && shelf[0] == nil)
    }

    @Test func aShelfThatGoesGivesItsBytesBack() throws {
        let budget = FrameBudget(limit: 1 << 20)
        do {
            let shelf = CanvasCache(budget)
            shelf.keep(.whole(try PixelBuffer(size: PixelSize(width: 64, height: 64), format: .rgba8)), at: 7)
            #expect(budget.statistics.canvasBytes == Squares.bytes)
        }
        #expect(budget.statistics.canvasBytes == 0)
    }
}
