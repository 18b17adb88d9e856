/// Turned counter-clockwise by an angle (spec TRF-13).
package struct RotateTransformer: ImageTransformer {
    let angle: Double
    let fitSize: Bool

    /// In radians.
    package init(angle: Double, fitSize: Bool) throws(ImageError) {
        guard angle.isFinite else { throw ImageError(.invalidArgument, "an angle of \(angle)") }
        self.angle = angle
        self.fitSize = fitSize
    }

    package var key: String { "SDImageRotationTransformer(\(FixedDecimal.text(angle)),\(fitSize ? 1 : 0))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "rotating")
    }
}
