/// Rule by which a cached image was used, or revalidated with its origin. The numbers are those of `sdimage_freshness_rule`.
package enum FreshnessRule: Int32, Sendable, CaseIterable {
    /// Freshness was not evaluated, or nothing was cached.
    case none = 0
    // The cached image was used as it is.
    case maxAge = 1
    case expires = 2
    case heuristic = 3
    case immutable = 4
    case staleWhileRevalidate = 5
    case maxStale = 6
    // The origin was contacted.
    case expired = 7
    case noLifetime = 8
    case noCache = 9
    case mustRevalidate = 10
    case noStore = 11
    case vary = 12
    case request = 13
    case clock = 14
    case refresh = 15
    // The cached image was used because revalidation failed.
    case staleIfError = 16
    case unreachable = 17
    case offline = 18

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
