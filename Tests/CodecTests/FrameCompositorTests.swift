import SDImage
import SDImageCodecs
import Synchronization
import Testing

/// A format whose frames are rectangles of one colour. Those of `broken` cannot be decoded; those of `patchy` leave their
/// first pixel out.
private final class Rectangles: FramePainter {
    let layouts: [FrameLayout]
    let broken: Set<Int>
    let patchy: Set<Int>
    private let log = Mutex<[Int]>([])

    init(_ layouts: [FrameLayout], broken: Set<Int> = [], patchy: Set<Int> = []) {
        self.layouts = layouts
        self.broken = broken
        self.patchy = patchy
    }

    /// Frames drawn since the last time.
    func drawn() -> [Int] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    static func color(_ index: Int, isOpaque: Bool) -> [UInt8] { [UInt8(index & 255), 7, 9, isOpaque ? 255 : 128] }

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: StopSignal) throws(ImageError) -> Bool {
        log.withLock { $0.append(index) }
        let layout = layouts[index]
        let pixel = Rectangles.color(index, isOpaque: layout.isOpaque)
        let row = (0..<layout.size.width).flatMap { _ in pixel }
        for y in 0..<layout.size.height {
            if y == 1 || layout.size.height == 1, broken.contains(index) { throw ImageError(.badData, "frame \(index)") }
            let isPatchy = y == 0 && patchy.contains(index)
            let before = unsafe isPatchy ? canvas.row(0).map { unsafe Array($0.prefix(4)) } : nil
            unsafe row.withUnsafeBytes { unsafe canvas.draw($0, y: y, blend: Rectangles.blend) }
            if let before, let row = unsafe canvas.row(0) { for k in 0..<4 { unsafe row[k] = before[k] } }
        }
        return !patchy.contains(index)
    }

    /// Keeps something of what is below: enough to tell the order of things.
    static let blend: FrameCanvas.BlendFunction = { to, from, count in
        for i in 0..<count * 4 {
            let keeps: UInt8 = unsafe from[i | 3] == 255 ? 0 : 1
            unsafe to[i] = unsafe from[i] &+ keeps * (to[i] / 2)
        }
    }

    /// What every frame looks like, drawn one after the other by the rules.
    func reference(_ size: PixelSize) -> [[UInt8]] {
        var canvas = [UInt8](repeating: 0, count: size.width * size.height * 4)
        return layouts.indices.map { index in
            let before = canvas
            if !broken.contains(index) { fill(&canvas, index, size) }
            let shown = canvas
            switch layouts[index].disposal {
            case .none: break
            case .previous: canvas = before
            case .background: each(layouts[index], size) { at, _ in for k in 0..<4 { canvas[at + k] = 0 } }
            }
            return shown
        }
    }

    private func fill(_ canvas: inout [UInt8], _ index: Int, _ size: PixelSize) {
        let layout = layouts[index]
        let pixel = Rectangles.color(index, isOpaque: layout.isOpaque)
        let replaces = layout.overwrites
        each(layout, size) { at, isFirst in
            if isFirst, patchy.contains(index) { return }
            for k in 0..<4 {
                canvas[at + k] = replaces ? pixel[k] : pixel[k] &+ canvas[at + k] / 2
            }
        }
    }

    private func each(_ layout: FrameLayout, _ size: PixelSize, _ body: (Int, Bool) -> Void) {
        var isFirst = true
        for y in max(layout.top, 0)..<max(0, min(size.height, layout.top + layout.size.height)) where layout.top < size.height {
            for x in max(layout.left, 0)..<max(0, min(size.width, layout.left + layout.size.width))
            where layout.left < size.width {
                body((y * size.width + x) * 4, isFirst)
                isFirst = false
            }
        }
    }
}

@Suite struct FrameCompositorTests {
    private static let size = PixelSize(width: 6, height: 5)
    /// Rows are padded to 64 bytes.
    private static let canvasBytes = 64 * 5

