/// Encoding of a record in a row of the disk cache: the validators in separate columns, the rest in one value.
/// The format is part of the disk cache: readers must accept all earlier forms.
extension ResponseRecord {
    /// First byte of the encoding. No field begins with it, which distinguishes rows that contain only a `Cache-Control` field.
    private static let mark: UInt8 = 1
    /// Maximum length of a field that is kept in memory or on disk; a cache has no use for a longer one.
    /// In bytes. The length has two bytes in the encoding.
    private static let longestField = 4096

    /// Shortens fields that are too long to be kept: each gets its most restrictive value. Dropping it would relax the rules of the
    /// response.
    package mutating func limitFields() {
        let longest = ResponseRecord.longestField
        (entityTag, lastModified) = (storedEntityTag, storedLastModified)
        if cacheControl.count > longest {
            cacheControl = Array((mayBeStored([]) ? "no-cache, private" : "no-cache, no-store, private").utf8)
        }
        if vary.count > longest { vary = Array("*".utf8) }
        if date.count > longest { date = [] }
        if age.count > longest { age = [] }
        // A date in the past.
        if let expires, expires.count > longest { self.expires = [] }
    }

    /// All values except the validators; empty for an empty record.
    package var encoded: [UInt8] { encoded(before: []) }

    /// The encoded record, followed by bytes of the entry that do not belong to the response. Empty if both are.
    /// Numbers have eight bytes, little-endian; fields have a length of two bytes before them.
    package func encoded(before attachment: [UInt8]) -> [UInt8] {
        guard !isEmpty || !attachment.isEmpty else { return [] }
        // A record of another source than the network may have fields of any length.
        var record = self
        record.limitFields()
        var bytes = [ResponseRecord.mark]
        ResponseRecord.append(UInt64(UInt32(bitPattern: status)), to: &bytes)
        ResponseRecord.append(requestTime, to: &bytes)
        ResponseRecord.append(responseTime, to: &bytes)
        for field in [record.cacheControl, record.date, record.age, record.vary] { ResponseRecord.append(field, to: &bytes) }
        bytes.append(record.expires == nil ? 0 : 1)
        ResponseRecord.append(record.expires ?? [], to: &bytes)
        bytes.append((selection == nil ? 0 : 1) | (location == nil ? 0 : 2))
        ResponseRecord.append(selection?.high ?? 0, to: &bytes)
        ResponseRecord.append(selection?.low ?? 0, to: &bytes)
        if let location {
            ResponseRecord.append(location.high, to: &bytes)
            ResponseRecord.append(location.low, to: &bytes)
        }
        return bytes + attachment
    }

    /// The bytes after an encoded record.
    /// Empty if there are none, or for a row of an earlier version.
    package static func attachment(of encoded: [UInt8]) -> [UInt8] {
        var record = ResponseRecord()
        var reader = Reader(rest: encoded[...])
        guard encoded.first == mark, reader.byte() != nil, record.read(&reader) else { return [] }
        return Array(reader.rest)
    }

    /// The validators as stored; one that is too long is empty.
    package var storedEntityTag: [UInt8] { entityTag.count > ResponseRecord.longestField ? [] : entityTag }
    package var storedLastModified: [UInt8] { lastModified.count > ResponseRecord.longestField ? [] : lastModified }

    /// Decodes the columns of a row. Without stored times, both are the creation time of the row.
    /// A damaged encoding gives a record that requires revalidation.
    package init(entityTag: [UInt8], lastModified: [UInt8], encoded: [UInt8], created: UInt64) {
        self.init()
        self.entityTag = entityTag
        self.lastModified = lastModified
        var reader = Reader(rest: encoded[...])
        guard encoded.first == ResponseRecord.mark, reader.byte() != nil, read(&reader) else {
            // Rows of earlier versions contain the `Cache-Control` field alone.
            cacheControl = encoded.first == ResponseRecord.mark ? Array("no-cache".utf8) : encoded
            if !isEmpty { (requestTime, responseTime) = (created, created) }
            return
        }
    }

    /// False if the bytes end early; the record is then unchanged.
    private mutating func read(_ reader: inout Reader) -> Bool {
        guard let status = reader.number(), let asked = reader.number(), let answered = reader.number(),
            let control = reader.field(), let date = reader.field(), let age = reader.field(), let vary = reader.field(),
            let hasExpires = reader.byte(), let expires = reader.field(), let digests = reader.byte(),
            let high = reader.number(), let low = reader.number()
        else { return false }
        var location: MD5?
        if digests & 2 != 0 {
            guard let high = reader.number(), let low = reader.number() else { return false }
            location = MD5(high: high, low: low)
        }
        self.status = Int32(truncatingIfNeeded: status)
        (requestTime, responseTime) = (asked, answered)
        cacheControl = control
        self.date = date
        self.age = age
        self.vary = vary
        self.expires = hasExpires == 0 ? nil : expires
        selection = digests & 1 == 0 ? nil : MD5(high: high, low: low)
        self.location = location
        return true
    }

    /// Eight bytes, little-endian.
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// A length of two bytes and the bytes, at most `longestField`.
    private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: field.count))
        bytes.append(UInt8(truncatingIfNeeded: field.count >> 8))
        bytes += field
    }

    /// Cursor over the encoding; each function returns nil at the end.
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { rest.popFirst() }

        /// Eight bytes, little-endian.
        mutating func number() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// A length of two bytes, little-endian, and as many bytes.
        mutating func field() -> [UInt8]? {
            guard let low = byte(), let high = byte() else { return nil }
            let count = Int(low) | Int(high) << 8
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}
