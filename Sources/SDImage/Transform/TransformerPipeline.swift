/// Applies several transformers in order.
/// Requests with several transformers hold it, and its key joins theirs.
package struct TransformerPipeline: ImageTransformer {
    private let transformers: [any ImageTransformer]

    package init(_ transformers: [any ImageTransformer]) { self.transformers = transformers }

    package var key: String { transformers.map(\.key).joined(separator: "-") }
    /// False, because each child handles the metadata itself.
    package var preservesMetadata: Bool { false }

    /// Each transformer gets the result of the one before it.
    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        var image = image
        for transformer in transformers { image = try image.transformed(by: transformer, cacheKey: cacheKey, stop: stop) }
        return image
    }
}

extension ImageRequest {
    /// Appends a transformer to the transformers of the request.
    /// Transformers run in the order in which they were added.
    package mutating func addTransformer(_ transformer: any ImageTransformer) {
        if case .value(let before) = self.transformer {
            self.transformer = .value(TransformerPipeline([before, transformer]))
        } else {
            self.transformer = .value(transformer)
        }
    }
}
