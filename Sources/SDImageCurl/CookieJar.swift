import CCurl

/// The cookies of one loader, in memory. Never touched by another thread.
@safe final class CookieJar {
    private var made: UnsafeMutableRawPointer?

    init() { unsafe made = nil }

    deinit { if let made = unsafe made { unsafe curl_share_cleanup(made) } }

    /// What libcurl shares among handles; nil when memory was refused: then no cookie is kept.
    var share: UnsafeMutableRawPointer? {
        if unsafe made == nil { unsafe made = ccurl_make_cookie_share() }
        return unsafe made
    }
}
