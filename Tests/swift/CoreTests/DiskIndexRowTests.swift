import CSQLite
import Foundation
import SDImage
import SDImageSQLite
import TestSupport
import Testing

/// Runs SQL on the index as another program would.
private func alter(_ fixture: CacheFixture, _ sql: String, generation: Int = 1) throws {
    var database: OpaquePointer?
    defer { unsafe sqlite3_close(database) }
    try #require(unsafe sqlite3_open(fixture.root + "/index-\(generation).db", &database) == SQLITE_OK)
    let code = unsafe sqlite3_exec(database, sql, nil, nil, nil)
    // SQLite itself refuses text as a rowid.
    try #require(code == SQLITE_OK || code == SQLITE_MISMATCH, "\(unsafe String(cString: sqlite3_errmsg(database)))")
}

/// Runs all calls that read rows, and ignores their results.
private func useAll(_ cache: DiskCache) throws {
    for key in ["a", "b"] {
        _ = try cache.get(key)
        _ = try cache.containsNow(CacheKey(key))
        _ = try? cache.extendedDataNow(for: CacheKey(key))
        _ = try? cache.setExtendedDataNow(try bytes(9), for: CacheKey(key))
        _ = try? cache.setExpiryNow(0, for: CacheKey(key))
        _ = try? cache.pathNow(for: CacheKey(key))
    }
    for order in [CacheQuery.Order.stored, .accessed] {
        var query = CacheQuery()
        query.order = order
        var place: CachePosition? = .beginning
        while let from = place { place = try? cache.entriesNow(query, from: from, limit: 1).next }
    }
    _ = try? cache.totalsNow()
    _ = try? cache.verifyNow(repairs: false)
    _ = try? cache.trimNow()
    _ = try? cache.trimNow(below: 1)
    _ = try? cache.verifyNow(repairs: true)
}

/// A value of the wrong type, sign or size in each column.
@Test(
    .timeLimit(.minutes(30)),
    arguments: [
        "id", "digest", "key", "instance", "number", "length", "checksum", "created", "accessed", "expires", "allocated", "file",
        "etag", "modified", "control", "extended", "bytes",
    ])
func strangeValueInARowIsAMiss(column: String) throws {
    for value in [
        "-1", "9223372036854775807", "-9223372036854775808", "'text'", "1e300", "x''", "zeroblob(70000)", "'../../etc/passwd'",
    ] {
        let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
        do {
            let cache = try fixture.open()
            try cache.put(1, count: 40, at: "a")
            try cache.put(2, count: 400, at: "b")
            cache.close()
        }
        try alter(fixture, "UPDATE OR IGNORE entry SET \(column) = \(value)")
        let cache = try fixture.open()
        let found = try cache.get("a")
        let stored = array(try bytes(1, count: 40))
        #expect(found == nil || found == stored, "\(column) = \(value)")
        try useAll(cache)
        #expect(try cache.verifyNow(repairs: false).isSound, "\(column) = \(value)")
        try cache.put(3, count: 40, at: "a")
        #expect(try cache.get("a") == array(try bytes(3, count: 40)), "\(column) = \(value)")
    }
}

/// Row numbers that SQLite assigns only on explicit request.
@Test(arguments: ["-id", "1 - id", "id - 9223372036854775807"])
func rowOfAnyNumberIsListedAndVerified(number: String) throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        for key in ["a", "b", "c"] { try cache.put(1, at: key) }
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET id = \(number)")
    let cache = try fixture.open()
    #expect(try cache.entriesNow(limit: 10).entries.count == 3)
    let report = try cache.verifyNow(repairs: false)
    #expect(report.isSound && report.entries == 3)
}

@Test(arguments: [
    "UPDATE total SET entries = 9223372036854775807, bytes = -5, allocated = 9223372036854775807",
    "UPDATE total SET entries = -1, bytes = 'x', allocated = 1e300", "DELETE FROM total",
])
func strangeTotalsAreSurvived(sql: String) throws {
    let fixture = CacheFixture { $0.disk.maxSize = 1 << 20 }
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    try alter(fixture, sql)
    let cache = try fixture.open()
    try useAll(cache)
    try cache.put(2, at: "b")
    // Totals over the limit let a trim remove entries; wrong data are never returned.
    let (found, stored) = (try cache.get("b"), array(try bytes(2)))
    #expect(found == nil || found == stored)
}

