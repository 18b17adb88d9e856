import Glibc
import SDImage

/// What a frame is drawn on where it lies on another canvas, which somebody looks at: brought over row by row while the frame is
/// drawn, because a row that was just copied is in the cache, and what the frame overwrites need not be copied at all.
@safe final class CanvasGround {
    private let canvas: PixelBuffer
    private let below: PixelBuffer
    /// Where the two differ.
    private let stale: PixelArea
    /// What the frame overwrites.
    private let hidden: PixelArea?
    /// Rows of the stale area that are the same now.
    private var isFresh: [Bool]

    init(_ canvas: PixelBuffer, below: PixelBuffer, stale: PixelArea, hidden: PixelArea?) {
        self.canvas = canvas
        self.below = below
        self.stale = stale
        self.hidden = hidden
        isFresh = Array(repeating: false, count: stale.size.height)
    }

    /// Row `y` of the canvas becomes what lies below, but for what the frame overwrites.
    func bring(_ y: Int) {
        let columns = hidden.flatMap { $0.rows.contains(y) ? $0.columns : nil }
        _ = unsafe bring(y, but: columns ?? stale.left..<stale.left)
    }

    /// The same but for some columns; gives the row below, which has them, or the row itself where it is the same already.
    func bring(_ y: Int, but columns: Range<Int>) -> UnsafeRawPointer? {
        guard stale.rows.contains(y), !isFresh[y - stale.top] else { return unsafe canvas.row(y)?.baseAddress }
        isFresh[y - stale.top] = true
        copy(y, from: stale.left, to: min(columns.lowerBound, stale.columns.upperBound))
        copy(y, from: max(columns.upperBound, stale.left), to: stale.columns.upperBound)
        return unsafe below.row(y)?.baseAddress
    }

    /// All rows that were not yet.
    func finish() {
        for y in stale.rows { bring(y) }
    }

    private func copy(_ y: Int, from start: Int, to end: Int) {
        guard start < end, let to = unsafe canvas.mutableRow(y)?.baseAddress, let from = unsafe below.row(y)?.baseAddress
        else { return }
        unsafe memcpy(to + start * 4, from + start * 4, (end - start) * 4)
    }
}
