import SDImage
import Testing

@testable import SDImageCodecs

@Suite struct CanvasPlacesTests {
    private static let canvas = PixelSize(width: 100, height: 100)

    /// `sides`: side lengths of square frames; 100 covers the whole canvas.
    private func positions(_ sides: [Int], count: Int) -> Set<Int> {
        var layouts: [FrameLayout] = []
        var dependencies: [FrameDependency] = []
        for (index, side) in sides.enumerated() {
            var layout = FrameLayout(size: PixelSize(width: side, height: side))
            layout.isOpaque = side == 100
            layouts.append(layout)
            dependencies.append(
                FrameDependency(
                    index, layouts: layouts, earlier: dependencies, canvas: CanvasPlacesTests.canvas))
        }
        return CanvasSelection(dependencies, layouts: layouts, count: count).chosen
    }

    @Test func whereThereIsRoomEveryCanvasIsKept() { #expect(positions([100, 50, 50], count: 3) == [0, 1, 2]) }

    @Test func ofAChainTheMiddleSavesMost() {
        #expect(positions([100] + Array(repeating: 99, count: 8), count: 1) == [4])
        #expect(positions([100] + Array(repeating: 99, count: 6), count: 3) == [1, 3, 5])
    }

    @Test func whatSmallFramesAreDrawnOnIsKept() {
        let chain = [100] + Array(repeating: 5, count: 9)
        #expect(positions(chain + chain, count: 2) == [0, 10])
    }

    @Test func framesThatNeedNoOtherAreKeptLast() {
        #expect(positions([100, 100, 90, 90, 90, 100], count: 1) == [2])
    }

    @Test func noCanvasesAreNone() { #expect(positions([100, 90], count: 0).isEmpty) }
}
