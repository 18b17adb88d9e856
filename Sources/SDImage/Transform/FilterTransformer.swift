/// Applies a filter of the catalog.
/// The C interface makes it from a name and options.
package struct FilterTransformer: ImageTransformer {
    private let filter: Filter
    /// One value for each parameter of the filter, in its order.
    private let values: [Double]
    package let key: String

    /// Finds the filter by name or alias. The key contains its name in the catalog and the parameters that are set, in the
    /// order of the catalog.
    package init(_ name: String, parameters: OptionsBag = OptionsBag()) throws(ImageError) {
        filter = try FilterCatalog.filter(name)
        var values: [Double] = []
        var given = ""
        var count = 0
        for parameter in filter.parameters {
            guard let value = parameters[Array(parameter.name.utf8)] else {
                values.append(parameter.standard)
                continue
            }
            let number = try parameter.value(value)
            values.append(number)
            given += ",\(parameter.name)=\(FixedDecimal.text(number))"
            count += 1
        }
        // Each option must be a parameter: a misspelled name is an error, not a default.
        guard count == parameters.count else {
            throw ImageError(.invalidArgument, "filter: \(filter.name) has no such parameter")
        }
        self.values = values
        key = "SDImageFilterTransformer(\(filter.name)\(given))"
    }

    /// Lengths are multiplied by the scale of the image, because the kernels use pixels.
    package func transform(_ image: Image, cacheKey: CacheKey, stop: CancellationToken) throws(ImageError) -> Image {
        let image = try image.upright(stop: stop)
        let scale = image.metadata.scale
        switch filter.work(values) {
        case .steps(let steps): return try StepFilter(steps, in: filter.space).draw(image, stop: stop)
        case .gaussian(let radius): return try BlurTransformer(radius: radius).transform(image, cacheKey: cacheKey, stop: stop)
        case .mean(let radius):
            return try ConvolutionFilter(meanTo: radius * scale).draw(image, stop: stop)
        case .sharpening(let radius, let amount, let lumaAlone):
            return try ConvolutionFilter(gaussian: radius * scale, amount: amount, lumaAlone: lumaAlone).draw(image, stop: stop)
        case .cells(let side): return try CellFilter(side: side * scale).draw(image, stop: stop)
        }
    }
}
