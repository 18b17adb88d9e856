import Foundation
import SDImage
import Synchronization
import TestSupport
import Testing

private func mode(_ path: String) throws -> Int {
    let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return (value as? NSNumber)?.intValue ?? -1
}

// In a process of its own, because other tests would make folders that all users may write to.
@Test func foldersAndFilesAreForTheOwnerOnly() async {
    await #expect(processExitsWith: .success) { try checkModesWithoutMask() }
}

private func checkModesWithoutMask() throws {
    umask(0)
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let cache = try fixture.open()
    try cache.put(1, count: 10, at: "a.jpg")
    try cache.put(1, count: 100, at: "b.jpg")
    _ = try cache.pathNow(for: CacheKey("a.jpg"))
    for path in FileManager.default.enumerator(atPath: fixture.directory.path)?.allObjects as? [String] ?? [] {
        let full = fixture.directory.path + "/" + path
        var isFolder: ObjCBool = false
        unsafe _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
        #expect(try mode(full) == (isFolder.boolValue ? 0o700 : 0o600), "\(path)")
    }
}

@Test func folderThatOthersMayWriteToIsRefused() throws {
    for wrong in [0o777, 0o770, 0o702] {
        let fixture = CacheFixture()
        let path = fixture.directory.path + "/default"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: wrong], ofItemAtPath: path)
        let cache = try fixture.open()
        #expect(status { try cache.put(1, at: "a") } == .cacheUnusable)
        // A load is not affected.
        #expect(try cache.get("a") == nil)
        #expect(cache.statistics.droppedStores == 1)
        #expect(cache.statistics.lastError?.status == .cacheUnusable)
    }
}

@Test func failedStoreLeavesTheChangeBeforeItInForce() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 1000 }
    let cache = try fixture.open()
    let key = CacheKey("a")
    try cache.put(1, at: "a")
    // A file in place of the sub-folder.
    let folder = CacheFileName(key: key, write: CacheWrite(instance: 0, number: 0)).folder
    #expect(FileManager.default.createFile(atPath: fixture.root + "/" + folder, contents: nil))
    cache.enqueueRemove(key)
    #expect(status { try cache.put(2, count: 2000, at: "a") } != nil)
    #expect(try cache.get("a") == nil)
    cache.enqueueStore(CachedData(bytes: try bytes(3)), for: key)
    #expect(status { try cache.put(4, count: 2000, at: "a") } != nil)
    #expect(try cache.get("a") == array(try bytes(3)))
    #expect(cache.statistics.droppedStores == 2)
}

@Test(.enabled(if: geteuid() == 0)) func folderOfAnotherUserIsRefused() throws {
    let fixture = CacheFixture()
    let path = fixture.directory.path + "/default"
    try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    unsafe chown(path, 65534, 65534)
    let cache = try fixture.open()
    #expect(status { try cache.put(1, at: "a") } == .cacheUnusable)
}

@Test(.enabled(if: geteuid() != 0, "root may write to every folder")) func folderWithoutRightsIsToldApart() throws {
    let fixture = CacheFixture()
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.directory.path)
    let cache = try fixture.open()
    #expect(status { try cache.put(1, at: "a") } == .permissionDenied)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.directory.path)
}

@Test func linkInPlaceOfTheFolderIsRefused() throws {
    let fixture = CacheFixture()
    let elsewhere = TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
        atPath: fixture.directory.path + "/default", withDestinationPath: elsewhere.path)
    let cache = try fixture.open()
    #expect(status { try cache.put(1, at: "a") } == .cacheUnusable)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty)
}

@Test(arguments: ["", ".", "..", "a/b", "../x", "a\0b"])
func namespaceThatIsNoNameIsRefused(namespace: String) throws {
    let cache = try CacheFixture { $0.namespace = namespace }.open()
    #expect(status { try cache.put(1, at: "a") } == .cacheUnusable)
}

@Test func folderIsTaggedAsACache() throws {
    let fixture = CacheFixture()
    try fixture.open().put(1, at: "a")
    let tag = try #require(FileManager.default.contents(atPath: fixture.directory.path + "/default/CACHEDIR.TAG"))
    #expect(tag.starts(with: Data("Signature: 8a477f597d28d172789f06886806bc55".utf8)))
}

@Test func folderRemovedInUseIsRecreated() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 50 }
    let cache = try fixture.open()
    try cache.put(1, count: 100, at: "a")
    try FileManager.default.removeItem(atPath: fixture.directory.path + "/default")
    try cache.put(2, count: 100, at: "b")
    #expect(try cache.get("b") == array(try bytes(2, count: 100)))
    let other = try fixture.open()
    #expect(try other.get("b") != nil)
}

