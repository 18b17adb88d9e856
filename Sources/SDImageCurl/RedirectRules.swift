import SDImage

/// Permitted targets of a redirect, and the data sent to them (docs/decisions.md, "Redirects").
/// Used on the transfer thread.
enum RedirectRules {
    /// Statuses that name another location of the same content.
    static func isRedirect(_ status: Int32) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns the next URL; throws if it is refused. `hops` counts the redirects already followed.
    /// `location` may be relative to `from` (RFC 9110, section 10.2.2).
    static func next(from: URLText, location: [UInt8], hops: Int, limit: Int) throws(ImageError) -> URLText {
        guard hops < limit else {
            throw ImageError(.tooManyRedirects, "http: redirects exceed the limit of \(limit)")
        }
        // A line end would end the request line of the next request.
        guard !location.isEmpty, !location.contains(where: { Byte.isControl($0) && $0 != Byte.tab }) else {
            throw ImageError(.invalidResponse, "http: redirect has no valid Location field")
        }
        let next = from.resolving(location)
        let scheme = next.scheme
        guard scheme == "http" || scheme == "https" else {
            throw ImageError(.redirectForbidden, "http: redirect to a scheme other than http and https refused")
        }
        // The connection was protected against attackers, and the next would not be.
        guard !(from.scheme == "https" && scheme == "http") else {
            throw ImageError(.redirectForbidden, "http: redirect from https to http refused")
        }
        do throws(ImageError) { try next.validateForHTTP() } catch {
            throw ImageError(.redirectForbidden, "http: redirect to a malformed URL refused", cause: error)
        }
        return next
    }

    /// True if the next request is a GET, whatever the method of the last one (RFC 9110, section 15.4).
    static func becomesGet(_ status: Int32, _ method: String) -> Bool {
        status == 303 || (status == 301 || status == 302) && method == "POST"
    }

    /// True if both URLs have the same origin: credentials and header fields of the request are sent only to their intended
    /// origin.
    /// An origin is scheme, host and port (RFC 6454).
    static func keepsSecrets(from: URLText, to: URLText) -> Bool { from.origin != nil && from.origin == to.origin }
}
