import SDImage
import SDImageCodecs
import Testing

@Suite struct FrameCompositorTests {
    private static let size = PixelSize(width: 6, height: 5)
    /// Rows are padded to 64 bytes.
    private static let canvasBytes = 64 * 5

    private func layout(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ change: (inout FrameLayout) -> Void = { _ in })
        -> FrameLayout
    {
        RectanglePainter.layout(left, top, width, height, change)
    }

    private func compositor(_ painter: RectanglePainter, canvases: Int = 100) throws -> FrameCompositor {
        var compositor = try FrameCompositor(
            size: Self.size, limits: .standard, budget: canvases * Self.canvasBytes, of: FrameBudget(limit: 1 << 20))
        painter.layouts.forEach { compositor.append($0) }
        return compositor
    }

    private func content(_ buffer: PixelBuffer) -> [UInt8] { Image(pixels: buffer, metadata: ImageMetadata()).content }

    private func opaque(_ frames: [FrameLayout]) -> Set<Int> {
        Set(frames.indices.filter { frames[$0].isOpaque && frames[$0].blend == .over && frames[$0].top >= 0 })
    }

    /// A thousand frames, each drawn on the previous one. A canvas for every fourth frame bounds the distance. 8 MiB suffice for
    /// a canvas size of at most 32,640 bytes.
    @Test func anyOfAThousandFramesIsAtMostThreeAway() throws {
        let size = PixelSize(width: 80, height: 100)
        let frames = (0..<1000).map { layout($0 % 70, $0 % 90, 10, 10) { $0.isOpaque = true } }
        let painter = RectanglePainter(frames)
        let budget = FrameBudget(limit: 64 << 20)
        var compositor = try FrameCompositor(size: size, limits: .standard, of: budget)
        frames.forEach { compositor.append($0) }
        _ = try compositor.canvas(at: 999, painter: painter, stop: CancellationToken())
        #expect(budget.statistics.canvasBytes <= FrameCompositor.standardBudget)
        _ = painter.drawn()
        var index = 0
        for _ in 0..<400 {
            index = (index * 7919 + 104_729) % 1000
            _ = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(painter.drawn().count <= 3)
        }
    }

    /// Cached canvases may be evicted at any time, and are then drawn again.
    @Test func withoutAnyRoomEveryFrameIsStillRight() throws {
        let frames = RectanglePainter.mixture(3, keys: false)
        let painter = RectanglePainter(frames)
        let budget = FrameBudget(limit: 1 << 20)
        var compositor = try FrameCompositor(size: Self.size, limits: .standard, of: budget)
        frames.forEach { compositor.append($0) }
        let reference = painter.reference(Self.size)
        for index in [39, 3, 20, 19, 38, 0, 21] {
            let canvas = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(content(canvas) == reference[index])
            budget.empty()
        }
    }

    @Test(arguments: [UInt64](1...12)) func everyOrderAndBudgetGivesTheFramesOfDrawingOneAfterTheOther(_ seed: UInt64) throws {
        let frames = RectanglePainter.mixture(seed, keys: seed % 2 == 0)
        let painter = RectanglePainter(
            frames, broken: seed % 3 == 0 ? [3, 8, 9, 21] : [], patchy: seed % 4 == 0 ? opaque(frames) : [])
        let expected = painter.reference(Self.size)
        let orders = [Array(0..<40), Array((0..<40).reversed()), (0..<40).map { $0 * 17 % 40 }, (0..<80).map { $0 * 7 % 40 }]
        for (order, canvases) in zip(orders + orders, [0, 0, 3, 5, 9, 20, 50, 1]) {
            var compositor = try compositor(painter, canvases: canvases)
            for index in order {
                let stop = CancellationToken()
                if painter.broken.contains(index) {
                    let error = imageError { _ = try compositor.canvas(at: index, painter: painter, stop: stop) }
                    #expect(error?.status == .badData)
                } else {
                    #expect(try content(compositor.canvas(at: index, painter: painter, stop: stop)) == expected[index])
                }
            }
        }
    }

