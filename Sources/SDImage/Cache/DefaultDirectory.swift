import Glibc

/// Directory of caches without an explicit one. The first that applies:
/// - `$XDG_CACHE_HOME/sdimage`, if absolute (XDG Base Directory Specification)
/// - `$HOME/.cache/sdimage`
/// - `.cache/sdimage` in the home directory from the password database
///
/// Never a folder shared by all users.
/// Evaluated when a configuration is made, and by `doctor`.
package struct DefaultDirectory: Sendable {
    /// The directory; nil when there is no home directory, which keeps caches in memory only.
    package let path: String?
    /// Origin of the path: an environment variable or the password database.
    package let source: String?

    /// Evaluates the current environment.
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

    /// Reason why the directory is unusable for a cache; nil when it is usable.
    /// The same check as that of opening a cache, without creating anything.
    package var problem: String? {
        guard let path else { return "XDG_CACHE_HOME and HOME are not set, and the user has no home directory" }
        return FolderWalk.problem(of: path).map { $0.message.string }
    }

    /// nil for a variable that is not set.
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
