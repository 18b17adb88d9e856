import Glibc
import SDImage

/// What a frame is drawn on where it lies on another canvas, which somebody looks at: brought over row by row while the frame is
/// drawn, because a row that was just copied is in the cache, and what the frame overwrites need not be copied at all.
@safe final class CanvasCopy {
    private let canvas: PixelBuffer
    private let below: PixelBuffer
    /// Where the two differ; lies inside both. Constants, because this is asked for every row.
    private let rows: Range<Int>
    private let columns: Range<Int>
    /// What the frame overwrites.
    private let hiddenRows: Range<Int>
    private let hiddenColumns: Range<Int>
    /// Of the rows where they differ, those that are the same now.
    private let isFresh: UnsafeMutablePointer<Bool>

    /// Both canvases are of one size and format.
    init(_ canvas: PixelBuffer, below: PixelBuffer, stale: PixelArea, hidden: PixelArea?) {
        self.canvas = canvas
        self.below = below
        (rows, columns) = (stale.rows, stale.columns)
        (hiddenRows, hiddenColumns) = (hidden?.rows ?? 0..<0, hidden?.columns ?? 0..<0)
        unsafe isFresh = .allocate(capacity: max(rows.count, 1))
        unsafe isFresh.initialize(repeating: false, count: rows.count)
    }

    deinit { unsafe isFresh.deallocate() }

    /// Row `y` of the canvas becomes what lies below, but for what the frame overwrites.
    func bring(_ y: Int) {
        _ = unsafe bring(y, but: hiddenRows.contains(y) ? hiddenColumns : columns.lowerBound..<columns.lowerBound)
    }

    /// The same but for some columns; gives the row below, which has them, or the row itself where it is the same already.
    func bring(_ y: Int, but columns: Range<Int>) -> UnsafeRawPointer? {
        guard rows.contains(y), unsafe !isFresh[y - rows.lowerBound] else { return unsafe canvas.row(y)?.baseAddress }
        guard let to = unsafe canvas.mutableRow(y)?.baseAddress, let from = unsafe below.row(y)?.baseAddress else { return nil }
        unsafe isFresh[y - rows.lowerBound] = true
        let (start, end) = (self.columns.lowerBound, self.columns.upperBound)
        if start < columns.lowerBound { unsafe copy(start, min(columns.lowerBound, end), from: from, to: to) }
        if columns.upperBound < end { unsafe copy(max(columns.upperBound, start), end, from: from, to: to) }
        return unsafe from
    }

    private func copy(_ start: Int, _ end: Int, from: UnsafeRawPointer, to: UnsafeMutableRawPointer) {
        unsafe memcpy(to + start * 4, from + start * 4, (end - start) * 4)
    }

    /// All rows that were not yet.
    func finish() {
        for y in rows where unsafe !isFresh[y - rows.lowerBound] { bring(y) }
    }
}
