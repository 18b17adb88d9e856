import Glibc

/// The folder of one disk cache, `<directory>/<namespace>/v1`, and its files (docs/decisions.md, "Small entries in the index,
/// large ones as files").
/// Opened by `CacheSite`. All accesses are relative to `root`, so that a folder moved or replaced meanwhile cannot
/// redirect them.
package final class CacheFolder: Sendable {
    /// Path without symbolic links, as handed to callers.
    package let path: String
    /// The open folder `v1`.
    package let root: FileDescriptor
    let modes: CacheModes
    /// True if files are synchronized before their rows are committed.
    private let isDurable: Bool
    /// Largest file, in bytes. Rows are untrusted: without this limit a bad row and a sparse file could exhaust memory.
    static let maxFileBytes = 1 << 30

    /// Creates missing folders. Refuses a path with a folder that another user owns or may write to (`FolderWalk`).
    /// Throws `cacheUnusable` for such a path, and errors of the file system.
    package init(directory: String, namespace: String, modes: CacheModes, isDurable: Bool) throws(ImageError) {
        guard !namespace.isEmpty, namespace != ".", namespace != "..", !namespace.utf8.contains(UInt8(ascii: "/")),
            !namespace.utf8.contains(0), !directory.utf8.contains(0)
        else { throw ImageError(.cacheUnusable, "disk cache: namespace is not a file name") }
        self.modes = modes
        self.isDurable = isDurable
        let (base, basePath) = try FolderWalk.open(directory)
        let home = try CacheFolder.own(namespace, in: base, modes)
        // The sub-folder names the version of the layout (docs/decisions.md, "Versions of the layout").
        // Programs of another version use another folder, and never see these files.
        root = try CacheFolder.own("v1", in: home, modes)
        path = (basePath == "/" ? "" : basePath) + "/" + namespace + "/v1"
        CacheFolder.tag(home)
    }

    /// True when the folder has been removed.
    /// Paths would then lead to another folder; descriptors still work, but nothing finds the files.
    package var isGone: Bool { (root.status?.links ?? 0) == 0 }

    /// Writes a new file; returns its allocated size on disk in bytes.
    /// Throws `tooLarge`, and errors such as a full disk; then no file is left.
    package func create(_ name: CacheFileName, _ bytes: Bytes) throws(ImageError) -> Int {
        guard bytes.count <= CacheFolder.maxFileBytes else {
            throw .tooLarge("disk cache: entry of \(bytes.count) bytes", limit: CacheFolder.maxFileBytes)
        }
        let folder = try root.folder(making: name.folder, mode: modes.folder)
        let file = try folder.file(making: name.name, mode: modes.file)
        do throws(ImageError) {
            unsafe try bytes.withUnsafeBytes { buffer throws(ImageError) in unsafe try file.write(buffer) }
            // The row must not survive a power failure without the file and its name.
            if isDurable {
                try file.synchronize()
                try folder.synchronize()
            }
            return file.status?.allocated ?? bytes.count
        } catch {
            folder.remove(name.name)
            throw error
        }
    }

    /// The contents of a regular file of exactly this length.
    /// Throws `notFound` without a file, and `badData` or `notAFile` for one that is not as the row says.
    package func read(_ name: CacheFileName, length: Int) throws(ImageError) -> Bytes {
        let file = try root.folder(name.folder).file(name.name)
        guard let status = file.status else { throw .file("disk cache: stat of the cached file failed", errno) }
        guard status.isRegular, status.size == length, length <= CacheFolder.maxFileBytes, let bytes = try file.read(length)
        else { throw ImageError(.badData, "disk cache: cached file was changed") }
        return bytes
    }

    /// Removes a file of this cache; ignores any other path.
    package func remove(path: String) {
        guard let name = CacheFileName(path: path) else { return }
        remove(name)
    }

    /// A file that does not exist is no error.
    package func remove(_ name: CacheFileName) {
        // A missing folder needs no removal. Files that cannot be removed now are swept later.
        guard let folder = try? root.folder(name.folder) else { return }
        folder.remove(name.name)
    }

    /// Opens a folder that this user owns and others cannot write to; creates it if missing.
    /// Throws `cacheUnusable` if the folder cannot be trusted.
    private static func own(_ name: String, in parent: FileDescriptor, _ modes: CacheModes) throws(ImageError)
        -> FileDescriptor
    {
        let folder: FileDescriptor
        do throws(ImageError) { folder = try parent.folder(making: name, mode: modes.folder) } catch {
            guard error.status == .notFound || error.status == .notAFile else { throw error }
            throw ImageError(.cacheUnusable, "disk cache: \(name) is not a folder", systemError: error.systemError, cause: error)
        }
        guard let status = folder.status, status.isOwn else {
            throw ImageError(.cacheUnusable, "disk cache: folder \(name) belongs to another user")
        }
        guard !status.isSharedForWriting else {
            throw ImageError(.cacheUnusable, "disk cache: folder \(name) is writable by other users")
        }
        return folder
    }

    /// Marks the folder for exclusion from backups (Cache Directory Tagging Specification).
    /// Programs for backups skip folders with this file.
    private static func tag(_ folder: FileDescriptor) {
        let text = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache; all of it may be removed.\n"
        // Optional: the cache works without the tag.
        guard let file = try? folder.file(making: "CACHEDIR.TAG") else { return }
        var bytes = text
        bytes.withUTF8 { _ = unsafe try? file.write(UnsafeRawBufferPointer($0)) }
    }
}
