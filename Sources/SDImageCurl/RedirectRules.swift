import SDImage

/// Where a redirect may lead, and what goes along (docs/decisions.md, "Redirects").
enum RedirectRules {
    /// Statuses that name another place to get the same thing.
    static func isRedirect(_ status: Int32) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The next URL, or why it is refused. `hops` counts the redirects already followed.
    static func next(from: URLText, location: [UInt8], hops: Int, limit: Int) throws(ImageError) -> URLText {
        guard hops < limit else {
            throw ImageError(.tooManyRedirects, "redirects exceed the limit of \(limit)")
        }
        guard !location.isEmpty, !location.contains(where: { Byte.isControl($0) && $0 != Byte.tab }) else {
            throw ImageError(.invalidResponse, "redirect without a usable Location")
        }
        let next = from.resolving(location)
        let scheme = next.scheme
        guard scheme == "http" || scheme == "https" else {
            throw ImageError(.redirectForbidden, "redirect to another scheme than http and https")
        }
        guard !(from.scheme == "https" && scheme == "http") else {
            throw ImageError(.redirectForbidden, "redirect from https to http")
        }
        do throws(ImageError) { try next.validateForHTTP() } catch {
            throw ImageError(.redirectForbidden, "redirect to a malformed URL", cause: error)
        }
        return next
    }

    /// Whether the next request asks for what is there, whatever the last one was for (RFC 9110, section 15.4).
    static func becomesGet(_ status: Int32, _ method: String) -> Bool {
        status == 303 || (status == 301 || status == 302) && method == "POST"
    }

    /// Credentials and header fields of the request stay with the origin they were meant for.
    static func keepsSecrets(from: URLText, to: URLText) -> Bool { from.origin != nil && from.origin == to.origin }
}
