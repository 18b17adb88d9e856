import Glibc
import SDImage

/// The canvas as one frame sees it: rows are counted from the frame's own first, what lies outside is cut off.
@safe package struct FrameCanvas {
    /// Puts straight RGBA8 pixels over others: canvas, frame, number of pixels.
    package typealias BlendFunction = @Sendable (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Void

    private let pixels: PixelBuffer
    private let layout: FrameLayout
    /// Where rows come from that are not there yet.
    private let ground: CanvasCopy?

    /// Columns of the frame before the first that lies on the canvas.
    package let hiddenColumns: Int
    /// Columns of the frame that lie on the canvas, from `hiddenColumns` on.
    package let visibleColumns: Int
    /// Bytes from one row to the next.
    package var stride: Int { pixels.stride }

    init(_ pixels: PixelBuffer, layout: FrameLayout, ground: CanvasCopy? = nil) {
        self.pixels = pixels
        self.layout = layout
        self.ground = ground
        hiddenColumns = max(0, min(-layout.left, layout.size.width))
        visibleColumns = max(0, min(layout.left + layout.size.width, pixels.size.width) - max(layout.left, 0))
    }

    /// The visible part of the frame's row `y` as it is now; nil where nothing of it lies on the canvas.
    package func row(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        let row = unsafe place(y)
        if unsafe row != nil { ground?.bring(layout.top + y) }
        return unsafe row
    }

    /// The same for who writes all of it, and what is to shine through, which may be the row itself.
    package func rowOver(_ y: Int) -> (row: UnsafeMutableRawBufferPointer, below: UnsafeRawPointer)? {
        guard let row = unsafe place(y), let base = row.baseAddress else { return nil }
        let start = max(layout.left, 0)
        let below = unsafe ground?.bring(layout.top + y, but: start..<start + visibleColumns)
        return unsafe (row, below.map { unsafe $0 + start * 4 } ?? UnsafeRawPointer(base))
    }

    /// Makes all rows what they are to be before the frame is drawn: for who does not ask for each.
    package func settle() { ground?.finish() }

    private func place(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        guard y >= 0, y < layout.size.height, visibleColumns > 0, let row = unsafe pixels.mutableRow(layout.top + y) else {
            return nil
        }
        let start = max(layout.left, 0) * 4
        return unsafe UnsafeMutableRawBufferPointer(rebasing: row[start..<start + visibleColumns * 4])
    }

    /// Draws the frame's row `y`, in the canvas' format from its first column on, by `blend` unless it simply replaces.
    package func draw(_ row: UnsafeRawBufferPointer, y: Int, blend: BlendFunction) {
        guard let target = unsafe self.row(y)?.baseAddress, let start = row.baseAddress,
            row.count >= (hiddenColumns + visibleColumns) * 4
        else { return }
        let source = unsafe start + hiddenColumns * 4
        if layout.overwrites {
            unsafe memcpy(target, source, visibleColumns * 4)
        } else {
            unsafe blend(
                target.assumingMemoryBound(to: UInt8.self), source.assumingMemoryBound(to: UInt8.self), visibleColumns)
        }
    }

    /// Makes the rectangle transparent.
    func clear() {
        for y in 0..<layout.size.height {
            if let row = unsafe row(y), let base = row.baseAddress { unsafe memset(base, 0, row.count) }
        }
    }

    /// Makes the rectangle one colour, whose first byte in memory is the lowest.
    func fill(_ pixel: UInt32) {
        for y in 0..<layout.size.height {
            guard let row = unsafe row(y) else { continue }
            unsafe row.bindMemory(to: UInt32.self).update(repeating: pixel.littleEndian)
        }
    }
}
