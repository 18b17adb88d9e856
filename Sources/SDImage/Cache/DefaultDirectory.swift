import Glibc

/// Where a cache lies whose directory was not set: `$XDG_CACHE_HOME/sdimage` where that is absolute (XDG Base Directory
/// Specification), else `.cache/sdimage` in `$HOME`, else the same in the home directory of the password database. Never a folder
/// that all users share.
package struct DefaultDirectory: Sendable {
    /// nil when there is no home directory: caches are then in memory only.
    package let path: String?
    /// What the path was taken from.
    package let source: String?

    /// By the environment of this moment.
    package init() {
        self.init(cacheHome: DefaultDirectory.variable("XDG_CACHE_HOME"), home: DefaultDirectory.variable("HOME")) {
            DefaultDirectory.passwordHome
        }
    }

    package init(cacheHome: String?, home: String?, passwordHome: () -> String?) {
        if let cacheHome, cacheHome.hasPrefix("/") {
            (path, source) = (cacheHome + "/sdimage", "XDG_CACHE_HOME")
        } else if let home, home.hasPrefix("/") {
            (path, source) = (home + "/.cache/sdimage", "HOME")
        } else if let home = passwordHome(), home.hasPrefix("/") {
            (path, source) = (home + "/.cache/sdimage", "password database")
        } else {
            (path, source) = (nil, nil)
        }
    }

    /// Why no cache can lie there; nil when one can.
    package var problem: String? {
        guard let path else { return "XDG_CACHE_HOME and HOME are not set, and the user has no home directory" }
        return FolderWalk.problem(of: path).map { $0.message.string }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static var passwordHome: String? {
        let capacity = 16384
        guard let buffer = unsafe malloc(capacity) else { return nil }
        defer { unsafe free(buffer) }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        let text = unsafe buffer.assumingMemoryBound(to: CChar.self)
        guard unsafe getpwuid_r(geteuid(), &entry, text, capacity, &found) == 0, unsafe found != nil,
            let home = unsafe entry.pw_dir
        else { return nil }
        return unsafe String(cString: home)
    }
}
