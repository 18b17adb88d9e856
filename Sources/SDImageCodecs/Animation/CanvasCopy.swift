import Glibc
import SDImage

/// Copies the base of a frame from another canvas that is still in use. Rows are copied while the frame is drawn, because a row
/// just copied is in the cache; pixels that the frame overwrites are not copied at all. `FrameCompositor` creates one for a
/// frame; used by one thread.
@safe final class CanvasCopy {
    /// The canvas to draw on, and the one that it starts from.
    private let canvas: PixelBuffer
    private let below: PixelBuffer
    /// The area in which the two canvases differ; it lies inside both. Stored as ranges, because every row uses it.
    private let rows: Range<Int>
    private let columns: Range<Int>
    /// The area that the frame overwrites.
    private let hiddenRows: Range<Int>
    private let hiddenColumns: Range<Int>
    /// Flags of `rows`: true for each row that has been copied.
    private let isFresh: UnsafeMutablePointer<Bool>

    /// Both canvases have the same size and format.
    init(_ canvas: PixelBuffer, below: PixelBuffer, stale: PixelArea, hidden: PixelArea?) {
        self.canvas = canvas
        self.below = below
        (rows, columns) = (stale.rows, stale.columns)
        (hiddenRows, hiddenColumns) = (hidden?.rows ?? 0..<0, hidden?.columns ?? 0..<0)
        unsafe isFresh = .allocate(capacity: max(rows.count, 1))
        unsafe isFresh.initialize(repeating: false, count: rows.count)
    }

    deinit { unsafe isFresh.deallocate() }

    /// Copies row `y` from `below`, except for the columns that the frame overwrites.
    func bring(_ y: Int) {
        _ = unsafe bring(y, but: hiddenRows.contains(y) ? hiddenColumns : columns.lowerBound..<columns.lowerBound)
    }

    /// Copies row `y` except for some columns. Returns the row of `below`, which has those columns, or the row itself when it is
    /// already up to date.
    func bring(_ y: Int, but columns: Range<Int>) -> UnsafeRawPointer? {
        guard rows.contains(y), unsafe !isFresh[y - rows.lowerBound] else { return unsafe canvas.row(y)?.baseAddress }
        guard let to = unsafe canvas.mutableRow(y)?.baseAddress, let from = unsafe below.row(y)?.baseAddress else { return nil }
        unsafe isFresh[y - rows.lowerBound] = true
        let (start, end) = (self.columns.lowerBound, self.columns.upperBound)
        if start < columns.lowerBound { unsafe copy(start, min(columns.lowerBound, end), from: from, to: to) }
        if columns.upperBound < end { unsafe copy(max(columns.upperBound, start), end, from: from, to: to) }
        return unsafe from
    }

    /// Copies columns of one row; pixels have four bytes.
    private func copy(_ start: Int, _ end: Int, from: UnsafeRawPointer, to: UnsafeMutableRawPointer) {
        unsafe memcpy(to + start * 4, from + start * 4, (end - start) * 4)
    }

    /// Copies all remaining rows.
    func finish() {
        for y in rows where unsafe !isFresh[y - rows.lowerBound] { bring(y) }
    }
}
