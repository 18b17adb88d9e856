/// A filter of the catalogue: its names, its parameters, and what it does with their values.
package struct Filter: Sendable {
    /// What the arithmetic of a filter sees.
    package enum Space: String, Sendable {
        /// Samples as sRGB encodes them, near what the eye sees.
        case encoded
        case light
    }

    /// The work on the pixels; lengths are points.
    enum Work: Sendable {
        case steps([FilterStep])
        /// The mean of neighbours up to this distance.
        case mean(radius: Double)
        case gaussian(radius: Double)
        /// Differences to what is around, added: of all colours, or of luma alone.
        case sharpening(radius: Double, amount: Double, lumaAlone: Bool)
        case cells(side: Double)
    }

    package let name: String
    package let aliases: [String]
    package let summary: String
    package let space: Space
    package let parameters: [FilterParameter]
    /// Values in the order of the parameters.
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
