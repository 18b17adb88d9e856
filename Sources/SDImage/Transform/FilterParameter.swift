/// A numeric parameter of a filter: its name, default and range.
/// Values come from the options of the host, by name.
package struct FilterParameter: Sendable {
    package let name: String
    /// The value if the host sets none.
    package let standard: Double
    package let minimum: Double
    package let maximum: Double

    init(_ name: String, _ standard: Double, _ range: ClosedRange<Double>) {
        self.name = name
        self.standard = standard
        minimum = range.lowerBound
        maximum = range.upperBound
    }

    /// Converts an option value, which must be an integer or floating-point number in the range.
    /// Throws `invalidArgument` otherwise, which includes NaN.
    func value(_ value: OptionsBag.Value) throws(ImageError) -> Double {
        let number: Double
        switch value {
        case .double(let value): number = value
        case .int64(let value): number = Double(value)
        default: throw ImageError(.invalidArgument, "filter: parameter \(name) is not a number")
        }
        guard number >= minimum, number <= maximum else {
            throw ImageError(.invalidArgument, "filter: parameter \(name) is \(number), expected \(minimum) to \(maximum)")
        }
        return number
    }
}
