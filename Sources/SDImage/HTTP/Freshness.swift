/// Decides if a stored response may be used for a request (RFC 9111, section 4; RFC 5861; RFC 8246), as a private cache.
/// Computed at each look-up and not stored: it depends on the request and on the time.
package struct Freshness: Hashable, Sendable {
    package enum Verdict: Sendable {
        /// Usable without revalidation.
        case fresh
        /// Stale, but usable while it is revalidated.
        case usable
        /// Usable only after revalidation with the origin.
        case mustAsk
    }

    package let verdict: Verdict
    /// The rule behind the verdict.
    package let rule: FreshnessRule
    /// Age of the response in seconds.
    package let age: Int64
    /// Seconds for which the response is fresh from its generation on; 0 if no field determines it.
    package let lifetime: Int64
    /// True if even a reload is served from the cache while the response is fresh (RFC 8246, section 2).
    package let isImmutable: Bool
    /// True if the request selects the stored response; otherwise it is not usable even as a fallback.
    package let selectsSame: Bool
    /// True if the response forbids its use without successful validation, even where `errorGrace` would permit it.
    private let isStaleForbidden: Bool
    /// True if the request forbids the use without validation; `errorGrace` permits it when the origin fails.
    private let isValidationRequested: Bool
    /// `stale-if-error` of the request or else of the response: seconds after the lifetime in which the response may be used when
    /// revalidation fails. nil if neither sets it.
    private let errorGrace: Int64?

    /// Tolerance for response times in the future, in nanoseconds; beyond it the clock was set back and the age is unknown.
    private static let clockTolerance: UInt64 = 60_000_000_000
    /// Maximum of a heuristic lifetime, in seconds.
    /// One day. RFC 9111, section 4.2.2, does not prescribe an algorithm.
    private static let longestGuess: Int64 = 86400

    /// `fields`: the fields of the request as sent; `now`: nanoseconds since 1970.
    /// Checks in this order: reasons to revalidate even a fresh response, the lifetime, `must-revalidate`, and
    /// permissions to use a stale response. `must-revalidate` takes precedence over these (RFC 9111, section
    /// 5.2.2.2).
    package init(of record: ResponseRecord, fields: [HeaderField], now: UInt64) {
        let directives = CacheDirectives(record.cacheControl)
        let requested = CacheDirectives(fields.value(of: "cache-control"))
        let lifetime = Freshness.lifetime(record, directives, now)
        let age = Freshness.age(record, now)
        self.age = age
        self.lifetime = lifetime?.seconds ?? 0
        let staleness = age - self.lifetime
        selectsSame = record.isSelected(by: fields)
        let isStoreForbidden = record.isStoreForbidden(by: directives)
        isStaleForbidden = isStoreForbidden || directives.noCache || directives.mustRevalidate || !selectsSame
        isValidationRequested = requested.noCache
        errorGrace = requested.staleIfError ?? directives.staleIfError
        let isRefused: FreshnessRule? =
            if isStoreForbidden {
                .noStore
            } else if !selectsSame {
                .vary
            } else if record.responseTime > now, record.responseTime - now > Freshness.clockTolerance {
                .clock
            } else if requested.noCache {
                .request
            } else if directives.noCache {
                .noCache
            } else if requested.maxAge.map({ age > $0 }) == true || requested.minFresh.map({ staleness + $0 > 0 }) == true {
                .request
            } else { nil }
        if let isRefused {
            (verdict, rule) = (.mustAsk, isRefused)
        } else if staleness < 0 {
            (verdict, rule) = (.fresh, lifetime?.rule ?? .maxAge)
        } else if directives.mustRevalidate {
            (verdict, rule) = (.mustAsk, .mustRevalidate)
        } else if let most = requested.maxStale, staleness <= most {
            (verdict, rule) = (.fresh, .maxStale)
        } else if let grace = directives.staleWhileRevalidate, grace > 0, staleness <= grace {
            (verdict, rule) = (.usable, .staleWhileRevalidate)
        } else {
            (verdict, rule) = (.mustAsk, lifetime == nil ? .noLifetime : .expired)
        }
        // A response that is used only because of `max-stale` has expired.
        isImmutable = verdict == .fresh && directives.immutable && rule != .maxStale
    }

    /// The rule by which the stored image replaces `error`, or nil (RFC 9111, section 4.2.4; RFC 5861, section 4).
    /// Called when the origin could not be reached, or before, to find out if an image would be available then.
    package func rule(inPlaceOf error: ImageError) -> FreshnessRule? {
        // A prohibition by the response takes precedence over `stale-if-error` (RFC 9111, sections 4.2.4 and 5.2.2.2).
        guard !isStaleForbidden, !error.forbidsStaleImage else { return nil }
        // An explicit permission has a limit; beyond it the image is not used.
        if let errorGrace { return age - lifetime <= errorGrace ? .staleIfError : nil }
        if isValidationRequested { return nil }
        return error.status == .offline ? .offline : .unreachable
    }

    /// Seconds since the origin generated or validated the response (RFC 9111, section 4.2.3).
    /// Never negative. Request and response times are those of this machine.
    private static func age(_ record: ResponseRecord, _ now: UInt64) -> Int64 {
        let asked = seconds(record.requestTime), answered = seconds(record.responseTime)
        let date = HTTPDate.parse(record.date, now: answered) ?? answered
        // `Date` of the origin in the future counts as no age.
        let apparent = max(0, answered - date)
        // The first member of a list counts, and an invalid number is ignored (section 5.1).
        let first = CacheDirectives.list(record.age).first?.name ?? ""
        let told = CacheDirectives.seconds(Array(first.utf8)) ?? 0
        let corrected = told + max(0, answered - asked)
        let resident = now > record.responseTime ? seconds(now - record.responseTime) : 0
        return max(apparent, corrected) + resident
    }

    /// Freshness lifetime in seconds, and the rule behind it; nil if no field determines one (RFC 9111, section 4.2.1).
    /// In the order of section 4.2.1, without `s-maxage`, which is for shared caches.
    private static func lifetime(_ record: ResponseRecord, _ directives: CacheDirectives, _ now: UInt64)
        -> (seconds: Int64, rule: FreshnessRule)?
    {
        if let seconds = directives.maxAge { return (seconds, .maxAge) }
        let answered = seconds(record.responseTime)
        // Without a valid date, the time of reception takes its place.
        let date = HTTPDate.parse(record.date, now: answered) ?? answered
        if let expires = record.expires {
            // An invalid date, especially "0", means expired (section 5.3).
            guard let end = HTTPDate.parse(expires, now: answered) else { return (0, .expires) }
            return (min(max(0, end - date), CacheDirectives.longest), .expires)
        }
        // Heuristic: a tenth of the time since the last modification (section 4.2.2), for statuses that are cacheable by default.
        // 0 stands for records without a stored status.
        guard [0, 200, 203, 206].contains(record.status), let modified = HTTPDate.parse(record.lastModified, now: answered),
            modified < date
        else { return nil }
        return (min((date - modified) / 10, longestGuess), .heuristic)
    }

    /// Rounded down.
    private static func seconds(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1_000_000_000) }
}
