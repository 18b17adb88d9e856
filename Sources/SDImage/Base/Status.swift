/// Status codes of the C interface. The numbers are those of `sdimage_status` and never change.
package enum Status: Int32, Sendable, CaseIterable {
    case needMoreData = 2
    case end = 1
    case ok = 0

    // The call itself.
    case invalidArgument = -1
    case badHandle = -2
    case unsupported = -3
    case noMemory = -4
    case cancelled = -5
    case shutdown = -6
    case forked = -7
    case wouldDeadlock = -8
    case timeout = -9
    case notFound = -10
    case busy = -11
    case internalError = -12

    // The request and the network.
    case invalidURL = -20
    case schemeForbidden = -21
    case addressForbidden = -22
    case resolveFailed = -23
    case connectFailed = -24
    case tlsFailed = -25
    case connectionLost = -26
    case httpStatus = -27
    case tooManyRedirects = -28
    case redirectForbidden = -29
    case contentType = -30
    case notModified = -31
    case offline = -32
    case failedURL = -33
    case invalidRequest = -34
    case invalidResponse = -35
    case protocolError = -36
    case authenticationFailed = -37

    // The bytes and the pixels.
    case badData = -50
    case truncated = -51
    case notAnImage = -52
    case tooLarge = -53
    case emptyData = -54
    case transformFailed = -55
    case encodeFailed = -56
    case decoderCrashed = -57
    case moduleMissing = -58

    // Files and caches.
    case ioError = -70
    case permissionDenied = -71
    case notAFile = -72
    case diskFull = -73
    case cacheUnusable = -74
    case cacheDamaged = -75

    // The photo library.
    case photosNotAuthorized = -90
    case photosNotAnImage = -91
    case photosNotFound = -92
}

extension Status {
    /// The name of the C constant without its prefix, for error objects and log lines.
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
