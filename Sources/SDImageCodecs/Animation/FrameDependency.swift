import SDImage

/// The canvas that a frame is drawn on.
///
/// A frame with disposal to the previous canvas leaves no trace: no other frame is drawn on it. So frames form chains, each
/// starting with a frame that needs no other. `FrameCompositor` computes one for each frame, from the layouts alone.
struct FrameDependency: Equatable {
    /// The content that a frame is drawn on.
    enum Base: Equatable {
        /// Any content: every pixel is overwritten.
        case anything
        /// A transparent canvas.
        case blank
        /// The canvas of an earlier frame, after its disposal.
        case frame(Int)
    }

    let base: Base
    /// True when every pixel of the canvas is opaque while this frame is displayed.
    let isOpaque: Bool
    /// The canvas that the next frame is drawn on.
    let rest: Base

    /// Computes the dependency of the frame at `index`. `earlier` contains those of all frames before it.
    init(_ index: Int, layouts: [FrameLayout], earlier: [FrameDependency], canvas: PixelSize) {
        let layout = layouts[index]
        let found = index > 0 ? earlier[index - 1].rest : .blank
        let covers = layout.covers(canvas)
        base = covers && layout.overwrites ? .anything : found
        // Pixels that replace those of the canvas may be transparent.
        let replaces = layout.blend == .source && !layout.isOpaque
        switch base {
        case .frame(let parent):
            let isCleared = layouts[parent].disposal == .background
            // An opaque frame that covers the cleared rectangle leaves no transparent pixel.
            let isMended = layout.isOpaque && layout.contains(layouts[parent])
            isOpaque = earlier[parent].isOpaque && (!isCleared || isMended) && !replaces
        case .anything, .blank:
            isOpaque = covers && layout.isOpaque
        }
        // Clearing the whole canvas, or all that was drawn on a blank one, leaves it blank.
        let isBlank = layout.disposal == .background && (covers || base == .blank)
        rest = !layout.leavesTrace ? found : isBlank ? .blank : .frame(index)
    }
}
