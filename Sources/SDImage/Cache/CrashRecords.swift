import Glibc

/// Images that crashed decoder processes, in the folders of the open disk caches: other processes with the same folder, and this
/// one after a restart, refuse them too (docs/decisions.md, "Images that crash decoders").
///
/// Each image has a file in the sub-folder `crashes`, named by its digest: the size is the number of crashes, and the time of
/// modification that of the last one. There are no contents that could be damaged, and appending a byte is atomic. A second file,
/// named by the length of the image, tells whether others need their digest.
/// Written by `SDImageIsolation` after a crash, and read before a decode.
package enum CrashRecords {
    /// Seconds after which a crash is forgotten.
    package static let duration = 300
    /// Seconds by which the time of a file may be in the future.
    private static let mostAhead = 60
    /// Most files of a folder; further images are not recorded until others are forgotten.
    private static let capacity = 2000
    private static let name = "crashes"
    /// The folder of an open cache.
    private struct Root {
        let folder: FileDescriptor
        let modes: CacheModes
    }

    // A monitor instead of a mutex, because it must be held across `fork`.
    private static let roots = {
        let roots = Monitor<[Root]>([])
        ForkHandlers.hold(lock: { roots.lock() }, unlock: { roots.unlock() })
        return roots
    }()

    /// Called when the folder of a cache is opened.
    static func add(_ root: FileDescriptor, _ modes: CacheModes) {
        roots.withLock { $0.append(Root(folder: root, modes: modes)) }
    }

    /// Called when it is closed.
    static func remove(_ root: FileDescriptor) { roots.withLock { $0.removeAll { $0.folder === root } } }

    /// Number of recent crashes of the image. One system call for each cache while no image has crashed, and two while none
    /// of its length has.
    /// `digest` is computed only if a file of that length exists.
    package static func count(length: Int, digest: () -> String) -> Int {
        roots.withLock { $0 }.reduce(0) { most, root in
            guard let status = root.folder.status(of: CrashRecords.name), status.isFolder, isRecent(status),
                recent(String(length), root) != nil, let file = recent(digest(), root)
            else { return most }
            return max(most, file.size)
        }
    }

    /// Records a crash in all folders that can be written.
    /// Errors are ignored: the record only saves another crash.
    package static func note(length: Int, digest: String) {
        for root in roots.withLock({ $0 }) { try? note(length: length, digest: digest, root) }
    }

    /// Removes records that are forgotten, and adds a byte to both files of the image.
    private static func note(length: Int, digest: String, _ root: Root) throws(ImageError) {
        let folder = try root.folder.folder(making: name, mode: root.modes.folder)
        var names: [String] = []
        var count = 0
        folder.forEachName { other in
            // Another program may have filled the folder.
            count += 1
            names.append(other)
            return count < 2 * capacity
        }
        for other in names where !(folder.status(of: other).map(isRecent) ?? false) {
            folder.remove(other)
            count -= 1
        }
        let records = [digest, String(length)]
        count += records.count { folder.status(of: $0) == nil }
        guard count <= capacity else { return }
        for record in records {
            let file = try folder.file(appending: record, mode: root.modes.file)
            var byte = UInt8(ascii: "x")
            unsafe try withUnsafeBytes(of: &byte) { byte throws(ImageError) in unsafe try file.write(byte) }
        }
        // Readers compare the time of the folder first.
        futimens(folder.number, nil)
    }

    /// The status of a recent regular file; nil for anything else.
    private static func recent(_ record: String, _ root: Root) -> FileStatus? {
        guard let file = root.folder.status(of: "\(name)/\(record)"), file.isRegular, isRecent(file) else { return nil }
        return file
    }

    /// False for times in the future, too: a clock that was set back must not refuse an image for longer. The clock of a file server
    /// may be ahead.
    private static func isRecent(_ status: FileStatus) -> Bool {
        // Any number may be stored as a time.
        let (age, isFar) = time(nil).subtractingReportingOverflow(status.modified)
        return !isFar && age >= -mostAhead && age < duration
    }
}
