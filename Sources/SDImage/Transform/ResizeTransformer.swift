/// To a size in points (spec TRF-10).
package struct ResizeTransformer: ImageTransformer {
    /// How a picture meets a box of other proportions; the numbers are those of the key.
    package enum Mode: Int32, Sendable {
        case fill = 0, aspectFit = 1, aspectFill = 2
    }

    /// How samples are weighted.
    package enum Resampling: Int32, Sendable {
        case lanczos = 0, area = 1, cubic = 2, linear = 3, nearest = 4
    }

    let width: Double
    let height: Double
    let mode: Mode
    let resampling: Resampling
    let linearLight: Bool

    package init(
        width: Double, height: Double, mode: Mode, resampling: Resampling = .lanczos, linearLight: Bool = false
    ) throws(ImageError) {
        guard width > 0, height > 0, width.isFinite, height.isFinite else {
            throw ImageError(.invalidArgument, "a size of \(width) by \(height)")
        }
        self.width = width
        self.height = height
        self.mode = mode
        self.resampling = resampling
        self.linearLight = linearLight
    }

    package var key: String {
        let size = "{\(FixedDecimal.text(width)),\(FixedDecimal.text(height))}"
        let choices = resampling == .lanczos && !linearLight ? "" : ",\(resampling.rawValue),\(linearLight ? 1 : 0)"
        return "SDImageResizingTransformer(\(size),\(mode.rawValue)\(choices))"
    }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "resizing")
    }
}
