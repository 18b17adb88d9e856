/// A Gaussian blur as three box means (spec TRF-16).
package struct BlurTransformer: ImageTransformer {
    let radius: Double

    package init(radius: Double) throws(ImageError) {
        guard radius.isFinite, radius >= 0 else { throw ImageError(.invalidArgument, "a radius of \(radius)") }
        self.radius = radius
    }

    package var key: String { "SDImageBlurTransformer(\(FixedDecimal.text(radius)))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "blurring")
    }
}
