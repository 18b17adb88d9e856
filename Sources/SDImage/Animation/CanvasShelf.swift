/// Canvases that one animation keeps so that seeking need not draw from the start; how many, the budget of the process says,
/// which also takes them back. Copies of a compositor share one: a canvas of a number is the same in all.
package final class CanvasShelf: Sendable {
    private let budget: FrameBudget
    private let id: UInt64

    package init(_ budget: FrameBudget = .shared) {
        self.budget = budget
        id = budget.makeShelf()
    }

    deinit { budget.removeShelf(id) }

    package subscript(index: Int) -> PixelBuffer? { budget.canvas(id, index) }
    package func keep(_ canvas: PixelBuffer, at index: Int) { budget.keep(canvas, id, index) }
    package func keepOnly(_ places: Set<Int>) { budget.keepOnly(places, id) }
}
