/// A part of the picture (spec TRF-11).
package struct CropTransformer: ImageTransformer {
    let rect: Rectangle

    package init(_ rect: Rectangle) throws(ImageError) {
        guard rect.isFinite, rect.width > 0, rect.height > 0 else {
            throw ImageError(.invalidArgument, "a rectangle of \(rect.width) by \(rect.height)")
        }
        self.rect = rect
    }

    package var key: String {
        let numbers = [rect.x, rect.y, rect.width, rect.height].map(FixedDecimal.text).joined(separator: ",")
        return "SDImageCroppingTransformer({\(numbers)})"
    }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "cropping")
    }
}
