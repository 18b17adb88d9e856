import SDImage

/// One frame of a WebP animation.
struct WebPFrame {
    let picture: WebPStream.Frame
    var layout: FrameLayout
    /// The canvas is transparent before it is drawn, or does not matter.
    let isKey: Bool
    /// What was cleared just before.
    private let cleared: FrameLayout?

    init(_ picture: WebPStream.Frame, _ layout: FrameLayout, after previous: WebPFrame?, canvas: PixelSize) {
        self.picture = picture
        self.layout = layout
        cleared = previous.flatMap { $0.layout.disposal == .background ? $0.layout : nil }
        let findsNothing = previous.map { $0.layout.disposal == .background && ($0.isKey || $0.layout.covers(canvas)) } ?? true
        isKey = findsNothing || layout.covers(canvas) && layout.overwrites
    }

    /// The columns of the frame's row `y` where the canvas was cleared just before.
    func clearedColumns(_ y: Int) -> Range<Int> {
        guard let cleared else { return 0..<0 }
        let row = layout.top + y - cleared.top
        guard row >= 0, row < cleared.size.height else { return 0..<0 }
        let start = max(0, cleared.left - layout.left)
        let end = min(layout.size.width, cleared.left + cleared.size.width - layout.left)
        return start < end ? start..<end : 0..<0
    }
}
