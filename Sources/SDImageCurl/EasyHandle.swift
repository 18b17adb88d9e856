import CCurl
import SDImage

/// A libcurl handle configured for one loader. Confined to the transfer thread.
/// Used for one hop at a time; `DownloadQueue` keeps it between hops.
@safe final class EasyHandle {
    /// The handle of libcurl, valid as long as this object.
    let curl: UnsafeMutableRawPointer
    let sockets: SocketTable
    /// Called with true when the name of the hop's host is resolved, and before each request with false: it has a connection.
    var lookUpEnded: (_ isResolved: Bool) -> Void = { _ in }
    /// Buffer of `CURL_ERROR_SIZE` bytes, written by libcurl.
    private let errorText: UnsafeMutablePointer<CChar>
    /// The options currently set; nil when unknown.
    private var options: HopOptions?
    /// Header fields of the current options, owned by this object.
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let shares: CurlShares
    private let proxyUserAgent: String
    /// True if the last method was GET, the default of libcurl.
    private var isGet = true
    /// True if memory for an option was refused: the handle is not used.
    private var isIncomplete = false
    /// The request body; retained while libcurl may read it.
    private var content: Bytes?

    /// Before libcurl 8.1.2, a first field line that begins with a space continues the last field of the previous response,
    /// which is freed by then (https://github.com/curl/curl/pull/11103). With those versions each hop gets a copy of an unused
    /// handle.
    static let isReusable = ccurl_version() >= 0x080102
    /// The handle that this one is a copy of; its list of header fields is used.
    private let template: EasyHandle?

    /// Throws `noMemory`.
    init(_ settings: LoaderSettings, sockets: SocketTable, shares: CurlShares) throws(ImageError) {
        guard let curl = unsafe curl_easy_init() else { throw ImageError(.noMemory, "http: no memory for a transfer") }
        unsafe self.curl = curl
        self.sockets = sockets
        self.shares = shares
        proxyUserAgent = settings.configuration.fields.userAgent
        template = nil
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe headerList = nil
        options = nil
        setUp(settings.configuration)
    }

