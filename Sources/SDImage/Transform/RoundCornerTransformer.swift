/// Corners cut round, and a border (spec TRF-12).
package struct RoundCornerTransformer: ImageTransformer {
    let radius: Double
    let corners: UInt64
    let borderWidth: Double
    let borderColor: Color?

    /// `corners`: bits for top left, top right, bottom left, bottom right.
    package init(radius: Double, corners: UInt64 = .max, borderWidth: Double = 0, borderColor: Color? = nil) throws(ImageError) {
        guard radius.isFinite, radius >= 0, borderWidth.isFinite, borderWidth >= 0 else {
            throw ImageError(.invalidArgument, "a radius of \(radius), a border of \(borderWidth)")
        }
        guard borderColor?.isFinite ?? true else { throw ImageError(.invalidArgument, "a colour that is not a number") }
        self.radius = radius
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    package var key: String {
        let color = borderColor?.hex ?? "(null)"
        return "SDImageRoundCornerTransformer(\(FixedDecimal.text(radius)),\(corners),\(FixedDecimal.text(borderWidth)),\(color))"
    }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "rounding corners")
    }
}
