import CSQLite
import SDImage

/// Connection to one database file, without a lock: its owner serializes calls.
/// `SQLiteReader` and `SQLiteWriter` each have one. Statements are compiled and run by `SQLiteStatement`.
@safe final class SQLiteConnection: @unchecked Sendable {
    // Unchecked: SQLite is opened without its mutex; the store uses a connection only under a lock.
    private let handle: OpaquePointer
    /// Held open as long as the connection.
    private let folder: FileDescriptor
    private let busyTimeout = SQLiteBusyTimeout()
    private let limits: SQLiteLimits
    private let budget: SQLiteBudget
    private let name: String

    /// Opens a file that exists in `folder`.
    /// Throws `cacheDamaged` for a file that is no database, and errors of the file system.
    init(_ folder: FileDescriptor, _ name: String, _ limits: SQLiteLimits) throws(ImageError) {
        var opened: OpaquePointer?
        let code = unsafe csqlite_open(folder.number, name, &opened)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let error = unsafe SQLiteConnection.error(code, opened, "disk cache: index could not be opened")
            unsafe sqlite3_close_v2(opened)
            // Removed by a process that found a newer file, which the caller should use.
            if folder.status(of: name) == nil { throw ImageError(.cacheDamaged, "disk cache: index was removed") }
            throw error
        }
        self.folder = folder
        self.name = name
        self.limits = limits
        budget = SQLiteBudget(limits.change)
        unsafe handle = opened
        // Extended codes distinguish a short read, which means damage, from other errors of the disk.
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_handler(
            handle, { context, count in unsafe SQLiteBusyTimeout.wait(context, count) },
            Unmanaged.passUnretained(busyTimeout).toOpaque())
        unsafe sqlite3_progress_handler(
            handle, SQLiteBudget.interval, { unsafe SQLiteBudget.check($0) }, Unmanaged.passUnretained(budget).toOpaque())
    }

    /// Limits the following calls to this much processor time; beyond it statements fail with `cacheDamaged`.
    /// `limit`: nanoseconds.
    func begin(_ limit: UInt64) { budget.begin(limit) }

    /// The same for calls that read every row or page.
    /// The limit grows with the size of the file.
    func beginWhole() { begin(limits.whole(folder.status(of: name)?.allocated ?? 0)) }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs statements without parameters and results.
    func execute(_ sql: String) throws(ImageError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Returns a compiled statement, ready for bindings.
    func prepare(_ sql: String) throws(ImageError) -> SQLiteStatement {
        let statement = SQLiteStatement(sql, of: self)
        try statement.prepare()
        return statement
    }

    /// Compiles a statement. The caller finalizes it.
    func compile(_ sql: String) throws(ImageError) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw error(code) }
        return unsafe statement
    }

    /// Returns the single number of a query result.
    func number(_ sql: String) throws(ImageError) -> Int64 {
        try prepare(sql).number()
    }

    /// Id of the last inserted row.
    var lastID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Number of rows changed by the last statement.
    var changes: Int { Int(unsafe sqlite3_changes(handle)) }

    /// True outside a transaction; SQLite itself ends a transaction after some errors.
    var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    func error(_ code: Int32) -> ImageError { unsafe SQLiteConnection.error(code, handle, "disk cache: index error") }

    /// Contains the text of the code, and `errno` of the last system call of SQLite.
    private static func error(_ code: Int32, _ handle: OpaquePointer?, _ what: String) -> ImageError {
        let errno = unsafe handle == nil ? 0 : sqlite3_system_errno(handle)
        return unsafe ImageError(
            status(code, errno), what + ": " + String(cString: sqlite3_errstr(code)), systemError: errno, libraryCode: code)
    }

    /// Decides how the cache continues: damage starts a new index, other errors fail the call.
    private static func status(_ code: Int32, _ errno: Int32) -> Status {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .diskFull
        case SQLITE_IOERR where errno == 28 || errno == 122: .diskFull  // ENOSPC, EDQUOT
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .permissionDenied
        case SQLITE_NOMEM: .noMemory
        case SQLITE_TOOBIG: .tooLarge
        // No intact index takes as much processor time (`SQLiteBudget`).
        case SQLITE_INTERRUPT: .cacheDamaged
        // One of our statements that does not compile, a type that does not fit, a truncated file: not our database.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_FORMAT:
            .cacheDamaged
        case SQLITE_IOERR where code == shortRead: .cacheDamaged
        default: .ioError
        }
    }
}

/// SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
private let shortRead: Int32 = SQLITE_IOERR | (2 << 8)
