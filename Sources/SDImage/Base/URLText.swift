/// Bytes of a URL and the ranges of its parts: the only URL parser of the library.
///
/// Splits according to RFC 3986, appendix B, and changes nothing: no case folding, no removal of dot segments, no escaping.
/// It accepts any bytes; `validate` decides if they may be loaded.
/// Hosts, redirects, keys and messages all use its parts, so that no two components read one URL differently.
package struct URLText: Hashable, Sendable {
    /// A range in 8 bytes: thousands of loads may wait with their URLs.
    /// Offsets into `bytes`; -1 for an absent part.
    private struct Part: Hashable {
        private let start: Int32
        private let end: Int32

        /// nil for a part that the URL does not have; the range is at most `longest`.
        init(_ range: Range<Int>?) {
            start = range.map { Int32($0.lowerBound) } ?? -1
            end = range.map { Int32($0.upperBound) } ?? -1
        }

        var range: Range<Int>? { start < 0 ? nil : Int(start)..<Int(end) }
    }

    /// Longer bytes have no parts, and are no valid URL.
    private static let longest = Int(Int32.max)

    package let bytes: [UInt8]
    /// Length of the scheme; 0 without one.
    private let schemeEnd: Int32
    /// True if "//" follows the scheme or begins the URL.
    package let hasAuthority: Bool
    /// True for the schemes http and https.
    let isHTTP: Bool
    /// True if all bytes are visible characters of ASCII.
    let isVisible: Bool
    /// User and password, which are still percent-encoded.
    private let userPart: Part
    /// Empty, not absent, without an authority.
    private let hostPart: Part
    /// Absent without a colon or if nothing follows it.
    private let portPart: Part
    private let pathPart: Part
    private let queryPart: Part
    private let fragmentPart: Part

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isVisible = bytes.allSatisfy(Byte.isVisible)
        isHTTP = URLText.hasScheme("https", bytes) || URLText.hasScheme("http", bytes)
        // A URL beyond the limit has no parts, so that it fails validation instead of overflowing the offsets.
        let text = bytes.count > URLText.longest ? [] : bytes
        // Appendix B: the first "#" begins the fragment, whatever precedes it.
        let fragment = text.firstIndex(of: Byte.hash)
        let end = fragment ?? text.count
        var start = URLText.schemeLength(text)
        schemeEnd = Int32(start)
        if start > 0 { start += 1 }
        var user: Range<Int>?
        var (host, port): (Range<Int>, Range<Int>?) = (0..<0, nil)
        hasAuthority = end - start >= 2 && text[start] == Byte.slash && text[start + 1] == Byte.slash
        if hasAuthority {
            // The authority ends at the first "/" or "?" (section 3.2); its last "@" ends the user.
            let from = start + 2
            let to = text[from..<end].firstIndex { $0 == Byte.slash || $0 == Byte.question } ?? end
            let at = text[from..<to].lastIndex(of: Byte.at)
            user = at.map { from..<$0 }
            (host, port) = URLText.hostAndPort(text[(at.map { $0 + 1 } ?? from)..<to])
            start = to
        }
        let question = start <= end ? text[start..<end].firstIndex(of: Byte.question) : nil
        userPart = Part(user)
        hostPart = Part(host)
        portPart = Part(port)
        pathPart = Part(min(start, end)..<(question ?? end))
        queryPart = Part(question.map { $0 + 1..<end })
        fragmentPart = Part(fragment.map { $0 + 1..<text.count })
    }

    package init(_ string: String) { self.init(Array(string.utf8)) }

    /// The scheme in lower case, without the colon; empty if there is none.
    package var scheme: String { String(decoding: bytes[..<Int(schemeEnd)], as: UTF8.self).lowercased() }

    /// True for this scheme, which is given in lower case.
    /// Avoids the string that `scheme` makes.
    package func hasScheme(_ scheme: StaticString) -> Bool { URLText.hasScheme(scheme, bytes) }

    /// The same for a URL that need not be split for anything else.
    package static func hasScheme(_ scheme: StaticString, _ url: [UInt8]) -> Bool {
        let length = scheme.utf8CodeUnitCount
        guard url.count > length, url[length] == Byte.colon else { return false }
        return scheme.withUTF8Buffer { name in
            (0..<length).allSatisfy { unsafe Byte.lowercased(url[$0]) == name[$0] }
        }
    }

    /// User and password, still percent-encoded: the bytes before the last "@" of the authority.
    package var userInfo: ArraySlice<UInt8>? { part(userPart) }

    /// The slice shares the storage of `bytes`, and keeps its indices.
    private func part(_ part: Part) -> ArraySlice<UInt8>? { part.range.map { bytes[$0] } }

    /// The host as written, with the brackets of an IPv6 address.
    package var host: ArraySlice<UInt8> { part(hostPart) ?? [] }

    /// The bytes after the colon of the host; nil without a colon or if nothing follows it.
    package var port: ArraySlice<UInt8>? { part(portPart) }

    package var path: ArraySlice<UInt8> { part(pathPart) ?? [] }

    /// Without the question mark.
    package var query: ArraySlice<UInt8>? { part(queryPart) }

    /// Without the "#".
    package var fragment: ArraySlice<UInt8>? { part(fragmentPart) }

    /// Scheme, host and port in lower case: equal for two URLs of one origin (RFC 6454, section 4). nil without a host.
    /// Redirects keep credentials only within an origin.
    package var origin: [UInt8]? {
        let host = host
        guard schemeEnd > 0, !host.isEmpty else { return nil }
        var origin: [UInt8] = []
        origin.reserveCapacity(Int(schemeEnd) + host.count + 9)
        for byte in bytes[..<Int(schemeEnd)] { origin.append(Byte.lowercased(byte)) }
        origin += [Byte.colon, Byte.slash, Byte.slash]
        for byte in host { origin.append(Byte.lowercased(byte)) }
        origin.append(Byte.colon)
        // "http://host" and "http://host:080" are one origin, so the default is added and leading zeros are removed.
        if let port { origin += port.drop { $0 == Byte.zero } } else { origin += defaultPort.utf8 }
        return origin
    }

    /// The URL without user and password, for messages and results; only the beginning of a `data:` URL.
    /// Keeps query and fragment.
    package var redacted: CString {
        if isShownAsGiven { return CString(bytes) }
        if isLongData { return CString(String(decoding: bytes[..<URLText.longestShownData], as: UTF8.self) + "…") }
        // The bytes may be no UTF-8, which a text repairs.
        return CString(String(decoding: withoutUserInfo, as: UTF8.self))
    }

    /// True if `redacted` has the same bytes.
    /// Results then reuse the text of the request instead of making another.
    package var isShownAsGiven: Bool { isVisible && userPart.range == nil && !isLongData }

    private static let longestShownData = 128

    private var isLongData: Bool { bytes.count > URLText.longestShownData && hasScheme("data") }

    /// The bytes without user and password.
    package var withoutUserInfo: [UInt8] {
        guard let userInfo else { return bytes }
        return Array(bytes[..<userInfo.startIndex] + bytes[(userInfo.endIndex + 1)...])
    }

    /// The bytes before the fragment, which is never sent to a server.
    package var withoutFragment: ArraySlice<UInt8> { bytes[..<(fragmentPart.range.map { $0.lowerBound - 1 } ?? bytes.count)] }

    /// Index of the dot before the extension of the path. A dot at the beginning or end of the last component does not count.
    /// Printed keys of variants have their suffix before it.
    package var extensionDot: Int? { URLText.extensionDot(in: path) }

    static func extensionDot(in path: ArraySlice<UInt8>) -> Int? {
        let start = path.lastIndex(of: Byte.slash).map { $0 + 1 } ?? path.startIndex
        guard let dot = path[start...].lastIndex(of: Byte.dot), dot > start, dot + 1 < path.endIndex else { return nil }
        return dot
    }

    /// The extension of the path in lower case; empty if there is none.
    package var pathExtension: String {
        guard let dot = extensionDot else { return "" }
        return String(decoding: bytes[dot + 1..<path.endIndex], as: UTF8.self).lowercased()
    }

    /// The ranges of the host and the port in an authority without user and password.
    private static func hostAndPort(_ whole: ArraySlice<UInt8>) -> (host: Range<Int>, port: Range<Int>?) {
        // The colons of an IPv6 address are inside brackets.
        let searched = whole.lastIndex(of: Byte.rightBracket).map { whole[$0...] } ?? whole
        guard let colon = searched.lastIndex(of: Byte.colon) else { return (whole.startIndex..<whole.endIndex, nil) }
        let digits = colon + 1..<whole.endIndex
        return (whole.startIndex..<colon, digits.isEmpty ? nil : digits)
    }

    /// RFC 9110, sections 4.2.1 and 4.2.2; empty for other schemes.
    private var defaultPort: String { hasScheme("http") ? "80" : hasScheme("https") ? "443" : "" }

    /// Length of `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` before a colon (RFC 3986, section 3.1), or 0.
    private static func schemeLength(_ bytes: [UInt8]) -> Int {
        guard let first = bytes.first, Byte.isLetter(first) else { return 0 }
        for (index, byte) in bytes.enumerated() {
            if byte == Byte.colon { return index }
            // A byte outside the grammar before the colon means that there is no scheme.
            guard Byte.isLetter(byte) || Byte.isDigit(byte) || byte == Byte.plus || byte == Byte.hyphen || byte == Byte.dot
            else { return 0 }
        }
        return 0
    }
}
