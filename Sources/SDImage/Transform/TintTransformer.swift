import SDImagePixels

/// Blends a color over the whole image.
/// By Porter-Duff or blend modes of `BlendMode`; the color is the source and the image the backdrop.
package struct TintTransformer: ImageTransformer {
    let color: Color
    let mode: BlendMode

    package init(_ color: Color, mode: BlendMode = .sourceIn) throws(ImageError) {
        guard color.isFinite else { throw ImageError(.invalidArgument, "transform: tint color is not finite") }
        self.color = color
        self.mode = mode
    }

    package var key: String { "SDImageTintTransformer(\(color.key),\(mode.rawValue))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        // An alpha of 0 when rounded to 8 bits.
        guard color.bytes.alpha > 0 else { return image }
        let image = try image.upright(stop: stop)
        let from = image.pixels.format
        let to = from.withAlpha
        let width = image.size.width
        let mode = mode.rawValue
        let samples = color.samples(for: to)
        let hasAlpha = image.metadata.hasAlpha || !keepsOpaque
        // The mode decides if alpha can be less than 1 in the result.
        return unsafe try image.redrawnByRows(to, hasAlpha: hasAlpha && !isOpaqueEverywhere, stop: stop) { _, target, source in
            unsafe sdpx_tint_row(target, to.rawValue, source, from.rawValue, width, samples, mode)
        }
    }

    /// True when an opaque image stays opaque.
    private var keepsOpaque: Bool {
        switch mode {
        case .clear, .copy, .sourceIn, .sourceOut, .destinationIn, .destinationOut, .destinationAtop, .xor: false
        default: true
        }
    }

    /// True when the result is opaque for any image.
    private var isOpaqueEverywhere: Bool {
        switch mode {
        case .clear, .sourceIn, .sourceOut, .sourceAtop, .destinationIn, .destinationOut, .destinationAtop, .xor: false
        default: color.bytes.alpha == 255
        }
    }
}
