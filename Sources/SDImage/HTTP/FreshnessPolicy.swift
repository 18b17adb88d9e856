/// How much a load cares whether a cached picture is still that of its origin (docs/decisions.md, "Freshness is part of the
/// cache").
package enum FreshnessPolicy: Int32, Sendable {
    /// What is cached is good.
    case ignore = 0
    /// As HTTP says.
    case respect = 1
    /// The cached picture first, then what the origin has.
    case refresh = 2
}
