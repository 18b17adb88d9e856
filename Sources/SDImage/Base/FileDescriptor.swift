import CSystem
import Glibc

/// Open file or folder, closed with the last reference. Names are resolved relative to an open folder; a symbolic link as the
/// last component is refused.
/// The caches on disk walk paths from an open folder, which excludes races with renames and links.
/// Every open is close-on-exec, so that programs started by the host do not inherit descriptors.
/// Errors are `ImageError.file`: their status depends on `errno`, which they carry.
package final class FileDescriptor: Sendable {
    package let number: Int32

    private init(_ number: Int32) { self.number = number }

    // The descriptor number may already belong to another file in a forked child.
    deinit { if !csys_is_forked() { close(number) } }

    /// Opens a folder at a path given by the user; symbolic links are followed.
    package static func folder(at path: String) throws(ImageError) -> FileDescriptor {
        try made("folder: open failed") { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// Opens a folder by its name in this one.
    package func folder(_ name: String) throws(ImageError) -> FileDescriptor {
        try FileDescriptor.made("folder: open failed") {
            unsafe openat(number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    /// Opens a name for one step of a path walk: a folder, link or file, which is neither read nor followed.
    /// The descriptor only serves `status`, `linkTarget` and as the base of the next step (O_PATH).
    package func step(_ name: String) throws(ImageError) -> FileDescriptor {
        try FileDescriptor.made("folder: open failed") {
            unsafe openat(number, name, csys_open_path | O_NOFOLLOW | O_CLOEXEC)
        }
    }

    /// Target of the symbolic link that `step` opened.
    /// Throws for a target that is not UTF-8 or longer than PATH_MAX.
    package func linkTarget() throws(ImageError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe readlinkat(number, "", $0, buffer.count) } ?? -1
        }
        guard count > 0, count < bytes.count,
            let target = String(validating: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        else { throw .file("link: read failed", count < 0 ? errno : ENAMETOOLONG) }
        return target
    }

    /// Opens a folder, creating it if it is missing.
    /// An existing folder keeps its mode.
    package func folder(making name: String, mode: mode_t = 0o700) throws(ImageError) -> FileDescriptor {
        if unsafe mkdirat(number, name, mode) == 0 {
            let made = try folder(name)
            // The umask of the process may have removed the owner's permissions.
            fchmod(made.number, mode)
            return made
        }
        guard errno == EEXIST else { throw .file("folder: creation failed", errno) }
        return try folder(name)
    }

    /// Opens a file for reading; never blocks on the other end of a pipe.
    /// A link is refused; a device or pipe opens, so callers check `status` for a regular file.
    package func file(_ name: String) throws(ImageError) -> FileDescriptor {
        try FileDescriptor.made("file: open failed") {
            unsafe openat(number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
    }

    /// Opens an existing file for reading and writing.
    package func file(forWriting name: String) throws(ImageError) -> FileDescriptor {
        try FileDescriptor.made("file: open failed") {
            unsafe openat(number, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
    }

    /// Creates a file; fails if it exists.
    package func file(making name: String, mode: mode_t = 0o600) throws(ImageError) -> FileDescriptor {
        let made = try FileDescriptor.made("file: creation failed") {
            unsafe openat(number, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        }
        // As for folders, the umask may have removed bits.
        fchmod(made.number, mode)
        return made
    }

    /// Opens a file whose writes append to it, creating it if it is missing.
    /// The kernel places each write at the end (O_APPEND), so that processes may share the file.
    package func file(appending name: String, mode: mode_t = 0o600) throws(ImageError) -> FileDescriptor {
        let made = try FileDescriptor.made("file: open failed") {
            unsafe openat(number, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode)
        }
        // The umask of the process may have removed the owner's permissions.
        fchmod(made.number, mode)
        return made
    }

    /// Replaces an existing file atomically; both names are in this folder.
    package func rename(_ old: String, to new: String) throws(ImageError) {
        guard unsafe renameat(number, old, number, new) == 0 else { throw .file("file: rename failed", errno) }
    }

    /// Removes a file or link; a failure is ignored.
    package func remove(_ name: String) { unsafe unlinkat(number, name, 0) }

    /// Removes a folder, which must be empty.
    package func removeFolder(_ name: String) { unsafe unlinkat(number, name, AT_REMOVEDIR) }

    /// nil if `fstat` fails.
    package var status: FileStatus? {
        var status = stat()
        return unsafe fstat(number, &status) == 0 ? FileStatus(status) : nil
    }

    /// Status of a name; a symbolic link is not followed.
    package func status(of name: String) -> FileStatus? {
        var status = stat()
        return unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? FileStatus(status) : nil
    }

    /// Writes all bytes.
    /// A failure may leave a part of them in the file.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(number, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 { unsafe rest = unsafe rest.dropFirst(count) }
            if count == 0 { throw .file("file: write failed", EIO) }
            if count < 0, errno != EINTR { throw .file("file: write failed", errno) }
        }
    }

    /// Blocks until the contents have reached the disk (fsync).
    package func synchronize() throws(ImageError) {
        guard fsync(number) == 0 else { throw .file("file: write failed", errno) }
    }

    /// Reads the first `length` bytes into recycled memory; nil if the file is shorter.
    ///
    /// Not a mapping: a file that another process truncates would end this process with SIGBUS.
    /// An earlier end of the file is no error, because another process may truncate or replace it meanwhile.
    package func read(_ length: Int) throws(ImageError) -> Bytes? {
        guard length > 0 else { return .empty }
        let block = unsafe try PixelPool.shared.allocate(length)
        let bytes = unsafe Bytes(pooled: block, count: length)
        var done = 0
        while done < length {
            let count = unsafe pread(number, block.base + done, length - done, done)
            // A file that shrank meanwhile.
            if count == 0 { return nil }
            if count > 0 { done += count } else if errno != EINTR { throw .file("file: read failed", errno) }
        }
        return bytes
    }

    /// Calls `body` with each name in the folder until it returns false.
    /// Names that are not UTF-8 appear repaired, and then match no file; "." and ".." are left out.
    package func forEachName(_ body: (String) -> Bool) {
        // Opens the folder again, because the read position is shared with the descriptor that a stream is made from.
        let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return }
        guard let stream = unsafe fdopendir(copy) else {
            close(copy)
            return
        }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", !body(name) { return }
        }
    }

    /// Repeats a call interrupted by a signal; throws with `errno` of the call.
    private static func made(_ failure: String, _ open: () -> Int32) throws(ImageError) -> FileDescriptor {
        while true {
            let number = open()
            if number >= 0 { return FileDescriptor(number) }
            if errno != EINTR { throw .file(failure, errno) }
        }
    }
}

/// File status as reported by `stat`.
/// The cache trusts a folder only after it has checked owner, mode and links of every step.
package struct FileStatus: Sendable {
    package let isRegular: Bool
    package let isFolder: Bool
    package let isLink: Bool
    /// Owned by the effective user of this process.
    package let isOwn: Bool
    /// Owned by root.
    package let isRoots: Bool
    /// Sticky bit: in such a folder only the owner of a file may remove or rename it.
    package let isSticky: Bool
    /// Writable by the group or others.
    package let isSharedForWriting: Bool
    package let size: Int
    /// Bytes on disk.
    /// May be less than `size` for sparse files, and more because of whole blocks.
    package let allocated: Int
    /// Number of hard links; 0 after the last name was removed.
    package let links: Int
    /// Time of the last modification, in seconds since 1970.
    package let modified: Int

    init(_ status: stat) {
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isLink = status.st_mode & S_IFMT == S_IFLNK
        isRoots = status.st_uid == 0
        isSticky = status.st_mode & S_ISVTX != 0
        isOwn = status.st_uid == geteuid()
        isSharedForWriting = status.st_mode & 0o022 != 0
        size = Int(status.st_size)
        // The unit of `st_blocks` is 512 bytes on Linux, independent of the file system.
        allocated = Int(status.st_blocks) * 512
        links = Int(status.st_nlink)
        modified = status.st_mtim.tv_sec
    }
}

extension ImageError {
    /// Error of a failed system call on a file.
    /// The status tells the caller of C the kind of failure; the message adds the system's text.
    package static func file(_ what: String, _ code: Int32) -> ImageError {
        let status: Status =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOSPC, EDQUOT: .diskFull
            case ENOMEM: .noMemory
            // A link, a pipe without a reader, a device without a driver: not a regular file.
            case ELOOP, ENXIO, EISDIR: .notAFile
            default: .ioError
            }
        return unsafe ImageError(status, what + ": " + String(cString: strerror(code)), systemError: code)
    }
}
