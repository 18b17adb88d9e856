import Glibc
import Synchronization

/// The database of a cache in its newest generation (docs/decisions.md, "Generations of the index").
///
/// A damaged `index-7.db` stays in place. The process that detects the damage creates `index-8.db`; all other processes see
/// that file before their next transaction. A database that may be in use is never renamed or removed.
/// Made by `CacheSite`. Any thread may call it; `current` has the lock for changes of the generation.
package final class CacheIndex: Sendable {
    /// The open database.
    private struct Current {
        var generation: Int
        var store: any CacheStore
        /// File name of the next generation; its existence announces that generation.
        var successor: String
    }

    private let folder: CacheFolder
    /// Opens the store of a database file.
    private let open: CacheStoreFactory
    private let isDurable: Bool
    /// nil before the first use and after `close`.
    private let current = Lock<Current?>(nil)
    private let closed = Atomic<Bool>(false)
    /// Number of damages found by this object.
    private let raised = Atomic<Int>(0)
    /// Monotonic time until which the database is not queried.
    private let restEnd = Atomic<UInt64>(0)
    /// Nanoseconds after which a failed access counts as slow.
    private static let longestFailure: UInt64 = 1_500_000_000
    /// Nanoseconds for which the database is then left alone.
    private static let rest: UInt64 = 2_000_000_000

    /// Nine digits: a number from a file name cannot overflow.
    private static let lastGeneration = 999_999_999

    package init(_ folder: CacheFolder, isDurable: Bool, open: @escaping CacheStoreFactory) {
        self.folder = folder
        self.isDurable = isDurable
        self.open = open
    }

    /// Number of times this cache found its database damaged.
    package var damages: Int { raised.load(ordering: .relaxed) }

    /// Runs `body` on the store; repeats it on a new one when the database is damaged.
    /// Blocks. `body` runs up to three times, one after the other. Throws `busy` during a pause after a slow failure, and
    /// `shutdown` after `close`.
    package func perform<R: Sendable>(_ body: (any CacheStore) throws(ImageError) -> R) throws(ImageError) -> R {
        let begun = MonotonicClock.now
        if begun < restEnd.load(ordering: .relaxed) { throw ImageError(.busy, "disk cache: index paused after a slow access") }
        do throws(ImageError) { return try attempt(body) } catch {
            // A database that fails only after a long wait is not queried for a while; loads continue without it.
            let now = MonotonicClock.now
            if now &- begun > CacheIndex.longestFailure { restEnd.store(now &+ CacheIndex.rest, ordering: .relaxed) }
            throw error
        }
    }

    /// Runs `body`, and replaces the database when it reports damage twice, the second time on new connections. A transient
    /// failure may look like damage.
    private func attempt<R: Sendable>(_ body: (any CacheStore) throws(ImageError) -> R) throws(ImageError) -> R {
        let (generation, store) = try store()
        do throws(ImageError) { return try body(store) } catch {
            guard error.status == .cacheDamaged else { throw error }
        }
        // New connections have no cached pages.
        do throws(ImageError) { return try body(reopen(generation, store)) } catch {
            guard error.status == .cacheDamaged else { throw error }
        }
        return try body(raise(from: generation))
    }

    /// Replaces the database as if it had been found damaged.
    /// Called by `Verifier` for a database that cannot be repaired.
    package func replaceDamaged() throws(ImageError) { _ = try raise(from: store().0) }

    /// Removes replaced databases. Allowed only while no other instance is alive, because a database in use must stay
    /// (docs/decisions.md, "Generations of the index").
    package func removeOld() {
        guard let newest = newestGeneration() else { return }
        var old: [String] = []
        folder.root.forEachName { name in
            if let number = CacheIndex.generation(name), number < newest { old.append(name) }
            return true
        }
        for name in old { for suffix in ["", "-journal", "-wal", "-shm"] { folder.root.remove(name + suffix) } }
    }

    /// Waits for the calls that are running, through `store.close`.
    package func close() {
        closed.store(true, ordering: .relaxed)
        let store = current.withLock { current in
            defer { current = nil }
            return current?.store
        }
        store?.close()
    }

    /// The store of the newest generation.
    /// The existence of the successor's file is checked at each call: one system call.
    private func store() throws(ImageError) -> (Int, any CacheStore) {
        try current.withLock { current throws(ImageError) in
            if closed.load(ordering: .relaxed) { throw .shutdown }
            if let found = current, folder.root.status(of: found.successor) == nil { return (found.generation, found.store) }
            let found = try newest()
            current = found
            return (found.generation, found.store)
        }
    }

    /// Reopens the same generation with new connections, unless another caller has done so already.
    private func reopen(_ generation: Int, _ old: any CacheStore) throws(ImageError) -> any CacheStore {
        try current.withLock { current throws(ImageError) in
            if closed.load(ordering: .relaxed) { throw .shutdown }
            if let found = current, found.store !== old { return found.store }
            let lock = try exclusiveLock()
            defer { withExtendedLifetime(lock) {} }
            let found = try opened(generation)
            current = found
            return found.store
        }
    }

    /// A new generation starts empty; entries of the old one are lost, and their files are swept.
    private func raise(from damaged: Int) throws(ImageError) -> any CacheStore {
        try current.withLock { current throws(ImageError) in
            // Another thread has replaced it already.
            if let found = current, found.generation > damaged { return found.store }
            countDamage()
            let lock = try exclusiveLock()
            defer { withExtendedLifetime(lock) {} }
            try make(after: damaged)
            let found = try opened(newestGeneration() ?? damaged)
            current = found
            return found.store
        }
    }

    /// Counts a damage of the database. The log receives it on the callback thread, because locks are held here.
    private func countDamage() {
        raised.wrappingAdd(1, ordering: .relaxed)
        let line = ImageError.line("disk cache: index in \(folder.path) is damaged, starting a new one")
        Engine.callLater { Log.write(.error, line) }
    }

    /// Opens the newest generation, or creates the first. Replaces generations that cannot be opened, in at most 8 attempts.
    /// A generation that fails for another reason than damage is not replaced.
    private func newest() throws(ImageError) -> Current {
        var failure = ImageError(.cacheUnusable, "disk cache: no index could be opened")
        // Also held while opening: two processes that create the tables of one database concurrently would find it busy.
        let lock = try exclusiveLock()
        defer { withExtendedLifetime(lock) {} }
        // Damage must be found twice in a row, because it may be transient.
        var suspect = 0
        for _ in 0..<8 {
            if newestGeneration() == nil { try make(after: 0) }
            guard let generation = newestGeneration() else { continue }
            do throws(ImageError) { return try opened(generation) } catch {
                guard error.status == .cacheDamaged else { throw error }
                failure = error
                if suspect != generation {
                    suspect = generation
                    continue
                }
                countDamage()
                try make(after: generation)
            }
        }
        throw failure
    }

    /// The database of a generation, with its tables. Requires the lock of the folder.
    private func opened(_ generation: Int) throws(ImageError) -> Current {
        let name = CacheIndex.name(generation)
        // A pipe in place of one of these files would block SQLite forever.
        for suffix in ["", "-journal"] {
            let status = folder.root.status(of: name + suffix)
            guard status?.isRegular ?? !suffix.isEmpty else {
                throw ImageError(.cacheDamaged, "disk cache: \(name + suffix) is not a regular file")
            }
        }
        return Current(
            generation: generation, store: try open(folder.root, name, isDurable),
            successor: CacheIndex.name(generation + 1))
    }

    /// Creates the generation after `old`, unless a newer one exists. Requires the lock.
    private func make(after old: Int) throws(ImageError) {
        if let newest = newestGeneration(), newest > old { return }
        guard old < CacheIndex.lastGeneration else {
            throw ImageError(.cacheUnusable, "disk cache: index generations exceed the limit of \(CacheIndex.lastGeneration)")
        }
        _ = try folder.root.file(making: CacheIndex.name(old + 1))
    }

    /// The number of the newest database in the folder; nil if there is none.
    private func newestGeneration() -> Int? {
        var newest: Int?
        folder.root.forEachName { name in
            if let number = CacheIndex.generation(name) { newest = max(newest ?? 0, number) }
            return true
        }
        return newest
    }

    /// The number in a file name; nil for other names, and for other spellings of a number.
    private static func generation(_ name: String) -> Int? {
        guard name.hasPrefix("index-"), name.hasSuffix(".db") else { return nil }
        let digits = name.dropFirst(6).dropLast(3)
        guard digits.utf8.count <= 9, let number = Int(digits), number > 0, self.name(number) == name else { return nil }
        return number
    }

    /// Locks the folder itself: there is no lock file to damage, and the lock ends with its holder.
    /// Waits for two seconds, then throws `busy`.
    private func exclusiveLock() throws(ImageError) -> FileDescriptor {
        let lock = try folder.root.folder(".")
        for _ in 0..<200 {
            if flock(lock.number, LOCK_EX | LOCK_NB) == 0 { return lock }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .file("disk cache: locking the folder failed", errno) }
            usleep(10_000)
        }
        throw ImageError(.busy, "disk cache: folder is locked by another process")
    }

    private static func name(_ generation: Int) -> String { "index-\(generation).db" }
}
