extension URLText {
    /// Throws for URLs that no loader may receive: empty, invalid UTF-8, control bytes or spaces. White space in `data:` URLs is
    /// left to their own encoding.
    package func validate() throws(ImageError) {
        guard !bytes.isEmpty else { throw ImageError(.invalidURL, "url: empty") }
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
        guard isHostPlain, isPortInRange, (userInfo ?? []).allSatisfy(URLText.isUserInfoCharacter) else {
            throw ImageError(.invalidURL, "url: malformed authority", url: redacted)
        }
    }

    /// True if the text has only characters of RFC 3986 and complete escapes, with or without a scheme.
    package var isWellFormed: Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
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
        return !path.contains(where: URLText.isBracket)
    }

    private var isHostPlain: Bool {
        if host.first == Byte.leftBracket {
            return host.last == Byte.rightBracket
                && host.dropFirst().dropLast().allSatisfy { Byte.hexValue($0) != nil || $0 == Byte.colon || $0 == Byte.dot }
        }
        return host.allSatisfy { Byte.isUnreserved($0) || Byte.isSubDelimiter($0) || $0 == Byte.percent || $0 >= 128 }
    }

    private var isPortInRange: Bool {
        guard let port else { return true }
        guard port.count <= 5, port.allSatisfy(Byte.isDigit) else { return false }
        return (1...65535).contains(port.reduce(0) { $0 * 10 + Int($1 - Byte.zero) })
    }

    private static func isUserInfoCharacter(_ byte: UInt8) -> Bool {
        Byte.isUnreserved(byte) || Byte.isSubDelimiter(byte) || byte == Byte.colon || byte == Byte.percent || byte >= 128
    }

    private static func isBracket(_ byte: UInt8) -> Bool { byte == Byte.leftBracket || byte == Byte.rightBracket }
}
