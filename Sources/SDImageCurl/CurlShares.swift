import CCurl

/// What the handles of one loader share in memory: the TLS sessions that new connections resume (RFC 8446, section 2.2), and the
/// cookies of requests that handle them. Connections whose certificates are verified share nothing with the others, and a resumed
/// session does not tell a server of whom it has set cookies. Never touched by another thread.
@safe final class CurlShares {
    private struct Use: Hashable {
        let verifiesTLS: Bool
        let handlesCookies: Bool
    }

    private var shares: [Use: UnsafeMutableRawPointer] = unsafe [:]

    deinit { unsafe shares.values.forEach { unsafe curl_share_cleanup($0) } }

    /// Nil when memory was refused: then no session is resumed and no cookie stored.
    func share(verifiesTLS: Bool, handlesCookies: Bool) -> UnsafeMutableRawPointer? {
        let use = Use(verifiesTLS: verifiesTLS, handlesCookies: handlesCookies)
        if let known = unsafe shares[use] { return unsafe known }
        guard let made = unsafe ccurl_make_share(handlesCookies) else { return nil }
        unsafe shares[use] = made
        return unsafe made
    }
}
