import CSystem
import Foundation
import SDImage
import TestSupport
import Testing

/// Kinds of damage to one file by an attacker or a failing disk.
enum Harm: CaseIterable {
    case flip, cut, grow, empty, zero, remove, pipe, link, folder

    func apply(to path: String) throws {
        let files = FileManager.default
        guard var bytes = files.contents(atPath: path) else { throw CocoaError(.fileNoSuchFile) }
        // The journal of a finished transaction: replaced by one of another program.
        if bytes.isEmpty { bytes = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]) + Data(repeating: 1, count: 20_000) }
        switch self {
        case .flip: bytes[bytes.count / 2] ^= 0x10
        case .cut: bytes.removeLast()
        case .grow: bytes.append(0)
        case .empty: bytes.removeAll()
        case .zero: bytes = Data(count: bytes.count)
        case .remove, .pipe, .link, .folder:
            try files.removeItem(atPath: path)
            switch self {
            case .pipe: unsafe mkfifo(path, 0o600)
            case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
            case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            default: break
            }
            return
        }
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }
}

@Test(arguments: Harm.allCases)
func harmedFileIsAMissAndHeals(harm: Harm) throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    do {
        let cache = try fixture.open()
        try cache.put(1, count: 5000, at: "a.jpg")
        try cache.put(2, count: 5000, at: "b.jpg")
        cache.close()
    }
    let digest = MD5(of: Array("a.jpg".utf8)).hexadecimal
    let path = try #require(fixture.entryFiles.first { $0.contains(digest) })
    try harm.apply(to: path)
    let cache = try fixture.open()
    #expect(try cache.get("a.jpg") == nil)
    #expect(try cache.get("b.jpg") == array(try bytes(2, count: 5000)))
    let statistics = cache.statistics
    #expect(statistics.damagedEntries + statistics.missingFiles > 0)
    // The row of that write is removed too.
    #expect(try cache.totalsNow().count == 1)
    try cache.put(3, count: 6000, at: "a.jpg")
    #expect(try cache.get("a.jpg") == array(try bytes(3, count: 6000)))
}

@Test func rottenInlineBytesAreAMiss() throws {
    let fixture = CacheFixture()
    let marker = Array("a very particular sequence of bytes".utf8)
    do {
        let cache = try fixture.open()
        try cache.storeNow(CachedData(bytes: try .copying(marker)), for: CacheKey("a"))
        cache.close()
    }
    let path = fixture.root + "/index-1.db"
    var database = try #require(FileManager.default.contents(atPath: path))
    let range = try #require(database.firstRange(of: marker))
    database[range.lowerBound] ^= 1
    try database.write(to: URL(fileURLWithPath: path))
    let cache = try fixture.open()
    #expect(try cache.get("a") == nil)
    #expect(cache.statistics.damagedEntries > 0)
    #expect(try cache.totalsNow().count == 0)
}

@Test(arguments: Harm.allCases, ["index-1.db", "index-1.db-journal"])
func harmedDatabaseNeverGivesWrongBytesNorStopsTheCache(harm: Harm, name: String) throws {
    let fixture = CacheFixture()
    let keeper = try fixture.open()
    for index in 0..<200 { try keeper.put(index, count: 3000, at: "\(index)") }
    // A copy with its log, as after a crash.
    let copy = CacheFixture()
    try FileManager.default.createDirectory(
        atPath: copy.directory.path + "/default", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.copyItem(atPath: fixture.root, toPath: copy.root)
    try harm.apply(to: copy.root + "/" + name)
    let cache = try copy.open()
    for index in 0..<200 {
        let found = try cache.get("\(index)")
        let stored = array(try bytes(index, count: 3000))
        #expect(found == nil || found == stored)
    }
    try cache.put(1, at: "new")
    #expect(try cache.get("new") == array(try bytes(1)))
}

@Test func databaseOverwrittenByGarbageStartsClean() throws {
    let fixture = CacheFixture()
    do {
        let cache = try fixture.open()
        try cache.put(1, at: "a")
        cache.close()
    }
    let garbage = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
    try garbage.write(to: URL(fileURLWithPath: fixture.root + "/index-1.db"))
    let cache = try fixture.open()
    #expect(try cache.get("a") == nil)
    try cache.put(2, at: "a")
    #expect(try cache.get("a") == array(try bytes(2)))
    #expect(cache.statistics.damagedDatabases == 1)
    #expect(FileManager.default.fileExists(atPath: fixture.root + "/index-2.db"))
}

@Test func abandonedDatabaseIsRemovedOnceNoOtherInstanceLives() async throws {
    let fixture = CacheFixture()
    let finder = try fixture.open()
    try finder.put(1, at: "a")
    try await finder.settle()
    _ = FileManager.default.createFile(
        atPath: fixture.root + "/index-2.db", contents: Data(), attributes: [.posixPermissions: 0o600])
    try finder.put(2, at: "b")
    let second = try fixture.open()
    try await second.settle()
    #expect(FileManager.default.fileExists(atPath: fixture.root + "/index-1.db"))
    finder.close()
    second.close()
    let last = try fixture.open()
    try await last.settle()
    #expect(!FileManager.default.fileExists(atPath: fixture.root + "/index-1.db"))
    #expect(try last.get("b") == array(try bytes(2)))
}

@Test func otherCacheFollowsToTheNextGeneration() throws {
    let fixture = CacheFixture()
    let (one, two) = (try fixture.open(), try fixture.open())
    try one.put(1, at: "a")
    #expect(try two.get("a") != nil)
    // The action of a process that detects a damaged database.
    _ = FileManager.default.createFile(
        atPath: fixture.root + "/index-2.db", contents: Data(), attributes: [.posixPermissions: 0o600])
    try two.put(2, at: "b")
    #expect(try one.get("b") == array(try bytes(2)))
    #expect(try one.get("a") == nil)
}

@Test func folderCopiedInTheMiddleOfStoresOpensClean() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 2000 }
    let cache = try fixture.open()
    try cache.flushNow()
    let thread = try LibraryThread.start("store") {
        for index in 0..<400 {
            guard let data = try? bytes(index, count: 1000 + index * 5) else { return }
            cache.enqueueStore(CachedData(bytes: data), for: CacheKey("\(index)"))
        }
        try? cache.flushNow()
    }
    for _ in 0..<5 {
        let copy = CacheFixture { $0.inlineEntryLimit = 2000 }
        try FileManager.default.createDirectory(
            atPath: copy.directory.path + "/default", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Files may appear and disappear during the copy.
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: "/bin/cp")
        tool.arguments = ["-a", fixture.root, copy.root]
        tool.standardError = FileHandle.nullDevice
        try tool.run()
        tool.waitUntilExit()
        let reopened = try copy.open()
        for index in 0..<400 {
            let found = try reopened.get("\(index)")
            let stored = array(try bytes(index, count: 1000 + index * 5))
            #expect(found == nil || found == stored)
        }
        try reopened.put(1, at: "new")
        #expect(try reopened.get("new") != nil)
    }
    pthread_join(thread, nil)
}