    private func layout(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ change: (inout FrameLayout) -> Void = { _ in })
        -> FrameLayout
    {
        var layout = FrameLayout(size: PixelSize(width: width, height: height))
        (layout.left, layout.top) = (left, top)
        change(&layout)
        return layout
    }

    private func compositor(_ painter: Rectangles, canvases: Int = 100) throws -> FrameCompositor {
        var compositor = try FrameCompositor(
            size: Self.size, limits: .standard, budget: canvases * Self.canvasBytes, of: FrameBudget(limit: 1 << 20))
        painter.layouts.forEach { compositor.append($0) }
        return compositor
    }

    private func content(_ buffer: PixelBuffer) -> [UInt8] { Image(pixels: buffer, metadata: ImageMetadata()).content }

    /// Forty frames by a fixed sequence of pseudo-random numbers.
    private func mixture(_ seed: UInt64, keys: Bool) -> [FrameLayout] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        return (0..<40).map { _ in
            let isKey = keys && next(8) == 0
            return layout(
                isKey ? 0 : next(6) - 1, isKey ? 0 : next(6) - 1, isKey ? 6 : 1 + next(6), isKey ? 5 : 1 + next(5)
            ) {
                $0.blend = next(4) == 0 && !isKey ? .source : .over
                $0.isOpaque = isKey || next(3) == 0
                $0.disposal = [.none, .none, .background, .previous][next(4)]
            }
        }
    }

    private func opaque(_ frames: [FrameLayout]) -> Set<Int> {
        Set(frames.indices.filter { frames[$0].isOpaque && frames[$0].blend == .over && frames[$0].top >= 0 })
    }

    /// A thousand frames, each drawn on the one before: with a canvas for every fourth none is far away. 8 MiB are enough of them
    /// where a canvas takes 32,640 bytes or less.
    @Test func anyOfAThousandFramesIsAtMostThreeAway() throws {
        let size = PixelSize(width: 80, height: 100)
        let frames = (0..<1000).map { layout($0 % 70, $0 % 90, 10, 10) { $0.isOpaque = true } }
        let painter = Rectangles(frames)
        let budget = FrameBudget(limit: 64 << 20)
        var compositor = try FrameCompositor(size: size, limits: .standard, of: budget)
        frames.forEach { compositor.append($0) }
        _ = try compositor.canvas(at: 999, painter: painter, stop: StopSignal())
        #expect(budget.statistics.canvasBytes <= FrameCompositor.standardBudget)
        _ = painter.drawn()
        var index = 0
        for _ in 0..<400 {
            index = (index * 7919 + 104_729) % 1000
            _ = try compositor.canvas(at: index, painter: painter, stop: StopSignal())
            #expect(painter.drawn().count <= 3)
        }
    }

    /// What is kept may be taken at any time, and is drawn again.
    @Test func withoutAnyRoomEveryFrameIsStillRight() throws {
        let frames = mixture(3, keys: false)
        let painter = Rectangles(frames)
        let budget = FrameBudget(limit: 1 << 20)
        var compositor = try FrameCompositor(size: Self.size, limits: .standard, of: budget)
        frames.forEach { compositor.append($0) }
        let reference = painter.reference(Self.size)
        for index in [39, 3, 20, 19, 38, 0, 21] {
            let canvas = try compositor.canvas(at: index, painter: painter, stop: StopSignal())
            #expect(content(canvas) == reference[index])
            budget.empty()
        }
    }

    @Test(arguments: [UInt64](1...12)) func everyOrderAndBudgetGivesTheFramesOfDrawingOneAfterTheOther(_ seed: UInt64) throws {
        let frames = mixture(seed, keys: seed % 2 == 0)
        let painter = Rectangles(
            frames, broken: seed % 3 == 0 ? [3, 8, 9, 21] : [], patchy: seed % 4 == 0 ? opaque(frames) : [])
        let expected = painter.reference(Self.size)
        let orders = [Array(0..<40), Array((0..<40).reversed()), (0..<40).map { $0 * 17 % 40 }, (0..<80).map { $0 * 7 % 40 }]
        for (order, canvases) in zip(orders + orders, [0, 0, 3, 5, 9, 20, 50, 1]) {
            var compositor = try compositor(painter, canvases: canvases)
            for index in order {
                let stop = StopSignal()
                if painter.broken.contains(index) {
                    let error = imageError { _ = try compositor.canvas(at: index, painter: painter, stop: stop) }
                    #expect(error?.status == .badData)
                } else {
                    #expect(try content(compositor.canvas(at: index, painter: painter, stop: stop)) == expected[index])
                }
            }
        }
    }

    /// Sixty frames that each need the one before.
    private var chain: Rectangles { Rectangles((0..<60).map { layout($0 % 6, 1, 1, 1) }) }

    @Test func playingInOrderDrawsOneFrameEach() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 0)
        for index in 0..<60 {
            _ = try compositor.canvas(at: index, painter: painter, stop: StopSignal())
            #expect(painter.drawn() == [index])
        }
    }

    @Test func aSeekDrawsAtMostThreeFramesWithinASixteenthOfTheMemory() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 16)
        _ = try compositor.canvas(at: 59, painter: painter, stop: StopSignal())
        #expect(painter.drawn().count == 60)
        for step in 0..<60 {
            _ = try compositor.canvas(at: step * 37 % 60, painter: painter, stop: StopSignal())
            #expect(painter.drawn().count <= 3)
        }
    }

    @Test func canvasesThatSaveMostAreKept() throws {
        // A chain of large frames, and one of small ones on a large one.
        let large = layout(0, 0, 6, 5), small = layout(1, 1, 1, 1)
        let key = layout(0, 0, 6, 5) { $0.isOpaque = true }
        let painter = Rectangles([key] + Array(repeating: large, count: 8) + [key] + Array(repeating: small, count: 8))
        var compositor = try compositor(painter, canvases: 4)
        for _ in 0..<2 {
            for index in 0..<18 { _ = try compositor.canvas(at: index * 7 % 18, painter: painter, stop: StopSignal()) }
        }
        _ = painter.drawn()
        var drawn = 0
        for index in 0..<18 {
            _ = try compositor.canvas(at: index * 7 % 18, painter: painter, stop: StopSignal())
            drawn = max(drawn, painter.drawn().count)
        }
        #expect(drawn <= 5)
    }

    @Test func withinTheBudgetEveryFrameIsDrawnOnce() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 61)
        let first = try compositor.canvas(at: 30, painter: painter, stop: StopSignal())
        _ = try compositor.canvas(at: 59, painter: painter, stop: StopSignal())
        #expect(painter.drawn() == Array(0..<60))
        #expect(try compositor.canvas(at: 30, painter: painter, stop: StopSignal()) === first)
        #expect(painter.drawn().isEmpty)
    }

    @Test func aFrameThatOverwritesTheCanvasNeedsNoOther() throws {
        let painter = Rectangles([layout(0, 0, 6, 5), layout(0, 0, 6, 5) { $0.isOpaque = true }, layout(1, 1, 1, 1)])
        var compositor = try compositor(painter)
        _ = try compositor.canvas(at: 2, painter: painter, stop: StopSignal())
        #expect(painter.drawn() == [1, 2])
    }

    @Test func aFrameAfterAClearedCanvasNeedsNoOther() throws {
        let cleared = layout(1, 1, 2, 2) { $0.disposal = .background }
        let painter = Rectangles([cleared, cleared, cleared])
        var compositor = try compositor(painter)
        _ = try compositor.canvas(at: 2, painter: painter, stop: StopSignal())
        #expect(painter.drawn() == [2])
    }

    @Test func theCanvasMayBeginInAColour() throws {
        let painter = Rectangles([layout(0, 0, 1, 1) { $0.isOpaque = true }, layout(1, 0, 1, 1) { $0.isOpaque = true }])
        var compositor = try FrameCompositor(size: Self.size, background: 0xFF03_0201, limits: .standard)
        painter.layouts.forEach { compositor.append($0) }
        let canvas = try content(compositor.canvas(at: 1, painter: painter, stop: StopSignal()))
        #expect(canvas.prefix(12) == [0, 7, 9, 255, 1, 7, 9, 255, 1, 2, 3, 255])
        #expect(compositor.isOpaque(at: 0) && compositor.isOpaque(at: 1))
    }

    @Test func aCanvasThatWasHandedOutIsNeverChanged() throws {
        let painter = chain
        var compositor = try compositor(painter, canvases: 0)
        let held = try compositor.canvas(at: 0, painter: painter, stop: StopSignal())
        let before = content(held)
        for index in 1..<60 { _ = try compositor.canvas(at: index, painter: painter, stop: StopSignal()) }
        #expect(content(held) == before)
    }

    @Test func framesMayBeAddedWhileOthersAreShown() throws {
        let painter = Rectangles(mixture(5, keys: true))
        let expected = painter.reference(Self.size)
        var compositor = try FrameCompositor(size: Self.size, limits: .standard, budget: 6 * Self.canvasBytes)
        for (index, layout) in painter.layouts.enumerated() {
            compositor.append(layout)
            for other in [index, index / 2] {
                #expect(try content(compositor.canvas(at: other, painter: painter, stop: StopSignal())) == expected[other])
            }
        }
    }

    @Test func aFirstCanvasThatIsThereAlreadyIsNotDrawnAgain() throws {
        let painter = chain
        var compositor = try compositor(painter)
        let canvas = try compositor.canvas(at: 0, painter: painter, stop: StopSignal())
        var other = try self.compositor(painter)
        other.adopt(canvas, at: 0)
        _ = painter.drawn()
        _ = try other.canvas(at: 1, painter: painter, stop: StopSignal())
        #expect(painter.drawn() == [1])
    }

    @Test func aStoppedFrameCanBeAskedForAgain() throws {
        let painter = chain
        var compositor = try compositor(painter)
        let stopped = StopSignal()
        stopped.cancel()
        #expect(
            imageError { _ = try compositor.canvas(at: 3, painter: painter, stop: stopped) }?.status == .cancelled)
        #expect(
            try content(compositor.canvas(at: 3, painter: painter, stop: StopSignal())) == painter.reference(Self.size)[3])
    }

    @Test func opacityIsKnownWithoutDrawing() throws {
        let whole = layout(0, 0, 6, 5) { $0.isOpaque = true }
        let part = layout(1, 1, 2, 2)
        let clearing = layout(1, 1, 2, 2) { $0.disposal = .background }
        let mending = layout(0, 0, 4, 4) { $0.isOpaque = true }
        let replacing = layout(1, 1, 1, 1) { $0.blend = .source }
        let compositor = try compositor(Rectangles([part, whole, clearing, part, whole, clearing, mending, replacing]))
        #expect(
            (0..<8).map { compositor.isOpaque(at: $0) } == [false, true, true, false, true, true, true, false])
    }

    // MARK: Limits

    @Test func aFrameThatIsNotThereIsAnError() throws {
        var compositor = try compositor(chain)
        for index in [-1, 60] {
            let error = imageError { _ = try compositor.canvas(at: index, painter: chain, stop: StopSignal()) }
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

    // MARK: What is handed out

    private func output(_ change: (inout DecodeOptions) -> Void) throws -> PixelBuffer {
        let painter = Rectangles([layout(0, 0, 6, 5) { $0.isOpaque = true }])
        var compositor = try compositor(painter)
        var options = DecodeOptions()
        change(&options)
        let output = try CanvasOutput(canvas: Self.size, frames: 2, options: options)
        return try output.picture(
            from: try compositor.canvas(at: 0, painter: painter, stop: StopSignal()), stop: StopSignal())
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