/// A total that cannot be right is computed with the next change.
@Test(arguments: [
    "entries = -1", "entries = 9.3e18", "bytes = 'x'", "bytes = -1e300", "allocated = x''", "allocated = -5",
    "allocated = 9223372036854775807",
])
func totalsThatCannotBeRightAreComputed(change: String) throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    do {
        let cache = try fixture.open()
        try cache.put(1, count: 400, at: "a")
        try cache.put(2, at: "b")
        cache.close()
    }
    try alter(fixture, "UPDATE total SET \(change)")
    let cache = try fixture.open()
    try cache.removeNow(CacheKey("a"))
    #expect(try cache.totalsNow().count == 1)
    #expect(try cache.verifyNow(repairs: false).isSound)
}

/// The size of the file was counted as it was, and is removed as the row says.
@Test(arguments: ["9223372036854775807", "1e300"])
func rowWithAWrongSizeOfItsFileDoesNotEndTheSizeLimit(size: String) throws {
    let fixture = CacheFixture { ($0.inlineEntryLimit, $0.disk.maxSize) = (50, 1 << 20) }
    do {
        let cache = try fixture.open()
        for key in ["a", "b"] { try cache.put(1, count: 400, at: key) }
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET allocated = \(size) WHERE id = 1")
    let cache = try fixture.open()
    try cache.removeNow(CacheKey("a"))
    for index in 0..<4 { try cache.put(index, count: 400_000, at: "\(index)") }
    try cache.trimNow()
    #expect(try cache.totalsNow().count < 5)
}

/// Without a limit for the bytes of an entry, the sum would exceed all numbers.
@Test func rowsWithoutASensibleSizeAreCounted() throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        for key in ["a", "b", "c"] { try cache.put(1, at: key) }
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET allocated = \(Int64.max), length = \(Int64.min); UPDATE total SET entries = -1")
    let cache = try fixture.open()
    for key in ["a", "b", "c"] { try cache.removeNow(CacheKey(key)) }
    try cache.put(1, at: "d")
    #expect(try cache.verifyNow(repairs: false).isSound)
}

/// A total of a terabyte too much, which is possible, empties the cache once.
@Test(arguments: [ExpiryRule.access, .modification]) func aTotalThatIsTooLargeEmptiesTheCacheOnce(rule: ExpiryRule) throws {
    let fixture = CacheFixture { ($0.disk.rule, $0.disk.maxSize) = (rule, 1 << 20) }
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    try alter(fixture, "UPDATE total SET allocated = allocated + \(1 << 40)")
    let cache = try fixture.open()
    try cache.trimNow()
    try cache.put(2, at: "b")
    try cache.trimNow()
    #expect(try cache.get("b") == array(try bytes(2)))
    #expect(try cache.verifyNow(repairs: false).isSound)
}

/// A trim that reads no more rows of the index by date, although the table has some, cannot reach its limit.
@Test func anIndexThatLacksRowsIsReplacedByATrim() throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    try alter(
        fixture,
        """
        PRAGMA writable_schema = ON;
        CREATE TABLE other (accessed INTEGER); CREATE INDEX other_accessed ON other (accessed);
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'other_accessed')
            WHERE name = 'entry_accessed';
        DELETE FROM sqlite_schema WHERE name IN ('other', 'other_accessed');
        """)
    let cache = try fixture.open()
    try cache.trimNow(below: 0)
    #expect(FileManager.default.fileExists(atPath: fixture.root + "/index-2.db"))
}

/// Statements of another program that would run with each store, and a database that requests memory mapping.
@Test(arguments: [
    "CREATE TRIGGER spy AFTER INSERT ON entry BEGIN DELETE FROM entry; END", "CREATE TABLE more (a)",
    "CREATE INDEX slow ON entry (length(hex(key)))", "ALTER TABLE entry ADD COLUMN more DEFAULT 1", "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 3", "DROP INDEX entry_digest",
])
func databaseThatIsNotOursIsLeftAlone(sql: String) throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    try alter(fixture, sql)
    let cache = try fixture.open()
    #expect(try cache.get("a") == nil)
    try cache.put(2, at: "a")
    #expect(try cache.get("a") == array(try bytes(2)))
    #expect(FileManager.default.fileExists(atPath: fixture.root + "/index-2.db"))
}

