import SDImage
import SDImageCodecs
import Synchronization
import TestSupport
import Testing

/// An image format whose frames are stripes and boxes drawn on the previous canvas; counts the frames drawn.
private final class BoxPainter: FramePainter {
    let layouts: [FrameLayout]
    /// Number of colors in a box: more than 256 is noise.
    let colors: Int
    private let count = Mutex(0)

    init(_ layouts: [FrameLayout], colors: Int = 4) {
        self.layouts = layouts
        self.colors = colors
    }

    /// Number of frames drawn since the last call.
    func drawn() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
        count.withLock { $0 += 1 }
        var randoms = Randoms(seed: UInt64(index))
        for y in 0..<layouts[index].size.height {
            guard let row = unsafe canvas.row(y)?.bindMemory(to: UInt32.self) else { continue }
            for x in row.indices { unsafe row[x] = 0xFF00_0000 | UInt32(randoms.below(colors) &* 0x1F35_7B19 & 0xFF_FFFF) }
        }
        return true
    }
}

/// Random access within a long animation is fast and needs little memory.
@Suite struct FrameSeekTests {
    private static let size = PixelSize(width: 480, height: 270)

    private func boxes(_ count: Int, colors: Int = 4, side: Int = 60) -> BoxPainter {
        BoxPainter(
            (0..<count).map { index in
                var layout = FrameLayout(size: PixelSize(width: side, height: side))
                (layout.left, layout.top) = (index * 7 % (481 - side), index * 5 % (271 - side))
                layout.isOpaque = true
                return layout
            }, colors: colors)
    }

    private func compositor(_ painter: BoxPainter, of budget: FrameBudget) throws -> FrameCompositor {
        var compositor = try FrameCompositor(size: FrameSeekTests.size, limits: .standard, of: budget)
        painter.layouts.forEach { compositor.append($0) }
        return compositor
    }

    private func content(_ canvas: PixelBuffer) -> [UInt8] { Image(pixels: canvas, metadata: ImageMetadata()).content }

    /// Sixteen unpacked canvases of that size take 8 MiB.
    @Test func anyOfAThousandLargeFramesIsAtMostThreeAway() throws {
        let painter = boxes(1000)
        let budget = FrameBudget(limit: 64 << 20)
        var compositor = try compositor(painter, of: budget)
        _ = try compositor.canvas(at: 999, painter: painter, stop: CancellationToken())
        #expect(painter.drawn() == 1000)
        var index = 0
        for _ in 0..<100 {
            index = (index * 7919 + 104_729) % 1000
            _ = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(painter.drawn() <= 3)
            #expect(budget.statistics.canvasBytes <= FrameCompositor.standardBudget)
        }
    }

    /// Unpacking noise takes longer than drawing a few frames.
    @Test func canvasesOfNoiseStayUncompressed() throws {
        var layout = FrameLayout(size: PixelSize(width: 480, height: 269))
        layout.isOpaque = true
        let painter = BoxPainter(Array(repeating: layout, count: 60), colors: 1 << 24)
        let budget = FrameBudget(limit: 64 << 20)
        var seeking = try compositor(painter, of: budget)
        for index in (0..<60).map({ $0 * 37 % 60 }) {
            _ = try seeking.canvas(at: index, painter: painter, stop: CancellationToken())
        }
        _ = painter.drawn()
        for index in (0..<60).map({ $0 * 37 % 60 }) {
            _ = try seeking.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(painter.drawn() <= 6)
        }
        let canvasBytes = 480 * 270 * 4
        #expect(budget.statistics.canvasBytes >= 14 * canvasBytes && budget.statistics.canvasBytes % canvasBytes == 0)
    }

    /// The same frames, in order and by seeking.
    @Test func whatWasPackedIsWhatWasDrawn() throws {
        let painter = boxes(80, colors: 300, side: 200)
        var ordered = try compositor(painter, of: FrameBudget(limit: 0))
        var seeking = try FrameCompositor(
            size: FrameSeekTests.size, limits: .standard, budget: 3 << 20, of: FrameBudget(limit: 64 << 20))
        painter.layouts.forEach { seeking.append($0) }
        _ = try seeking.canvas(at: 79, painter: painter, stop: CancellationToken())
        let expected = try (0..<80).map { content(try ordered.canvas(at: $0, painter: painter, stop: CancellationToken())) }
        for index in (0..<80).map({ $0 * 37 % 80 }) {
            #expect(try content(seeking.canvas(at: index, painter: painter, stop: CancellationToken())) == expected[index])
        }
    }

