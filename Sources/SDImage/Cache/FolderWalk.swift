import Glibc

/// Opens a folder by a path on which no other user can replace anything.
///
/// Walks from the root, one name at a time, each relative to the previous folder. Every folder on the path:
/// - belongs to this user or to root
/// - is writable only by this user or root; a sticky folder of root, such as `/tmp`, may be passed, but not be the last
///
/// Symbolic links are followed if they belong to this user or to root.
/// Used for folders of caches, and by `doctor` to explain a refusal.
struct FolderWalk {
    /// The folder reached so far.
    private var folder: FileDescriptor
    /// Its properties, read from the open descriptor.
    private var status: FileStatus
    /// Names from the root to `folder`.
    private var names: [String] = []
    /// Remaining names, the next one last.
    private var rest: [String]
    /// Remaining links, against cycles.
    private var linksLeft = 40
    private let makesMissing: Bool

    /// Opens a folder; returns it and its path without links. Creates missing folders with mode 0700.
    /// Throws `cacheUnusable` for a path that cannot be trusted.
    static func open(_ path: String) throws(ImageError) -> (folder: FileDescriptor, path: String) {
        var walk = try FolderWalk(path, makesMissing: true)
        try walk.finish()
        return (try walk.folder.folder("."), "/" + walk.names.joined(separator: "/"))
    }

    /// The error that refuses a path; nil for an acceptable path, even if it does not exist.
    /// Nothing is created.
    static func problem(of path: String) -> ImageError? {
        do throws(ImageError) {
            var walk = try FolderWalk(path, makesMissing: false)
            try walk.finish()
            return nil
        } catch { return error.systemError == ENOENT ? nil : error }
    }

    /// A relative path begins at the current folder of the process.
    private init(_ path: String, makesMissing: Bool) throws(ImageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ImageError(.cacheUnusable, "disk cache: folder path is empty or contains NUL")
        }
        self.makesMissing = makesMissing
        (folder, status) = try FolderWalk.top()
        rest = FolderWalk.names(of: path)
        if path.utf8.first != Byte.slash { rest += FolderWalk.names(of: try FolderWalk.current()) }
    }

    /// Walks the remaining names. The last folder must not be shared, not even with a sticky bit.
    private mutating func finish() throws(ImageError) {
        try check()
        while let name = rest.popLast() { try step(to: name) }
        guard !status.isSharedForWriting else { throw refusal("folder is writable by other users") }
    }

    /// Opens the next folder relative to the last one, so that a name replaced behind the walk has no effect.
    private mutating func step(to name: String) throws(ImageError) {
        if name.isEmpty || name == "." { return }
        let next = try folder.passage(name, makesMissing: makesMissing)
        guard let found = next.status else { throw .file("disk cache: stat of the folder failed", errno) }
        if found.isLink { return try follow(next, found, name) }
        if name == ".." { _ = names.popLast() } else { names.append(name) }
        guard found.isFolder else { throw refusal("not a folder", ENOTDIR) }
        (folder, status) = (next, found)
        try check()
    }

    /// Throws unless the folder reached so far can be trusted.
    private func check() throws(ImageError) {
        guard status.isOwn || status.isRoots else { throw refusal("folder belongs to another user") }
        guard !status.isSharedForWriting || status.isSticky && status.isRoots else {
            throw refusal("folder is writable by other users")
        }
    }

    /// Continues with the target of a link, from the root if it is absolute.
    private mutating func follow(_ link: FileDescriptor, _ found: FileStatus, _ name: String) throws(ImageError) {
        guard found.isOwn || found.isRoots else {
            names.append(name)
            throw refusal("link belongs to another user")
        }
        linksLeft -= 1
        guard linksLeft > 0 else { throw .file("disk cache: opening the folder failed", ELOOP) }
        let target = try link.linkTarget()
        rest += FolderWalk.names(of: target)
        guard target.utf8.first == Byte.slash else { return }
        names = []
        (folder, status) = try FolderWalk.top()
        try check()
    }

    /// The error with the path so far.
    private func refusal(_ problem: String, _ code: Int32 = 0) -> ImageError {
        ImageError(.cacheUnusable, "disk cache: \(problem): /" + names.joined(separator: "/"), systemError: code)
    }

    /// The root folder, which has no parent to be checked.
    private static func top() throws(ImageError) -> (FileDescriptor, FileStatus) {
        let top = try FileDescriptor.folder(at: "/")
        guard let status = top.status else { throw .file("disk cache: stat of the folder failed", errno) }
        return (top, status)
    }

    /// The names of a path, last name first.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").reversed().map { String($0) }
    }

    /// Path of the current folder, without links.
    private static func current() throws(ImageError) -> String {
        guard let path = unsafe getcwd(nil, 0) else { throw .file("disk cache: current folder is unknown", errno) }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}

extension FileDescriptor {
    /// Opens the folder, link or file of a name as a step of a walk, without reading or following it. Creates a missing folder
    /// if `makesMissing`.
    fileprivate func passage(_ name: String, makesMissing: Bool) throws(ImageError) -> FileDescriptor {
        do throws(ImageError) { return try step(name) } catch {
            guard error.systemError == ENOENT, makesMissing else { throw error }
        }
        guard unsafe mkdirat(number, name, 0o700) == 0 || errno == EEXIST else { throw .file("folder: creation failed", errno) }
        return try step(name)
    }
}
