/// Numbers as C prints them with "%f", whatever the locale of the process: cache keys are made of them.
package enum FixedDecimal {
    /// Six decimals, rounded half to even.
    package static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
        let sign = value.sign == .minus ? "-" : ""
        let magnitude = value.magnitude
        // From 2^53 on every number is whole; from 2^63 on it does not fit, and no size or radius is that large.
        guard magnitude < 9e18 else { return sign + "\(magnitude)" }
        var whole = Int64(magnitude)
        var millionths = Int64(((magnitude - Double(whole)) * 1_000_000).rounded(.toNearestOrEven))
        if millionths == 1_000_000 {
            whole += 1
            millionths = 0
        }
        let digits = String(millionths)
        return sign + String(whole) + "." + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
