import SDImage

/// Options that one hop of a transfer needs from a handle, besides its URL.
/// A handle that has equal options keeps them.
struct HopOptions: Equatable {
    /// All fields that are sent, except those of libcurl.
    let headers: [HeaderField]
    /// Fields of libcurl that are not sent.
    let omittedHeaders: [String]
    /// URL of the proxy; empty for none.
    let proxy: String
    /// Hosts that are connected to directly, separated by commas.
    let proxyExceptions: String
    /// User and password of the URL, or else of the loader; sent only to the origin of the first request.
    let credential: Credential?
    /// True if the URL has a user, whose credential is sent without a challenge.
    let isUserInURL: Bool
    let clientCertificate: ClientCertificate?
    let verifiesTLS: Bool
    /// True for the jar of the downloader.
    let handlesCookies: Bool
    /// Requires a new connection.
    let isFresh: Bool
    /// True only over TLS. This libcurl cannot reuse a plain HTTP/2 connection; with HTTP/2 allowed it also makes other
    /// transfers wait for the first plain response.
    let isHTTP2: Bool

    /// `transfer` has a current hop.
    init(_ transfer: Transfer) {
        let settings = transfer.download.settings
        // A user in the first URL holds for redirects within its origin.
        let userInfo = transfer.url.userInfo ?? transfer.download.url.userInfo
        var fields = transfer.headers
        if let resuming = transfer.hop.resuming { fields += resuming.fields }
        headers = fields
        var omitted = transfer.hop.content == nil ? HopOptions.fieldsOfLibrary : HopOptions.fieldsOfLibraryWithContent
        if !transfer.download.request.omittedHeaders.isEmpty { omitted += transfer.download.request.omittedHeaders }
        // libcurl would add its own value for a field that is absent.
        omittedHeaders = omitted.filter { name in !fields.contains { $0.isNamed(name) } }
        proxy = settings.proxy
        proxyExceptions = settings.configuration.proxyExceptions
        clientCertificate = transfer.hop.carriesSecrets ? settings.configuration.clientCertificate : nil
        verifiesTLS = settings.configuration.verifiesTLS && !transfer.download.request.acceptsInvalidCertificates
        handlesCookies = transfer.download.request.handlesCookies
        isUserInURL = userInfo != nil
        credential = transfer.hop.carriesSecrets ? userInfo.map(HopOptions.credential) ?? settings.configuration.credential : nil
        // libcurl repeats a request by itself when a reused connection breaks, even if its method is not idempotent.
        isFresh = transfer.course.usesFreshConnection || !RetryRules.isIdempotent(transfer.hop.method)
        isHTTP2 = settings.configuration.httpVersion == .automatic && transfer.url.hasScheme("https")
    }

    /// Fields that libcurl adds, without and with a request body.
    private static let fieldsOfLibrary = ["Accept", "User-Agent"]
    private static let fieldsOfLibraryWithContent = fieldsOfLibrary + ["Expect", "Content-Type"]

    /// Percent-encoded user and password; an absent password is empty.
    private static func credential(_ userInfo: ArraySlice<UInt8>) -> Credential {
        let parts = userInfo.split(separator: Byte.colon, maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
        return Credential(user: texts.first ?? "", password: texts.count > 1 ? texts[1] : "")
    }
}
