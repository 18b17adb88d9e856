/// Validation is separate from splitting, because messages must show invalid URLs too.
extension URLText {
    /// Throws for URLs that no loader may receive: empty, invalid UTF-8, control bytes or spaces. White space in `data:` URLs is
    /// left to their own encoding.
    package func validate() throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.invalidURL, "url: empty") }
        // Nearly all URLs are visible ASCII, which needs no further check.
        if !isVisible { try validateText() }
    }

    /// True for valid UTF-8.
    package var isUTF8: Bool { isVisible || String(validating: bytes, as: UTF8.self) != nil }

    private func validateText() throws(ImageError) {
        // Invalid UTF-8 is the caller's mistake. It is never repaired, because a repair could make two URLs equal.
        guard isUTF8 else {
            throw ImageError(.invalidArgument, "url: not valid UTF-8")
        }
        let isData = scheme == "data"
        guard !bytes.contains(where: { (Byte.isControl($0) || $0 == Byte.space) && !(isData && Byte.isSpace($0)) }) else {
            throw ImageError(.invalidURL, "url: contains a space or a control character", url: redacted)
        }
    }

    /// Throws unless the URL can be sent over HTTP: it needs a host, and an authority that all parsers read in the same way.
    package func validateForHTTP() throws(ImageError) {
        try validate()
        guard hasAuthority, !host.isEmpty else { throw ImageError(.invalidURL, "url: no host", url: redacted) }
        // Characters that parsers read differently could make a check and a transfer see different hosts.
        guard isHostPlain, isPortInRange, (userInfo ?? []).allSatisfy(URLText.isUserInfoCharacter) else {
            throw ImageError(.invalidURL, "url: malformed authority", url: redacted)
        }
    }

    /// True if the text has only characters of RFC 3986 and complete escapes, with or without a scheme.
    /// Printed keys of variants are escaped only for such texts.
    package var isWellFormed: Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            // Escapes count only when complete.
            if byte == Byte.percent {
                guard PercentEncoding.value(in: bytes[...], at: index) != nil else { return false }
                index += 3
                continue
            }
            guard Byte.isPathCharacter(byte) || byte == Byte.question || byte == Byte.hash || URLText.isBracket(byte) else {
                return false
            }
            index += 1
        }
        // Brackets are delimiters of an address; in a path, parsers disagree about them.
        return !path.contains(where: URLText.isBracket)
    }

    /// True for an address in brackets, or for a name without other delimiters than sub-delimiters and "%".
    private var isHostPlain: Bool {
        if host.first == Byte.leftBracket {
            return host.last == Byte.rightBracket
                && host.dropFirst().dropLast().allSatisfy { Byte.hexValue($0) != nil || $0 == Byte.colon || $0 == Byte.dot }
        }
        return host.allSatisfy { Byte.isUnreserved($0) || Byte.isSubDelimiter($0) || $0 == Byte.percent || $0 >= 128 }
    }

    /// True without a port, or for 1 to 65535 with at most five digits.
    private var isPortInRange: Bool {
        guard let port else { return true }
        guard port.count <= 5, port.allSatisfy(Byte.isDigit) else { return false }
        return (1...65535).contains(port.reduce(0) { $0 * 10 + Int($1 - Byte.zero) })
    }

    /// Bytes outside ASCII are accepted, as URLs typed by users contain them.
    private static func isUserInfoCharacter(_ byte: UInt8) -> Bool {
        Byte.isUnreserved(byte) || Byte.isSubDelimiter(byte) || byte == Byte.colon || byte == Byte.percent || byte >= 128
    }

    private static func isBracket(_ byte: UInt8) -> Bool { byte == Byte.leftBracket || byte == Byte.rightBracket }
}
