import Glibc
import Synchronization

/// The database of a cache in its newest generation (docs/decisions.md, "Generations of the index").
///
/// A damaged `index-7.db` is left where it is; whoever finds it makes `index-8.db`, and all others see that file before
/// their next transaction. Nobody renames or removes one that may be in use.
package final class CacheIndex: Sendable {
    private struct Current {
        var generation: Int
        var store: any CacheStore
        /// Name of the file that would announce the next generation.
        var successor: String
    }

    private let folder: CacheFolder
    private let open: CacheStoreFactory
    private let isDurable: Bool
    private let current = Lock<Current?>(nil)
    private let closed = Atomic<Bool>(false)
    private let raised = Atomic<Int>(0)
    /// Until then nobody asks the database.
    private let restEnd = Atomic<UInt64>(0)
    private static let patience: UInt64 = 1_500_000_000
    private static let rest: UInt64 = 2_000_000_000

    /// Nine digits, so that a number from a file name cannot overflow.
    private static let lastGeneration = 999_999_999

    package init(_ folder: CacheFolder, isDurable: Bool, open: @escaping CacheStoreFactory) {
        self.folder = folder
        self.isDurable = isDurable
        self.open = open
    }

    /// How often this cache found its database damaged.
    package var damages: Int { raised.load(ordering: .relaxed) }

    /// Runs `body` on the store; on a new one when that turns out to be damaged.
    package func perform<R: Sendable>(_ body: (any CacheStore) throws(ImageError) -> R) throws(ImageError) -> R {
        let begun = MonotonicClock.now
        if begun < restEnd.load(ordering: .relaxed) { throw ImageError(.busy, "database was too slow to answer") }
        do throws(ImageError) { return try attempt(body) } catch {
            // A database that lets callers wait only to fail them is left alone for a while: loads go on without it.
            let now = MonotonicClock.now
            if now &- begun > CacheIndex.patience { restEnd.store(now &+ CacheIndex.rest, ordering: .relaxed) }
            throw error
        }
    }

    /// A call that failed for a moment may look like damage: only what is seen twice, the second time by connections made
    /// anew, counts.
    private func attempt<R: Sendable>(_ body: (any CacheStore) throws(ImageError) -> R) throws(ImageError) -> R {
        let (generation, store) = try store()
        do throws(ImageError) { return try body(store) } catch {
            guard error.status == .cacheDamaged else { throw error }
        }
        do throws(ImageError) { return try body(reopen(generation, store)) } catch {
            guard error.status == .cacheDamaged else { throw error }
        }
        return try body(raise(from: generation))
    }

    /// Gives up the database as if it had been found damaged.
    package func giveUp() throws(ImageError) { _ = try raise(from: store().0) }

    /// Removes databases that were given up. Only while no other instance lives: one in use must stay (docs/decisions.md,
    /// "Generations of the index").
    package func removeOld() {
        guard let newest = newestGeneration() else { return }
        var old: [String] = []
        folder.root.forEachName { name in
            if let number = CacheIndex.generation(name), number < newest { old.append(name) }
            return true
        }
        for name in old { for suffix in ["", "-journal", "-wal", "-shm"] { folder.root.remove(name + suffix) } }
    }

    package func close() {
        closed.store(true, ordering: .relaxed)
        let store = current.withLock { current in
            defer { current = nil }
            return current?.store
        }
        store?.close()
    }

    /// The store of the newest generation.
    private func store() throws(ImageError) -> (Int, any CacheStore) {
        try current.withLock { current throws(ImageError) in
            if closed.load(ordering: .relaxed) { throw .shutdown }
            if let found = current, folder.root.status(of: found.successor) == nil { return (found.generation, found.store) }
            let found = try newest()
            current = found
            return (found.generation, found.store)
        }
    }

    /// The same generation by new connections, unless another caller came before.
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

    private func raise(from damaged: Int) throws(ImageError) -> any CacheStore {
        try current.withLock { current throws(ImageError) in
            if let found = current, found.generation > damaged { return found.store }
            raised.wrappingAdd(1, ordering: .relaxed)
            let lock = try exclusiveLock()
            defer { withExtendedLifetime(lock) {} }
            try make(after: damaged)
            let found = try opened(newestGeneration() ?? damaged)
            current = found
            return found.store
        }
    }

    /// Opens the newest generation, or makes the first; gives up those that cannot be opened, a few times.
    private func newest() throws(ImageError) -> Current {
        var failure = ImageError(.cacheUnusable, "no database could be opened")
        // Held while a database is opened too: two that make the tables of one at once would find it busy.
        let lock = try exclusiveLock()
        defer { withExtendedLifetime(lock) {} }
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
                raised.wrappingAdd(1, ordering: .relaxed)
                try make(after: generation)
            }
        }
        throw failure
    }

    private func opened(_ generation: Int) throws(ImageError) -> Current {
        let name = CacheIndex.name(generation)
        // A pipe in place of one of them would hang SQLite.
        for suffix in ["", "-journal"] {
            let status = folder.root.status(of: name + suffix)
            guard status?.isRegular ?? !suffix.isEmpty else { throw ImageError(.cacheDamaged, "database is not a file") }
        }
        return Current(
            generation: generation, store: try open(folder.root, name, isDurable),
            successor: CacheIndex.name(generation + 1))
    }

    /// Under the lock: the generation after `old`, unless somebody made a newer one already.
    private func make(after old: Int) throws(ImageError) {
        if let newest = newestGeneration(), newest > old { return }
        guard old < CacheIndex.lastGeneration else { throw ImageError(.cacheUnusable, "no generation is left") }
        _ = try folder.root.file(making: CacheIndex.name(old + 1))
    }

    private func newestGeneration() -> Int? {
        var newest: Int?
        folder.root.forEachName { name in
            if let number = CacheIndex.generation(name) { newest = max(newest ?? 0, number) }
            return true
        }
        return newest
    }

    private static func generation(_ name: String) -> Int? {
        guard name.hasPrefix("index-"), name.hasSuffix(".db") else { return nil }
        let digits = name.dropFirst(6).dropLast(3)
        guard digits.utf8.count <= 9, let number = Int(digits), number > 0, self.name(number) == name else { return nil }
        return number
    }

    /// A lock on the folder itself: nothing that could be damaged, and it ends with its holder.
    private func exclusiveLock() throws(ImageError) -> FileDescriptor {
        let lock = try folder.root.folder(".")
        for _ in 0..<200 {
            if flock(lock.number, LOCK_EX | LOCK_NB) == 0 { return lock }
            guard errno == EWOULDBLOCK || errno == EINTR else { throw .file("cache folder could not be locked", errno) }
            usleep(10_000)
        }
        throw ImageError(.busy, "cache folder is locked")
    }

    private static func name(_ generation: Int) -> String { "index-\(generation).db" }
}
