import Glibc
import SDImage
import SDImageSQLite

/// A disk cache index left by another program: rows of any types, changed pages, a journal. Every call of the cache runs on it.
/// The first bytes of the input choose the settings and the calls, the others form the database (`IndexDatabase`).
enum IndexTarget {
    static let target = FuzzTarget(name: "index", run: run)

    private static let lease = try? Engine.acquire()
    /// In memory if possible.
    private static let path = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/sdimage-fuzz-index-\(getpid())"
    /// Holds a file outside the cache, which no row may reach.
    private static let folder: FileDescriptor = {
        mkdir(path, 0o700)
        guard let folder = try? FileDescriptor.folder(at: path), (try? folder.file(making: "canary")) != nil else {
            fatalError("no folder for databases")
        }
        atexit { removeFolder() }
        return folder
    }()

    static let configuration = {
        var configuration = CacheConfiguration()
        configuration.directory = path
        return configuration
    }()

    /// A database of some kilobytes needs less; the default limits would take minutes for one input.
    private static let limits = {
        var limits = SQLiteLimits()
        (limits.lookUp, limits.list, limits.change) = (20_000_000, 40_000_000, 100_000_000)
        return limits
    }()

    @Sendable private static func run(_ input: FuzzTarget.Input) {
        var drawing = Drawing(input)
        let folder = folder
        let flags = drawing.byte()
        var configuration = configuration
        configuration.inlineEntryLimit = flags & 1 == 0 ? 65536 : 8
        configuration.disk.maxAge = flags & 2 == 0 ? -1 : flags & 16 == 0 ? 1 : 0
        configuration.disk.maxSize = flags & 4 == 0 ? 0 : 1
        configuration.disk.rule = flags & 8 == 0 ? .access : .modification
        let calls = (0..<drawing.number(below: 16)).map { _ in (kind: drawing.byte(), argument: drawing.byte()) }
        IndexDatabase(in: configuration).write(&drawing, isOfSmallPages: flags & 32 == 0, hasJournal: flags & 64 != 0)
        use(configuration, calls)
        expect(folder.status(of: "canary")?.isRegular == true, "files outside the cache stay")
        remove("default", in: folder)
    }

    private static func open(_ configuration: CacheConfiguration) -> DiskCache {
        let limits = limits
        let cache = try? DiskCache(configuration) { folder, name, isDurable throws(ImageError) in
            try SQLiteStore(in: folder, name: name, isDurable: isDurable, limits: limits)
        }
        guard let cache else { fatalError("no engine") }
        return cache
    }

    private static func use(_ configuration: CacheConfiguration, _ calls: [(kind: UInt8, argument: UInt8)]) {
        var cache = open(configuration)
        for call in calls {
            if call.kind % 24 == 23 {
                cache.close()
                cache = open(configuration)
            } else {
                attempt("call \(call.kind % 24)") { () throws(ImageError) in
                    try IndexCalls.make(call.kind % 24, call.argument, on: cache)
                }
            }
        }
        cache.setLimits(DiskLimits())
        checkRepair(of: cache)
        cache.close()
        awaitDisk()
    }

    /// After any damage a repair leaves an intact cache, in which stored bytes are found. Background trims may interfere, so the
    /// first attempt may fail.
    private static func checkRepair(of cache: DiskCache) {
        var report: CacheReport?, repair: CacheReport?
        for round in 0..<4 {
            attempt("repair") { () throws(ImageError) in repair = try cache.verifyNow(repairs: true) }
            attempt("store") { () throws(ImageError) in try IndexCalls.store(UInt8(round), on: cache) }
            attempt("examination") { () throws(ImageError) in report = try cache.verifyNow(repairs: false) }
            if report?.isSound == true, IndexCalls.isStored(UInt8(round), in: cache) { return }
        }
        let error = cache.statistics.lastError.map { "\($0.status) \($0.message.string)" } ?? "no error"
        fatalError(
            """
            broken promise: a repaired cache is sound and keeps what is stored: \(repair.map { "\($0)" } ?? ""), then \
            \(report.map { "\($0)" } ?? ""), \((try? cache.totalsNow()).map { "\($0)" } ?? ""), \(error)
            """)
    }

    /// Calls may fail to find an entry; a cache with a slow database reports `busy`.
    private static func attempt(_ name: String, _ body: () throws(ImageError) -> Void) {
        do throws(ImageError) { try body() } catch {
            expect(
                [.notFound, .busy].contains(error.status),
                "\(name) works or finds nothing: \(error.status) \(error.message.string)")
        }
    }

    /// Waits for the background work of closed caches, which would otherwise meet the next database.
    private static func awaitDisk() {
        guard let lease else { return }
        let end = Monitor<Bool?>(nil)
        lease.engine.disk.submit {
            end.withLock { $0 = true }
            end.signal()
        }
        let _: Bool? = end.wait { end, _ in end }
    }

    private static func removeFolder() {
        for name in ["canary", "default"] { remove(name, in: folder) }
        rmdir(path)
    }

    /// Removes a folder and its contents.
    private static func remove(_ name: String, in parent: FileDescriptor) {
        guard let folder = try? parent.folder(name) else { return parent.remove(name) }
        var names: [String] = []
        folder.forEachName { name in
            names.append(name)
            return true
        }
        for name in names { remove(name, in: folder) }
        parent.removeFolder(name)
    }
}
