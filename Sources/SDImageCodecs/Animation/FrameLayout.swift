import SDImage

/// Where a frame lies on the canvas, how its pixels get there, and what becomes of them afterwards.
package struct FrameLayout: Equatable, Sendable {
    /// How the pixels of a frame meet those of the canvas.
    package enum Blend: Sendable { case source, over }

    /// What happens before the next frame is drawn: nothing, the rectangle becomes transparent, or the canvas becomes
    /// again what it was before this frame.
    package enum Disposal: Sendable { case none, background, previous }

    package var left = 0
    package var top = 0
    package var size: PixelSize
    package var blend = Blend.over
    package var disposal = Disposal.none
    /// As played, no longer as stored.
    package var durationMilliseconds = 100
    /// No pixel of the frame lets the canvas shine through.
    package var isOpaque = false

    package init(size: PixelSize) { self.size = size }

    /// True when the frame overwrites whatever it covers.
    package var overwrites: Bool { blend == .source || isOpaque }

    /// False when what comes after finds the canvas as it was before.
    var leavesTrace: Bool { disposal != .previous }

    func covers(_ canvas: PixelSize) -> Bool {
        left <= 0 && top <= 0 && right >= canvas.width && bottom >= canvas.height
    }

    func contains(_ other: FrameLayout) -> Bool {
        left <= other.left && top <= other.top && right >= other.right && bottom >= other.bottom
    }

    /// What of it lies on the canvas, if any.
    func area(on canvas: PixelSize) -> PixelArea? {
        let (x, y) = (min(max(left, 0), canvas.width), min(max(top, 0), canvas.height))
        let (endX, endY) = (min(right, canvas.width), min(bottom, canvas.height))
        return x < endX && y < endY ? PixelArea(columns: x..<endX, rows: y..<endY) : nil
    }

    // Formats have coordinates of 16 or 24 bits, the PNG of 31: sums of them fit.
    private var right: Int { left + size.width }
    private var bottom: Int { top + size.height }
}
