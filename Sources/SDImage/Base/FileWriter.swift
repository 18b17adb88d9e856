import Glibc

/// Writes the user's files atomically: a file appears complete or not at all.
/// Serves the C functions that encode to a file; the cache has writers of its own.
package enum FileWriter {
    /// Writes a temporary file in the same folder, which then replaces the existing one and has its permissions; a symbolic link
    /// stays. Pipes, devices and names of open files are written to directly, and so is a file that cannot be replaced, such as a
    /// mount point. A file without write permission is refused.
    package static func write(_ bytes: Bytes, to path: [UInt8]) throws(ImageError) {
        var known = stat()
        let isThere = unsafe withPath(path) { unsafe stat($0, &known) } == 0
        // A rename would replace a pipe or a device by a file, and an open file by another.
        let isDirect = known.st_mode & S_IFMT != S_IFREG || isDescriptor(path)
        if isThere, isDirect { return try fill(bytes, path, O_WRONLY | O_TRUNC) }
        // Protected files, too.
        let isWritable = unsafe withPath(path) { unsafe access($0, W_OK) } == 0
        if isThere, !isWritable { throw .file("file: not writable", errno) }
        // And a link by a file.
        let path = isThere ? resolved(path) : path
        let name = path.lastIndex(of: Byte.slash).map { $0 + 1 } ?? 0
        // Unique by process, call and time, and shorter than the limit of names; `O_EXCL` refuses a leftover of the same name.
        let temporary = Array(path[..<name] + ".\(getpid())-\(UniqueNumber.next())-\(MonotonicClock.now).part".utf8)
        do throws(ImageError) {
            try fill(bytes, temporary, O_WRONLY | O_CREAT | O_EXCL, mode: isThere ? known.st_mode & 0o777 : nil)
            let isRenamed = unsafe withPath(temporary) { old in unsafe withPath(path) { unsafe rename(old, $0) } } == 0
            guard isRenamed else { throw .file("file: rename failed", errno) }
        } catch {
            // A failed write leaves the existing file as it was, and no temporary file.
            unsafe withPath(temporary) { unsafe _ = unlink($0) }
            // The file is a mount point or another user's, or its folder takes no others.
            let isFixed = isThere && [EBUSY, EPERM, EACCES, EROFS].contains(error.systemError)
            guard isFixed else { throw error }
            try fill(bytes, path, O_WRONLY | O_TRUNC)
        }
    }

    /// A name of an open file, which other programs go on to use.
    private static func isDescriptor(_ path: [UInt8]) -> Bool {
        ["/dev/fd/", "/dev/std", "/proc/"].contains { path.starts(with: $0.utf8) }
    }

    /// Calls `body` with the path as a C string, valid during the call.
    /// Paths are bytes: they need not be UTF-8.
    private static func withPath<R>(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> R) -> R {
        let text = CString(path)
        return withExtendedLifetime(text) { unsafe body(text.pointer) }
    }

    /// The path of an existing file without symbolic links.
    private static func resolved(_ path: [UInt8]) -> [UInt8] {
        guard let target = unsafe withPath(path, { unsafe realpath($0, nil) }) else { return path }
        defer { unsafe free(target) }
        return unsafe Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
    }

    /// Opens the file with these flags and writes all bytes. `mode`: permissions of a new file, if they are not the usual ones.
    private static func fill(_ bytes: Bytes, _ path: [UInt8], _ flags: Int32, mode: mode_t? = nil) throws(ImageError) {
        let file = unsafe withPath(path) { unsafe open($0, flags | O_CLOEXEC | O_NOCTTY, mode ?? 0o666) }
        guard file >= 0 else { throw .file("file: creation failed", errno) }
        defer { close(file) }
        // The umask may have removed some.
        if let mode { fchmod(file, mode) }
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(file, bytes.pointer.map { unsafe $0 + written }, bytes.count - written)
            guard count > 0 || errno == EINTR else { throw .file("file: write failed", count == 0 ? EIO : errno) }
            written += max(0, count)
        }
    }
}
