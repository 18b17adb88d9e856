import SDImage

/// What a frame is drawn on.
///
/// A frame that is disposed of to the previous canvas leaves no trace: no other frame is drawn on it. So frames form
/// chains, each of which begins at a frame that needs no other.
struct FrameDependency: Equatable {
    enum Base: Equatable {
        /// Every pixel is overwritten.
        case anything
        /// A transparent canvas.
        case blank
        /// A canvas of the opaque background colour, which the format begins with.
        case filled
        /// The canvas of an earlier frame, after its disposal.
        case frame(Int)
    }

    let base: Base
    /// Every pixel of the canvas is opaque while this frame shows.
    let isOpaque: Bool
    /// What the next frame finds.
    let rest: Base

    /// Of the frame at `index`; `earlier` has those of all frames before it, `start` is what the first of them finds.
    init(_ index: Int, layouts: [FrameLayout], earlier: [FrameDependency], canvas: PixelSize, start: Base) {
        let layout = layouts[index]
        let found = index > 0 ? earlier[index - 1].rest : start
        let covers = layout.covers(canvas)
        base = covers && layout.overwrites ? .anything : found
        let replaces = layout.blend == .source && !layout.isOpaque
        switch base {
        case .frame(let parent):
            let isCleared = layouts[parent].disposal == .background
            let isMended = layout.isOpaque && layout.contains(layouts[parent])
            isOpaque = earlier[parent].isOpaque && (!isCleared || isMended) && !replaces
        case .filled:
            isOpaque = !replaces
        case .anything, .blank:
            isOpaque = covers && layout.isOpaque
        }
        let isBlank = layout.disposal == .background && (covers || base == .blank)
        rest = !layout.leavesTrace ? found : isBlank ? .blank : .frame(index)
    }
}
