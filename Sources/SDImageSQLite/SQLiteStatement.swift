import CSQLite
import SDImage

/// Statement kept for the life of its connection and used many times; compiled on first use.
@safe final class SQLiteStatement: @unchecked Sendable {
    // Unchecked: used under the lock that serializes its connection.
    /// nil before the first use.
    private var handle: OpaquePointer?
    private let text: String
    // Also keeps the connection open.
    private let connection: SQLiteConnection
    /// Code of the first refused binding.
    private var refusal = SQLITE_OK

    init(_ text: String, of connection: SQLiteConnection) {
        self.text = text
        self.connection = connection
    }

    /// Compiles the statement on demand, so that a cache opens faster.
    func prepare() throws(ImageError) {
        if unsafe handle == nil { unsafe handle = try connection.compile(text) }
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs `body`, which binds and steps, then resets the statement for its next use.
    /// `body` must read what it needs: the values of a row are invalid afterwards.
    func use<R>(_ body: (SQLiteStatement) throws(ImageError) -> R) throws(ImageError) -> R {
        try prepare()
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
            refusal = SQLITE_OK
        }
        return try body(self)
    }

    /// Runs a statement without result rows.
    func run(_ bind: (SQLiteStatement) -> Void) throws(ImageError) {
        try use { statement throws(ImageError) in
            bind(statement)
            while try statement.step() {}
        }
    }

    /// The single number in the result of a query without parameters; 0 without a row.
    func number() throws(ImageError) -> Int64 {
        try use { statement throws(ImageError) in try statement.step() ? statement.int(0) : 0 }
    }

    /// Returns true if there is a row to read.
    func step() throws(ImageError) -> Bool {
        guard refusal == SQLITE_OK else { throw connection.error(refusal) }
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        // A value over the limit of stored values: written by another program.
        case SQLITE_TOOBIG: throw ImageError(.cacheDamaged, "disk cache: index has an oversized value", libraryCode: code)
        default: throw connection.error(code)
        }
    }

    /// Records a refused binding, which the next step reports: a value too large, or no memory for its copy.
    private func note(_ code: Int32) { if refusal == SQLITE_OK { refusal = code } }

    /// Positions count from 1, columns from 0.
    func bind(_ position: Int32, _ value: Int64) { note(unsafe sqlite3_bind_int64(handle, position, value)) }

    /// Binds the bit pattern, because SQLite has signed numbers only.
    func bind(_ position: Int32, _ value: UInt64) { bind(position, Int64(bitPattern: value)) }

    func bind(_ position: Int32, _ value: Int) { bind(position, Int64(value)) }

    /// Copies the bytes.
    func bind(_ position: Int32, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return empty(position) }
        note(
            unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), SQLiteStatement.transient)
            })
    }

    /// Does not copy: the bytes must stay valid until the statement was run.
    func bind(_ position: Int32, lending bytes: Bytes) {
        guard !bytes.isEmpty else { return empty(position) }
        note(unsafe sqlite3_bind_blob64(handle, position, bytes.pointer, UInt64(bytes.count), nil))
    }

    // SQLite would bind NULL for a NULL pointer.
    /// An empty value instead of NULL, which the columns do not permit.
    private func empty(_ position: Int32) { note(unsafe sqlite3_bind_zeroblob(handle, position, 0)) }

    /// The value of a column of the current row, converted by SQLite if it has another type.
    func int(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// A number of bytes. Another program may have written any number.
    func size(_ column: Int32) -> Int64 { min(max(0, int(column)), SQLiteSchema.mostBytes) }

    /// The bit pattern, as bound.
    func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: int(column)) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Reads short values: names of files, fields. A longer one, which this library did not write, reads as empty.
    func array(_ column: Int32) -> [UInt8] {
        let bytes = unsafe buffer(column)
        return unsafe bytes.count <= 65536 ? Array(bytes) : []
    }

    /// Reads a key. The limit is that of keys that a caller may pass.
    func key(_ column: Int32) -> [UInt8] {
        let bytes = unsafe buffer(column)
        return unsafe bytes.count <= 64 << 20 ? Array(bytes) : []
    }

    /// True if a value begins with these bytes; does not copy it.
    func starts(_ column: Int32, with prefix: [UInt8]) -> Bool {
        unsafe prefix.isEmpty || buffer(column).starts(with: prefix)
    }

    /// A copy of the value.
    func bytes(_ column: Int32) throws(ImageError) -> Bytes { unsafe try .copying(buffer(column)) }

    /// Valid until the next step or reset.
    private func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
        // Order required by SQLite ("Result Values From A Query"): the pointer first, then its length.
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(max(0, sqlite3_column_bytes(handle, column))))
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import.
    nonisolated(unsafe) private static let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
