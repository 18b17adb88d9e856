/// Formats numbers as C does with "%f", independent of the locale: cache keys contain them.
/// Keys of stored images depend on the exact digits, so the format must never change.
package enum FixedDecimal {
    /// Formats with six decimals, rounded half to even.
    /// A value from 9e18 on has the format of Swift instead, with an exponent.
    package static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
        let sign = value.sign == .minus ? "-" : ""
        let magnitude = value.magnitude
        // Numbers from 2^53 on are integers; those from 2^63 on do not fit in Int64, and no size or radius is that large.
        guard magnitude < 9e18 else { return sign + "\(magnitude)" }
        // Whole and fraction are split first, because a product with one million could lose bits of the whole part.
        var whole = Int64(magnitude)
        var millionths = Int64(((magnitude - Double(whole)) * 1_000_000).rounded(.toNearestOrEven))
        // The fraction was rounded up to one.
        if millionths == 1_000_000 {
            whole += 1
            millionths = 0
        }
        let digits = String(millionths)
        return sign + String(whole) + "." + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
