/// Status codes of the C interface. The numbers are those of `sdimage_status` and never change.
/// Results of 0 and above are successes, results below 0 failures. The header include/sdimage/error.h defines each
/// for the host.
package enum Status: Int32, Sendable, CaseIterable {
    /// An incremental decoder has nothing to show yet.
    case needMoreData = 2
    /// The end was reached, of an iteration or of data.
    case end = 1
    case ok = 0

    // The call itself.
    case invalidArgument = -1
    /// A handle of another kind of object.
    case badHandle = -2
    /// Not supported by this build, format or object.
    case unsupported = -3
    case noMemory = -4
    case cancelled = -5
    case shutdown = -6
    case forked = -7
    /// A blocking call on a thread that the awaited work needs.
    case wouldDeadlock = -8
    case timeout = -9
    case notFound = -10
    /// A lock or database was held by another process or thread for too long.
    case busy = -11
    /// A defect of the library.
    case internalError = -12

    // The request and the network.
    case invalidURL = -20
    /// No loader accepts the scheme.
    case schemeForbidden = -21
    /// The policy for addresses forbids the resolved address, such as one of a private network.
    case addressForbidden = -22
    case resolveFailed = -23
    case connectFailed = -24
    case tlsFailed = -25
    /// Interrupted, or shorter than announced.
    case connectionLost = -26
    /// A status outside the accepted ones; `httpStatus` of the error holds it.
    case httpStatus = -27
    case tooManyRedirects = -28
    /// A redirect that the rules or a hook refuse.
    case redirectForbidden = -29
    /// A media type outside the accepted ones.
    case contentType = -30
    /// A 304 for a condition that the request itself has set: there is no body.
    case notModified = -31
    /// Loading from the network is switched off.
    case offline = -32
    /// The URL is on the list of failed URLs; `cause` is the earlier error.
    case failedURL = -33
    /// Header fields, or the result of a modifier, cannot be sent.
    case invalidRequest = -34
    case invalidResponse = -35
    /// A violation of HTTP, or a failure of the transport without a status of its own.
    case protocolError = -36
    case authenticationFailed = -37

    // The bytes and the pixels.
    /// Damaged: a coder recognized the format and failed.
    case badData = -50
    case truncated = -51
    /// No coder recognizes the bytes.
    case notAnImage = -52
    /// A limit was exceeded; the message names it.
    case tooLarge = -53
    case emptyData = -54
    case transformFailed = -55
    case encodeFailed = -56
    /// A worker process crashed on these bytes, in this call or twice before.
    case decoderCrashed = -57
    /// A library that a plug-in needs cannot be opened.
    case moduleMissing = -58

    // Files and caches.
    case ioError = -70
    case permissionDenied = -71
    /// A folder, a pipe or a device.
    case notAFile = -72
    case diskFull = -73
    /// The folder of the cache is unusable, or other users may write to it.
    case cacheUnusable = -74
    /// The index of a cache is damaged.
    case cacheDamaged = -75

    // The photo library.
    // The engine itself never makes them.
    case photosNotAuthorized = -90
    case photosNotAnImage = -91
    case photosNotFound = -92
}

extension Status {
    /// The name of the C constant without its prefix, for error objects and log lines.
    /// Metrics and log lines show it; `SDIMAGE_STATUS_` precedes it in the header.
    package var name: StaticString {
        switch self {
        case .needMoreData: "NEED_MORE_DATA"
        case .end: "END"
        case .ok: "OK"
        case .invalidArgument: "INVALID_ARGUMENT"
        case .badHandle: "BAD_HANDLE"
        case .unsupported: "UNSUPPORTED"
        case .noMemory: "NO_MEMORY"
        case .cancelled: "CANCELLED"
        case .shutdown: "SHUTDOWN"
        case .forked: "FORKED"
        case .wouldDeadlock: "WOULD_DEADLOCK"
        case .timeout: "TIMEOUT"
        case .notFound: "NOT_FOUND"
        case .busy: "BUSY"
        case .internalError: "INTERNAL_ERROR"
        case .invalidURL: "INVALID_URL"
        case .schemeForbidden: "SCHEME_FORBIDDEN"
        case .addressForbidden: "ADDRESS_FORBIDDEN"
        case .resolveFailed: "RESOLVE_FAILED"
        case .connectFailed: "CONNECT_FAILED"
        case .tlsFailed: "TLS_FAILED"
        case .connectionLost: "CONNECTION_LOST"
        case .httpStatus: "HTTP_STATUS"
        case .tooManyRedirects: "TOO_MANY_REDIRECTS"
        case .redirectForbidden: "REDIRECT_FORBIDDEN"
        case .contentType: "CONTENT_TYPE"
        case .notModified: "NOT_MODIFIED"
        case .offline: "OFFLINE"
        case .failedURL: "FAILED_URL"
        case .invalidRequest: "INVALID_REQUEST"
        case .invalidResponse: "INVALID_RESPONSE"
        case .protocolError: "PROTOCOL_ERROR"
        case .authenticationFailed: "AUTHENTICATION_FAILED"
        case .badData: "BAD_DATA"
        case .truncated: "TRUNCATED"
        case .notAnImage: "NOT_AN_IMAGE"
        case .tooLarge: "TOO_LARGE"
        case .emptyData: "EMPTY_DATA"
        case .transformFailed: "TRANSFORM_FAILED"
        case .encodeFailed: "ENCODE_FAILED"
        case .decoderCrashed: "DECODER_CRASHED"
        case .moduleMissing: "MODULE_MISSING"
        case .ioError: "IO_ERROR"
        case .permissionDenied: "PERMISSION_DENIED"
        case .notAFile: "NOT_A_FILE"
        case .diskFull: "DISK_FULL"
        case .cacheUnusable: "CACHE_UNUSABLE"
        case .cacheDamaged: "CACHE_DAMAGED"
        case .photosNotAuthorized: "PHOTOS_NOT_AUTHORIZED"
        case .photosNotAnImage: "PHOTOS_NOT_AN_IMAGE"
        case .photosNotFound: "PHOTOS_NOT_FOUND"
        }
    }
}
