/// A filter of the catalog: names, parameters and the operation for their values.
/// The C interface lists the catalog for hosts.
package struct Filter: Sendable {
    /// Encoding of the samples that a filter computes with.
    package enum Space: String, Sendable {
        /// Samples encoded by sRGB, which is close to perceptually uniform.
        case encoded
        /// Linear light, in which sums of colors correspond to mixing light.
        case light
    }

    /// Operation on the pixels; lengths are in points.
    enum Work: Sendable {
        /// Operations on single pixels, one after the other.
        case steps([FilterStep])
        /// Mean of the pixels up to this distance.
        case mean(radius: Double)
        /// The blur of `BlurTransformer`.
        case gaussian(radius: Double)
        /// Unsharp mask: adds the difference to the blurred image, of all colors or of luma alone.
        case sharpening(radius: Double, amount: Double, lumaAlone: Bool)
        /// Squares of one color with this side.
        case cells(side: Double)
    }

    /// The name in Core Image.
    package let name: String
    /// Short names that are accepted in its place.
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
