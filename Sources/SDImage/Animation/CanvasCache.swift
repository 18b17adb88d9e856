/// Canvases that one animation keeps so that seeking need not draw from the start; how many, the budget of the process says,
/// which also takes them back. Copies of a compositor share one: a canvas of a number is the same in all.
package final class CanvasCache: Sendable {
    /// In place of a frame's number: its canvas while it is on show, to be drawn on afterwards.
    package static func spare(of index: Int) -> Int { -1 - index }

    private let budget: FrameBudget
    private let id: UInt64

    package init(_ budget: FrameBudget = .shared) {
        self.budget = budget
        id = budget.makeShelf()
    }

    deinit { budget.removeShelf(id) }

    package subscript(index: Int) -> CachedCanvas? { budget.canvas(id, index) }
    /// See `FrameBudget`.
    package var isShort: Bool { budget.isShort }
    /// What they take, spare ones aside.
    package var bytes: Int {
        let table = budget.shelf(id)
        return table.bytes - table.spareBytes
    }
    /// One of the frames whose canvas is there as it is.
    package var wholeFrame: Int? {
        budget.shelf(id).canvases.first { if case .whole = $0.value { $0.key >= 0 } else { false } }?.key
    }

    /// The packed canvas of the last frame up to one: the likeliest to have squares in common with it.
    package func packed(upTo index: Int) -> PackedCanvas? {
        var best = (index: -1, canvas: PackedCanvas?.none)
        for case (let frame, .packed(let canvas)) in budget.shelf(id).canvases where frame <= index && frame > best.index {
            best = (frame, canvas)
        }
        return best.canvas
    }

    /// False where the budget has no room for it.
    @discardableResult
    package func keep(_ canvas: CachedCanvas, at index: Int) -> Bool { budget.keep(canvas, id, index) }
    package func take(_ index: Int) -> CachedCanvas? { budget.takeCanvas(id, index) }
    /// Lets go of the canvases of all frames but these.
    package func keepOnly(_ places: Set<Int>) { budget.keepOnly(places, id) }
}
