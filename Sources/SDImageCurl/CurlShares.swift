import CCurl

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

    private var shares: [Use: UnsafeMutableRawPointer] = unsafe [:]

    deinit { unsafe shares.values.forEach { unsafe curl_share_cleanup($0) } }

    /// Nil when memory allocation fails; no session is then resumed and no cookie stored.
    func share(verifiesTLS: Bool, handlesCookies: Bool) -> UnsafeMutableRawPointer? {
        let use = Use(verifiesTLS: verifiesTLS, handlesCookies: handlesCookies)
        if let known = unsafe shares[use] { return unsafe known }
        guard let made = unsafe ccurl_make_share(handlesCookies) else { return nil }
        unsafe shares[use] = made
        return unsafe made
    }
}
