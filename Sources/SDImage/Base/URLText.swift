/// Bytes of a URL and the ranges of its parts: the only URL parser of the library.
///
/// Splits according to RFC 3986, appendix B, and changes nothing: no case folding, no removal of dot segments, no escaping.
/// It accepts any bytes; `validate` decides if they may be loaded.
package struct URLText: Hashable, Sendable {
    package let bytes: [UInt8]
    private let schemeEnd: Int
    private let authority: Range<Int>?
    /// Index of the "@" that ends user and password, which are still percent-encoded.
    private let userEnd: Int?
    private let hostRange: Range<Int>
    /// nil without a colon or if nothing follows it.
    private let portRange: Range<Int>?
    private let pathRange: Range<Int>
    private let queryRange: Range<Int>?
    private let fragmentStart: Int?

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let fragment = bytes.firstIndex(of: Byte.hash)
        let end = fragment ?? bytes.count
        var start = URLText.schemeLength(bytes)
        schemeEnd = start
        if start > 0 { start += 1 }
        if end - start >= 2, bytes[start] == Byte.slash, bytes[start + 1] == Byte.slash {
            let from = start + 2
            let to = bytes[from..<end].firstIndex { $0 == Byte.slash || $0 == Byte.question } ?? end
            authority = from..<to
            userEnd = bytes[from..<to].lastIndex(of: Byte.at)
            (hostRange, portRange) = URLText.hostAndPort(bytes[(userEnd.map { $0 + 1 } ?? from)..<to])
            start = to
        } else {
            (authority, userEnd, hostRange, portRange) = (nil, nil, 0..<0, nil)
        }
        let question = start <= end ? bytes[start..<end].firstIndex(of: Byte.question) : nil
        pathRange = min(start, end)..<(question ?? end)
        queryRange = question.map { $0 + 1..<end }
        fragmentStart = fragment.map { $0 + 1 }
    }

    package init(_ string: String) { self.init(Array(string.utf8)) }

    /// The scheme in lower case, without the colon; empty if there is none.
    package var scheme: String { String(decoding: bytes[..<schemeEnd], as: UTF8.self).lowercased() }

    /// True for this scheme, which is given in lower case.
    package func hasScheme(_ scheme: StaticString) -> Bool { URLText.hasScheme(scheme, bytes) }

    /// The same for a URL that need not be split for anything else.
    package static func hasScheme(_ scheme: StaticString, _ url: [UInt8]) -> Bool {
        let length = scheme.utf8CodeUnitCount
        guard url.count > length, url[length] == Byte.colon else { return false }
        return scheme.withUTF8Buffer { name in
            (0..<length).allSatisfy { unsafe Byte.lowercased(url[$0]) == name[$0] }
        }
    }

    package var hasAuthority: Bool { authority != nil }

    /// User and password, still percent-encoded: the bytes before the last "@" of the authority.
    package var userInfo: ArraySlice<UInt8>? {
        guard let authority, let userEnd else { return nil }
        return bytes[authority.lowerBound..<userEnd]
    }

    /// The host as written, with the brackets of an IPv6 address.
    package var host: ArraySlice<UInt8> { bytes[hostRange] }

    /// The bytes after the colon of the host; nil without a colon or if nothing follows it.
    package var port: ArraySlice<UInt8>? { portRange.map { bytes[$0] } }

    package var path: ArraySlice<UInt8> { bytes[pathRange] }

    package var query: ArraySlice<UInt8>? { queryRange.map { bytes[$0] } }

    package var fragment: ArraySlice<UInt8>? { fragmentStart.map { bytes[$0...] } }

    /// Scheme, host and port in lower case: equal for two URLs of one origin (RFC 6454, section 4). nil without a host.
    package var origin: [UInt8]? {
        guard schemeEnd > 0, !hostRange.isEmpty else { return nil }
        var origin: [UInt8] = []
        origin.reserveCapacity(schemeEnd + host.count + 9)
        for byte in bytes[..<schemeEnd] { origin.append(Byte.lowercased(byte)) }
        origin += [Byte.colon, Byte.slash, Byte.slash]
        for byte in host { origin.append(Byte.lowercased(byte)) }
        origin.append(Byte.colon)
        if let port { origin += port.drop { $0 == Byte.zero } } else { origin += defaultPort.utf8 }
        return origin
    }

    /// The URL without user and password, for messages and results; only the beginning of a `data:` URL.
    package var redacted: CString {
        let longest = 128
        if hasScheme("data"), bytes.count > longest {
            return CString(String(decoding: bytes[..<longest], as: UTF8.self) + "…")
        }
        // Other bytes may be no UTF-8, which a text repairs.
        if userInfo == nil, bytes.allSatisfy({ $0 != 0 && $0 < 128 }) { return CString(bytes) }
        return CString(String(decoding: withoutUserInfo, as: UTF8.self))
    }

    /// The bytes without user and password.
    package var withoutUserInfo: [UInt8] {
        guard let userInfo else { return bytes }
        return Array(bytes[..<userInfo.startIndex] + bytes[(userInfo.endIndex + 1)...])
    }

    /// The bytes before the fragment, which is never sent to a server.
    package var withoutFragment: ArraySlice<UInt8> { bytes[..<(fragmentStart.map { $0 - 1 } ?? bytes.count)] }

    /// Index of the dot before the extension of the path. A dot at the beginning or end of the last component does not count.
    package var extensionDot: Int? { URLText.extensionDot(in: path) }

    static func extensionDot(in path: ArraySlice<UInt8>) -> Int? {
        let start = path.lastIndex(of: Byte.slash).map { $0 + 1 } ?? path.startIndex
        guard let dot = path[start...].lastIndex(of: Byte.dot), dot > start, dot + 1 < path.endIndex else { return nil }
        return dot
    }

    /// The extension of the path in lower case; empty if there is none.
    package var pathExtension: String {
        guard let dot = extensionDot else { return "" }
        return String(decoding: bytes[dot + 1..<pathRange.upperBound], as: UTF8.self).lowercased()
    }

    /// The ranges of the host and the port in an authority without user and password.
    private static func hostAndPort(_ whole: ArraySlice<UInt8>) -> (host: Range<Int>, port: Range<Int>?) {
        // The colons of an IPv6 address are inside brackets.
        let searched = whole.lastIndex(of: Byte.rightBracket).map { whole[$0...] } ?? whole
        guard let colon = searched.lastIndex(of: Byte.colon) else { return (whole.startIndex..<whole.endIndex, nil) }
        let digits = colon + 1..<whole.endIndex
        return (whole.startIndex..<colon, digits.isEmpty ? nil : digits)
    }

    private var defaultPort: String { hasScheme("http") ? "80" : hasScheme("https") ? "443" : "" }

    /// Length of `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` before a colon (RFC 3986, section 3.1), or 0.
    private static func schemeLength(_ bytes: [UInt8]) -> Int {
        guard let first = bytes.first, Byte.isLetter(first) else { return 0 }
        for (index, byte) in bytes.enumerated() {
            if byte == Byte.colon { return index }
            guard Byte.isLetter(byte) || Byte.isDigit(byte) || byte == Byte.plus || byte == Byte.hyphen || byte == Byte.dot
            else { return 0 }
        }
        return 0
    }
}
