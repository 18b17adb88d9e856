/// Recognizes SVG: XML with the root element `svg`, found within the first 4 KiB (SVG 2, section 5.1; XML 1.0, section 2.8).
enum SVGSniffer {
    /// Bytes that are examined.
    private static let window = 4096

    /// Comments and the prolog may precede the root element.
    static func accepts(_ bytes: Bytes) -> Bool {
        let reader = bytes.reader
        let end = min(bytes.count, window)
        var position = reader.matches([0xEF, 0xBB, 0xBF], at: 0) ? 3 : 0
        while true {
            // XML allows white space between the parts of the prolog.
            while position < end, let byte = reader.byte(at: position), isSpace(byte) { position += 1 }
            guard let next = skipProlog(reader, at: position, end: end) else {
                return isRoot(reader, at: position, end: end)
            }
            position = next
        }
    }

    /// Returns the position after the declaration, comment or document type that starts here; nil when none starts here or it has
    /// no end.
    private static func skipProlog(_ reader: ByteReader, at position: Int, end: Int) -> Int? {
        if reader.matches("<?", at: position) { return find("?>", reader, from: position + 2, end: end) }
        if reader.matches("<!--", at: position) { return find("-->", reader, from: position + 4, end: end) }
        if reader.matches("<!", at: position) { return skipDocumentType(reader, from: position + 2, end: end) }
        return nil
    }

    /// Matches `<svg`, optionally as the namespace prefix, followed by a character that may follow an element name.
    private static func isRoot(_ reader: ByteReader, at position: Int, end: Int) -> Bool {
        guard position + 4 < end, reader.matches("<svg", at: position), let next = reader.byte(at: position + 4) else {
            return false
        }
        return isSpace(next) || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || next == UInt8(ascii: ":")
    }

    /// The position after the pattern; nil if it does not occur before `end`.
    private static func find(_ pattern: StaticString, _ reader: ByteReader, from start: Int, end: Int) -> Int? {
        var position = start
        while position < end {
            if reader.matches(pattern, at: position) { return position + pattern.utf8CodeUnitCount }
            position += 1
        }
        return nil
    }

    /// Skips the document type. Its internal subset in brackets may contain `>`.
    private static func skipDocumentType(_ reader: ByteReader, from start: Int, end: Int) -> Int? {
        var depth = 0
        var position = start
        while position < end, let byte = reader.byte(at: position) {
            position += 1
            if byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "]") { depth -= 1 }
            if byte == UInt8(ascii: ">"), depth <= 0 { return position }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
