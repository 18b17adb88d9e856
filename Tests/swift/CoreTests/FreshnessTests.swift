import SDImage
import TestSupport
import Testing

/// Sun, 06 Nov 1994 08:49:37 GMT, the arrival time of every response in the table.
private let answered: Int64 = 784_111_777

/// A response, and the expected verdict `after` that many seconds.
private struct Row: CustomStringConvertible, Sendable {
    let section: String
    var control = ""
    var date = "Sun, 06 Nov 1994 08:49:37 GMT"
    var age = ""
    var expires: String?
    var modified = ""
    var vary = ""
    /// Seconds from the request to the response.
    var delay: Int64 = 0
    var status: Int32 = 200
    /// Fields of the original request, and of the request to be served.
    var first: [String: String] = [:]
    var fields: [String: String] = [:]
    var after: Int64 = 0
    let verdict: Freshness.Verdict
    let rule: FreshnessRule

    var description: String {
        "\(section): \(control) age \(age) expires \(expires ?? "-") modified \(modified) vary \(vary) \(fields) after \(after)"
    }

    private static func list(_ fields: [String: String]) -> [HeaderField] {
        fields.map { HeaderField(name: $0.key, value: $0.value) }
    }

    var freshness: Freshness {
        var record = ResponseRecord()
        record.status = status
        record.cacheControl = Array(control.utf8)
        record.date = Array(date.utf8)
        record.age = Array(age.utf8)
        record.expires = expires.map { Array($0.utf8) }
        record.lastModified = Array(modified.utf8)
        record.vary = Array(vary.utf8)
        record.requestTime = UInt64(answered - delay) * 1_000_000_000
        record.responseTime = UInt64(answered) * 1_000_000_000
        if !vary.isEmpty { record.select(by: Row.list(first)) }
        return Freshness(of: record, fields: Row.list(fields), now: UInt64(answered + after) * 1_000_000_000)
    }
}

