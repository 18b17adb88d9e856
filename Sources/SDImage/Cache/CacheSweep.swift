/// Removes files that processes left behind when they died between writing a file and committing its row (docs/decisions.md,
/// "Instances").
///
/// A clean end leaves none and removes the instance's lock file, so that there is usually nothing to do. One dead instance
/// is reason enough to look at the files of all that do not live: it may have died between replacing the row of another's
/// file and removing that file. Works one sub-folder at a time, to let other work of the disk thread in between. The
/// locks of the dead are held all the while.
final class CacheSweep: Sendable {
    private let site: CacheSite
    private let dead: [UInt64: FileDescriptor]
    private let isAlone: Bool

    init(_ site: CacheSite) {
        self.site = site
        (dead, isAlone) = site.instance.others(limit: 256)
    }

    func start(on thread: WorkerThread) {
        // One that opens the folder now finds the newest generation.
        if isAlone { site.index.removeOld() }
        if !dead.isEmpty { step(0, on: thread) }
    }

    private func step(_ folder: Int, on thread: WorkerThread) {
        guard folder < 256 else { return finish() }
        // Without a row to look at no file may be removed: try again when the cache is opened next.
        guard sweep(Hexadecimal.string(UInt64(folder), digits: 2)) else { return }
        thread.submit { self.step(folder + 1, on: thread) }
    }

    private func sweep(_ name: String) -> Bool { strays(in: name, removesThem: true) != nil }

    /// Number of files without a row in all sub-folders. Files of instances that live are left out: their rows may be about
    /// to come. Blocks.
    func strays(removesThem: Bool) -> Int {
        (0..<256).reduce(0) { $0 + (strays(in: Hexadecimal.string(UInt64($1), digits: 2), removesThem: removesThem) ?? 0) }
    }

    /// nil when the index could not be asked.
    private func strays(in name: String, removesThem: Bool) -> Int? {
        guard let folder = try? site.folder.root.folder(name) else { return 0 }
        var (isSafe, count) = (true, 0)
        folder.forEachName { file in
            guard let name = CacheFileName(name: file), !isAlive(name.write.instance) else { return true }
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

    /// Nobody ever takes the number of an instance without a lock file again.
    private func isAlive(_ instance: UInt64) -> Bool { dead[instance] == nil && site.instance.exists(instance) }

    private func finish() {
        for id in dead.keys {
            site.folder.removePins(of: id)
            site.instance.forget(id)
        }
    }
}
