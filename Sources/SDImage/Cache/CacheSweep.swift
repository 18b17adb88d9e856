/// Removes files left by processes that died between writing a file and committing its row (docs/decisions.md, "Instances").
///
/// A clean shutdown leaves no such files and removes the instance's lock file, so usually there is nothing to do. A single
/// dead instance triggers a check of the files of all instances that are not alive: it may have died between replacing the row
/// of a file of another instance and removing that file. Works on one sub-folder at a time, so that other work of the disk
/// thread runs in between. Holds the locks of the dead instances throughout.
/// Made when a cache is opened, and by `Verifier`.
final class CacheSweep: Sendable {
    private let site: CacheSite
    /// Numbers and locks of dead instances.
    private let dead: [UInt64: FileDescriptor]
    /// True if no other live instance uses the folder.
    private let isAlone: Bool

    init(_ site: CacheSite) {
        self.site = site
        (dead, isAlone) = site.instance.others(limit: 256)
    }

    /// Removes old databases before it returns; the sweep follows on `thread`, in steps.
    func start(on thread: WorkerThread) {
        // An instance that opens the folder now finds the newest generation.
        if isAlone { site.index.removeOld() }
        if !dead.isEmpty { step(0, on: thread) }
    }

    /// Sweeps one of the 256 sub-folders, and queues the next step.
    private func step(_ folder: Int, on thread: WorkerThread) {
        guard folder < 256 else { return finish() }
        // Without access to the index no file may be removed; the next opening of the cache retries.
        guard sweep(Hexadecimal.string(UInt64(folder), digits: 2)) else { return }
        thread.submit { self.step(folder + 1, on: thread) }
    }

    /// False if the index was unavailable.
    private func sweep(_ name: String) -> Bool { strays(in: name, removesThem: true) != nil }

    /// Number of files without a row in all sub-folders. Skips files of live instances, whose rows may still follow. Blocks.
    func strays(removesThem: Bool) -> Int {
        (0..<256).reduce(0) { $0 + (strays(in: Hexadecimal.string(UInt64($1), digits: 2), removesThem: removesThem) ?? 0) }
    }

    /// Number of files without a row in one sub-folder; nil when the index was unavailable.
    private func strays(in name: String, removesThem: Bool) -> Int? {
        // A sub-folder is created with its first file.
        guard let folder = try? site.folder.root.folder(name) else { return 0 }
        var (isSafe, count) = (true, 0)
        folder.forEachName { file in
            guard let name = CacheFileName(name: file), !isAlive(name.write.instance) else { return true }
            // The row decides: only a file without one is a stray.
            do throws(ImageError) {
                let isHeld = try site.index.perform { store throws(ImageError) in try store.holds(name) }
                if isHeld { return true }
                count += 1
                if removesThem { folder.remove(file) }
            } catch { isSafe = false }
            return isSafe
        }
        return isSafe ? count : nil
    }

    /// True for an instance that has a lock file and is not known to be dead. Without a lock file the number belongs to no
    /// live instance and is never reused.
    private func isAlive(_ instance: UInt64) -> Bool { dead[instance] == nil && site.instance.exists(instance) }

    /// All files of the dead instances are gone, so their numbers are no longer needed.
    private func finish() {
        for id in dead.keys {
            site.folder.removePins(of: id)
            site.instance.forget(id)
        }
    }
}