@Test func clearingACacheKeepsNoNameThatNoFileCanHave() throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET file = zeroblob(300)")
    let store = try SQLiteStore(in: try FileDescriptor.folder(at: fixture.root), name: "index-1.db", isDurable: false)
    #expect(try store.removeAll().isEmpty)
}

/// A slice whose time is over when its candidates have been read, as on a slow disk, is repeated; it must not remove nothing.
@Test func aSliceOfATrimRemovesARowInAnyTime() throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        for key in ["a", "b"] { try cache.put(1, at: key) }
        cache.close()
    }
    let store = try SQLiteStore(in: try FileDescriptor.folder(at: fixture.root), name: "index-1.db", isDurable: false)
    var selection = CacheSelection(rule: .access)
    (selection.notAfter, selection.busyTimeout) = (.max, 0)
    #expect(try store.removeOldest(selection).count == 1)
    #expect(try store.removeOldest(selection).isComplete)
    #expect(try store.totals().count == 0)
}

/// More entries than a slice of a trim removes, with dates that this library never writes.
@Test(arguments: [ExpiryRule.access, .modification], ["'x'", "x''", "1e300"])
func entriesOfAnyDateAreRemovedBySize(rule: ExpiryRule, date: String) throws {
    let fixture = CacheFixture { $0.disk.rule = rule }
    do {
        let cache = try fixture.open()
        for index in 0..<40 { cache.enqueueStore(CachedData(bytes: try bytes(index)), for: CacheKey("\(index)")) }
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET \(rule == .access ? "accessed" : "created") = \(date)")
    let cache = try fixture.open()
    try cache.trimNow(below: 0)
    #expect(try cache.totalsNow().count == 0)
}

/// They would otherwise count as used after all others, which each trim would remove.
@Test(arguments: ["'x'", "x''", "1e300"]) func entriesWithoutADateAreTheFirstToBeRemovedBySize(date: String) throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        for key in ["a", "b", "c"] { try cache.put(1, at: key) }
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET accessed = \(date) WHERE id = 2")
    let store = try SQLiteStore(in: try FileDescriptor.folder(at: fixture.root), name: "index-1.db", isDurable: false)
    let removal = try store.removeOldest(CacheSelection(rule: .access))
    #expect(removal.count == 1 && !removal.isComplete)
    #expect(try ["a", "b", "c"].filter { try store.header(for: CacheKey($0)) != nil } == ["a", "c"])
}

@Test func oversizedValueIsNeverLoaded() throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    try alter(fixture, "UPDATE entry SET bytes = zeroblob(400000000)")
    let cache = try fixture.open()
    #expect(try cache.get("a") == nil)
    try cache.put(2, at: "a")
    #expect(try cache.get("a") == array(try bytes(2)))
}

/// Repeatedly truncates each file of the open index as another process would. No file may be mapped: SIGBUS would end the
/// process.
@Test(arguments: ["index-1.db", "index-1.db-journal"], [0, 1, 4096])
func truncatedOpenIndexNeverEndsTheProcess(name: String, length: Int) throws {
    let fixture = CacheFixture()
    let (cache, other) = (try fixture.open(), try fixture.open())
    for index in 0..<50 { try cache.put(index, count: 3000, at: "\(index)") }
    _ = try other.get("1")
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    #expect(!maps.contains(fixture.root))
    unsafe truncate(fixture.root + "/" + name, off_t(length))
    for index in 0..<50 {
        for cache in [cache, other] {
            let found = try cache.get("\(index)")
            let stored = array(try bytes(index, count: 3000))
            #expect(found == nil || found == stored)
        }
        try? cache.put(index, count: 3000, at: "\(index)")
    }
    #expect(FileManager.default.fileExists(atPath: fixture.root + "/index-1.db-shm") == false)
}
