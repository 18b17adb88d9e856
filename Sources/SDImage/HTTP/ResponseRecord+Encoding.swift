/// How a record lies in a row of the disk cache: the validators in columns of their own, the rest in one text.
extension ResponseRecord {
    /// No field begins with it, so that rows with nothing but a `Cache-Control` can be told apart.
    private static let mark: UInt8 = 1
    /// What longer fields are is nothing a cache could use.
    private static let longestField = 4096

    /// All but the validators; empty for an empty record.
    package var encoded: [UInt8] {
        guard !isEmpty else { return [] }
        var bytes = [ResponseRecord.mark]
        ResponseRecord.append(UInt64(UInt32(bitPattern: status)), to: &bytes)
        ResponseRecord.append(requestTime, to: &bytes)
        ResponseRecord.append(responseTime, to: &bytes)
        // Not to be read is not to be trusted.
        let control = cacheControl.count > ResponseRecord.longestField ? Array("no-cache, private".utf8) : cacheControl
        let vary = vary.count > ResponseRecord.longestField ? Array("*".utf8) : vary
        for field in [control, date, age, vary] { ResponseRecord.append(field, to: &bytes) }
        bytes.append(expires == nil ? 0 : 1)
        ResponseRecord.append(expires ?? [], to: &bytes)
        bytes.append(selection == nil ? 0 : 1)
        ResponseRecord.append(selection?.high ?? 0, to: &bytes)
        ResponseRecord.append(selection?.low ?? 0, to: &bytes)
        return bytes
    }

    /// The validators as they are kept; one too long is none.
    package var storedEntityTag: [UInt8] { entityTag.count > ResponseRecord.longestField ? [] : entityTag }
    package var storedLastModified: [UInt8] { lastModified.count > ResponseRecord.longestField ? [] : lastModified }

    /// From the columns of a row. Without times it came when the row was `created`.
    package init(entityTag: [UInt8], lastModified: [UInt8], encoded: [UInt8], created: UInt64) {
        self.init()
        self.entityTag = entityTag
        self.lastModified = lastModified
        var reader = Reader(rest: encoded[...])
        guard encoded.first == ResponseRecord.mark, reader.byte() != nil, read(&reader) else {
            cacheControl = encoded.first == ResponseRecord.mark ? Array("no-cache".utf8) : encoded
            if !isEmpty { (requestTime, responseTime) = (created, created) }
            return
        }
    }

    private mutating func read(_ reader: inout Reader) -> Bool {
        guard let status = reader.number(), let asked = reader.number(), let answered = reader.number(),
            let control = reader.field(), let date = reader.field(), let age = reader.field(), let vary = reader.field(),
            let hasExpires = reader.byte(), let expires = reader.field(), let isSelected = reader.byte(),
            let high = reader.number(), let low = reader.number()
        else { return false }
        self.status = Int32(truncatingIfNeeded: status)
        (requestTime, responseTime) = (asked, answered)
        cacheControl = control
        self.date = date
        self.age = age
        self.vary = vary
        self.expires = hasExpires == 0 ? nil : expires
        selection = isSelected == 0 ? nil : MD5(high: high, low: low)
        return true
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
        let kept = field.count > longestField ? [] : field
        bytes.append(UInt8(truncatingIfNeeded: kept.count))
        bytes.append(UInt8(truncatingIfNeeded: kept.count >> 8))
        bytes += kept
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func number() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }

        mutating func field() -> [UInt8]? {
            guard let low = byte(), let high = byte() else { return nil }
            let count = Int(low) | Int(high) << 8
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}
