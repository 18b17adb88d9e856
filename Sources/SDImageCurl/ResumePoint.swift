import SDImage

/// Point at which a transfer interrupted within its body can resume (RFC 9110, sections 13.1.5 and 14). A class, because few
/// transfers have one.
final class ResumePoint {
    /// URL of the content; a redirect may lead to another one on the next try.
    let url: URLText
    /// Head of the complete (200) response, which remains the head of the load.
    let head: ResponseHead
    /// Number of bytes received so far; the rest begins there.
    let offset: Int64
    /// Length of the complete content; -1 = unknown.
    let total: Int64
    /// Value for `If-Range`.
    private let validator: [UInt8]

    /// nil if the server does not offer ranges, or no validator proves that they belong to the same content.
    /// Bytes of a content coding cannot be continued, because the decoder has consumed them.
    init?(_ transfer: Transfer) {
        let head = transfer.hop.head
        guard transfer.hop.disposition == .keep, transfer.mayResume, transfer.course.received > 0, head.status == 200,
            head.transport.acceptsRanges, !head.isEncoded, transfer.course.received != transfer.course.expected,
            let validator = ResumePoint.validator(head)
        else { return nil }
        url = transfer.url
        self.head = head
        offset = transfer.course.received
        total = transfer.course.expected
        self.validator = validator
    }

    /// Fields that request the rest, or the complete content if it has changed.
    /// RFC 9110, section 13.1.5: without the condition the rest might belong to newer content.
    var fields: [HeaderField] {
        [
            HeaderField(name: "Range", value: "bytes=\(offset)-"),
            HeaderField(name: "If-Range", value: String(decoding: validator, as: UTF8.self)),
        ]
    }

    /// Length of the complete content if the 206 response continues exactly at `offset` and reaches the end; nil otherwise.
    func total(continuedBy head: ResponseHead) -> Int64? {
        guard !head.isEncoded, let range = ContentRange(head.transport.contentRange), range.first == offset,
            // The rest must be complete: a second part is never requested.
            range.last == range.total - 1, total < 0 || range.total == total,
            head.entityTag.isEmpty || self.head.entityTag.isEmpty || head.entityTag == self.head.entityTag
        else { return nil }
        return range.total
    }

    /// A strong entity tag, or else a Last-Modified date that is strong because the content was at least one second old when it
    /// was sent (RFC 9110, section 8.8.2.2).
    /// A weak tag does not prove equal bytes.
    private static func validator(_ head: ResponseHead) -> [UInt8]? {
        if !head.entityTag.isEmpty {
            let tag = head.entityTag
            let quote = UInt8(ascii: "\"")
            let isStrong = tag.count >= 2 && tag.first == quote && tag.last == quote
            return isStrong && isPlain(tag) ? tag : nil
        }
        guard isPlain(head.lastModified), let modified = seconds(head.lastModified),
            let sent = seconds(head.transport.date), modified < sent
        else { return nil }
        return head.lastModified
    }

    /// Seconds since 1970.
    private static func seconds(_ date: [UInt8]) -> Int64? { HTTPDate.parse(date, now: MonotonicClock.wallSeconds) }

    /// True for printable ASCII; the validator is sent back unchanged.
    private static func isPlain(_ text: [UInt8]) -> Bool { text.allSatisfy { $0 >= Byte.space && $0 < Byte.delete } }
}
