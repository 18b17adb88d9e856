import SDImage
import SDImagePixels

/// The pixels that a GIF frame draws: only those that changed, because unchanged pixels compress well and cannot flicker. Pixels
/// are opaque, or 0 for transparent. `GIFEncoder` plans each frame with it.
struct GIFFrameDelta {
    /// The rectangle of the frame on the canvas.
    let area: PixelArea
    /// Pixels of the area; transparent where nothing is drawn.
    let pixels: PixelBuffer
    let disposal: GIFWriter.Disposal
    /// The canvas that the next frame is drawn on.
    let rest: PixelBuffer

    /// `before` is the canvas that the frame is drawn on, nil for the first. If pixels of the next frame, `after`, are
    /// transparent and opaque in this one, the rectangle must be disposed of to transparent: GIF has no other way to clear
    /// pixels.
    init(_ shown: PixelBuffer, before: PixelBuffer?, after: PixelBuffer?, account: WorkingMemory) throws(ImageError) {
        // Pixels to clear after this frame must lie inside its rectangle, which grows to contain them.
        let vanishing = after.flatMap { PixelArea(clearedFrom: shown, in: $0) }
        // A frame without changes draws one transparent pixel.
        let changed = before.map { PixelArea(from: $0, to: shown) ?? PixelArea(columns: 0..<1, rows: 0..<1) }
        let area = (changed ?? PixelArea(shown.size)).union(vanishing)
        self.area = area
        // The first frame draws everything, so its pixels need no copy.
        pixels = before == nil ? shown : try GIFFrameDelta.changes(area, of: shown, since: before, account)
        disposal = vanishing == nil ? .keep : .clear
        rest = vanishing == nil ? shown : try GIFFrameDelta.clearing(area, of: shown, account)
    }

    /// Returns the pixels of `area`, transparent where unchanged.
    private static func changes(
        _ area: PixelArea, of shown: PixelBuffer, since before: PixelBuffer?, _ account: WorkingMemory
    ) throws(ImageError) -> PixelBuffer {
        let drawn = try PixelBuffer(size: area.size, format: .rgba8, limit: Int.max, account: account)
        for y in 0..<area.size.height {
            guard let from = unsafe shown.row(area.top + y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let to = unsafe drawn.mutableRow(y)?.assumingMemoryBound(to: UInt8.self).baseAddress
            else { continue }
            if let old = unsafe before?.row(area.top + y)?.assumingMemoryBound(to: UInt8.self).baseAddress {
                _ = unsafe sdpx_only_changed(to, from + area.left * 4, old + area.left * 4, area.size.width, 4)
            } else {
                unsafe to.update(from: from + area.left * 4, count: area.size.width * 4)
            }
        }
        return drawn
    }

    /// Returns the canvas after the disposal: `area` is transparent.
    private static func clearing(
        _ area: PixelArea, of pixels: PixelBuffer, _ account: WorkingMemory
    ) throws(ImageError) -> PixelBuffer {
        let copy = try PixelBuffer(size: pixels.size, format: pixels.format, limit: Int.max, account: account)
        for y in 0..<pixels.size.height {
            guard let from = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt32.self).baseAddress,
                let to = unsafe copy.mutableRow(y)?.assumingMemoryBound(to: UInt32.self).baseAddress
            else { continue }
            unsafe to.update(from: from, count: pixels.size.width)
            if area.rows.contains(y) { unsafe (to + area.left).update(repeating: 0, count: area.size.width) }
        }
        return copy
    }

    /// True when any pixel is transparent.
    var hasClearPixels: Bool {
        (0..<area.size.height).contains { y in
            guard let row = unsafe pixels.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress else { return false }
            return unsafe sdpx_is_opaque(row, area.size.width) == 0
        }
    }
}

extension PixelArea {
    /// The bounding box of pixels that became transparent; nil when there are none.
    fileprivate init?(clearedFrom before: PixelBuffer, in after: PixelBuffer) {
        var (first, end, top, bottom) = (after.size.width, 0, after.size.height, 0)
        for y in 0..<after.size.height {
            guard let row = unsafe after.row(y)?.assumingMemoryBound(to: UInt32.self).baseAddress,
                let old = unsafe before.row(y)?.assumingMemoryBound(to: UInt32.self).baseAddress,
                unsafe sdpx_has_cleared(row, old, after.size.width, &first, &end) != 0
            else { continue }
            (top, bottom) = (min(top, y), y + 1)
        }
        guard bottom > 0 else { return nil }
        self.init(columns: first..<end, rows: top..<bottom)
    }
}