private let rows: [Row] = [
    // RFC 9111, 4.2.1: precedence of lifetimes.
    Row(section: "9111 4.2.1", control: "max-age=60", after: 59, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 4.2", control: "max-age=60", after: 60, verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.1", control: "max-age=0", verdict: .mustAsk, rule: .expired),
    Row(
        section: "9111 5.3", control: "max-age=60", expires: "Sun, 06 Nov 1994 08:49:30 GMT", after: 9, verdict: .fresh,
        rule: .maxAge),
    Row(section: "9111 5.3", expires: "Sun, 06 Nov 1994 08:50:37 GMT", after: 59, verdict: .fresh, rule: .expires),
    Row(section: "9111 5.3", expires: "Sun, 06 Nov 1994 08:50:37 GMT", after: 60, verdict: .mustAsk, rule: .expired),
    Row(section: "9111 5.3", expires: "Sunday, 06-Nov-94 08:50:37 GMT", after: 59, verdict: .fresh, rule: .expires),
    Row(section: "9111 5.3", expires: "Sun Nov  6 08:50:37 1994", after: 59, verdict: .fresh, rule: .expires),
    Row(section: "9111 5.3", expires: "0", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 5.3", expires: "-1", modified: "Sun, 06 Nov 1983 08:49:37 GMT", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 5.3", expires: "", modified: "Sun, 06 Nov 1983 08:49:37 GMT", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.1", expires: "Sun, 06 Nov 2094 08:50:37 GMT", after: 3_000_000_000, verdict: .mustAsk, rule: .expired),
    // Lifetimes use the origin's own clock, which is an hour ahead.
    Row(
        section: "9111 4.2.1", date: "Sun, 06 Nov 1994 09:49:37 GMT", expires: "Sun, 06 Nov 1994 09:50:37 GMT", after: 59,
        verdict: .fresh, rule: .expires),
    Row(section: "9111 5.2.2.10", control: "s-maxage=60", verdict: .mustAsk, rule: .noLifetime),
    Row(section: "9111 5.2.2.7", control: "private, max-age=60", verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2.2.8", control: "proxy-revalidate, max-age=60", after: 99, verdict: .mustAsk, rule: .expired),
    // 4.2.2: heuristic lifetime, in the absence of an explicit one.
    Row(section: "9111 4.2.2", modified: "Sun, 06 Nov 1994 08:33:07 GMT", after: 98, verdict: .fresh, rule: .heuristic),
    Row(section: "9111 4.2.2", modified: "Sun, 06 Nov 1994 08:33:07 GMT", after: 99, verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.2", modified: "Sun, 06 Nov 1983 08:49:37 GMT", after: 86_399, verdict: .fresh, rule: .heuristic),
    Row(section: "9111 4.2.2", modified: "Sun, 06 Nov 1983 08:49:37 GMT", after: 86_400, verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.2", modified: "Sun, 06 Nov 1994 09:49:37 GMT", verdict: .mustAsk, rule: .noLifetime),
    Row(section: "9111 4.2.2", modified: "yesterday", verdict: .mustAsk, rule: .noLifetime),
    Row(section: "9111 4.2.2", modified: "Sun, 06 Nov 1983 08:49:37 GMT", status: 404, verdict: .mustAsk, rule: .noLifetime),
    Row(section: "9111 4.2.2", verdict: .mustAsk, rule: .noLifetime),
    // 4.2.3: age.
    Row(section: "9111 4.2.3", control: "max-age=60", age: "50", after: 9, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 4.2.3", control: "max-age=60", age: "50", after: 10, verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.3", control: "max-age=60", age: "50", delay: 10, verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.3", control: "max-age=60", date: "Sun, 06 Nov 1994 08:48:37 GMT", verdict: .mustAsk, rule: .expired),
    Row(section: "9110 6.6.1", control: "max-age=60", date: "", after: 59, verdict: .fresh, rule: .maxAge),
    Row(section: "9110 6.6.1", control: "max-age=60", date: "today", after: 59, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.1", control: "max-age=60", age: "5, 500", verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.1", control: "max-age=60", age: "-500", verdict: .fresh, rule: .maxAge),
    Row(section: "9111 1.2.2", control: "max-age=60", age: "99999999999999999999999", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 1.2.2", control: "max-age=99999999999999999999999", after: 2_147_483_647, verdict: .fresh, rule: .maxAge),
    Row(
        section: "9111 1.2.2", control: "max-age=99999999999999999999999", after: 2_147_483_648, verdict: .mustAsk, rule: .expired
    ),
    // The clock was set back: within the tolerance, or too far.
    Row(section: "9111 4.2.3", control: "max-age=60", after: -60, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 4.2.3", control: "max-age=60", after: -61, verdict: .mustAsk, rule: .clock),
    // 4.2.1: invalid and duplicate values.
    Row(section: "9111 4.2.1", control: "max-age=x", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.1", control: "max-age", modified: "Sun, 06 Nov 1983 08:49:37 GMT", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.1", control: "max-age=-1", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.1", control: "max-age=1.5", verdict: .mustAsk, rule: .expired),
    Row(section: "9111 4.2.1", control: "max-age=60, max-age=0", after: 9, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2", control: "MAX-AGE=60", after: 9, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2", control: ", ,max-age=\"60\" ,,", after: 9, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2.3", control: "community=\"a, no-store, \\\"no-cache\", max-age=60", verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2.3", control: "x=\"max-age=60", verdict: .mustAsk, rule: .noLifetime),
    // 5.2.2: response directives.
    Row(section: "9111 5.2.2.4", control: "max-age=60, no-cache", verdict: .mustAsk, rule: .noCache),
    Row(section: "9111 5.2.2.4", control: "max-age=60, no-cache=\"set-cookie\"", verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2.2.5", control: "max-age=60, no-store", verdict: .mustAsk, rule: .noStore),
    Row(section: "9111 5.2.2.2", control: "max-age=60, must-revalidate", after: 9, verdict: .fresh, rule: .maxAge),
    Row(section: "9111 5.2.2.2", control: "max-age=60, must-revalidate", after: 60, verdict: .mustAsk, rule: .mustRevalidate),
    Row(
        section: "9111 5.2.2.2", control: "max-age=1, must-revalidate, stale-while-revalidate=60", after: 9, verdict: .mustAsk,
        rule: .mustRevalidate),
    Row(section: "8246 2", control: "max-age=60, immutable", after: 9, verdict: .fresh, rule: .maxAge),
    Row(section: "8246 2", control: "immutable", verdict: .mustAsk, rule: .noLifetime),
    // RFC 5861.
    Row(
        section: "5861 3", control: "max-age=60, stale-while-revalidate=30", after: 60, verdict: .usable,
        rule: .staleWhileRevalidate),
    Row(
        section: "5861 3", control: "max-age=60, stale-while-revalidate=30", after: 90, verdict: .usable,
        rule: .staleWhileRevalidate),
    Row(section: "5861 3", control: "max-age=60, stale-while-revalidate=30", after: 91, verdict: .mustAsk, rule: .expired),
    Row(section: "5861 3", control: "max-age=60, stale-while-revalidate=x", after: 61, verdict: .mustAsk, rule: .expired),
    // 5.2.1: request directives.
    Row(
        section: "9111 5.2.1.1", control: "max-age=60", fields: ["Cache-Control": "max-age=5"], after: 6, verdict: .mustAsk,
        rule: .request),
    Row(
        section: "9111 5.2.1.2", control: "max-age=60", fields: ["cache-control": "max-stale"], after: 6000, verdict: .fresh,
        rule: .maxStale),
    Row(
        section: "9111 5.2.1.2", control: "max-age=60", fields: ["cache-control": "max-stale=5"], after: 66, verdict: .mustAsk,
        rule: .expired),
    Row(
        section: "9111 5.2.1.2", control: "max-age=60, must-revalidate", fields: ["cache-control": "max-stale"], after: 66,
        verdict: .mustAsk, rule: .mustRevalidate),
    Row(
        section: "9111 5.2.1.3", control: "max-age=60", fields: ["cache-control": "min-fresh=30"], after: 30, verdict: .fresh,
        rule: .maxAge),
    Row(
        section: "9111 5.2.1.3", control: "max-age=60", fields: ["cache-control": "min-fresh=30"], after: 31, verdict: .mustAsk,
        rule: .request),
    Row(section: "9111 5.2.1.4", control: "max-age=60", fields: ["cache-control": "no-cache"], verdict: .mustAsk, rule: .request),
    // 4.1: Vary.
    Row(
        section: "9111 4.1", control: "max-age=60", vary: "Accept", first: ["accept": "a, b"], fields: ["Accept": "a , b"],
        verdict: .fresh, rule: .maxAge),
    Row(
        section: "9111 4.1", control: "max-age=60", vary: "Accept", first: ["accept": "a"], fields: ["Accept": "b"],
        verdict: .mustAsk, rule: .vary),
    Row(section: "9111 4.1", control: "max-age=60", vary: "origin, COOKIE", first: ["x": "y"], verdict: .fresh, rule: .maxAge),
    Row(
        section: "9111 4.1", control: "max-age=60", vary: "origin, cookie", fields: ["Cookie": "a"], verdict: .mustAsk,
        rule: .vary),
    Row(section: "9111 4.1", control: "max-age=60", vary: "*", verdict: .mustAsk, rule: .vary),
    Row(section: "9111 4.1", control: "max-age=60", vary: "accept, *", verdict: .mustAsk, rule: .vary),
]

@Test(arguments: rows.indices) func aKeptAnswerIsJudgedByTheSectionThatTheTableNames(_ index: Int) {
    let row = rows[index], freshness = row.freshness
    #expect(freshness.verdict == row.verdict && freshness.rule == row.rule, "\(row)")
}

private func failure(_ status: Status, _ httpStatus: Int32 = 0, cause: ImageError? = nil) -> ImageError {
    ImageError(status, "", httpStatus: httpStatus, cause: cause)
}

@Test func whatIsUsedInPlaceOfAnErrorDependsOnBothSides() {
    func rule(_ control: String, _ error: ImageError, after: Int64 = 99, vary: String = "", request: String = "")
        -> FreshnessRule?
    {
        Row(
            section: "", control: control, vary: vary, fields: request.isEmpty ? [:] : ["cache-control": request], after: after,
            verdict: .fresh, rule: .none
        ).freshness.rule(inPlaceOf: error)
    }
    let lost = failure(.connectionLost), bad = failure(.httpStatus, 503)
    // RFC 9111, 4.2.4 and 4.3.3: stale responses without a directive, when the origin is unreachable.
    #expect(rule("max-age=1", lost) == .unreachable)
    #expect(rule("max-age=1", bad) == .unreachable)
    #expect(rule("", failure(.notAnImage)) == .unreachable)
    #expect(rule("max-age=1", failure(.offline)) == .offline)
    #expect(rule("max-age=1", failure(.httpStatus, 429)) == .unreachable)
    #expect(rule("max-age=1", failure(.httpStatus, 404)) == nil)
    #expect(rule("max-age=1", failure(.failedURL, 404, cause: failure(.httpStatus, 404))) == nil)
    #expect(rule("max-age=1", failure(.failedURL, cause: failure(.badData))) == .unreachable)
    #expect(rule("max-age=1", failure(.cancelled)) == nil)
    // 5.2.2.2 and 5.2.2.4: the origin forbids stale responses.
    #expect(rule("max-age=1, must-revalidate", lost) == nil)
    #expect(rule("no-cache", lost) == nil)
    #expect(rule("no-cache", failure(.offline)) == nil)
    #expect(rule("no-store", lost) == nil)
    #expect(rule("max-age=1", lost, vary: "*") == nil)
    // RFC 5861, 4: stale-if-error sets a time, but a prohibition takes precedence over it (RFC 9111, 4.2.4).
    #expect(rule("max-age=1, stale-if-error=100", bad, after: 101) == .staleIfError)
    #expect(rule("max-age=1, stale-if-error=100", bad, after: 102) == nil)
    #expect(rule("max-age=1, must-revalidate, stale-if-error=100", lost) == nil)
    #expect(rule("no-cache, stale-if-error=100", lost) == nil)
    #expect(rule("max-age=1, must-revalidate", lost, request: "stale-if-error=100") == nil)
    // The request decides between its own two directives.
    #expect(rule("max-age=1", lost, request: "no-cache") == nil)
    #expect(rule("max-age=1", lost, request: "no-cache, stale-if-error=100") == .staleIfError)
    #expect(rule("max-age=1, stale-if-error=100", failure(.httpStatus, 404)) == nil)
}

@Test func immutableCountsWhileTheAnswerIsFresh() {
    func isImmutable(_ after: Int64) -> Bool {
        Row(section: "", control: "immutable, max-age=5", after: after, verdict: .fresh, rule: .none).freshness.isImmutable
    }
    #expect(isImmutable(4))
    #expect(!isImmutable(5))
}

@Test func anAnswerSaysWhetherItMayBeStored() {
    func mayBeStored(_ control: String, status: Int32 = 200, request: String = "") -> Bool {
        var record = ResponseRecord()
        record.status = status
        record.cacheControl = Array(control.utf8)
        return record.mayBeStored([HeaderField(name: "Cache-Control", value: request)])
    }
    #expect(mayBeStored(""))
    #expect(mayBeStored("private, no-cache"))
    #expect(!mayBeStored("max-age=5, No-Store"))
    #expect(!mayBeStored("no-store=\"\""))
    #expect(!mayBeStored("", request: "no-store"))
    #expect(mayBeStored("no-store, must-understand"))
    #expect(!mayBeStored("no-store, must-understand", status: 299))
    let part = ResponseRecord()
    #expect(!part.mayBeStored([HeaderField(name: "Range", value: "bytes=0-9")]))
}

@Test func dateFieldsAreReadInAllTheirForms() {
    func date(_ text: String) -> Int64? { HTTPDate.parse(Array(text.utf8), now: 1_795_000_000) }
    for text in [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 6 NOV 1994 8:49:37 gmt",
    ] { #expect(date(text) == answered, "\(text)") }
    #expect(date("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(date("Tue, 29 Feb 2000 23:59:60 GMT") == 951_868_800)
    #expect(date("Fri, 31 Dec 9999 23:59:59 GMT") == 253_402_300_799)
    #expect(date("Mon, 01 Jan 1900 00:00:00 GMT") == -2_208_988_800)
    // A date more than 50 years in the future is in the past (RFC 9110, 5.6.7).
    #expect(date("Sunday, 06-Nov-76 08:49:37 GMT") == 3_371_878_177)
    #expect(date("Sunday, 06-Nov-77 08:49:37 GMT") == 247_654_177)
    for text in [
        "", "0", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nox 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", String(repeating: "9", count: 300),
    ] { #expect(date(text) == nil, "\(text)") }
    #expect(HTTPDate.parse([0xFF, 0x20, 0x80], now: 0) == nil)
}

@Test func aRecordComesBackFromItsRowAsItWas() {
    var record = ResponseRecord()
    record.status = 203
    record.entityTag = Array("W/\"a\"".utf8)
    record.lastModified = Array("then".utf8)
    record.cacheControl = Array("max-age=5".utf8)
    record.date = Array("now".utf8)
    record.age = Array("3".utf8)
    record.expires = []
    record.vary = Array("accept".utf8)
    record.select(by: [HeaderField(name: "Accept", value: "x")])
    record.location = MD5(of: Array("y".utf8))
    record.requestTime = 1
    record.responseTime = .max
    func again(_ encoded: [UInt8]) -> ResponseRecord {
        ResponseRecord(entityTag: record.entityTag, lastModified: record.lastModified, encoded: encoded, created: 77)
    }
    #expect(again(record.encoded) == record)
    // The value itself is not stored.
    #expect(!record.encoded.contains(UInt8(ascii: "x")) || record.encoded.split(separator: UInt8(ascii: "x")).count >= 2)
    // Rows of earlier versions contain only Cache-Control.
    let old = again(Array("max-age=9".utf8))
    #expect(old.cacheControl == Array("max-age=9".utf8) && old.responseTime == 77 && old.entityTag == record.entityTag)
    // A truncated record is not trusted.
    for count in 1..<record.encoded.count {
        #expect(again(Array(record.encoded.prefix(count))).cacheControl == Array("no-cache".utf8))
    }
    #expect(ResponseRecord().encoded.isEmpty)
    #expect(ResponseRecord(entityTag: [], lastModified: [], encoded: [], created: 5).isEmpty)
    // Fields of any length leave a readable row.
    record.cacheControl = [UInt8](repeating: 65, count: 300_000)
    record.vary = record.cacheControl
    record.entityTag = record.cacheControl
    (record.date, record.age, record.expires) = (record.cacheControl, record.cacheControl, record.cacheControl)
    #expect(record.encoded.count < 5000 && record.storedEntityTag.isEmpty)
    // The truncated field may have contained `private`.
    #expect(again(record.encoded).cacheControl == Array("no-cache, private".utf8))
    #expect(again(record.encoded).vary == Array("*".utf8) && again(record.encoded).expires == [])
    // A limited record still forbids what the fields forbid.
    record.cacheControl += Array(", no-store".utf8)
    record.limitFields()
    #expect(record.cacheControl == Array("no-cache, no-store, private".utf8) && !record.mayBeStored([]))
    #expect(record.vary == Array("*".utf8) && record.expires == [])
    #expect(record.entityTag.isEmpty && record.date.isEmpty && record.age.isEmpty)
}

@Test func conditionsNameWhatIsKept() {
    var record = ResponseRecord()
    record.entityTag = Array("\"a\"".utf8)
    record.lastModified = Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8)
    #expect(record.conditions(selectsSame: true).map(\.name) == ["If-None-Match", "If-Modified-Since"])
    #expect(record.conditions(selectsSame: false).map(\.name) == ["If-None-Match"])
    // A value that cannot be sent back is not a validator.
    for tag in [[0xFF, 0xFE], [34, 10, 34], [UInt8](repeating: 65, count: 2000)] as [[UInt8]] {
        record.entityTag = tag
        #expect(record.conditions(selectsSame: true).map(\.name) == ["If-Modified-Since"])
    }
}

@Test func notModifiedRenewsWhatItSpeaksOf() throws {
    var kept = ResponseRecord()
    kept.status = 200
    kept.entityTag = Array("\"a\"".utf8)
    kept.cacheControl = Array("max-age=5".utf8)
    kept.age = Array("400".utf8)
    kept.responseTime = 1
    var answer = ResponseRecord()
    answer.status = 304
    answer.responseTime = 2
    let renewed = try #require(kept.updated(by: answer))
    // The age is that of the 304 response, not of the stored response.
    #expect(renewed.status == 200 && renewed.entityTag == kept.entityTag && renewed.age.isEmpty && renewed.responseTime == 2)
    #expect(renewed.cacheControl == kept.cacheControl)
    answer.cacheControl = Array("max-age=9".utf8)
    answer.entityTag = Array("\"a\"".utf8)
    #expect(kept.updated(by: answer)?.cacheControl == answer.cacheControl)
    // RFC 9111, 4.3.4: a strong validator of another representation.
    answer.entityTag = Array("\"b\"".utf8)
    #expect(kept.updated(by: answer) == nil)
    answer.entityTag = Array("W/\"b\"".utf8)
    #expect(kept.updated(by: answer) != nil)
}

@Test func theRowIsRenewedWithoutItsBytes() async throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 10 }
    let cache = try fixture.open()
    let key = CacheKey("a")
    var data = CachedData(bytes: try bytes(1, count: 1000))
    data.record = {
        var record = ResponseRecord()
        record.entityTag = Array("\"a\"".utf8)
        record.responseTime = 5
        return record
    }()
    try cache.storeNow(data, for: key)
    let before = try #require(try cache.dataNow(for: key))
    var renewed = before.record
    renewed.responseTime = 9
    try cache.updateRecordNow(key, from: before.record, to: renewed)
    let after = try #require(try cache.dataNow(for: key))
    #expect(after.record.responseTime == 9 && after.write == before.write && after.created == before.created)
    #expect(array(after.bytes) == array(data.bytes))
    // An update for an entry that was replaced meanwhile is ignored.
    var other = renewed
    other.entityTag = Array("\"b\"".utf8)
    other.responseTime = 99
    try cache.updateRecordNow(key, from: other, to: other)
    // So is one for the response of another URL, to which a redirect has led, with an equal validator.
    other = renewed
    other.location = MD5(of: [1])
    other.responseTime = 99
    try cache.updateRecordNow(key, from: other, to: other)
    #expect(!other.hasSameValidators(as: renewed))
    #expect(try cache.dataNow(for: key)?.record.responseTime == 9)
    #expect(cache.statistics.damagedEntries == 0)
}

@Test func fieldsOfAnyBytesAreJudged() {
    var randoms = Randoms(seed: 7)
    let alphabet = Array("max-age=0123456789,\"\\ no-cache; GMT:Sun Nov*stale-if-error".utf8) + [0, 1, 10, 255]
    func field() -> [UInt8] { randoms.bytes(randoms.below(60), from: alphabet) }
    for _ in 0..<3000 {
        var record = ResponseRecord(entityTag: field(), lastModified: field(), encoded: field(), created: randoms.next())
        (record.date, record.age, record.vary, record.expires) = (field(), field(), field(), field())
        record.select(by: [])
        let now = randoms.next()
        let freshness = Freshness(
            of: record, fields: [HeaderField(name: "cache-control", value: String(decoding: field(), as: UTF8.self))], now: now)
        #expect(freshness.age >= 0 && freshness.lifetime >= 0)
        let kept = ResponseRecord(
            entityTag: record.entityTag, lastModified: record.lastModified, encoded: record.encoded, created: 0)
        #expect(kept == record || record.isEmpty)
    }
}
