import CSQLite
import SDImage

/// One connection to one database file, without a lock of its own: its owner serialises.
@safe final class SQLiteConnection: @unchecked Sendable {
    // Unchecked: SQLite is opened without its mutex; the store uses a connection under a lock only.
    private let handle: OpaquePointer
    private let journal: Journal
    private let patience = SQLitePatience()

    /// The file must exist. Symbolic links are refused in every part of the path.
    init(_ path: String) throws(ImageError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let error = unsafe SQLiteConnection.error(code, opened, "database could not be opened")
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe handle = opened
        journal = Journal(patience)
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_handler(
            handle, { context, count in unsafe SQLitePatience.wait(context, count) },
            Unmanaged.passUnretained(patience).toOpaque())
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws(ImageError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Ready to be bound.
    func prepare(_ sql: String) throws(ImageError) -> SQLiteStatement {
        let statement = SQLiteStatement(sql, of: self)
        try statement.prepare()
        return statement
    }

    /// For a statement, which ends it.
    func compile(_ sql: String) throws(ImageError) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw error(code) }
        return unsafe statement
    }

    /// The one number that a query gives.
    func number(_ sql: String) throws(ImageError) -> Int64 {
        try prepare(sql).number()
    }

    /// Moves the journal into the database by itself after each commit that leaves more than `pages` in it.
    func checkpoint(after pages: Int32, limit: Int32) {
        let journal = journal
        journal.soon = pages
        journal.late = limit
        unsafe _ = sqlite3_wal_hook(
            handle,
            { context, handle, _, pages in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<Journal>.fromOpaque(context).takeUnretainedValue().checkpoint(handle, pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(journal).toOpaque())
    }

    /// Id of the row that was inserted last.
    var lastID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Rows that the last statement changed.
    var changes: Int { Int(unsafe sqlite3_changes(handle)) }

    /// True outside a transaction; SQLite itself ends one after some errors.
    var isIdle: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    func error(_ code: Int32) -> ImageError { unsafe SQLiteConnection.error(code, handle, "database refused") }

    private static func error(_ code: Int32, _ handle: OpaquePointer?, _ what: String) -> ImageError {
        let errno = unsafe handle == nil ? 0 : sqlite3_system_errno(handle)
        return unsafe ImageError(
            status(code, errno), what + ": " + String(cString: sqlite3_errstr(code)), systemError: errno, libraryCode: code)
    }

    private static func status(_ code: Int32, _ errno: Int32) -> Status {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .diskFull
        case SQLITE_IOERR where errno == 28 || errno == 122: .diskFull  // ENOSPC, EDQUOT
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .permissionDenied
        case SQLITE_NOMEM: .noMemory
        case SQLITE_TOOBIG: .tooLarge
        // A statement of ours that does not compile, a type that does not fit, a file cut short: not our database.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_FORMAT:
            .cacheDamaged
        case SQLITE_IOERR where code == shortRead: .cacheDamaged
        default: .ioError
        }
    }
}

/// SQLITE_IOERR_SHORT_READ, a macro that does not come through to Swift.
private let shortRead: Int32 = SQLITE_IOERR | (2 << 8)

/// When a journal is moved into its database.
private final class Journal {
    var soon: Int32 = 0
    var late: Int32 = 0
    private let patience: SQLitePatience

    init(_ patience: SQLitePatience) { self.patience = patience }

    /// Without waiting; but where readers of other processes never leave a gap, the journal would grow for ever. Then they
    /// are waited for, for as long as a slice of trimming may take.
    func checkpoint(_ handle: OpaquePointer?, _ pages: Int32) {
        guard pages >= soon else { return }
        let isLate = pages >= late
        if isLate { patience.limit = 4_000_000 }
        // An error leaves a longer journal: the next commit tries again.
        unsafe sqlite3_wal_checkpoint_v2(
            handle, nil, isLate ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        patience.limit = SQLitePatience.ofStores
    }
}
