/// A Gaussian blur, approximated by three box blurs.
/// The filter CIGaussianBlur uses it as well.
package struct BlurTransformer: ImageTransformer {
    /// In points.
    let radius: Double

    /// Throws `invalidArgument` for a negative or infinite radius.
    package init(radius: Double) throws(ImageError) {
        guard radius.isFinite, radius >= 0 else {
            throw ImageError(.invalidArgument, "transform: blur radius is \(radius), expected 0 or more")
        }
        self.radius = radius
    }

    /// Part of the keys of stored images, so its format must not change.
    package var key: String { "SDImageBlurTransformer(\(FixedDecimal.text(radius)))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        // A radius of 0 means no blur; any other blurs by at least 2 pixels.
        guard radius > 1e-6 else { return image }
        let source = try image.upright(stop: stop)
        let target = try PixelBuffer(size: source.size, format: source.pixels.format)
        // An opaque image needs no division by alpha afterwards.
        let blur = BoxBlur(
            source.pixels, into: target, box: BlurTransformer.box(radius: radius * image.metadata.scale),
            isOpaque: !image.metadata.hasAlpha)
        try blur.run(stop: stop)
        return source.redrawn(target, hasAlpha: image.metadata.hasAlpha)
    }

    /// The box width for a radius in pixels (SVG 1.1, 15.17). Always odd, so that the image does not shift.
    /// The radius is the standard deviation of the Gaussian, and counts as at least 2 pixels.
    static func box(radius: Double) -> Int {
        let width = max(2, radius) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5
        return Int(saturating: min(width, 1e9)) | 1
    }
}