    /// Sixty frames that each need the previous one.
    private var chain: RectanglePainter { RectanglePainter((0..<60).map { layout($0 % 6, 1, 1, 1) }) }

    @Test func playingInOrderDrawsOneFrameEach() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 0)
        for index in 0..<60 {
            _ = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(painter.drawn() == [index])
        }
    }

    @Test func aSeekDrawsAtMostThreeFramesWithinASixteenthOfTheMemory() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 16)
        _ = try compositor.canvas(at: 59, painter: painter, stop: CancellationToken())
        #expect(painter.drawn().count == 60)
        for step in 0..<60 {
            _ = try compositor.canvas(at: step * 37 % 60, painter: painter, stop: CancellationToken())
            #expect(painter.drawn().count <= 3)
        }
    }

    @Test func canvasesThatSaveMostAreKept() throws {
        // A chain of large frames, and a chain of small frames on a large one.
        let large = layout(0, 0, 6, 5), small = layout(1, 1, 1, 1)
        let key = layout(0, 0, 6, 5) { $0.isOpaque = true }
        let painter = RectanglePainter([key] + Array(repeating: large, count: 8) + [key] + Array(repeating: small, count: 8))
        var compositor = try compositor(painter, canvases: 4)
        for _ in 0..<2 {
            for index in 0..<18 { _ = try compositor.canvas(at: index * 7 % 18, painter: painter, stop: CancellationToken()) }
        }
        _ = painter.drawn()
        var drawn = 0
        for index in 0..<18 {
            _ = try compositor.canvas(at: index * 7 % 18, painter: painter, stop: CancellationToken())
            drawn = max(drawn, painter.drawn().count)
        }
        #expect(drawn <= 5)
    }

    @Test func withinTheBudgetEveryFrameIsDrawnOnce() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 61)
        let first = try compositor.canvas(at: 30, painter: painter, stop: CancellationToken())
        _ = try compositor.canvas(at: 59, painter: painter, stop: CancellationToken())
        #expect(painter.drawn() == Array(0..<60))
        #expect(try compositor.canvas(at: 30, painter: painter, stop: CancellationToken()) === first)
        #expect(painter.drawn().isEmpty)
    }

    @Test func aFrameThatOverwritesTheCanvasNeedsNoOther() throws {
        let painter = RectanglePainter([layout(0, 0, 6, 5), layout(0, 0, 6, 5) { $0.isOpaque = true }, layout(1, 1, 1, 1)])
        var compositor = try compositor(painter)
        _ = try compositor.canvas(at: 2, painter: painter, stop: CancellationToken())
        #expect(painter.drawn() == [1, 2])
    }

    @Test func aFrameAfterAClearedCanvasNeedsNoOther() throws {
        let cleared = layout(1, 1, 2, 2) { $0.disposal = .background }
        let painter = RectanglePainter([cleared, cleared, cleared])
        var compositor = try compositor(painter)
        _ = try compositor.canvas(at: 2, painter: painter, stop: CancellationToken())
        #expect(painter.drawn() == [2])
    }

    @Test func aCanvasThatWasHandedOutIsNeverChanged() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 0)
        let held = try compositor.canvas(at: 0, painter: painter, stop: CancellationToken())
        let before = content(held)
        for index in 1..<60 { _ = try compositor.canvas(at: index, painter: painter, stop: CancellationToken()) }
        #expect(content(held) == before)
    }

    @Test func framesMayBeAddedWhileOthersAreShown() throws {
        let painter = RectanglePainter(RectanglePainter.mixture(5, keys: true))
        let expected = painter.reference(Self.size)
        var compositor = try FrameCompositor(size: Self.size, limits: .standard, budget: 6 * Self.canvasBytes)
        for (index, layout) in painter.layouts.enumerated() {
            compositor.append(layout)
            for other in [index, index / 2] {
                #expect(try content(compositor.canvas(at: other, painter: painter, stop: CancellationToken())) == expected[other])
            }
        }
    }

    @Test func aFirstCanvasThatIsThereAlreadyIsNotDrawnAgain() throws {
        let painter = chain
        var compositor = try compositor(painter)
        let canvas = try compositor.canvas(at: 0, painter: painter, stop: CancellationToken())
        var other = try self.compositor(painter)
        other.adopt(canvas, at: 0)
        _ = painter.drawn()
        _ = try other.canvas(at: 1, painter: painter, stop: CancellationToken())
        #expect(painter.drawn() == [1])
    }

    @Test func aStoppedFrameCanBeAskedForAgain() throws {
        let painter = chain
        var compositor = try compositor(painter)
        let stopped = CancellationToken()
        stopped.cancel()
        #expect(
            imageError { _ = try compositor.canvas(at: 3, painter: painter, stop: stopped) }?.status == .cancelled)
        #expect(
            try content(compositor.canvas(at: 3, painter: painter, stop: CancellationToken())) == painter.reference(Self.size)[3])
    }

    @Test func opacityIsKnownWithoutDrawing() throws {
        let whole = layout(0, 0, 6, 5) { $0.isOpaque = true }
        let part = layout(1, 1, 2, 2)
        let clearing = layout(1, 1, 2, 2) { $0.disposal = .background }
        let mending = layout(0, 0, 4, 4) { $0.isOpaque = true }
        let replacing = layout(1, 1, 1, 1) { $0.blend = .source }
        let compositor = try compositor(RectanglePainter([part, whole, clearing, part, whole, clearing, mending, replacing]))
        #expect(
            (0..<8).map { compositor.isOpaque(at: $0) } == [false, true, true, false, true, true, true, false])
    }

    // MARK: Limits

    @Test func aFrameThatIsNotThereIsAnError() throws {
        var compositor = try compositor(chain)
        for index in [-1, 60] {
            let error = imageError { _ = try compositor.canvas(at: index, painter: chain, stop: CancellationToken()) }
            #expect(error?.status == .invalidArgument)
        }
    }

    @Test func aCanvasBeyondTheLimitsIsRefused() {
        var limits = DecodeLimits.standard
        limits.heldPixels = 29
        #expect(imageError { _ = try FrameCompositor(size: Self.size, limits: limits) }?.status == .tooLarge)
        limits = .standard
        limits.workingBytes = Self.canvasBytes - 1
        #expect(imageError { _ = try FrameCompositor(size: Self.size, limits: limits) }?.status == .tooLarge)
        let none = PixelSize(width: 0, height: 1)
        #expect(imageError { _ = try FrameCompositor(size: none, limits: .standard) }?.status == .badData)
    }

    @Test func framesBeyondTheLimitAreNotAdded() throws {
        var limits = DecodeLimits.standard
        limits.frames = 3
        var compositor = try FrameCompositor(size: Self.size, limits: limits)
        for _ in 0..<5 { compositor.append(layout(0, 0, 1, 1)) }
        #expect(compositor.layouts.count == 3)
    }

    // MARK: Output

    private func output(_ change: (inout DecodeOptions) -> Void) throws -> PixelBuffer {
        let painter = RectanglePainter([layout(0, 0, 6, 5) { $0.isOpaque = true }])
        var compositor = try compositor(painter)
        var options = DecodeOptions()
        change(&options)
        let output = try CanvasOutput(canvas: Self.size, frames: 2, options: options)
        return try output.pixels(
            from: try compositor.canvas(at: 0, painter: painter, stop: CancellationToken()), stop: CancellationToken())
    }

    @Test func aFrameIsConvertedToThePixelFormatAskedFor() throws {
        let pixels = try output { $0.pixelFormat = .rgb8 }
        #expect(pixels.format == .rgb8)
        #expect(content(pixels).prefix(6) == [0, 7, 9, 0, 7, 9])
    }

    @Test func aFrameIsShrunkIntoTheBox() throws {
        let pixels = try output { $0.thumbnailSize = PixelSize(width: 3, height: 9) }
        #expect(pixels.size == PixelSize(width: 3, height: 3))
    }

    @Test func theByteLimitIsForAllFramesTogether() throws {
        let pixels = try output { $0.limitBytes = 6 * 5 * 4 }
        #expect(pixels.size == PixelSize(width: 4, height: 3))
    }
}
