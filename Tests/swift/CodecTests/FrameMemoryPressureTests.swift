import SDImage
import SDImageCodecs
import Testing

/// Canvases while the process is short of memory for frames.
@Suite struct FrameMemoryPressureTests {
    private static let size = PixelSize(width: 6, height: 5)

    /// Two frames for a player.
    private final class Other: FrameProvider {
        let frameCount = 2
        let loopCount = 0
        func durationMilliseconds(at index: Int) -> Int { 1000 }
        func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
            Image(pixels: try PixelBuffer(size: PixelSize(width: 16, height: 16), format: .rgba8), metadata: ImageMetadata())
        }
    }

    /// A budget and the player that makes it short: the budget has room for one of the two frames played.
    private func shortBudget() throws -> (budget: FrameBudget, player: AnimationPlayer) {
        let budget = FrameBudget(limit: 1)
        let player = try AnimationPlayer(FrameSource(Other()), handler: nil, budget: budget, lease: try Engine.acquire())
        player.start()
        #expect(budget.isShort)
        return (budget, player)
    }

    private func compositor(_ painter: RectanglePainter, _ budget: FrameBudget) throws -> FrameCompositor {
        var compositor = try FrameCompositor(size: Self.size, limits: .standard, of: budget)
        painter.layouts.forEach { compositor.append($0) }
        return compositor
    }

    private func content(_ buffer: PixelBuffer?) -> [UInt8] {
        buffer.map { Image(pixels: $0, metadata: ImageMetadata()).content } ?? []
    }

    @Test(arguments: [UInt64](1...12)) func indicesAreTheFramesOfDrawingOneAfterTheOther(_ seed: UInt64) throws {
        let frames = RectanglePainter.mixture(seed, keys: seed % 2 == 0)
        let painter = RectanglePainter(frames, broken: seed % 3 == 0 ? [3, 8, 9, 21] : [])
        let expected = painter.reference(Self.size)
        let (budget, player) = try shortBudget()
        let orders = [Array(0..<40), Array((0..<40).reversed()), (0..<40).map { $0 * 17 % 40 }, (0..<80).map { $0 * 7 % 40 }]
        for order in orders {
            var compositor = try compositor(painter, budget)
            for (turn, index) in order.enumerated() where !painter.broken.contains(index) {
                // The memory is sufficient in some rounds.
                if turn % 11 == 10 { budget.setLimit(turn % 22 == 10 ? 1 << 20 : 1) }
                let canvas = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
                #expect(content(canvas) == expected[index])
                let indices = compositor.indices(of: canvas, at: index)
                #expect((indices != nil) == budget.isShort)
                if let indices { #expect(try content(indices.pixels()) == expected[index]) }
            }
            budget.setLimit(1)
        }
        withExtendedLifetime(player) {}
    }

    @Test func playingInOrderDrawsOneFrameEach() throws {
        let painter = RectanglePainter((0..<60).map { RectanglePainter.layout($0 % 6, 1, 1, 1) })
        let (budget, player) = try shortBudget()
        var compositor = try compositor(painter, budget)
        for index in 0..<60 {
            let canvas = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            _ = compositor.indices(of: canvas, at: index)
            #expect(painter.drawn() == [index])
        }
        withExtendedLifetime(player) {}
    }

    /// The second of three frames is disposed without a trace: the canvas to draw on is nevertheless stored as indices alone.
    @Test func noCanvasIsKeptAsPixels() throws {
        let painter = RectanglePainter([
            RectanglePainter.layout(0, 0, 3, 3), RectanglePainter.layout(1, 1, 3, 3) { $0.disposal = .previous },
            RectanglePainter.layout(2, 2, 3, 3),
        ])
        let (budget, player) = try shortBudget()
        var compositor = try compositor(painter, budget)
        for index in [1, 0, 2, 1, 1, 2] {
            weak var canvas: PixelBuffer?
            do {
                let drawn = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
                canvas = drawn
                #expect(compositor.indices(of: drawn, at: index) != nil)
            }
            #expect(canvas == nil)
            #expect(budget.statistics.canvasBytes == 0)
        }
        withExtendedLifetime(player) {}
    }

    @Test func moreColorsThanIndicesCanSayStayPixels() throws {
        let side = PixelSize(width: 20, height: 20)
        let painter = Gradient()
        let (budget, player) = try shortBudget()
        var compositor = try FrameCompositor(size: side, limits: .standard, of: budget)
        for _ in 0..<4 { compositor.append(FrameLayout(size: side)) }
        for index in 0..<4 {
            let canvas = try compositor.canvas(at: index, painter: painter, stop: CancellationToken())
            #expect((compositor.indices(of: canvas, at: index) == nil) == (index % 2 == 1))
            #expect(content(canvas)[3] == UInt8(index))
        }
        withExtendedLifetime(player) {}
    }

    /// In odd frames each pixel has a different color; even frames have twenty colors.
    private final class Gradient: FramePainter {
        func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
            for y in 0..<20 {
                guard let row = unsafe canvas.row(y)?.bindMemory(to: UInt32.self) else { continue }
                for x in row.indices {
                    unsafe row[x] = UInt32(index) << 24 | UInt32(x) | UInt32(index % 2 == 1 ? y : 0) << 8
                }
            }
            return true
        }
    }
}
