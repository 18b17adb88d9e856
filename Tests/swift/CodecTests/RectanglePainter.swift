import SDImage
import SDImageCodecs
import Synchronization

/// An image format whose frames are rectangles of one color. Frames in `broken` cannot be decoded; frames in `patchy` omit their
/// first pixel.
final class RectanglePainter: FramePainter {
    let layouts: [FrameLayout]
    let broken: Set<Int>
    let patchy: Set<Int>
    private let log = Mutex<[Int]>([])

    init(_ layouts: [FrameLayout], broken: Set<Int> = [], patchy: Set<Int> = []) {
        self.layouts = layouts
        self.broken = broken
        self.patchy = patchy
    }

    /// Indices of the frames drawn since the last call.
    func drawn() -> [Int] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    static func color(_ index: Int, isOpaque: Bool) -> [UInt8] { [UInt8(index & 255), 7, 9, isOpaque ? 255 : 128] }

    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool {
        log.withLock { $0.append(index) }
        let layout = layouts[index]
        let pixel = RectanglePainter.color(index, isOpaque: layout.isOpaque)
        let row = (0..<layout.size.width).flatMap { _ in pixel }
        for y in 0..<layout.size.height {
            if y == 1 || layout.size.height == 1, broken.contains(index) { throw ImageError(.badData, "frame \(index)") }
            let isPatchy = y == 0 && patchy.contains(index)
            let before = unsafe isPatchy ? canvas.row(0).map { unsafe Array($0.prefix(4)) } : nil
            unsafe row.withUnsafeBytes { unsafe canvas.draw($0, y: y, blend: RectanglePainter.blend) }
            if let before, let row = unsafe canvas.row(0) { for k in 0..<4 { unsafe row[k] = before[k] } }
        }
        return !patchy.contains(index)
    }

    /// Preserves part of the backdrop, to make the drawing order visible.
    static let blend: FrameCanvas.BlendFunction = { to, from, count in
        for i in 0..<count * 4 {
            let keeps: UInt8 = unsafe from[i | 3] == 255 ? 0 : 1
            unsafe to[i] = unsafe from[i] &+ keeps * (to[i] / 2)
        }
    }

    /// The expected canvas of every frame, composited in order.
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
        let pixel = RectanglePainter.color(index, isOpaque: layout.isOpaque)
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

extension RectanglePainter {
    static func layout(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, _ change: (inout FrameLayout) -> Void = { _ in }
    ) -> FrameLayout {
        var layout = FrameLayout(size: PixelSize(width: width, height: height))
        (layout.left, layout.top) = (left, top)
        change(&layout)
        return layout
    }

    /// Forty frames from a fixed sequence of pseudo-random numbers.
    static func mixture(_ seed: UInt64, keys: Bool) -> [FrameLayout] {
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
}
