import CSystem
import Foundation
import SDImage
import TestSupport
import Testing

private func sqlite(_ statements: String, on path: String) throws {
    let tool = Process()
    tool.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let program = "import sqlite3, sys\nsqlite3.connect(sys.argv[1], timeout=120).executescript(sys.argv[2])"
    tool.arguments = ["python3", "-c", program, path, statements]
    try tool.run()
    tool.waitUntilExit()
    #expect(tool.terminationStatus == 0)
}

@Test func soundCacheIsFoundSound() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 150 }
    let cache = try fixture.open()
    for index in 0..<600 { cache.enqueueStore(CachedData(bytes: try bytes(index, count: index)), for: CacheKey("\(index)")) }
    let report = try cache.verifyNow(repairs: false)
    #expect(report.isSound)
    #expect(report.entries == 600)
    #expect(report.bytes == 599 * 300)
}

@Test func verifyingFindsAllDamageAndRepairingRemovesIt() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 150 }
    let cache = try fixture.open()
    for index in 0..<20 { try cache.put(index, count: index * 20, at: "\(index)") }
    func file(_ key: String) throws -> String {
        try #require(fixture.entryFiles.first { $0.contains(MD5(of: Array(key.utf8)).hexadecimal) })
    }
    // Entries verified by an earlier read are verified again.
    #expect(try cache.get("12") != nil)
    try Harm.flip.apply(to: try file("12"))
    try Harm.remove.apply(to: try file("13"))
    try sqlite(
        """
        UPDATE entry SET bytes = x'00' WHERE key = CAST('3' AS BLOB);
        UPDATE entry SET etag = x'41' WHERE key = CAST('4' AS BLOB);
        UPDATE entry SET key = CAST('five' AS BLOB) WHERE key = CAST('5' AS BLOB);
        """, on: fixture.root + "/index-1.db")
    try FileManager.default.createDirectory(atPath: fixture.root + "/e9", withIntermediateDirectories: true)
    _ = FileManager.default.createFile(
        atPath: fixture.root + "/e9/e9936aba8d7f7fcca7813d72290de957-4c1-1f.jpg", contents: Data([1]))
    let found = try cache.verifyNow(repairs: false)
    #expect(found.damaged == 4 && found.missing == 1 && found.strays == 1 && found.entries == 20)
    #expect(Set(found.keys) == Set(["12", "13", "3", "4", "five"].map { CacheKey($0) }))
    #expect(try cache.totalsNow().count == 20)
    #expect(!(try cache.verifyNow(repairs: true)).isSound)
    let after = try cache.verifyNow(repairs: false)
    #expect(after.isSound && after.entries == 15)
    #expect(try cache.totalsNow().count == 15)
    for index in 0..<20 {
        let found = try cache.get("\(index)")
        #expect(found == ([3, 4, 5, 12, 13].contains(index) ? nil : array(try bytes(index, count: index * 20))))
    }
}

@Test func indexThatLacksARowIsReplaced() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    for index in 0..<200 { try cache.put(index, at: "\(index)") }
    try sqlite(
        """
        PRAGMA writable_schema = ON;
        CREATE TABLE other (digest INTEGER); CREATE INDEX other_digest ON other (digest);
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'other_digest')
            WHERE name = 'entry_digest';
        DELETE FROM sqlite_schema WHERE name IN ('other', 'other_digest');
        """, on: fixture.root + "/index-1.db")
    let other = try fixture.open()
    #expect(try other.get("7") == nil)
    let found = try other.verifyNow(repairs: false)
    #expect(found.isIndexDamaged)
    _ = try other.verifyNow(repairs: true)
    let last = try fixture.open()
    #expect(try last.verifyNow(repairs: false).isSound)
}

@Test(arguments: ["entries = 77, bytes = 5", "entries = 77", "bytes = 5", "allocated = 5"])
func totalsThatWereWrongAreCounted(change: String) throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    for index in 0..<10 { try cache.put(index, at: "\(index)") }
    try sqlite("UPDATE total SET \(change)", on: fixture.root + "/index-1.db")
    #expect(try cache.verifyNow(repairs: true).areTotalsWrong)
    let totals = try cache.totalsNow()
    #expect(totals.count == 10 && totals.bytes == 1000)
}

