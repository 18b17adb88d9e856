/// Resizes the image to a size in points.
/// Requests for thumbnails scale while they decode, and need no transformer.
package struct ResizeTransformer: ImageTransformer {
    /// Resampling filter.
    /// The numbers are those of the C interface and part of the key.
    package enum Resampling: Int32, Sendable {
        case lanczos = 0, area = 1, cubic = 2, linear = 3, nearest = 4
    }

    /// In points, as is the height.
    let width: Double
    let height: Double
    let mode: ScaleMode
    let resampling: Resampling
    /// Resamples linear light instead of encoded samples, which keeps the brightness of fine patterns.
    let linearLight: Bool

    package init(
        width: Double, height: Double, mode: ScaleMode, resampling: Resampling = .lanczos, linearLight: Bool = false
    ) throws(ImageError) {
        guard width > 0, height > 0, width.isFinite, height.isFinite else {
            throw ImageError(.invalidArgument, "transform: size is \(width)x\(height), expected finite positive sides")
        }
        self.width = width
        self.height = height
        self.mode = mode
        self.resampling = resampling
        self.linearLight = linearLight
    }

    package var key: String {
        let size = "{\(FixedDecimal.text(width)),\(FixedDecimal.text(height))}"
        // Default options add nothing, so that the key equals the one without options.
        let options = resampling == .lanczos && !linearLight ? "" : ",\(resampling.rawValue),\(linearLight ? 1 : 0)"
        return "SDImageResizingTransformer(\(size),\(mode.rawValue)\(options))"
    }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        let source = try image.upright(stop: stop)
        let canvas = try ResizeTransformer.pixels(width: width, height: height, scale: image.metadata.scale)
        let placement = ResizeTransformer.Placement(source.size, canvas: canvas, mode: mode)
        // Equal sizes need no drawing; bars always do.
        guard canvas != source.size || placement.size != canvas else { return source }
        let format = source.pixels.format
        // Bars are transparent, so the target needs alpha and starts at zero.
        let hasBars = placement.size != canvas
        let target = try PixelBuffer(size: canvas, format: hasBars ? format.withAlpha : format, zeroed: hasBars)
        if resampling == .nearest {
            try PixelPicker(source.pixels, part: placement.part, into: target, placement).run(stop: stop)
        } else {
            var plan = Resampler.Plan(part: placement.part)
            plan.shape = resampling.shape
            plan.isLight = linearLight
            // An opaque image needs no weighting of color by alpha.
            plan.isOpaque = !image.metadata.hasAlpha
            let resampler = try Resampler(
                source.pixels, plan: plan, into: target, left: placement.left, top: placement.top, size: placement.size)
            try resampler.run(stop: stop)
        }
        return source.redrawn(target, hasAlpha: image.metadata.hasAlpha || hasBars)
    }

    /// The size of the result, at least one pixel.
    private static func pixels(width: Double, height: Double, scale: Double) throws(ImageError) -> PixelSize {
        let columns = (width * scale).rounded()
        let rows = (height * scale).rounded()
        // Exceeds any available memory, yet cannot overflow when multiplied.
        guard columns < 1e9, rows < 1e9 else {
            throw .tooLarge("transform: size of the result in bytes", limit: DecodeLimits.standard.outputBytes)
        }
        return PixelSize(width: max(1, Int(saturating: columns)), height: max(1, Int(saturating: rows)))
    }
}
