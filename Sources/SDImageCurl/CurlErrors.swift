import CCurl
import Glibc
import SDImage

/// Maps libcurl's codes to errors of the library.
/// Called for the end of a hop, before retries are decided.
enum CurlErrors {
    /// `detail`: the text of the error buffer, empty if there is none. `systemError`: `errno` of the connection, or
    /// 0.
    static func error(_ code: CURLcode, systemError: Int32, detail: String, url: CString) -> ImageError {
        // libcurl quotes a proxy that it does not support, with its password.
        let detail = detail.hasPrefix(unsupportedProxy) ? unsupportedProxy : detail
        let message = detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
        return ImageError(
            status(code, systemError: systemError), "http: \(firstLine(message))", systemError: systemError,
            libraryCode: Int32(bitPattern: code.rawValue), url: url)
    }

    private static let unsupportedProxy = "Unsupported proxy"

    static func status(_ code: CURLcode, systemError: Int32) -> Status {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolveFailed
        // Without a network the connection fails at once, which differs from a server that does not respond.
        case CURLE_COULDNT_CONNECT: systemError == ENETUNREACH || systemError == ENETDOWN ? .offline : .connectFailed
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM: .connectionLost
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            .tlsFailed
        case CURLE_HTTP2, CURLE_HTTP3: .protocolError
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL: .invalidResponse
        case CURLE_URL_MALFORMAT: .invalidURL
        case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .authenticationFailed
        case CURLE_OUT_OF_MEMORY: .noMemory
        default: .protocolError
        }
    }

    /// Messages of TLS libraries may have several lines.
    private static func firstLine(_ message: String) -> String {
        String(message.prefix { !$0.isNewline })
    }
}
