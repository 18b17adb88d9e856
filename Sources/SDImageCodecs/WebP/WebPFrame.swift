import SDImage

/// One frame of a WebP animation, with what earlier frames leave for it. `WebPAnimationDecoder` makes it, `WebPFramePainter`
/// draws it.
struct WebPFrame {
    /// The bitstream and its properties.
    let coded: WebPContainer.Frame
    /// Location and composition; `isOpaque` may be found later.
    var layout: FrameLayout
    /// True when the canvas is transparent before the frame is drawn, or is overwritten completely.
    let isKey: Bool
    /// Layout of the previous frame if it was cleared before this one.
    private let cleared: FrameLayout?

    init(_ coded: WebPContainer.Frame, _ layout: FrameLayout, after previous: WebPFrame?, canvas: PixelSize) {
        self.coded = coded
        self.layout = layout
        // Like libwebp's animation decoder: only disposal of the frame directly before counts.
        cleared = previous.flatMap { $0.layout.disposal == .background ? $0.layout : nil }
        let findsNothing = previous.map { $0.layout.disposal == .background && ($0.isKey || $0.layout.covers(canvas)) } ?? true
        isKey = findsNothing || layout.covers(canvas) && layout.overwrites
    }

    /// Returns the columns of the frame's row `y` that the disposal of the previous frame cleared.
    func clearedColumns(_ y: Int) -> Range<Int> {
        guard let cleared else { return 0..<0 }
        let row = layout.top + y - cleared.top
        guard row >= 0, row < cleared.size.height else { return 0..<0 }
        let start = max(0, cleared.left - layout.left)
        let end = min(layout.size.width, cleared.left + cleared.size.width - layout.left)
        return start < end ? start..<end : 0..<0
    }
}
