/// Whether a kept answer may be used for a request (RFC 9111, section 4; RFC 5861; RFC 8246), as the cache of one person.
package struct Freshness: Hashable, Sendable {
    package enum Verdict: Sendable {
        /// As good as a new one.
        case fresh
        /// Good enough while a new one is fetched.
        case usable
        /// Only after its origin was asked.
        case mustAsk
    }

    package let verdict: Verdict
    /// What decided so.
    package let rule: FreshnessRule
    /// Seconds, as far as they were computed.
    package let age: Int64
    package let lifetime: Int64
    /// Even a request to load again is answered from the cache while it is fresh (RFC 8246, section 2).
    package let isImmutable: Bool
    /// The kept answer is one to this request; otherwise it is not even second best.
    package let selectsSame: Bool
    /// It may not be used where asking fails.
    private let isStaleForbidden: Bool
    /// Seconds after the lifetime in which it is used where asking fails, where either side says.
    private let errorGrace: Int64?

    /// How far the clock may have been set back before times in the future mean that nothing is known.
    private static let clockTolerance: UInt64 = 60_000_000_000
    /// The longest lifetime that is only guessed, seconds.
    private static let longestGuess: Int64 = 86400

    /// `fields` are those of the request as it is sent; `now` in nanoseconds since 1970.
    package init(of record: ResponseRecord, fields: [HeaderField], now: UInt64) {
        let directives = CacheDirectives(record.cacheControl)
        let wishes = CacheDirectives(fields.value(of: "cache-control"))
        let lifetime = Freshness.lifetime(record, directives, now)
        let age = Freshness.age(record, now)
        self.age = age
        self.lifetime = lifetime?.seconds ?? 0
        let staleness = age - self.lifetime
        selectsSame = record.isSelected(by: fields)
        isStaleForbidden =
            directives.noStore || directives.noCache || directives.mustRevalidate || wishes.noCache || !selectsSame
        errorGrace = wishes.staleIfError ?? directives.staleIfError
        let isRefused: FreshnessRule? =
            if directives.noStore {
                .noStore
            } else if !selectsSame {
                .vary
            } else if record.responseTime > now, record.responseTime - now > Freshness.clockTolerance {
                .clock
            } else if wishes.noCache {
                .request
            } else if directives.noCache {
                .noCache
            } else if wishes.maxAge.map({ age > $0 }) == true || wishes.minFresh.map({ staleness + $0 > 0 }) == true {
                .request
            } else { nil }
        if let isRefused {
            (verdict, rule) = (.mustAsk, isRefused)
        } else if staleness < 0 {
            (verdict, rule) = (.fresh, lifetime?.rule ?? .maxAge)
        } else if directives.mustRevalidate {
            (verdict, rule) = (.mustAsk, .mustRevalidate)
        } else if let most = wishes.maxStale, staleness <= most {
            (verdict, rule) = (.fresh, .maxStale)
        } else if let grace = directives.staleWhileRevalidate, staleness <= grace {
            (verdict, rule) = (.usable, .staleWhileRevalidate)
        } else {
            (verdict, rule) = (.mustAsk, lifetime == nil ? .noLifetime : .expired)
        }
        isImmutable = verdict == .fresh && directives.immutable && rule != .maxStale
    }

    /// Which rule lets the kept picture take the place of `error`, if one does (RFC 9111, section 4.2.4; RFC 5861, section 4).
    package func rule(inPlaceOf error: ImageError) -> FreshnessRule? {
        guard selectsSame, rule != .noStore, !Freshness.isDefinite(error) else { return nil }
        if let errorGrace { return age - lifetime <= errorGrace ? .staleIfError : nil }
        if isStaleForbidden { return nil }
        return error.status == .offline ? .offline : .unreachable
    }

    /// The origin was reached and said, of this very picture, that it is not to be had.
    private static func isDefinite(_ error: ImageError) -> Bool {
        switch error.status {
        case .cancelled, .shutdown, .forked, .addressForbidden, .redirectForbidden, .invalidRequest, .authenticationFailed: true
        case .httpStatus: 400..<500 ~= error.httpStatus && ![408, 425, 429].contains(error.httpStatus)
        case .failedURL: error.cause.map(isDefinite) ?? true
        default: false
        }
    }

    /// Seconds since the origin made or confirmed the answer (RFC 9111, section 4.2.3).
    private static func age(_ record: ResponseRecord, _ now: UInt64) -> Int64 {
        let asked = seconds(record.requestTime), answered = seconds(record.responseTime)
        let date = HTTPDate.parse(record.date, now: answered) ?? answered
        let apparent = max(0, answered - date)
        // Of a list the first counts, and what is no number is passed over (section 5.1).
        let first = CacheDirectives.list(record.age).first?.name ?? ""
        let told = CacheDirectives.seconds(Array(first.utf8)) ?? 0
        let corrected = told + max(0, answered - asked)
        let resident = now > record.responseTime ? seconds(now - record.responseTime) : 0
        return max(apparent, corrected) + resident
    }

    /// For how many seconds the answer is fresh, and by which rule; nil where nothing says (RFC 9111, section 4.2.1).
    private static func lifetime(_ record: ResponseRecord, _ directives: CacheDirectives, _ now: UInt64)
        -> (seconds: Int64, rule: FreshnessRule)?
    {
        if let seconds = directives.maxAge { return (seconds, .maxAge) }
        let answered = seconds(record.responseTime)
        let date = HTTPDate.parse(record.date, now: answered) ?? answered
        if let expires = record.expires {
            // What is no date, "0" above all, is over (section 5.3).
            guard let end = HTTPDate.parse(expires, now: answered) else { return (0, .expires) }
            return (min(max(0, end - date), CacheDirectives.longest), .expires)
        }
        // A tenth of the time that it had not been modified (section 4.2.2), for what may be kept without a word.
        guard [0, 200, 203, 206].contains(record.status), let modified = HTTPDate.parse(record.lastModified, now: answered),
            modified < date
        else { return nil }
        return (min((date - modified) / 10, longestGuess), .heuristic)
    }

    private static func seconds(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1_000_000_000) }
}
