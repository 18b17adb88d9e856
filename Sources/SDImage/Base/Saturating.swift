/// Conversions and arithmetic for untrusted numbers (headers, files, callers): they saturate at the limits of their type
/// instead of trapping.
extension Int {
    /// Integer part of a number; 0 for NaN.
    package init(saturating value: Double) {
        self = value.isNaN ? 0 : Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }

    package func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

/// Times; .max means that the time never comes.
extension UInt64 {
    package static func saturatingNanoseconds(milliseconds: some BinaryInteger) -> UInt64 {
        product(UInt64(clamping: milliseconds), 1_000_000)
    }

    package static func saturatingNanoseconds(seconds: some BinaryInteger) -> UInt64 {
        product(UInt64(clamping: seconds), 1_000_000_000)
    }

    package func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    private static func product(_ value: UInt64, _ factor: UInt64) -> UInt64 {
        let (product, overflow) = value.multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
