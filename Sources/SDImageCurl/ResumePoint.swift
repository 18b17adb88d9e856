import SDImage

/// From where a transfer that broke off in its body can go on (RFC 9110, sections 13.1.5 and 14). An object, because hardly any
/// transfer has one.
final class ResumePoint {
    /// Whose content it is: a redirect may lead elsewhere the next time.
    let url: URLText
    /// The whole answer's head, which stays that of the load.
    let head: ResponseHead
    let offset: Int64
    /// Of the whole content; -1 = unknown.
    let total: Int64
    private let validator: [UInt8]

    /// nil where the server did not offer parts, or nothing proves that they would be parts of the same content.
    init?(_ transfer: Transfer) {
        let head = transfer.head
        guard transfer.disposition == .keep, transfer.mayResume, transfer.received > 0, head.status == 200,
            head.transport.acceptsRanges, !head.isEncoded, transfer.received != transfer.expected,
            let validator = ResumePoint.validator(head)
        else { return nil }
        url = transfer.url
        self.head = head
        offset = transfer.received
        total = transfer.expected
        self.validator = validator
    }

    /// What asks for the rest, or for the whole where it has changed meanwhile.
    var fields: [HeaderField] {
        [
            HeaderField(name: "Range", value: "bytes=\(offset)-"),
            HeaderField(name: "If-Range", value: String(decoding: validator, as: UTF8.self)),
        ]
    }

    /// The size of the whole content, where a 206 goes on exactly here and to the end; nil where it does not.
    func total(continuedBy head: ResponseHead) -> Int64? {
        guard !head.isEncoded, let range = ContentRange(head.transport.contentRange), range.first == offset,
            range.last == range.total - 1, total < 0 || range.total == total,
            head.entityTag.isEmpty || self.head.entityTag.isEmpty || head.entityTag == self.head.entityTag
        else { return nil }
        return range.total
    }

    /// A strong entity tag, or else a date that is strong because the content was a second old at least when it was sent
    /// (RFC 9110, section 8.8.2.2).
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

    private static func seconds(_ date: [UInt8]) -> Int64? { HTTPDate.parse(date, now: MonotonicClock.wallSeconds) }

    /// It is sent back as it came.
    private static func isPlain(_ text: [UInt8]) -> Bool { text.allSatisfy { $0 >= Byte.space && $0 < Byte.delete } }
}
