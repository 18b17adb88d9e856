import CCurl
import SDImage

/// State shared in memory by the handles of one loader:
/// - TLS sessions that new connections resume (RFC 8446, section 2.2),
/// - cookies of requests that handle them.
///
/// Connections with verified certificates share nothing with the others. Requests with and without cookies also use separate
/// sessions: a resumed session must not identify a client to a server that has set cookies for it. Confined to the transfer
/// thread.
/// Owned by `DownloadQueue`.
@safe final class CurlShares {
    /// Class of requests that share with each other.
    private struct Use: Hashable {
        let verifiesTLS: Bool
        let handlesCookies: Bool
    }

    /// Maximum number of bytes of the cookies of one share. libcurl itself limits only those of one response.
    private static let mostCookieBytes = 1 << 20
    /// Requests between two checks of the limit.
    private static let checkInterval = 16

    private var shares: [Use: UnsafeMutableRawPointer] = unsafe [:]
    /// Requests with cookies since the last check.
    private var unchecked: [Use: Int] = [:]

    deinit { unsafe shares.values.forEach { unsafe curl_share_cleanup($0) } }

    /// Nil when memory allocation fails; no session is then resumed and no cookie stored.
    func share(verifiesTLS: Bool, handlesCookies: Bool) -> UnsafeMutableRawPointer? {
        let use = Use(verifiesTLS: verifiesTLS, handlesCookies: handlesCookies)
        if let known = unsafe shares[use] { return unsafe known }
        guard let made = unsafe ccurl_make_share(handlesCookies) else { return nil }
        unsafe shares[use] = made
        return unsafe made
    }

    /// Counts a request that handled cookies, and removes all cookies if they have become too many; true then. Which of them are
    /// worth keeping is unknown.
    /// `curl`: the handle of the request, after its end.
    func limitCookies(of curl: UnsafeMutableRawPointer, verifiesTLS: Bool) -> Bool {
        let use = Use(verifiesTLS: verifiesTLS, handlesCookies: true)
        let count = unchecked[use, default: 0] + 1
        unchecked[use] = count % CurlShares.checkInterval
        guard count == CurlShares.checkInterval else { return false }
        let removed = unsafe ccurl_limit_cookies(curl, CurlShares.mostCookieBytes)
        guard removed > 0 else { return false }
        Log.write(.warning, "http: cookies removed (\(removed) bytes, limit \(CurlShares.mostCookieBytes))")
        return true
    }
}