    @Test func showingFramesInOrderPacksNothing() throws {
        let painter = boxes(60)
        let budget = FrameBudget(limit: 64 << 20)
        var compositor = try compositor(painter, of: budget)
        var shown: PixelBuffer?
        for index in 0..<60 {
            shown = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(painter.drawn() == 1)
            #expect(budget.statistics.canvasBytes % (shown?.heldBytes ?? 1) == 0)
        }
    }

    /// Noise as large as the canvas: fewer canvases are cached, all within the limit.
    @Test func whatCannotBePackedStaysWithinTheLimit() throws {
        let painter = boxes(60, colors: 1 << 24, side: 270)
        let budget = FrameBudget(limit: 64 << 20)
        var compositor = try compositor(painter, of: budget)
        for index in [59, 3, 40, 21, 58, 12] {
            _ = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect(budget.statistics.canvasBytes <= FrameCompositor.standardBudget)
        }
        #expect(budget.statistics.canvasBytes > FrameCompositor.standardBudget / 2)
    }

    /// Cached canvases may be evicted at any time.
    @Test func withoutRoomInTheProcessSeeksAreLongerAndRight() throws {
        let painter = boxes(40)
        let budget = FrameBudget(limit: 2 << 20)
        var compositor = try compositor(painter, of: budget)
        let last = try content(compositor.canvas(at: 39, painter: painter, stop: CancellationToken()))
        _ = try compositor.canvas(at: 5, painter: painter, stop: CancellationToken())
        budget.empty()
        #expect(budget.statistics.canvasBytes == 0)
        #expect(try content(compositor.canvas(at: 39, painter: painter, stop: CancellationToken())) == last)
        #expect(budget.statistics.canvasBytes <= 2 << 20)
    }

    // MARK: The frame shown

    /// As on a display: each frame is held until the next is ready.
    @Test func theCanvasBeforeTheOneOnShowIsDrawnOnAgain() throws {
        let painter = boxes(12)
        let budget = FrameBudget(limit: 64 << 20)
        var compositor = try FrameCompositor(size: FrameSeekTests.size, limits: .standard, budget: 0, of: budget)
        painter.layouts.forEach { compositor.append($0) }
        var shown: PixelBuffer?
        var places: Set<ObjectIdentifier> = []
        var ordered = try self.compositor(painter, of: FrameBudget(limit: 0))
        for index in 0..<12 {
            let next = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            let before = shown.map { content($0) }
            #expect(try content(next) == content(ordered.canvas(at: index, painter: painter, stop: CancellationToken())))
            if let before, let shown { #expect(content(shown) == before && shown !== next) }
            shown = next
            places.insert(ObjectIdentifier(next))
        }
        // Two canvases alternate.
        #expect(places.count == 2)
        #expect(budget.statistics.canvasBytes <= next(shown))
    }

    private func next(_ canvas: PixelBuffer?) -> Int { canvas?.heldBytes ?? 0 }

    private func coder(_ format: ImageFormat) -> any ImageCoder {
        switch format {
        case .gif: GIFCoder()
        case .png: PNGCoder()
        default: WebPCoder()
        }
    }

    /// Every format, with transparent pixels, small rectangles and disposals, compared with the drawn frames.
    @Test(arguments: [ImageFormat.gif, .png, .webp]) func framesAreTheSameWhileTheOneBeforeIsOnShow(_ format: ImageFormat) throws
    {
        for seed in [UInt64](1...6) {
            let alphas: [UInt8] = format == .gif ? [0, 255] : [0, 128, 255]
            let drawn = try AnimationFixture.sprites(30, alphas: alphas, seed: seed)
            var options = EncodeOptions()
            options.isLossless = true
            let coder = coder(format)
            let bytes = try coder.encode(
                try AnimationFixture.image(drawn), format: format, options: options, stop: CancellationToken())
            let moving = try coder.decode(bytes, options: DecodeOptions(), stop: CancellationToken())
            let reference = try AnimationFixture.frames(
                try coder.decode(bytes, options: DecodeOptions(), stop: CancellationToken()))
            #expect(reference.count == moving.metadata.frameCount)
            var shown: [Image] = []
            for index in reference.indices.flatMap({ [$0, max($0 - 1, 0), $0] }) {
                shown.append(try moving.frame(at: index, stop: CancellationToken()))
                #expect(shown.last?.content == reference[index].content)
                if shown.count > 2 { shown.removeFirst() }
            }
        }
    }
}
