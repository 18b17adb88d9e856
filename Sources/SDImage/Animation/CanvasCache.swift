/// Canvases that one animation keeps, so that seeking does not start at the first frame. The frame budget of the process limits
/// them and evicts them. Copies of a compositor share one cache: the canvas of an index is the same in all.
/// A compositor needs the canvas before a frame in order to draw the frame; without one it starts at the first frame.
/// Any thread may use it: the lock of the budget guards the canvases.
package final class CanvasCache: Sendable {
    /// Key, in place of the frame's index, of the canvas of a visible frame, kept to be drawn on afterwards.
    /// A negative number, so that both kinds share one table.
    package static func spare(of index: Int) -> Int { -1 - index }

    private let budget: FrameBudget
    private let id: UInt64

    package init(_ budget: FrameBudget = .shared) {
        self.budget = budget
        id = budget.addCanvasCache()
    }

    deinit { budget.removeCanvasCache(id) }

    package subscript(index: Int) -> CachedCanvas? { budget.canvas(id, index) }
    /// See `FrameBudget`.
    /// Compositors then prefer indices to pixels.
    package var isShort: Bool { budget.isShort }
    /// Bytes held, without spare canvases.
    package var bytes: Int {
        let table = budget.canvasTable(id)
        return table.bytes - table.spareBytes
    }
    /// Index of a frame whose canvas is kept as pixels.
    package var wholeFrame: Int? {
        budget.canvasTable(id).canvases.first { if case .whole = $0.value { $0.key >= 0 } else { false } }?.key
    }

    /// The packed canvas of the last frame up to an index, which is the likeliest to share squares with the canvas of that index.
    package func packed(upTo index: Int) -> PackedCanvas? {
        var best = (index: -1, canvas: PackedCanvas?.none)
        for case (let frame, .packed(let canvas)) in budget.canvasTable(id).canvases where frame <= index && frame > best.index {
            best = (frame, canvas)
        }
        return best.canvas
    }

    /// Bytes that keeping the canvas would add.
    package func growth(_ canvas: CachedCanvas) -> Int { budget.canvasTable(id).growth(canvas) }

    /// False when the budget has no room for the canvas.
    @discardableResult
    package func keep(_ canvas: CachedCanvas, at index: Int) -> Bool { budget.keep(canvas, id, index) }
    /// Removes a canvas and returns it, so that its only reference can be drawn on.
    package func take(_ index: Int) -> CachedCanvas? { budget.takeCanvas(id, index) }
    /// Releases the canvases of all frames except these.
    package func keepOnly(_ indices: Set<Int>) { budget.keepOnly(indices, id) }
}
