/// Crops the image to a rectangle in points.
/// The result is a view: it keeps the pixels of the whole image until it is compacted.
/// The rectangle is rounded outwards to whole pixels, and clamped to the image.
package struct CropTransformer: ImageTransformer {
    let rect: Rectangle

    package init(_ rect: Rectangle) throws(ImageError) {
        guard rect.isFinite, rect.width > 0, rect.height > 0 else {
            throw ImageError(
                .invalidArgument, "transform: crop rectangle is \(rect.width)x\(rect.height), expected finite positive sides")
        }
        self.rect = rect
    }

    package var key: String {
        let numbers = [rect.x, rect.y, rect.width, rect.height].map(FixedDecimal.text).joined(separator: ",")
        return "SDImageCroppingTransformer({\(numbers)})"
    }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        let source = try image.upright(stop: stop)
        let scale = image.metadata.scale
        // From points to pixels; the edges are scaled before they are rounded.
        let columns = CropTransformer.pixels(rect.x * scale, (rect.x + rect.width) * scale, count: source.size.width)
        let rows = CropTransformer.pixels(rect.y * scale, (rect.y + rect.height) * scale, count: source.size.height)
        // An empty intersection is an error of the caller, not an empty image.
        guard !columns.isEmpty, !rows.isEmpty else {
            throw ImageError(.invalidArgument, "transform: crop rectangle is outside the image")
        }
        guard columns.count < source.size.width || rows.count < source.size.height else { return source }
        return source.redrawn(source.pixels.part(columns: columns, rows: rows), hasAlpha: image.metadata.hasAlpha)
    }

    /// The range in whole pixels, rounded outwards and clamped to the image.
    private static func pixels(_ from: Double, _ to: Double, count: Int) -> Range<Int> {
        let low = min(max(from.rounded(.down), 0), Double(count))
        let high = min(max(to.rounded(.up), low), Double(count))
        return Int(saturating: low)..<Int(saturating: max(low, high))
    }
}

extension PixelBuffer {
    /// A view of a part of the pixels; it keeps the whole buffer alive. The ranges must lie inside the buffer.
    /// Rows of the part have the stride of the whole buffer.
    fileprivate func part(columns: Range<Int>, rows: Range<Int>) -> PixelBuffer {
        unsafe PixelBuffer(
            adopting: mutablePixels + rows.lowerBound * stride + columns.lowerBound * format.bytesPerPixel,
            size: PixelSize(width: columns.count, height: rows.count), format: format, stride: stride,
            holding: heldBytes, release: { _ = self })
    }
}