    /// A handle with the options of `template`, which has run no transfer. Takes 13,600 instructions instead of the 26,500 of a
    /// new handle and its options (callgrind, libcurl 7.88).
    init(copying template: EasyHandle) throws(ImageError) {
        guard let curl = unsafe curl_easy_duphandle(template.curl) else {
            throw ImageError(.noMemory, "http: no memory for a transfer")
        }
        unsafe self.curl = curl
        sockets = template.sockets
        shares = template.shares
        proxyUserAgent = template.proxyUserAgent
        self.template = template
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe headerList = nil
        options = template.options
        // Not copied by libcurl.
        unsafe ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText)
        if let options { share(options) }
    }

    deinit {
        unsafe curl_easy_cleanup(curl)
        unsafe curl_slist_free_all(headerList)
        unsafe errorText.deallocate()
    }

    /// The error message of libcurl; may be empty.
    var detail: String { unsafe String(cString: errorText) }

    /// True if a copy can run hops with these options.
    func hasOptions(_ options: HopOptions) -> Bool { self.options == options }

    /// Prepares the handle for the next hop of `transfer`.
    /// Callbacks get `transfer` unretained: it must exist until the handle is removed.
    func prepare(for transfer: Transfer, _ options: HopOptions) throws(ImageError) {
        unsafe errorText.pointee = 0
        let target = EasyHandle.target(transfer.url)
        let code = unsafe (target + [0]).withUnsafeBytes { bytes in
            unsafe ccurl_set_string(curl, CURLOPT_URL, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        guard code == CURLE_OK else { throw CurlErrors.error(code, systemError: 0, detail: "", url: .empty) }
        try setOptions(options)
        try setMethod(transfer.hop.method, transfer.hop.content)
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        unsafe ccurl_set_receivers(curl, TransferCallbacks.receiveBody, TransferCallbacks.receiveHead, context)
        unsafe ccurl_set_prerequest(curl, TransferCallbacks.beforeRequest, context)
        unsafe ccurl_set_socket_opener(curl, TransferCallbacks.openSocket, context)
    }

    /// The URL passed to libcurl: without user info and fragment, non-ASCII bytes percent-encoded except in the host.
    static func target(_ url: URLText) -> [UInt8] {
        let clean =
            url.userInfo == nil && url.fragment == nil ? url : URLText(Array(URLText(url.withoutUserInfo).withoutFragment))
        let start = clean.path.startIndex
        if clean.bytes.allSatisfy({ $0 < Byte.delete }) { return clean.bytes }
        return Array(clean.bytes[..<start])
            + PercentEncoding.encode(clean.bytes[start...]) { $0 > Byte.space && $0 < Byte.delete }
    }

    /// Sets the method and body. Does nothing if the previous and the next request are both GET, the common case.
    private func setMethod(_ method: String, _ content: Bytes?) throws(ImageError) {
        if isGet, method == ImageRequest.get { return }
        isGet = method == ImageRequest.get
        self.content = content
        let code =
            unsafe content?.withUnsafeBytes { bytes in
                unsafe ccurl_set_method(curl, isGet ? nil : method, bytes.baseAddress, Int64(bytes.count))
            } ?? ccurl_set_method(curl, isGet ? nil : method, nil, 0)
        guard code == CURLE_OK else { throw CurlErrors.error(code, systemError: 0, detail: "", url: .empty) }
    }

    /// Sets the options of a hop. Does nothing if they equal those of the previous hop, the common case.
    /// Throws `noMemory` if libcurl could not copy an option.
    func setOptions(_ options: HopOptions) throws(ImageError) {
        guard options != self.options else { return }
        // Unknown until all are set: an error leaves a mixture.
        self.options = nil
        try setHeaders(options.headers, removing: options.omittedHeaders)
        setString(CURLOPT_PROXY, options.proxy)
        setString(CURLOPT_NOPROXY, options.proxyExceptions)
        // Only for CONNECT (the fields of requests contain their own): libcurl formats it for every transfer.
        setString(CURLOPT_USERAGENT, options.proxy.isEmpty ? nil : proxyUserAgent)
        setString(CURLOPT_USERNAME, options.credential?.user)
        setString(CURLOPT_PASSWORD, options.credential?.password)
        // Schemes other than Basic need a first response that names the scheme. Credentials in the URL use Basic immediately.
        setLong(CURLOPT_HTTPAUTH, options.isUserInURL ? ccurl_auth_basic : ccurl_auth_basic | ccurl_auth_digest)
        setLong(CURLOPT_FRESH_CONNECT, options.isFresh ? 1 : 0)
        setTLS(options)
        share(options)
        // An empty name enables cookies without reading a file.
        setString(CURLOPT_COOKIEFILE, options.handlesCookies ? "" : nil)
        setLong(CURLOPT_HTTP_VERSION, options.isHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
        // Waits for a connection that is being established, and uses a stream of it, instead of opening another connection.
        setLong(CURLOPT_PIPEWAIT, options.isHTTP2 ? 1 : 0)
        guard !isIncomplete else { throw ImageError(.noMemory, "http: no memory for the options of a transfer") }
        self.options = options
    }

    /// Chooses the sessions and cookies that fit the options.
    private func share(_ options: HopOptions) {
        unsafe _ = ccurl_set_share(curl, shares.share(verifiesTLS: options.verifiesTLS, handlesCookies: options.handlesCookies))
    }

    /// Removes the cookies of the downloader if they have become too many; true then. Called after each hop.
    func limitCookies() -> Bool {
        guard let options, options.handlesCookies else { return false }
        return unsafe shares.limitCookies(of: curl, verifiesTLS: options.verifiesTLS)
    }

    /// Verification of the host name is 2 for "on" (CURLOPT_SSL_VERIFYHOST).
    private func setTLS(_ options: HopOptions) {
        setLong(CURLOPT_SSL_VERIFYPEER, options.verifiesTLS ? 1 : 0)
        setLong(CURLOPT_SSL_VERIFYHOST, options.verifiesTLS ? 2 : 0)
        setString(CURLOPT_SSLCERT, options.clientCertificate?.certificateFile)
        setString(CURLOPT_SSLKEY, options.clientCertificate?.keyFile)
        setString(CURLOPT_KEYPASSWD, options.clientCertificate?.keyPassword)
    }

    /// Options of all hops of the downloader.
    private func setUp(_ configuration: DownloaderConfiguration) {
        // Signals and their handlers belong to the host.
        setLong(CURLOPT_NOSIGNAL, 1)
        // A name look-up cannot be interrupted. Without this option, cancelling a transfer waits for the look-up and blocks all
        // other transfers.
        setLong(CURLOPT_QUICK_EXIT, 1)
        // Schemes are checked before; this holds for libcurl itself, too.
        setString(CURLOPT_PROTOCOLS_STR, "http,https")
        // `RedirectRules` decides about redirects.
        setLong(CURLOPT_FOLLOWLOCATION, 0)
        setLong(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)  // the response of a proxy is not that of the server
        setLong(CURLOPT_HTTP_CONTENT_DECODING, 0)  // done by ContentDecoder
        // libcurl ignores values larger than a C int and uses five minutes instead.
        setLong(CURLOPT_CONNECTTIMEOUT_MS, Int(min(configuration.connectTimeoutMilliseconds, UInt32(Int32.max))))
        // Limits of a connection's idle time and total age in seconds: the name may resolve to another address by then.
        setLong(CURLOPT_MAXAGE_CONN, 60)
        setLong(CURLOPT_MAXLIFETIME_CONN, 60)
        setLong(CURLOPT_BUFFERSIZE, 128 << 10)
        setLong(CURLOPT_TCP_NODELAY, 1)
        setLong(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        setLong(CURLOPT_PROXY_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let path = configuration.unixSocketPath { setString(CURLOPT_UNIX_SOCKET_PATH, path) }
        unsafe _ = ccurl_set_authorities(curl, configuration.certificateAuthorityFile)
        unsafe ccurl_set_pointer(curl, CURLOPT_ERRORBUFFER, errorText)
        unsafe ccurl_set_socket_closer(
            curl, TransferCallbacks.closeSocket, Unmanaged.passUnretained(sockets).toOpaque())
    }

    /// `removed`: names of fields that libcurl must not add. Throws `noMemory`, and then leaves the list unchanged.
    private func setHeaders(_ fields: [HeaderField], removing removed: [String]) throws(ImageError) {
        var list: UnsafeMutablePointer<curl_slist>?
        var lines = fields.map(RequestHead.line) + removed.map { $0 + ":" }
        // Not CURLOPT_ACCEPT_ENCODING, which libcurl formats for every transfer.
        let isCodingChosen =
            fields.contains { $0.isNamed("Accept-Encoding") } || removed.contains { $0.lowercased() == "accept-encoding" }
        if !isCodingChosen { lines.append("Accept-Encoding: " + ContentDecoder.accepted) }
        for line in lines {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                throw ImageError(.noMemory, "http: no memory for the request header fields")
            }
            unsafe list = longer
        }
        unsafe ccurl_set_headers(curl, list)
        // libcurl refers to the old list until it gets the new one.
        unsafe curl_slist_free_all(headerList)
        unsafe headerList = list
    }

    // An option that this libcurl does not have is left out.
    private func setLong(_ option: CURLoption, _ value: Int) { unsafe _ = ccurl_set_long(curl, option, value) }

    /// libcurl copies the value. Without memory for the copy the handle is incomplete.
    private func setString(_ option: CURLoption, _ value: String?) {
        if unsafe ccurl_set_string(curl, option, value) == CURLE_OUT_OF_MEMORY { isIncomplete = true }
    }
}