/// 10,000 keys that try path traversal or file name collisions.
@Test func hostileKeysStayInsideAndApart() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 0 }
    let cache = try fixture.open()
    let parts: [[UInt8]] = [
        Array("../".utf8), Array("/etc/passwd".utf8), Array("%2e%2e%2f".utf8), [0], [0xff, 0xfe], Array(".jpg".utf8),
        Array("a.png/../../x.gif".utf8), Array("\r\n".utf8), Array(".sh".utf8), Array("caf\u{e9}".utf8),
        Array("cafe\u{301}".utf8),
        Array(repeating: UInt8(ascii: "A"), count: 300), Array("con".utf8), Array("-rf".utf8), Array("~".utf8), Array(":".utf8),
    ]
    var keys: [CacheKey] = []
    for index in 0..<10_000 {
        var key: [UInt8] = []
        var rest = index
        repeat {
            key += parts[rest % parts.count]
            rest /= parts.count
        } while rest > 0
        keys.append(CacheKey(key + [UInt8(index % 7)]))
    }
    let expected = Dictionary(keys.enumerated().map { ($1, $0) }) { $1 }
    for (index, key) in keys.enumerated() { cache.enqueueStore(CachedData(bytes: try bytes(index, count: 3)), for: key) }
    try cache.flushNow()
    #expect(try cache.totalsNow().count == expected.count)
    var wrong = 0
    for (key, index) in expected where array(try cache.dataNow(for: key)?.bytes) != array(try bytes(index, count: 3)) {
        wrong += 1
    }
    #expect(wrong == 0)
    #expect(fixture.entryFiles.count == expected.count)
    let strangers = fixture.files.filter { path in
        path != "default/CACHEDIR.TAG" && !path.hasPrefix("default/v1/index-1.db") && !path.hasPrefix("default/v1/instances/")
            && CacheFileName(path: String(path.dropFirst(11))) == nil
    }
    #expect(strangers.isEmpty)
}

/// A file system of 1 MiB, if the process may mount one.
@Test(.enabled(if: geteuid() == 0, "only root may mount a small disk")) func fullDiskIsToldAndPassesAway() throws {
    let fixture = CacheFixture { $0.inlineEntryLimit = 1000 }
    guard unsafe mount("tmpfs", fixture.directory.path, "tmpfs", 0, "size=1m,mode=0700") == 0 else {
        try Test.cancel("no small disk can be mounted here")
    }
    defer { unsafe umount2(fixture.directory.path, 2) }
    let cache = try fixture.open()
    try cache.put(1, count: 900, at: "before")
    #expect(status { try cache.put(1, count: 3_000_000, at: "large") } == .diskFull)
    #expect(fixture.entryFiles.isEmpty)
    let ballast = fixture.directory.path + "/ballast"
    _ = FileManager.default.createFile(atPath: ballast, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: ballast))
    #expect(throws: (any Error).self) { while true { try file.write(contentsOf: Data(repeating: 1, count: 4096)) } }
    try file.close()
    var failure: Status?
    for index in 0..<500 where failure == nil { failure = status { try cache.put(index, count: 900, at: "\(index)") } }
    #expect(failure == .diskFull)
    #expect(cache.statistics.droppedStores == 2)
    #expect(try cache.get("before") == array(try bytes(1, count: 900)))
    try FileManager.default.removeItem(atPath: ballast)
    try cache.put(3, count: 10_000, at: "after")
    #expect(try cache.get("after") == array(try bytes(3, count: 10_000)))
    cache.close()
}

// MARK: Path of the folder

private func makeFolder(_ path: String, mode: mode_t = 0o700) {
    unsafe #expect(mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
}

