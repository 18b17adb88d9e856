import SDImage

/// Fields of a response that the transfer itself uses.
/// Filled by `ResponseHead` as the fields arrive.
struct TransportFields {
    /// True if the server offers byte ranges of this content (RFC 9110, section 14.3).
    private(set) var acceptsRanges = false
    /// `Content-Range` of a partial response.
    private(set) var contentRange: [UInt8] = []
    /// `Retry-After` of an error.
    private(set) var retryAfter: [UInt8] = []
    /// `Date`, for the strength of a date validator.
    private(set) var date: [UInt8] = []
    /// -1 = absent or not a number.
    private(set) var contentLength: Int64 = -1

    /// The last of repeated fields counts.
    mutating func take(_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>) {
        if unsafe ResponseHead.equals(name, "accept-ranges") {
            acceptsRanges = unsafe ResponseHead.equals(value, "bytes")
        } else if unsafe ResponseHead.equals(name, "content-range") {
            contentRange = unsafe Array(value)
        } else if unsafe ResponseHead.equals(name, "retry-after") {
            retryAfter = unsafe Array(value)
        } else if unsafe ResponseHead.equals(name, "date") {
            date = unsafe Array(value)
        } else if unsafe ResponseHead.equals(name, "content-length") {
            contentLength = unsafe TransportFields.number(Array(value)) ?? -1
        }
    }

    /// Parses digits only, without sign or space.
    static func number(_ text: [UInt8]) -> Int64? {
        text.allSatisfy(Byte.isDigit) ? Int64(String(decoding: text, as: UTF8.self)) : nil
    }
}

/// `bytes FIRST-LAST/TOTAL` (RFC 9110, section 14.4).
struct ContentRange: Equatable {
    /// Index of the first byte.
    let first: Int64
    /// Index of the last byte, inclusive.
    let last: Int64
    /// Length of the complete content.
    let total: Int64

    /// nil for other units, an unknown total, and ranges that contradict themselves.
    init?(_ text: [UInt8]) {
        guard text.count < 100, let string = String(validating: text, as: UTF8.self) else { return nil }
        let words = string.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = ContentRange.number(parts[1]) else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ContentRange.number(ends[0]), let last = ContentRange.number(ends[1]),
            first <= last, last < total
        else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }

    private static func number(_ text: Substring) -> Int64? { TransportFields.number(Array(text.utf8)) }
}
