/// Treatment of the freshness of cached images by a load (docs/decisions.md, "Freshness is part of the cache").
/// Set for a manager, and overridden by requests. Raw values are those of the C interface.
package enum FreshnessPolicy: Int32, Sendable {
    /// Uses a cached image, fresh or stale.
    case ignore = 0
    /// Follows the freshness rules of HTTP.
    case respect = 1
    /// Delivers the cached image first, then that of the origin.
    case refresh = 2
}
