import SDImage

/// The texts of a file: comments, titles, authors. Their number and size have their own limits, independent of the file. Part of
/// the `EncodedMetadata` of `info`.
struct TextList {
    static let mostEntries = ImageInfo.mostTexts

    private(set) var entries: [(key: String, value: String)] = []
    /// Bytes of further keys and values that still fit.
    private(set) var bytesLeft: Int

    /// `limit` is the maximum number of bytes of each metadata block.
    init(limit: Int) { bytesLeft = max(0, min(limit, ImageInfo.mostTextBytes)) }

    /// True when no more texts are added.
    var isFull: Bool { entries.count >= TextList.mostEntries || bytesLeft == 0 }

    enum Encoding {
        case utf8
        case latin1
        /// Encoding of comments in formats that do not specify one.
        case utf8OrLatin1
    }

    /// Adds a text; ignores one that is empty, too long, or invalid in its encoding.
    mutating func add(_ key: [UInt8], _ value: Bytes, _ encoding: Encoding) {
        guard !isFull, !value.isEmpty, key.count + value.count <= bytesLeft else { return }
        let bytes = unsafe value.withUnsafeBytes { unsafe Array($0) }
        guard let text = TextList.decode(bytes, encoding), let name = TextList.decode(key, .utf8OrLatin1) else { return }
        bytesLeft -= key.count + value.count
        entries.append((name, text))
    }

    /// Decodes a text; nil if it is invalid. Each byte of Latin-1 is the number of its Unicode scalar.
    private static func decode(_ bytes: [UInt8], _ encoding: Encoding) -> String? {
        if encoding != .latin1, let text = String(validating: bytes, as: UTF8.self) { return text }
        guard encoding != .utf8 else { return nil }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }
}
