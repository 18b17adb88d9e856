import SDImagePixels

/// A rectangle of pixels inside an image.
/// Used for the parts of frames that changed, and for squares of canvases.
package struct PixelArea: Equatable, Sendable {
    /// First column.
    package var left: Int
    /// First row.
    package var top: Int
    package var size: PixelSize

    /// The area of a whole image.
    package init(_ size: PixelSize) {
        (left, top) = (0, 0)
        self.size = size
    }

    package init(columns: Range<Int>, rows: Range<Int>) {
        (left, top) = (columns.lowerBound, rows.lowerBound)
        size = PixelSize(width: columns.count, height: rows.count)
    }

    package var columns: Range<Int> { left..<left + size.width }
    package var rows: Range<Int> { top..<top + size.height }

    /// Divides an image into squares, row by row; those at the right and lower edge may be smaller.
    /// Order of the squares: left to right, then top to bottom.
    package static func squares(of image: PixelSize, side: Int) -> [PixelArea] {
        stride(from: 0, to: image.height, by: side).flatMap { y in
            stride(from: 0, to: image.width, by: side).map { x in
                PixelArea(columns: x..<min(x + side, image.width), rows: y..<min(y + side, image.height))
            }
        }
    }

    /// The bounding area of the differences between two images of the same size and pixel format; nil when they are equal.
    /// Rows are compared by a kernel, which widens the span of columns.
    package init?(from before: PixelBuffer, to after: PixelBuffer) {
        let (width, pixel) = (after.size.width, after.format.bytesPerPixel)
        var (first, end, top, bottom) = (width, 0, after.size.height, 0)
        for y in 0..<after.size.height {
            guard let row = unsafe after.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress,
                let old = unsafe before.row(y)?.assumingMemoryBound(to: UInt8.self).baseAddress
            else { continue }
            guard unsafe sdpx_changed_span(row, old, width, pixel, &first, &end) != 0 else { continue }
            (top, bottom) = (min(top, y), y + 1)
        }
        guard bottom > 0 else { return nil }
        self.init(columns: first..<end, rows: top..<bottom)
    }

    /// The smallest area that contains both.
    package func union(_ other: PixelArea?) -> PixelArea {
        guard let other else { return self }
        return PixelArea(
            columns: min(left, other.left)..<max(columns.upperBound, other.columns.upperBound),
            rows: min(top, other.top)..<max(rows.upperBound, other.rows.upperBound))
    }
}
