/// A filter of the catalogue, by its name (spec TRF-17).
package struct FilterTransformer: ImageTransformer {
    let name: String

    package init(_ name: String, parameters: OptionsBag) throws(ImageError) {
        throw ImageError(.invalidArgument, "no filter of the name \(name)")
    }

    package var key: String { "SDImageFilterTransformer(\(name))" }

    package func transform(_ image: Image, cacheKey: CacheKey, stop: StopSignal) throws(ImageError) -> Image {
        throw ImageError(.unsupported, "filtering")
    }
}
