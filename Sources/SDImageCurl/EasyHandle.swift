import CCurl
import SDImage

/// A pooled libcurl handle, set up for one loader. Never touched by another thread.
@safe final class EasyHandle {
    let curl: UnsafeMutableRawPointer
    let sockets: SocketTable
    /// Called when the name of the hop's host is known.
    var nameResolved: () -> Void = {}
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?

    init(_ settings: LoaderSettings, sockets: SocketTable) throws(ImageError) {
        guard let curl = unsafe curl_easy_init() else { throw ImageError(.noMemory, "transfer could not be prepared") }
        unsafe self.curl = curl
        self.sockets = sockets
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe headerList = nil
        setUp(settings.configuration)
    }

    deinit {
        unsafe curl_easy_cleanup(curl)
        unsafe curl_slist_free_all(headerList)
        unsafe errorText.deallocate()
    }

    /// libcurl's own words on what went wrong; may be empty.
    var detail: String { unsafe String(cString: errorText) }

    /// Points the handle at the next hop of `transfer`.
    func prepare(for transfer: Transfer) throws(ImageError) {
        let settings = transfer.ticket.settings
        unsafe errorText.pointee = 0
        var code = setString(CURLOPT_URL, String(decoding: EasyHandle.target(transfer.url), as: UTF8.self))
        if code == CURLE_OK { code = setString(CURLOPT_PROXY, settings.proxies.proxy(forScheme: transfer.url.scheme)) }
        if code == CURLE_OK { code = setCredential(of: transfer) }
        guard code == CURLE_OK else { throw CurlErrors.error(code, systemError: 0, detail: "", url: .empty) }
        try setHeaders(transfer.carriesSecrets ? transfer.ticket.headers : settings.impersonalHeaders)
        setVersion(for: transfer)
        setLong(CURLOPT_FRESH_CONNECT, transfer.usesFreshConnection ? 1 : 0)
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe ccurl_set_receivers(curl, TransferCallbacks.receiveBody, TransferCallbacks.receiveHead, context)
        unsafe ccurl_set_prerequest(curl, TransferCallbacks.beforeRequest, context)
        unsafe ccurl_set_socket_opener(curl, TransferCallbacks.openSocket, context)
    }

    /// What libcurl is given: without user and fragment, everything outside ASCII escaped but the host.
    static func target(_ url: URLText) -> [UInt8] {
        let clean = URLText(Array(URLText(url.withoutUserInfo).withoutFragment))
        let start = clean.path.startIndex
        return Array(clean.bytes[..<start]) + PercentEncoding.encode(clean.bytes[start...]) { $0 > Byte.space && $0 < Byte.delete }
    }

    private func setUp(_ configuration: DownloaderConfiguration) {
        setLong(CURLOPT_NOSIGNAL, 1)
        // A look-up cannot be interrupted: without this, giving up a transfer waits for it and stops all others.
        setLong(CURLOPT_QUICK_EXIT, 1)
        setString(CURLOPT_PROTOCOLS_STR, "http,https")
        setLong(CURLOPT_FOLLOWLOCATION, 0)
        setString(CURLOPT_ACCEPT_ENCODING, "")  // every encoding this libcurl can undo
        setLong(CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connectTimeoutMilliseconds))
        setLong(CURLOPT_MAXAGE_CONN, 60)
        setLong(CURLOPT_BUFFERSIZE, 128 << 10)
        setLong(CURLOPT_TCP_NODELAY, 1)
        setString(CURLOPT_USERAGENT, configuration.userAgent)
        setLong(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        setLong(CURLOPT_SSL_VERIFYPEER, configuration.verifiesTLS ? 1 : 0)
        setLong(CURLOPT_SSL_VERIFYHOST, configuration.verifiesTLS ? 2 : 0)
        if let file = configuration.certificateAuthorityFile { setString(CURLOPT_CAINFO, file) }
        unsafe ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText)
        unsafe ccurl_set_socket_closer(
            curl, TransferCallbacks.closeSocket, Unmanaged.passUnretained(sockets).toOpaque())
    }

    /// HTTP/2 over TLS only: this libcurl cannot use a plain HTTP/2 connection twice, and with HTTP/2 allowed it would
    /// let other transfers wait for the first plain answer.
    private func setVersion(for transfer: Transfer) {
        let isHTTP2 = transfer.configuration.httpVersion == .automatic && transfer.url.scheme == "https"
        setLong(CURLOPT_HTTP_VERSION, isHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
        // Better a stream of a connection that is being made than a connection more.
        setLong(CURLOPT_PIPEWAIT, isHTTP2 ? 1 : 0)
    }

    /// The URL's own user, or else the loader's; only where the first request was meant to go.
    private func setCredential(of transfer: Transfer) -> CURLcode {
        let settings = transfer.ticket.settings
        setString(CURLOPT_NOPROXY, settings.proxies.exceptions)
        var credential = settings.configuration.credential
        // Methods other than Basic need a first answer that says which; a user in the URL means Basic at once.
        var methods = ccurl_auth_basic | ccurl_auth_digest
        if let userInfo = transfer.url.userInfo ?? transfer.ticket.url.userInfo {
            let parts = userInfo.split(separator: Byte.colon, maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
            credential = Credential(user: texts.first ?? "", password: texts.count > 1 ? texts[1] : "")
            methods = ccurl_auth_basic
        }
        if !transfer.carriesSecrets { credential = nil }
        setLong(CURLOPT_HTTPAUTH, methods)
        let code = setString(CURLOPT_USERNAME, credential?.user)
        return code == CURLE_OK ? setString(CURLOPT_PASSWORD, credential?.password) : code
    }

    private func setHeaders(_ fields: [HeaderField]) throws(ImageError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields {
            guard let longer = unsafe curl_slist_append(list, RequestHead.line(field)) else {
                unsafe curl_slist_free_all(list)
                throw ImageError(.noMemory, "header fields could not be stored")
            }
            unsafe list = longer
        }
        unsafe ccurl_set_headers(curl, list)
        unsafe curl_slist_free_all(headerList)
        unsafe headerList = list
    }

    @discardableResult
    private func setLong(_ option: CURLoption, _ value: Int) -> CURLcode { unsafe ccurl_set_long(curl, option, value) }

    @discardableResult
    private func setString(_ option: CURLoption, _ value: String?) -> CURLcode {
        unsafe ccurl_set_string(curl, option, value)
    }
}
