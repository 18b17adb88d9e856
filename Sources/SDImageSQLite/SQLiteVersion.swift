import CSQLite

extension SQLiteStore {
    /// Version of the library for `doctor`, e.g. "SQLite 3.40.1".
    package static var libraryVersion: String {
        guard let version = unsafe sqlite3_libversion() else { return "SQLite" }
        return "SQLite " + (unsafe String(cString: version))
    }
}
