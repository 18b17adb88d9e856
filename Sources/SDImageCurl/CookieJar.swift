import CCurl

/// The cookies of one loader, in memory: those of connections with a verified certificate or none, and those of the others. Never
/// touched by another thread.
@safe final class CookieJar {
    private var verified: UnsafeMutableRawPointer?
    private var unverified: UnsafeMutableRawPointer?

    init() { unsafe (verified, unverified) = (nil, nil) }

    deinit {
        if let verified = unsafe verified { unsafe curl_share_cleanup(verified) }
        if let unverified = unsafe unverified { unsafe curl_share_cleanup(unverified) }
    }

    /// What libcurl shares among handles; nil when memory was refused: then no cookie is stored.
    func share(verifiesTLS: Bool) -> UnsafeMutableRawPointer? {
        unsafe verifiesTLS ? CookieJar.share(&verified) : CookieJar.share(&unverified)
    }

    private static func share(_ made: inout UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if unsafe made == nil { unsafe made = ccurl_make_cookie_share() }
        return unsafe made
    }
}
