import SDImage

/// Tables and settings of the index.
///
/// Rows are found by the first 64 bits of the key's digest, then by the key itself: the index stays small even with long keys.
/// The bytes of an entry are the last column of its row. So a look-up finds a complete entry in one tree of the database,
/// a store or a removal changes one tree less, and queries of the earlier columns read no further.
/// Statements of `SQLiteReader` and `SQLiteWriter`; numbers of parameters and columns are used there.
enum SQLiteSchema {
    /// Version in the file header. A file of another version stays unchanged, and a new generation of the index is started.
    static let version: Int64 = 4

    /// Settings of the file itself, which take effect only before it has pages.
    ///
    /// 16 KiB pages: an image of 20 KB takes two, a look-up reads few. Freed pages are returned in slices, on request.
    static let fileSettings = "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL"

    /// All tables and indexes, in the exact text that SQLite stores.
    /// `checkSchema` compares them, so that any change of a character makes another version.
    /// The column `digest` is the first half of the MD5 digest of the key. `instance` and `number` identify the write.
    /// `length` counts the bytes of the image, `allocated` those of its file on disk.
    /// Dates are nanoseconds since 1970. `control` is `ResponseRecord.encoded`; `file` is empty for bytes in the row.
    static let objects = [
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            digest INTEGER NOT NULL,
            key BLOB NOT NULL,
            instance INTEGER NOT NULL,
            number INTEGER NOT NULL,
            length INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            created INTEGER NOT NULL,
            accessed INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            allocated INTEGER NOT NULL,
            file BLOB NOT NULL,
            etag BLOB NOT NULL,
            modified BLOB NOT NULL,
            control BLOB NOT NULL,
            extended BLOB,
            bytes BLOB
        )
        """,
        "CREATE INDEX entry_digest ON entry (digest)",
        "CREATE INDEX entry_accessed ON entry (accessed)",
        "CREATE INDEX entry_expires ON entry (expires) WHERE expires <> 0",
        """
        CREATE TABLE total (
            id INTEGER PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL, allocated INTEGER NOT NULL
        )
        """,
    ]

    /// Most bytes of an entry in the totals, which could otherwise overflow. Far above the limit of entries.
    static let mostBytes: Int64 = 1 << 40

    /// One transaction: a process that ends in between leaves an empty file.
    static let creation =
        "BEGIN IMMEDIATE; " + objects.map { $0 + "; " }.joined()
        + "INSERT INTO total VALUES (1, 0, 0, 0); PRAGMA user_version = \(version); COMMIT"

    /// The columns are read by position (`SQLiteReader.find`).
    static let header = """
        SELECT instance, number, length, checksum, created, accessed, expires, allocated, file, etag, modified, control,
            extended
        FROM entry WHERE digest = ?1 AND key = ?2
        """
    /// The same columns and the bytes, which are NULL for an entry in a file.
    static let row = """
        SELECT instance, number, length, checksum, created, accessed, expires, allocated, file, etag, modified, control,
            extended, bytes
        FROM entry WHERE digest = ?1 AND key = ?2
        """
    /// Finds the row of a file by the parts of its name.
    static let holds = "SELECT 1 FROM entry WHERE digest = ?1 AND instance = ?2 AND number = ?3"
    /// Both list queries read the same columns and end as soon as the caller has enough rows.
    static let listStored = """
        SELECT id, key, instance, number, length, created, accessed, expires, length(file) FROM entry
        WHERE id > ?2 AND ?1 >= 0 ORDER BY id
        """
    /// Dates of another type, which this library never writes, sort after all numbers but are read as a number: the next page
    /// would start before them again, without end.
    static let listAccessed = """
        SELECT id, key, instance, number, length, created, accessed, expires, length(file) FROM entry
        WHERE (accessed, id) > (?1, ?2) AND typeof(accessed) = 'integer' ORDER BY accessed, id
        """
    /// The only row of the table.
    static let totals = "SELECT entries, bytes, allocated FROM total WHERE id = 1"
    static let allocated = "SELECT allocated FROM total WHERE id = 1"
    /// Columns of a row that is about to be removed (`SQLiteWriter.Found`).
    static let find = "SELECT id, instance, number, length, allocated, file FROM entry WHERE digest = ?1 AND key = ?2"
    static let findRow = "SELECT id, instance, number, length, allocated, file FROM entry WHERE id = ?1"
    /// The columns in the order of the table, without the id.
    static let insert = """
        INSERT INTO entry (digest, key, instance, number, length, checksum, created, accessed, expires, allocated, file,
            etag, modified, control, extended, bytes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
        """
    static let delete = "DELETE FROM entry WHERE id = ?1"
    /// Differences of one transaction. Changes nothing if a total is certainly wrong: text or bytes, which are greater than all
    /// numbers, too large a number to be added to, or less than what is removed.
    static let addTotal = """
        UPDATE total SET entries = entries + ?1, bytes = bytes + ?2, allocated = allocated + ?3
        WHERE id = 1 AND entries BETWEEN -?1 AND \(mostTotal) AND bytes BETWEEN -?2 AND \(mostTotal)
            AND allocated BETWEEN -?3 AND \(mostTotal)
        """
    /// Largest total to which differences are added; the sum cannot overflow.
    private static let mostTotal: Int64 = 1 << 62
    /// All rows, for a cache that is emptied.
    static let files = "SELECT id, file FROM entry ORDER BY id"
    /// Uses may be recorded in any order; an older one has no effect.
    static let touch = "UPDATE entry SET accessed = ?3 WHERE digest = ?1 AND key = ?2 AND accessed < ?3"

    /// Changes the metadata of one write, and nothing if the entry was replaced.
    static let update = """
        UPDATE entry SET checksum = ?5, created = ?6, expires = ?7, etag = ?8, modified = ?9, control = ?10, extended = ?11
        WHERE digest = ?1 AND key = ?2 AND instance = ?3 AND number = ?4
        """
    /// All rows, to recompute the totals.
    static let lengths = "SELECT id, length, allocated FROM entry ORDER BY id"
    static let setTotal = "UPDATE total SET entries = ?1, bytes = ?2, allocated = ?3 WHERE id = 1"

    /// Candidates for removal by size, with the same columns as `find`. No condition: rows of any date take space.
    /// Without a condition on the date, SQLite may otherwise read and sort the whole table.
    static let leastRecent = """
        SELECT id, instance, number, length, allocated, file FROM entry INDEXED BY entry_accessed
        ORDER BY accessed, id LIMIT ?1
        """
    /// Ids are in the order of storing.
    static let firstStored = "SELECT id, instance, number, length, allocated, file FROM entry ORDER BY id LIMIT ?1"
    /// Rows whose date of access is of another type. They sort after all dates: by size, all others would be removed before them.
    static let undated = """
        SELECT id, instance, number, length, allocated, file FROM entry WHERE accessed > \(Int64.max)
        ORDER BY accessed LIMIT ?1
        """
    /// Candidates for removal by age. Rows with their own expiry date do not age by the rule.
    static let agedByAccess = """
        SELECT id, instance, number, length, allocated, file FROM entry WHERE accessed <= ?2 AND expires = 0
        ORDER BY accessed, id LIMIT ?1
        """
    /// Only a limited number of the first rows is examined: there is no index of this date, and its order would be that of ids
    /// unless the clock was wrong. Rows stored while it was ahead, and those without a date, do not hold up the others.
    static let agedByCreation = """
        SELECT id, instance, number, length, allocated, file
        FROM (
            SELECT id, instance, number, length, allocated, file, created FROM entry WHERE expires = 0 AND created <= ?3
            ORDER BY id LIMIT ?1
        ) WHERE created <= ?2 ORDER BY id
        """
    /// Rows with their own expiry date that has passed, the earliest first.
    static let expired = """
        SELECT id, instance, number, length, allocated, file FROM entry WHERE expires <> 0 AND expires <= ?2
        ORDER BY expires LIMIT ?1
        """
}
