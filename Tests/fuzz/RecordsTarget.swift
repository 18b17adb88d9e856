import CRemoteFuzz
import CSDImage
import SDImage

/// Cache metadata as other programs may have written it, into a row of the disk index or to the servers of a shared cache. The
/// first byte of the input chooses the reader.
enum RecordsTarget {
    static let target = FuzzTarget(name: "records", run: run, repair: repair)
    private static let kinds = 6
    private static let envelopes = 2

    @Sendable private static func run(_ input: FuzzTarget.Input) {
        var drawing = Drawing(input)
        let kind = drawing.number(below: kinds)
        switch kind {
        case 0: entry(drawing.bytes)
        case 1: columns(&drawing)
        case envelopes: envelope(drawing.bytes)
        case 3: remote_fuzz_memcached(drawing.bytes.bindMemory(to: UInt8.self).baseAddress, drawing.bytes.count)
        case 4: fileName(String(decoding: drawing.bytes, as: UTF8.self))
        default: key(CacheKey(Array(drawing.bytes)))
        }
    }

    @Sendable private static func repair(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        guard let first = bytes.first, Int(first) % kinds == envelopes, let start = bytes.baseAddress else { return }
        remote_fuzz_seal(start + 1, bytes.count - 1)
    }

    // MARK: Entries

    /// An entry of a host cache, through the functions that such a cache calls.
    private static func entry(_ metadata: UnsafeRawBufferPointer) {
        var data: OpaquePointer?, told: OpaquePointer?, entry: OpaquePointer?, again: OpaquePointer?
        sdimage_data_new("bytes", 5, &data, nil)
        sdimage_data_new(metadata.baseAddress, metadata.count, &told, nil)
        if sdimage_cache_entry_new(data, told, &entry, nil).rawValue >= 0 {
            let written = sdimage_cache_entry_metadata(entry)
            expect(sdimage_cache_entry_new(data, written, &again, nil).rawValue >= 0, "an entry can be stored again")
            expect(sdimage_cache_entry_expiry_ns(again) == sdimage_cache_entry_expiry_ns(entry), "an entry keeps its expiry")
            expect(isEqual(sdimage_cache_entry_metadata(again), written), "an entry is written as it was read")
            if let kept = try? CachedData(bytes: .empty, metadata: Bytes.exact(metadata)) { check(kept.record) }
        }
        for entry in [entry, again] { sdimage_cache_entry_unref(entry) }
        for data in [data, told] { sdimage_data_unref(data) }
    }

    private static func isEqual(_ a: OpaquePointer?, _ b: OpaquePointer?) -> Bool {
        func bytes(_ data: OpaquePointer?) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: sdimage_data_bytes(data), count: sdimage_data_length(data))
        }
        return bytes(a).elementsEqual(bytes(b))
    }

    /// A record in the columns of a row.
    private static func columns(_ drawing: inout Drawing) {
        let created: UInt64 = [0, 1, 1 << 60, .max][drawing.number(below: 4)]
        let first = drawing.number16(), second = drawing.number16()
        let bytes = Array(drawing.bytes)
        let cuts = [0, min(first, bytes.count), min(first &+ second, bytes.count), bytes.count]
        let fields = zip(cuts, cuts.dropFirst()).map { Array(bytes[$0..<$1]) }
        check(ResponseRecord(entityTag: fields[0], lastModified: fields[1], encoded: fields[2], created: created))
    }

    private static func envelope(_ input: UnsafeRawBufferPointer) {
        var parts = remote_fuzz_parts()
        guard remote_fuzz_envelope(input.bindMemory(to: UInt8.self).baseAddress, input.count, &parts) else { return }
        expect(parts.data + parts.data_length == input.count, "an envelope ends with the bytes of its entry")
        entry(UnsafeRawBufferPointer(rebasing: input[parts.metadata..<parts.metadata + parts.metadata_length]))
    }

    // MARK: Records

    private static let fields = [
        HeaderField(name: "Accept", value: "image/png"), HeaderField(name: "Cache-Control", value: "max-age=5"),
    ]

    private static func check(_ record: ResponseRecord) {
        let kept = stored(record)
        expect(kept.isEmpty || kept.encoded == record.encoded, "a record comes back from its row")
        expect(!record.isPrivate || kept.isPrivate, "a stored response stays private")
        var restricted = record
        restricted.restrict(hasAuthorization: true, hasCookies: false)
        expect(!record.isPrivate || restricted.isPrivate, "a restricted response stays private")
        expect(!restricted.isPrivate || stored(restricted).isPrivate, "a stored restriction stays")
        var selected = record
        selected.select(by: fields)
        expect(selected.selection == nil || selected.isSelected(by: fields), "a request selects its own representation")
        for now in [0, record.responseTime, record.responseTime &+ 1_000_000_000_000, UInt64.max] {
            let freshness = Freshness(of: record, fields: fields, now: now)
            expect(freshness.age >= 0 && freshness.lifetime >= 0, "no time is negative")
            if !kept.isEmpty, Freshness(of: kept, fields: fields, now: now).verdict == .fresh {
                expect(freshness.verdict == .fresh, "a stored response is no fresher")
            }
        }
        for selectsSame in [false, true] { check(record.conditions(selectsSame: selectsSame)) }
        if let renewed = record.updated(by: kept) { check(renewed.conditions(selectsSame: true)) }
        _ = record.mayBeStored(fields)
    }

    private static func stored(_ record: ResponseRecord) -> ResponseRecord {
        ResponseRecord(
            entityTag: record.storedEntityTag, lastModified: record.storedLastModified, encoded: record.encoded, created: 0)
    }

    private static func check(_ fields: [HeaderField]) {
        let isSafe = fields.allSatisfy { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
        expect(isSafe, "a condition is one line")
    }

    // MARK: Names

    /// The file name of a row: below its folder, or nil.
    private static func fileName(_ path: String) {
        guard let name = CacheFileName(path: path) else { return }
        let parts = name.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        expect(parts.count == 2 && parts[0].count == 2 && parts[1].count > 2, "a file lies in its folder: \(name.path)")
        expect(parts.allSatisfy { $0.first != UInt8(ascii: ".") }, "a file has a plain name: \(name.path)")
        expect(CacheFileName(path: name.path) == name, "a name is read as it was written")
    }

    private static func key(_ key: CacheKey) {
        for namesake in key.namesakes { expect(namesake.printed == key.bytes, "a variant prints as the key that names it") }
        _ = key.isThumbnail
        let name = CacheFileName(key: key, write: CacheWrite(instance: 1, number: .max))
        expect(CacheFileName(path: name.path) == name, "a key has a file name")
    }
}
