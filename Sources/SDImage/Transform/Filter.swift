/// A filter of the catalog: names, parameters and the operation for their values.
package struct Filter: Sendable {
    /// Encoding of the samples that a filter computes with.
    package enum Space: String, Sendable {
        /// Samples encoded by sRGB, which is close to perceptually uniform.
        case encoded
        case light
    }

    /// Operation on the pixels; lengths are in points.
    enum Work: Sendable {
        case steps([FilterStep])
        /// Mean of the pixels up to this distance.
        case mean(radius: Double)
        case gaussian(radius: Double)
        /// Unsharp mask: adds the difference to the blurred image, of all colors or of luma alone.
        case sharpening(radius: Double, amount: Double, lumaAlone: Bool)
        case cells(side: Double)
    }

    package let name: String
    package let aliases: [String]
    package let summary: String
    package let space: Space
    package let parameters: [FilterParameter]
    /// Makes the operation from the values, which are in the order of the parameters.
    let work: @Sendable ([Double]) -> Work

    init(
        _ name: String, _ aliases: [String], _ summary: String, in space: Space = .encoded, _ parameters: [FilterParameter] = [],
        _ work: @escaping @Sendable ([Double]) -> Work
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.space = space
        self.parameters = parameters
        self.work = work
    }
}
