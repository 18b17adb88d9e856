/// The URL whose response the conditions of a request refer to. Each URL has validators of its own (RFC 9110, section 8.8).
/// Set by `ImageRequest.asking`, and read by the HTTP engine, which follows redirects.
package enum ConditionTarget: Hashable, Sendable {
    /// Conditions of the host, if any: they are sent like its other header fields.
    case unknown
    /// The URL of the request.
    case requested
    /// A URL that redirects led to, with the digest of `ResponseRecord.location`.
    case redirected(MD5)
}
