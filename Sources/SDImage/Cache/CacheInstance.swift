import CSystem
import Glibc

/// One cache opened by one process: a unique number and a lock that lives as long as its owner (docs/decisions.md,
/// "Instances").
/// Made by `CacheSite`. Files and pins carry the number, so that others can tell those of a dead process.
package final class CacheInstance: Sendable {
    /// Random, 48 bits, not 0.
    package let id: UInt64
    private let folder: FileDescriptor
    /// The lock file, locked as long as it is open.
    private let lock: FileDescriptor

    /// Throws if no file can be created or locked.
    package init(in root: FileDescriptor) throws(ImageError) {
        folder = try root.folder(making: "instances")
        for _ in 0..<16 {
            let id = UInt64.random(in: 1..<(1 << 48))
            let file: FileDescriptor
            do throws(ImageError) { file = try folder.file(making: Hexadecimal.string(id)) } catch {
                if error.systemError == EEXIST { continue }
                throw error
            }
            // A sweeper may intervene between creation and locking; then another number is chosen.
            // A file that was removed meanwhile has no link, and its lock protects nothing.
            guard csys_try_lock_file(file.number, 1) == 0, file.status?.links == 1 else { continue }
            // A child of `fork` would share the lock and keep it alive.
            csys_watch_fork(file.number)
            self.id = id
            lock = file
            return
        }
        throw ImageError(.cacheUnusable, "disk cache: instance could not be locked")
    }

    deinit { csys_unwatch_fork(lock.number) }

    /// Throws if no file can be created and written in the folder.
    /// Used by explicit checks of a cache only.
    func checkWritable() throws(ImageError) {
        let name = Hexadecimal.string(id) + ".check"
        let file: FileDescriptor
        do throws(ImageError) { file = try folder.file(making: name) } catch {
            // Another check of this instance is running.
            if error.systemError == EEXIST { return }
            throw error
        }
        // Removed before the write: a process that dies here leaves nothing.
        folder.remove(name)
        var byte: UInt8 = 0
        unsafe try withUnsafeBytes(of: &byte) { bytes throws(ImageError) in unsafe try file.write(bytes) }
    }

    /// Removes the lock file, because no file without a row remains.
    package func finish() { folder.remove(Hexadecimal.string(id)) }

    /// Instances that ended without finishing, and whether no other instance is alive. Each returned descriptor holds the lock
    /// of one dead instance.
    /// `limit`: number of dead instances to return; further ones are left for later.
    package func others(limit: Int) -> (dead: [UInt64: FileDescriptor], isAlone: Bool) {
        var (dead, isAlone): ([UInt64: FileDescriptor], Bool) = ([:], true)
        folder.forEachName { name in
            guard let other = Hexadecimal.value(name.utf8), other != id else { return true }
            // The lock of a live instance is unavailable. A file with any other problem is left alone.
            if let file = try? folder.lockable(name), csys_try_lock_file(file.number, 1) == 0 {
                dead[other] = file
            } else {
                isAlone = false
            }
            return dead.count < limit
        }
        // With the limit reached, some files may not have been examined.
        return (dead, isAlone && dead.count < limit)
    }

    /// True when an instance of this number, possibly this one, has a lock file.
    package func exists(_ other: UInt64) -> Bool { folder.status(of: Hexadecimal.string(other)) != nil }

    /// Removes the lock file of a dead instance, whose lock the caller holds.
    package func forget(_ other: UInt64) { folder.remove(Hexadecimal.string(other)) }
}

extension FileDescriptor {
    /// Opens a file for a write lock, which requires write permission.
    fileprivate func lockable(_ name: String) throws(ImageError) -> FileDescriptor {
        let file = try self.file(forWriting: name)
        guard file.status?.isRegular == true else { throw ImageError(.notAFile, "disk cache: lock is not a regular file") }
        return file
    }
}
