/// URLs in log lines and messages, which end up in files and on screens that the program does not control.
extension URLText {
    private static let longestMessage = 256
    private static let longestData = 48
    private static let ellipsis = Array("…".utf8)
    /// Schemes whose name is not a user's, where no authority follows.
    private static let loadable: Set<String> = ["http", "https", "file", "ftp", "data"]

    /// The URL without secrets: neither user nor password, in malformed URLs neither; no query, no fragment and no path parameter,
    /// which carry tokens and signatures; of a `data:` URL only the beginning. Control characters are escaped.
    package var messageText: String {
        let shown = scheme == "data" ? bytes.prefix(URLText.longestData) + URLText.ellipsis : shownBytes
        let isLong = shown.count > URLText.longestMessage
        let text = isLong ? shown.prefix(URLText.longestMessage) + URLText.ellipsis : shown[...]
        return String(decoding: PercentEncoding.encode(text) { !Byte.isControl($0) }, as: UTF8.self)
    }

    private var shownBytes: [UInt8] {
        let end = bytes.firstIndex { $0 == Byte.question || $0 == Byte.hash } ?? bytes.count
        let tail = end < bytes.count ? [bytes[end]] + URLText.ellipsis : []
        let start = bytes.count - bytes.drop { $0 != Byte.colon }.count
        let prefix = scheme.isEmpty ? [] : bytes[...start]
        let hasSecretBehind = bytes[end...].contains(Byte.at)
        guard hasAuthority else {
            let rest = bytes[prefix.count..<end]
            // "http:alice:password@host", "alice:password@host", and passwords that hold a "?" or "#".
            guard hasSecretBehind || rest.contains(Byte.at) else { return prefix + URLText.shown(path: rest) + tail }
            let host = hasSecretBehind ? [] : rest[(rest.lastIndex(of: Byte.at) ?? rest.startIndex)...]
            return (URLText.loadable.contains(scheme) ? Array(prefix) : []) + URLText.ellipsis + host + tail
        }
        let origin = prefix + [Byte.slash, Byte.slash]
        if let port, !port.allSatisfy(Byte.isDigit) {
            // Either no port or the beginning of a password that holds a "/", "?" or "#".
            if hasSecretBehind || path.contains(Byte.at) { return origin + URLText.ellipsis + tail }
            return origin + host + [Byte.colon] + URLText.ellipsis + URLText.shown(path: path) + tail
        }
        return origin + host + (port.map { [Byte.colon] + $0 } ?? []) + URLText.shown(path: path) + tail
    }

    /// Each segment without its parameters (RFC 3986, section 3.3), and without the user of a URL inside the path.
    private static func shown(path: ArraySlice<UInt8>) -> [UInt8] {
        let segments = path.split(separator: Byte.slash, omittingEmptySubsequences: false)
        return Array(segments.map(shown(segment:)).joined(separator: [Byte.slash]))
    }

    private static func shown(segment: ArraySlice<UInt8>) -> [UInt8] {
        // Escaped, these begin the same parts of a URL inside the path.
        let begins = [Byte.question, Byte.at, Byte.semicolon, Byte.hash]
        if segment.indices.contains(where: { PercentEncoding.value(in: segment, at: $0).map(begins.contains) ?? false }) {
            return ellipsis
        }
        let plain = segment.prefix { $0 != Byte.semicolon }
        let tail = plain.count < segment.count ? [Byte.semicolon] + ellipsis : []
        guard let at = plain.lastIndex(of: Byte.at), plain[..<at].contains(Byte.colon) else { return plain + tail }
        return ellipsis + plain[at...] + tail
    }
}
