import SDImage

/// Position of a frame on the canvas, and its blend, disposal and duration, in the terms that all formats share. Lengths are in
/// pixels; a frame may extend beyond the canvas.
package struct FrameLayout: Equatable, Sendable {
    /// Combination of the frame's pixels with those of the canvas.
    package enum Blend: Sendable { case source, over }

    /// Action before the next frame is drawn: none, clear the rectangle to transparent, or restore the canvas to its state before
    /// this frame.
    package enum Disposal: Sendable { case none, background, previous }

    package var left = 0
    package var top = 0
    package var size: PixelSize
    package var blend = Blend.over
    package var disposal = Disposal.none
    /// Duration as played, which may differ from the stored value.
    package var durationMilliseconds = 100
    /// True when no pixel of the frame is transparent.
    package var isOpaque = false

    package init(size: PixelSize) { self.size = size }

    /// True when the frame overwrites every pixel that it covers.
    package var overwrites: Bool { blend == .source || isOpaque }

    /// False when the canvas is restored after the frame.
    var leavesTrace: Bool { disposal != .previous }

    /// True when the frame reaches all edges of the canvas.
    func covers(_ canvas: PixelSize) -> Bool {
        left <= 0 && top <= 0 && right >= canvas.width && bottom >= canvas.height
    }

    /// True when the rectangle of the other frame lies inside this one.
    func contains(_ other: FrameLayout) -> Bool {
        left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
    }

    /// The part of the frame that lies on the canvas; nil when there is none.
    func area(on canvas: PixelSize) -> PixelArea? {
        let (x, y) = (min(max(left, 0), canvas.width), min(max(top, 0), canvas.height))
        let (endX, endY) = (min(right, canvas.width), min(bottom, canvas.height))
        return x < endX && y < endY ? PixelArea(columns: x..<endX, rows: y..<endY) : nil
    }

    // Cannot overflow: formats have coordinates of 16 or 24 bits, PNG of 31.
    private var right: Int { left + size.width }
    private var bottom: Int { top + size.height }
}
