/// A colour over the whole picture (spec TRF-15).
package struct TintTransformer: ImageTransformer {
    let color: Color
    let mode: BlendMode

    package init(_ color: Color, mode: BlendMode = .sourceIn) throws(ImageError) {
        guard color.isFinite else { throw ImageError(.invalidArgument, "a colour that is not a number") }
        self.color = color
        self.mode = mode
    }

    package var key: String { "SDImageTintTransformer(\(color.hex),\(mode.rawValue))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "tinting")
    }
}
