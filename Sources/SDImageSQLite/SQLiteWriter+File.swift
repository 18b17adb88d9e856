import SDImage

extension SQLiteWriter {
    /// Pages that stay in memory after a transaction: most of those that one of 2 MiB changes. The next one uses their memory.
    private static let heldPages = 192
    /// Changed pages from which SQLite writes some before the end of the transaction.
    private static let spilledPages = 1024

    /// Sets the properties of the connection, creates the tables in a new file, and checks the version.
    static func prepareFile(_ connection: SQLiteConnection, isDurable: Bool) throws(ImageError) {
        // Without `durable` no write is waited for: after a power cut entries may be missing, never wrong. A checksum guards the
        // bytes of each entry, and SQLite detects a torn file, which is then abandoned.
        try connection.execute(
            "PRAGMA temp_store = MEMORY; PRAGMA secure_delete = OFF; PRAGMA synchronous = \(isDurable ? "FULL" : "OFF")")
        // The mode belongs to the connection. A journal of size 0 counts as none: a check is cheaper than its removal.
        try connection.execute("PRAGMA journal_mode = TRUNCATE")
        let version = try connection.number("PRAGMA user_version")
        guard version == 0 || version == SQLiteSchema.version else {
            throw ImageError(.cacheDamaged, "disk cache: index has version \(version), expected \(SQLiteSchema.version)")
        }
        // A file of version 0 that has tables belongs to another program.
        if version == 0, try connection.number("SELECT EXISTS (SELECT 1 FROM sqlite_schema)") == 0 {
            try connection.execute(SQLiteSchema.fileSettings)
            try connection.execute(SQLiteSchema.creation)
        }
        try checkSchema(connection)
        // The number of pages that SQLite derives from the size of its cache would depend on when the page size was set.
        try connection.execute("PRAGMA cache_size = \(heldPages); PRAGMA cache_spill = \(spilledPages)")
    }

    /// Refuses additional or different tables and indexes: they may contain expressions that run on every access to a row.
    private static func checkSchema(_ connection: SQLiteConnection) throws(ImageError) {
        // More rows than expected suffice for the decision.
        let statement = try connection.prepare("SELECT sql FROM sqlite_schema LIMIT 16")
        var found: Set<String> = []
        var count = 0
        while try statement.step() {
            found.insert(String(decoding: statement.array(0), as: UTF8.self))
            count += 1
        }
        guard count == SQLiteSchema.objects.count, found == Set(SQLiteSchema.objects) else {
            throw ImageError(.cacheDamaged, "disk cache: index has an unknown schema")
        }
    }
}
