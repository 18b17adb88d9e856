/// Restrictions by the redirects that led to a response. Its cache entry has the key of the first URL, and so stands for all of
/// them.
/// Called by `noted` when the transfer has ended.
extension ResponseRecord {
    /// Separates the directives of redirects from those of the response, which follow. Caches ignore unknown directives (RFC 9111,
    /// section 5.2.3).
    private static let mark = Array("redirected".utf8)

    /// The directives of the response alone; nil if redirects have added none.
    private var ownDirectives: [UInt8]? {
        let members = cacheControl.split(separator: Byte.comma, omittingEmptySubsequences: false)
        guard let end = members.firstIndex(where: { $0.drop(while: Byte.isSpace).elementsEqual(ResponseRecord.mark) }) else {
            return nil
        }
        return Array(members[(end + 1)...].joined(separator: [Byte.comma]).drop(while: Byte.isSpace))
    }

    /// Removes the directives of former redirects: those of a confirmation replace them.
    package mutating func removeRestrictions() { cacheControl = ownDirectives ?? cacheControl }

    /// Limits the reuse of the response to that of a redirect (RFC 9111, section 4), by directives placed before its own. Has no
    /// effect if it is limited already.
    /// `redirect`: its record, restricted to private caches where required.
    package mutating func restrict(by redirect: ResponseRecord) {
        let (own, other) = (CacheDirectives(cacheControl), CacheDirectives(redirect.cacheControl))
        var directives: [String] = []
        // The image itself may be stored: the redirect alone must not.
        if other.noCache || other.noStore, !own.noCache { directives.append("no-cache") }
        if other.mustRevalidate, !own.mustRevalidate { directives.append("must-revalidate") }
        if redirect.isPrivate, !isPrivate { directives.append("private") }
        if let seconds = maxAge(own, upToThatOf: redirect, other) {
            // The permission to use a stale image is not one to use a stale redirect.
            directives += ["max-age=\(seconds)", "stale-while-revalidate=0"]
        }
        if !directives.isEmpty {
            if ownDirectives == nil { directives.append(String(decoding: ResponseRecord.mark, as: UTF8.self)) }
            let text = directives.joined(separator: ", ") + (cacheControl.isEmpty ? "" : ", ")
            cacheControl = Array(text.utf8) + cacheControl
        }
        // The redirect selects the image, such as one in a format that the client accepts.
        let names = Set(CacheDirectives.list(vary).map(\.name))
        if !CacheDirectives.list(redirect.vary).allSatisfy({ names.contains($0.name) }) {
            vary = vary.isEmpty ? redirect.vary : vary + [Byte.comma] + redirect.vary
        }
        limitFields()
    }

    /// The lifetime with which the response ends when the redirect does; nil if it ends earlier without one. `own`, `other`: the
    /// directives of both.
    private func maxAge(_ own: CacheDirectives, upToThatOf redirect: ResponseRecord, _ other: CacheDirectives) -> Int64? {
        // A permanent redirect without a lifetime is heuristically fresh (RFC 9110, section 15.1), others are not.
        let hasLifetime = other.maxAge != nil || redirect.expires != nil
        if [301, 308].contains(redirect.status), !hasLifetime { return nil }
        let redirectFreshness = Freshness(of: redirect, fields: [], now: redirect.responseTime)
        let freshness = Freshness(of: self, fields: [], now: responseTime)
        let left = max(0, redirectFreshness.lifetime - redirectFreshness.age)
        let end = freshness.lifetime + (own.staleWhileRevalidate ?? 0)
        return end - freshness.age > left ? min(freshness.lifetime, freshness.age + left) : nil
    }
}
