import Glibc
import SDImage

/// The canvas in the coordinates of one frame: rows count from the first row of the frame, and pixels outside the canvas are
/// clipped. `FrameCompositor` makes one for each frame that it draws; a `FramePainter` writes to it, on the same thread.
@safe package struct FrameCanvas {
    /// Blends straight RGBA8 pixels over others. Parameters: canvas, frame, number of pixels.
    package typealias BlendFunction = @Sendable (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Void

    private let pixels: PixelBuffer
    private let layout: FrameLayout
    /// Supplies rows of the base that have not been copied yet.
    private let background: CanvasCopy?

    /// Number of frame columns left of the canvas.
    package let hiddenColumns: Int
    /// Number of frame columns on the canvas, starting at `hiddenColumns`.
    package let visibleColumns: Int
    /// Bytes from one row to the next.
    package var stride: Int { pixels.stride }

    /// `pixels` is the whole canvas. With a `background`, rows of the base are copied when they are requested.
    init(_ pixels: PixelBuffer, layout: FrameLayout, background: CanvasCopy? = nil) {
        self.pixels = pixels
        self.layout = layout
        self.background = background
        hiddenColumns = max(0, min(-layout.left, layout.size.width))
        visibleColumns = max(0, min(layout.left + layout.size.width, pixels.size.width) - max(layout.left, 0))
    }

    /// Returns the visible part of the frame's row `y` with its current pixels; nil when no part of it lies on the canvas.
    package func row(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        let row = unsafe rowStart(y)
        if unsafe row != nil { background?.bring(layout.top + y) }
        return unsafe row
    }

    /// Returns a row that the caller overwrites completely, and the pixels to blend it over, which may be the row itself.
    package func rowOver(_ y: Int) -> (row: UnsafeMutableRawBufferPointer, below: UnsafeRawPointer)? {
        guard let row = unsafe rowStart(y), let base = row.baseAddress else { return nil }
        let start = max(layout.left, 0)
        let below = unsafe background?.bring(layout.top + y, but: start..<start + visibleColumns)
        return unsafe (row, below.map { unsafe $0 + start * 4 } ?? UnsafeRawPointer(base))
    }

    /// Copies all remaining rows of the base, for callers that do not request each row.
    package func settle() { background?.finish() }

    /// The visible part of a row, whatever its content.
    private func rowStart(_ y: Int) -> UnsafeMutableRawBufferPointer? {
        guard y >= 0, y < layout.size.height, visibleColumns > 0, let row = unsafe pixels.mutableRow(layout.top + y) else {
            return nil
        }
        let start = max(layout.left, 0) * 4
        return unsafe UnsafeMutableRawBufferPointer(rebasing: row[start..<start + visibleColumns * 4])
    }

    /// Draws the frame's row `y`, in the canvas format and starting at the frame's first column: with `blend`, or as a copy if
    /// the layout overwrites.
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
}

/// Draws the frames of one format. `FrameCompositor` decides which frames are drawn, in which order and on which canvas.
package protocol FramePainter {
    /// Frames that were found to have no transparent pixel while they were drawn, although their layouts do not promise it.
    var opaqueFrames: [Int] { get }

    /// Draws the frame as described by its layout onto the current content; the rest of the canvas is unchanged. Returns false
    /// when pixels of the rectangle were left unchanged although the layout promises to overwrite them. After an error the canvas
    /// is discarded.
    func paint(_ index: Int, onto canvas: FrameCanvas, stop: CancellationToken) throws(ImageError) -> Bool

    /// Returns a function that decodes the data of a frame on any thread; nil if frames are not decoded ahead.
    func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)?

    /// Draws a frame like `paint`, from the result of its decoder.
    func paint(_ index: Int, from pixels: PixelBuffer, onto canvas: FrameCanvas) throws(ImageError)
}

extension FramePainter {
    package var opaqueFrames: [Int] { [] }
    package func decoder(of index: Int) -> (@Sendable (CancellationToken) -> PixelBuffer?)? { nil }
    package func paint(_ index: Int, from pixels: PixelBuffer, onto canvas: FrameCanvas) throws(ImageError) {}
}
