/// Redaction of URLs in log lines and messages, which reach files and screens outside the control of the program.
/// Log lines of loads use it; results and errors use `redacted`, which keeps the query.
extension URLText {
    /// Lengths in bytes before the ellipsis.
    private static let longestMessage = 256
    private static let longestData = 48
    private static let ellipsis = Array("…".utf8)
    /// Schemes that are not mistaken for a user name in a URL without an authority.
    private static let loadable: Set<String> = ["http", "https", "file", "ftp", "data"]

    /// The URL without secrets. Removes user and password (also in malformed URLs), and the query, fragment and path parameters,
    /// which contain tokens and signatures. Shows only the beginning of a `data:` URL. Control characters are escaped.
    package var messageText: String {
        let shown = scheme == "data" ? bytes.prefix(URLText.longestData) + URLText.ellipsis : shownBytes
        let isLong = shown.count > URLText.longestMessage
        let text = isLong ? shown.prefix(URLText.longestMessage) + URLText.ellipsis : shown[...]
        return String(decoding: PercentEncoding.encode(text) { !Byte.isControl($0) }, as: UTF8.self)
    }

    /// Errs towards hiding: text that could be part of a password in any reading is replaced.
    private var shownBytes: [UInt8] {
        let end = bytes.firstIndex { $0 == Byte.question || $0 == Byte.hash } ?? bytes.count
        let tail = end < bytes.count ? [bytes[end]] + URLText.ellipsis : []
        // The end of the scheme, if there is one; "a:b" without a scheme has no prefix to show.
        let start = bytes.count - bytes.drop { $0 != Byte.colon }.count
        let prefix = scheme.isEmpty ? [] : bytes[...start]
        // An "@" behind "?" or "#" suggests that these belong to a password.
        let hasSecretBehind = bytes[end...].contains(Byte.at)
        guard hasAuthority else {
            let rest = bytes[prefix.count..<end]
            // "http:alice:password@host", "alice:password@host", and passwords that contain a "?" or "#".
            guard hasSecretBehind || rest.contains(Byte.at) else { return prefix + URLText.shown(path: rest) + tail }
            // The host follows the last "@", so what precedes it is hidden.
            let host = hasSecretBehind ? [] : rest[(rest.lastIndex(of: Byte.at) ?? rest.startIndex)...]
            return (URLText.loadable.contains(scheme) ? Array(prefix) : []) + URLText.ellipsis + host + tail
        }
        let origin = prefix + [Byte.slash, Byte.slash]
        if let port, !port.allSatisfy(Byte.isDigit) {
            // A malformed port, or the beginning of a password that contains a "/", "?" or "#".
            if hasSecretBehind || path.contains(Byte.at) { return origin + URLText.ellipsis + tail }
            return origin + host + [Byte.colon] + URLText.ellipsis + URLText.shown(path: path) + tail
        }
        let suffix = port.map { [Byte.colon] + $0 } ?? []
        return origin + host + suffix + URLText.shown(path: path) + tail
    }

    /// Each segment without its parameters (RFC 3986, section 3.3), and without the user of a URL nested in the path.
    private static func shown(path: ArraySlice<UInt8>) -> [UInt8] {
        let segments = path.split(separator: Byte.slash, omittingEmptySubsequences: false)
        return Array(segments.map(shown(segment:)).joined(separator: [Byte.slash]))
    }

    /// An ellipsis replaces parameters, the user of a nested URL, and a segment with escaped delimiters.
    private static func shown(segment: ArraySlice<UInt8>) -> [UInt8] {
        // Escaped delimiters of the same parts of a URL nested in the path.
        let begins = [Byte.question, Byte.at, Byte.semicolon, Byte.hash]
        if segment.indices.contains(where: { PercentEncoding.value(in: segment, at: $0).map(begins.contains) ?? false }) {
            return ellipsis
        }
        let plain = segment.prefix { $0 != Byte.semicolon }
        let tail = plain.count < segment.count ? [Byte.semicolon] + ellipsis : []
        // "user:password@host" inside a segment belongs to a nested URL; a plain "@" is a common character of names.
        guard let at = plain.lastIndex(of: Byte.at), plain[..<at].contains(Byte.colon) else { return plain + tail }
        return ellipsis + plain[at...] + tail
    }
}