/// SQLite reads a number that is too large as the largest one.
@Test func aTotalOutOfRangeDoesNotEndARepair() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    for index in 0..<3 { try cache.put(index, at: "\(index)") }
    try sqlite("UPDATE total SET entries = 9.3e18; UPDATE entry SET checksum = 0 WHERE id = 1", on: fixture.root + "/index-1.db")
    #expect(try cache.verifyNow(repairs: true).damaged == 1)
    #expect(try cache.verifyNow(repairs: false).isSound)
    #expect(try cache.totalsNow().count == 2)
}

/// A flipped bit anywhere in the database causes at worst a miss: neither wrong bytes nor wrong extended data.
@Test func databaseWithOneFlippedBitNeverAnswersWrongly() throws {
    let fixture = CacheFixture()
    let stored = try (0..<40).map { try bytes($0, count: 400) }
    do {
        let cache = try fixture.open()
        for (index, data) in stored.enumerated() {
            var entry = CachedData(bytes: data)
            entry.entityTag = Array("tag \(index)".utf8)
            entry.extendedData = try bytes(index + 1, count: 30)
            try cache.storeNow(entry, for: CacheKey("key \(index)"))
        }
        cache.close()
    }
    let path = fixture.root + "/index-1.db"
    let whole = try #require(FileManager.default.contents(atPath: path))
    var random: UInt64 = 7
    for _ in 0..<150 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var damaged = whole
        damaged[Int(random >> 33) % whole.count] ^= 1 << UInt8(random >> 30 & 7)
        let copy = CacheFixture()
        try FileManager.default.createDirectory(
            atPath: copy.root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try damaged.write(to: URL(fileURLWithPath: copy.root + "/index-1.db"))
        let cache = try copy.open()
        for (index, data) in stored.enumerated() {
            guard let found = try cache.dataNow(for: CacheKey("key \(index)")) else { continue }
            #expect(array(found.bytes) == array(data))
            #expect(found.entityTag == Array("tag \(index)".utf8))
            #expect(array(found.extendedData) == array(try bytes(index + 1, count: 30)))
        }
        cache.close()
    }
}

/// Files of the cache other than entries: for any damage, the cache works and outside files stay untouched.
@Test(arguments: Harm.allCases, ["CACHEDIR.TAG", "v1/instances", "v1/pins", "v1/e1", "v1"])
func harmedSurroundingsNeverHarmOutsidersNorTheCache(harm: Harm, name: String) throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let outside = TemporaryDirectory()
    let canary = outside.path + "/canary"
    try Data("untouched".utf8).write(to: URL(fileURLWithPath: canary))
    do {
        let cache = try fixture.open()
        for index in 0..<300 { cache.enqueueStore(CachedData(bytes: try bytes(index)), for: CacheKey("\(index)")) }
        _ = try cache.pathNow(for: CacheKey("1"))
        cache.close()
    }
    let path = fixture.directory.path + "/default/" + name
    try? FileManager.default.removeItem(atPath: path)
    switch harm {
    case .pipe: unsafe mkfifo(path, 0o600)
    case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside.path)
    case .folder:
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    case .remove: break
    default: _ = FileManager.default.createFile(atPath: path, contents: Data(count: 100))
    }
    let cache = try fixture.open()
    for index in 0..<300 {
        let found = try cache.get("\(index)")
        let stored = array(try bytes(index))
        #expect(found == nil || found == stored)
    }
    // Refused or done, but never outside the folder.
    _ = status { try cache.put(1, at: "new") }
    _ = status { try cache.removeAllNow() }
    _ = status { try cache.pathNow(for: CacheKey("new")) }
    cache.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["canary"])
    #expect(try String(contentsOfFile: canary, encoding: .utf8) == "untouched")
}

/// The only process on the folder removes abandoned indexes.
@Test func removedIndexIsDamagedAndRepairingStartsANewOne() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    try cache.put(1, at: "a")
    try FileManager.default.removeItem(atPath: fixture.root + "/index-1.db")
    #expect(try cache.verifyNow(repairs: true).isIndexDamaged)
    #expect(try cache.verifyNow(repairs: false).isSound)
    try cache.put(2, at: "a")
    #expect(try cache.get("a") == array(try bytes(2)))
}
