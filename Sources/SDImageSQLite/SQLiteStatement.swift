import CSQLite
import SDImage

/// A statement, kept for the life of its connection and used many times; prepared for its first use.
@safe final class SQLiteStatement: @unchecked Sendable {
    // Unchecked: used under the lock that serialises its connection.
    private var handle: OpaquePointer?
    private let text: String
    // Also keeps the connection open.
    private let connection: SQLiteConnection
    /// Code of the first binding that was refused.
    private var refusal = SQLITE_OK

    init(_ text: String, of connection: SQLiteConnection) {
        self.text = text
        self.connection = connection
    }

    /// To open a cache takes less time when only what is needed is compiled.
    func prepare() throws(ImageError) {
        if unsafe handle == nil { unsafe handle = try connection.compile(text) }
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds, runs `body`, and makes the statement ready for its next use.
    func use<R>(_ body: (SQLiteStatement) throws(ImageError) -> R) throws(ImageError) -> R {
        try prepare()
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
            refusal = SQLITE_OK
        }
        return try body(self)
    }

    /// Runs a statement that gives no rows.
    func run(_ bind: (SQLiteStatement) -> Void) throws(ImageError) {
        try use { statement throws(ImageError) in
            bind(statement)
            while try statement.step() {}
        }
    }

    /// The one number that a query without parameters gives.
    func number() throws(ImageError) -> Int64 {
        try use { statement throws(ImageError) in try statement.step() ? statement.int(0) : 0 }
    }

    /// True when there is a row to read.
    func step() throws(ImageError) -> Bool {
        guard refusal == SQLITE_OK else { throw connection.error(refusal) }
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        // A value over the limit of what is stored: written by another program.
        case SQLITE_TOOBIG: throw ImageError(.cacheDamaged, "disk cache: index has an oversized value", libraryCode: code)
        default: throw connection.error(code)
        }
    }

    /// A refused binding is told by the next step: a value too large, or no memory for its copy.
    private func note(_ code: Int32) { if refusal == SQLITE_OK { refusal = code } }

    func bind(_ position: Int32, _ value: Int64) { note(unsafe sqlite3_bind_int64(handle, position, value)) }

    /// Bit by bit, because SQLite knows signed numbers only.
    func bind(_ position: Int32, _ value: UInt64) { bind(position, Int64(bitPattern: value)) }

    func bind(_ position: Int32, _ value: Int) { bind(position, Int64(value)) }

    /// Copies.
    func bind(_ position: Int32, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return empty(position) }
        note(
            unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), SQLiteStatement.transient)
            })
    }

    /// Does not copy: the bytes must live until the statement was run.
    func bind(_ position: Int32, lending bytes: Bytes) {
        guard !bytes.isEmpty else { return empty(position) }
        note(unsafe sqlite3_bind_blob64(handle, position, bytes.pointer, UInt64(bytes.count), nil))
    }

    // With a NULL pointer SQLite would bind NULL.
    private func empty(_ position: Int32) { note(unsafe sqlite3_bind_zeroblob(handle, position, 0)) }

    func int(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: int(column)) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Short values only: keys of files, header fields. A longer one, which this library did not write, reads as empty.
    func array(_ column: Int32) -> [UInt8] {
        let bytes = unsafe buffer(column)
        return unsafe bytes.count <= 65536 ? Array(bytes) : []
    }

    /// Keys have no limit of their own; this is the one of what a caller may pass.
    func key(_ column: Int32) -> [UInt8] {
        let bytes = unsafe buffer(column)
        return unsafe bytes.count <= 64 << 20 ? Array(bytes) : []
    }

    /// Whether a value begins with these bytes; it is not copied.
    func starts(_ column: Int32, with prefix: [UInt8]) -> Bool {
        unsafe prefix.isEmpty || buffer(column).starts(with: prefix)
    }

    /// A copy in memory of its own.
    func bytes(_ column: Int32) throws(ImageError) -> Bytes { unsafe try .copying(buffer(column)) }

    private func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
        // In this order (SQLite, "Result Values From A Query"): the pointer first, then its length.
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(max(0, sqlite3_column_bytes(handle, column))))
    }

    /// SQLITE_TRANSIENT, a macro that does not come through to Swift.
    nonisolated(unsafe) private static let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
