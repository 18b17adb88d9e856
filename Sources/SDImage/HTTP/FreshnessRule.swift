/// Rule by which a cached image was used, or revalidated with its origin. The numbers are those of `sdimage_freshness_rule`.
package enum FreshnessRule: Int32, Sendable, CaseIterable {
    /// Freshness was not evaluated, or nothing was cached.
    case none = 0
    // The cached image was used as it is.
    /// Fresh by `max-age`.
    case maxAge = 1
    /// Fresh by `Expires`.
    case expires = 2
    /// Fresh by a tenth of the time since its last modification.
    case heuristic = 3
    /// Used for a refresh because it is immutable.
    case immutable = 4
    /// Used while it is revalidated in the background.
    case staleWhileRevalidate = 5
    /// Stale, but accepted by the request.
    case maxStale = 6
    // The origin was contacted.
    /// Its lifetime has passed.
    case expired = 7
    /// No field determines a lifetime.
    case noLifetime = 8
    /// The response has `no-cache`.
    case noCache = 9
    /// Stale, and the response has `must-revalidate`.
    case mustRevalidate = 10
    /// The response may not be stored.
    case noStore = 11
    /// The request selects another response (`Vary`).
    case vary = 12
    /// The request demands a newer response.
    case request = 13
    /// The clock was set back after the response.
    case clock = 14
    /// The policy of the load demands it.
    case refresh = 15
    // The cached image was used because revalidation failed.
    /// Permitted by `stale-if-error`.
    case staleIfError = 16
    /// The origin could not be reached.
    case unreachable = 17
    /// The network is switched off, or no loader may be used.
    case offline = 18

    /// Name in texts of the library.
    package var name: StaticString {
        switch self {
        case .none: "none"
        case .maxAge: "max_age"
        case .expires: "expires"
        case .heuristic: "heuristic"
        case .immutable: "immutable"
        case .staleWhileRevalidate: "stale_while_revalidate"
        case .maxStale: "max_stale"
        case .expired: "expired"
        case .noLifetime: "no_lifetime"
        case .noCache: "no_cache"
        case .mustRevalidate: "must_revalidate"
        case .noStore: "no_store"
        case .vary: "vary"
        case .request: "request"
        case .clock: "clock"
        case .refresh: "refresh"
        case .staleIfError: "stale_if_error"
        case .unreachable: "unreachable"
        case .offline: "offline"
        }
    }
}