private func give(_ path: String) { unsafe #expect(lchown(path, 65534, 65534) == 0) }

private func link(_ target: String, at path: String) { unsafe #expect(symlink(target, path) == 0) }

/// True if a cache in `directory` is refused because other users could replace it.
private func isRefused(_ directory: String) throws -> Bool {
    let cache = try CacheFixture { $0.directory = directory }.open()
    let failure = status { try cache.put(1, at: "a") }
    #expect(failure == nil || failure == .cacheUnusable)
    #expect((try cache.get("a") == nil) == (failure != nil))
    return failure != nil
}

@Test(arguments: [0o777, 0o1777, 0o770, 0o702, 0o722]) func directoryThatOthersMayWriteToIsRefused(mode: Int) throws {
    let fixture = TemporaryDirectory()
    let path = fixture.path + "/cache"
    makeFolder(path, mode: mode_t(mode))
    #expect(try isRefused(path))
    #expect(try isRefused(path + "/."))
    #expect(try isRefused(path + "/../cache"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    // A folder below: a user with write access to its parent may replace it. Root's sticky folders are the exception.
    let isSafe = mode == 0o1777 && geteuid() == 0
    #expect(try isRefused(path + "/below/deeper") == !isSafe)
    unsafe chmod(path, 0o755)
    #expect(try !isRefused(path))
}

@Test(.enabled(if: geteuid() == 0)) func parentOfAnotherUserIsRefused() throws {
    let fixture = TemporaryDirectory()
    let path = fixture.path + "/theirs"
    makeFolder(path, mode: 0o755)
    makeFolder(path + "/ours")
    give(path)
    #expect(try isRefused(path + "/ours"))
    #expect(try isRefused(path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/ours").isEmpty)
}

@Test func linksOnTheWayAreFollowedWhereTheyAreOurs() throws {
    let fixture = TemporaryDirectory()
    makeFolder(fixture.path + "/real")
    link("real", at: fixture.path + "/relative")
    link(fixture.path + "/relative/", at: fixture.path + "/absolute")
    link("loop", at: fixture.path + "/loop")
    #expect(try !isRefused(fixture.path + "/absolute/../absolute/cache"))
    #expect(FileManager.default.fileExists(atPath: fixture.path + "/real/cache/default/v1"))
    let cache = try CacheFixture { $0.directory = fixture.path + "/absolute/cache" }.open()
    #expect(try cache.pathNow(for: CacheKey("a")).hasPrefix(fixture.path + "/real/cache/default/v1/pins/"))
    #expect(try CacheFixture { $0.directory = fixture.path + "/loop/cache" }.open().get("a") == nil)
    guard geteuid() == 0 else { return }
    give(fixture.path + "/absolute")
    #expect(try isRefused(fixture.path + "/absolute/cache"))
}

@Test func fileInPlaceOfAParentIsRefused() throws {
    let fixture = TemporaryDirectory()
    #expect(FileManager.default.createFile(atPath: fixture.path + "/file", contents: nil))
    unsafe mkfifo(fixture.path + "/fifo", 0o600)
    #expect(try isRefused(fixture.path + "/file/cache"))
    #expect(try isRefused(fixture.path + "/fifo"))
}

@Test func defaultDirectoryIsNeverShared() {
    func path(_ cacheHome: String?, _ home: String?, _ database: String?) -> String? {
        DefaultDirectory(cacheHome: cacheHome, home: home) { database }.path
    }
    #expect(path("/x", "/h", "/p") == "/x/sdimage")
    #expect(path("relative", "/h", "/p") == "/h/.cache/sdimage")
    #expect(path("", "", "/p") == "/p/.cache/sdimage")
    #expect(path(nil, nil, "/p") == "/p/.cache/sdimage")
    #expect(path(nil, "home", "") == nil)
    #expect(DefaultDirectory(cacheHome: nil, home: nil) { nil }.problem != nil)
}

@Test func cacheWithoutDirectoryIsInMemoryOnly() throws {
    let cache = try ImageCache(CacheFixture { $0.directory = nil }.configuration, store: CacheFixture.store)
    #expect(cache.disk == nil)
}

/// Another thread continuously exchanges the folder with one prepared by another user: only the process's own entries are found.
@Test(.enabled(if: geteuid() == 0), .timeLimit(.minutes(30))) func exchangedFolderNeverAnswers() throws {
    let fixture = TemporaryDirectory()
    let parent = fixture.path + "/shared"
    makeFolder(parent, mode: 0o777)
    // A cache with a decoy entry, created while the path was safe.
    let bait = try CacheFixture { $0.directory = fixture.path + "/bait" }.open()
    try bait.put(666, at: "a")
    bait.close()
    let move = { @Sendable (from: String, to: String) in _ = unsafe rename(from, to) }
    move(fixture.path + "/bait", parent + "/bait")
    makeFolder(parent + "/mine")
    let isOver = Mutex(false)
    let thread = try LibraryThread.start("attacker") {
        while !isOver.withLock({ $0 }) {
            move(parent + "/mine", parent + "/kept")
            move(parent + "/bait", parent + "/mine")
            move(parent + "/mine", parent + "/bait")
            move(parent + "/kept", parent + "/mine")
        }
    }
    for _ in 0..<20 {
        let cache = try CacheFixture { $0.directory = parent + "/mine" }.open()
        #expect(try cache.get("a") == nil)
        #expect(status { try cache.put(1, at: "b") } == .cacheUnusable)
        cache.close()
    }
    isOver.withLock { $0 = true }
    pthread_join(thread, nil)
}