@Test func filesOfDeadInstancesWithoutRowsAreSwept() async throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let living = try fixture.open()
    try living.put(1, count: 100, at: "living")
    let held = try #require(fixture.entryFiles.first)
    // A process died: its lock file exists, the lock is free, and one file never got its row.
    let name = CacheFileName(key: CacheKey("lost.png"), write: CacheWrite(instance: 0xdead, number: 1))
    try FileManager.default.createDirectory(atPath: fixture.root + "/" + name.folder, withIntermediateDirectories: true)
    // It also replaced the row of a file written by a process that ended normally, and died before removing that file.
    let other = CacheFileName(key: CacheKey("replaced.png"), write: CacheWrite(instance: 0xabc, number: 7))
    try FileManager.default.createDirectory(atPath: fixture.root + "/" + other.folder, withIntermediateDirectories: true)
    // The lock file comes last: a sweep of the open cache may run at any moment, and must find all or nothing.
    for path in [name.path, other.path, "instances/dead"] {
        _ = FileManager.default.createFile(
            atPath: fixture.root + "/" + path, contents: Data([1]), attributes: [.posixPermissions: 0o600])
    }
    let cache = try fixture.open()
    // The sweep handles one subfolder at a time; each call waits for one iteration of the disk thread.
    for _ in 0..<2000 where FileManager.default.fileExists(atPath: fixture.root + "/instances/dead") { try await cache.settle() }
    #expect(!FileManager.default.fileExists(atPath: fixture.root + "/instances/dead"))
    #expect(fixture.entryFiles == [held])
    #expect(try cache.get("living") != nil)
}

@Test func cleanEndLeavesNoLockFile() throws {
    let fixture = CacheFixture()
    let cache = try fixture.open()
    try cache.put(1, at: "a")
    #expect(fixture.files.contains { $0.contains("/instances/") })
    cache.close()
    #expect(!fixture.files.contains { $0.contains("/instances/") })
}

/// Each cache has its own descriptors and locks, like a process.
@Test func cachesThatGiveUpAnIndexAtOnceMakeOneNewGeneration() throws {
    for _ in 0..<5 {
        let fixture = CacheFixture()
        do {
            let cache = try fixture.open()
            try cache.put(1, at: "old")
            cache.close()
        }
        try Data(repeating: 0x55, count: 100_000).write(to: URL(fileURLWithPath: fixture.root + "/index-1.db"))
        let caches = try (0..<3).map { _ in try fixture.open() }
        DispatchQueue.concurrentPerform(iterations: caches.count) { number in
            for index in 0..<10 { try? patiently { try caches[number].put(index, at: "\(number) \(index)") } }
        }
        for number in caches.indices {
            for index in 0..<10 {
                let reader = caches[(number + 1) % caches.count]
                // A cache that another one has kept waiting for two seconds has misses for as long.
                #expect(try becomesTrue { try reader.get("\(number) \(index)") == array(try bytes(index)) })
            }
        }
        #expect(FileManager.default.fileExists(atPath: fixture.root + "/index-2.db"))
        #expect(!FileManager.default.fileExists(atPath: fixture.root + "/index-3.db"))
    }
}
