import SDImage

/// Writing half of a store.
/// Used by `SQLiteStore` under the lock of the writer. Each function is one transaction, except for `mend` and
/// `vacuum`.
final class SQLiteWriter: Sendable {
    private let connection: SQLiteConnection
    private let find: SQLiteStatement
    private let insert: SQLiteStatement
    private let delete: SQLiteStatement
    private let addTotal: SQLiteStatement
    private let allocated: SQLiteStatement
    private let touch: SQLiteStatement
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let pages: SQLiteStatement
    private let freePages: SQLiteStatement
    /// Bytes.
    private let pageSize: Int
    /// Bytes of the longest file name (NAME_MAX); names of entries are shorter.
    private static let longestName = 255
    /// 2 MiB of free pages that are never returned to the file system.
    private static let sparePages: Int64 = 128

    /// Changes of a transaction to the totals, and the files that it leaves without a row.
    /// The differences are added to the stored totals at the end of the transaction.
    private struct Outcome {
        /// Difference of the number of rows.
        var entries = 0
        /// Difference of the bytes of images.
        var bytes: Int64 = 0
        /// Difference of the bytes of files on disk.
        var allocated: Int64 = 0
        /// True if the totals were computed from the rows in this transaction.
        var isCounted = false
        /// Names of files, which the caller removes after the commit.
        var files: [String] = []
    }

    /// Row about to be removed.
    private struct Found {
        var id: Int64
        var write: CacheWrite
        var length: Int64
        var allocated: Int64
        var file: String

        /// Reads the columns of `SQLiteSchema.find`.
        init(_ statement: SQLiteStatement) {
            id = statement.int(0)
            write = CacheWrite(instance: statement.bits(1), number: statement.bits(2))
            length = statement.size(3)
            allocated = statement.size(4)
            file = String(decoding: statement.array(5), as: UTF8.self)
        }
    }

    /// Creates the tables in an empty file. Throws `cacheDamaged` for another version or schema.
    init(_ folder: FileDescriptor, _ name: String, isDurable: Bool, _ limits: SQLiteLimits) throws(ImageError) {
        connection = try SQLiteConnection(folder, name, limits)
        try SQLiteWriter.prepareFile(connection, isDurable: isDurable)
        find = SQLiteStatement(SQLiteSchema.find, of: connection)
        insert = SQLiteStatement(SQLiteSchema.insert, of: connection)
        delete = SQLiteStatement(SQLiteSchema.delete, of: connection)
        addTotal = SQLiteStatement(SQLiteSchema.addTotal, of: connection)
        allocated = SQLiteStatement(SQLiteSchema.allocated, of: connection)
        touch = SQLiteStatement(SQLiteSchema.touch, of: connection)
        begin = SQLiteStatement("BEGIN IMMEDIATE", of: connection)
        commit = SQLiteStatement("COMMIT", of: connection)
        pages = SQLiteStatement("PRAGMA page_count", of: connection)
        freePages = SQLiteStatement("PRAGMA freelist_count", of: connection)
        pageSize = Int(try connection.number("PRAGMA page_size"))
    }

    /// Limits the processor time of the next calls.
    /// `limit`: nanoseconds.
    func limitTime(_ limit: UInt64) { connection.begin(limit) }

    /// Returns the names of the files that are no longer referred to.
    func apply(_ changes: [CacheChange]) throws(ImageError) -> [String] {
        try transaction { outcome throws(ImageError) in
            var replaced: [Found] = []
            for change in changes {
                switch change {
                case .put(let row): try put(row, &replaced, &outcome)
                case .remove(let key, let write):
                    // Another write may have replaced the one to remove.
                    guard let found = try lookUp(key), write == nil || write == found.write else { continue }
                    try remove(found, &outcome)
                case .removeRow(let id, let write):
                    let statement = try connection.prepare(SQLiteSchema.findRow)
                    statement.bind(1, id)
                    guard try statement.step(), case let found = Found(statement), found.write == write else { continue }
                    try remove(found, &outcome)
                }
            }
            // After all insertions; see `put`.
            for row in replaced { try remove(row, &outcome) }
        }.files
    }

    /// Names of all files; the caller removes them after the commit.
    func removeAll() throws(ImageError) -> [String] {
        try transaction { outcome throws(ImageError) in
            // Every row is read, so the limit of one change does not suffice.
            connection.beginWhole()
            try forEachRow(SQLiteSchema.files) { row in
                let file = row.array(1)
                // Rows of a damaged index can share the pages of one long name, which would fill memory.
                if 1...SQLiteWriter.longestName ~= file.count { outcome.files.append(String(decoding: file, as: UTF8.self)) }
            }
            try connection.execute(
                "DELETE FROM entry; UPDATE total SET entries = 0, bytes = 0, allocated = 0")
        }.files
    }

    /// Removes candidates until the selection is satisfied, its limit reached, or its time over.
    func removeOldest(_ selection: CacheSelection) throws(ImageError) -> CacheRemoval {
        var removal = CacheRemoval()
        removal.files = try transaction { outcome throws(ImageError) in
            let end = MonotonicClock.now &+ selection.busyTimeout
            let (candidates, isLast) = try oldest(selection)
            // The transaction updates the stored totals at its end.
            let allocated = try self.allocated.number()
            removal.isComplete = isLast
            let isBySize = selection.notAfter == nil && selection.expiredAt == nil
            // Candidates come in the order of removal.
            for found in candidates {
                // Only a limit of size ends early; all candidates by age or expiry are removed.
                if isBySize, try footprint(allocated &+ outcome.allocated) < selection.footprint {
                    removal.isComplete = true
                    return
                }
                // Other processes wait for the lock of this transaction. At least one row is removed: reading the candidates may
                // take all the time, and a slice without a removal would be repeated without end.
                if removal.count > 0, MonotonicClock.now > end {
                    removal.isComplete = false
                    return
                }
                try remove(found, &outcome)
                removal.count += 1
            }
            // Every row was removed. Totals that say more would make each later trim remove all entries again.
            guard isBySize, isLast else { return }
            guard try countRows() == 0 else { throw ImageError(.cacheDamaged, "disk cache: index lacks rows of its table") }
            outcome.isCounted = true
        }.files
        return removal
    }

    /// False if the row does not exist, or is that of another write.
    func update(_ row: CacheRow) throws(ImageError) -> Bool {
        var isChanged = false
        _ = try transaction { _ throws(ImageError) in
            // The condition on the write is part of the statement, so that no row is read before.
            try connection.prepare(SQLiteSchema.update).run {
                $0.bind(1, MD5(of: row.key.bytes).high)
                $0.bind(2, row.key.bytes)
                $0.bind(3, row.write.instance)
                $0.bind(4, row.write.number)
                $0.bind(5, SQLiteWriter.checksums(row))
                $0.bind(6, SQLiteWriter.date(row.created))
                $0.bind(7, SQLiteWriter.date(row.expires))
                $0.bind(8, row.entityTag)
                $0.bind(9, row.lastModified)
                $0.bind(10, row.encodedRecord)
                if let extended = row.extendedData { $0.bind(11, lending: extended) }
            }
            isChanged = connection.changes > 0
        }
        return isChanged
    }

    /// Rebuilds the indexes of the database from its table.
    func mend() throws(ImageError) {
        connection.beginWhole()
        // REINDEX sorts the rows in memory, which the rows of an endless tree would fill.
        try forEachRow(SQLiteSchema.lengths) { _ in }
        try connection.execute("REINDEX")
    }

    /// Computes the totals from the rows.
    func recount() throws(ImageError) {
        _ = try transaction { _ throws(ImageError) in _ = try countRows() }
    }

    /// Calls `body` for every row in the order of its id, the first column. A tree that contains a page twice returns its rows
    /// again: damaged.
    private func forEachRow(_ sql: String, _ body: (SQLiteStatement) -> Void) throws(ImageError) {
        let rows = try connection.prepare(sql)
        var last = Int64.min
        while try rows.step() {
            guard rows.int(0) > last else { throw ImageError(.cacheDamaged, "disk cache: index returns rows out of order") }
            last = rows.int(0)
            body(rows)
        }
    }

    /// Records the time of uses. Keys without a row have no effect.
    func touch(_ accesses: [(key: CacheKey, time: UInt64)]) throws(ImageError) {
        _ = try transaction { _ throws(ImageError) in
            // The number of accesses is not limited.
            connection.beginWhole()
            for (key, time) in accesses {
                try touch.run {
                    $0.bind(1, MD5(of: key.bytes).high)
                    $0.bind(2, key.bytes)
                    $0.bind(3, SQLiteWriter.date(time))
                }
            }
        }
    }

    /// Returns up to `pages` free pages to the file system; true if this reduced the surplus and some is left.
    func vacuum(pages: Int) throws(ImageError) -> Bool {
        // Keeps some free pages for future entries: returning and requesting them again would cost twice.
        func surplus() throws(ImageError) -> Int64 {
            let free = try freePages.number()
            return free &- max(SQLiteWriter.sparePages, (try self.pages.number() &- free) / 8)
        }
        // A vacuum that achieves nothing must not be repeated.
        let before = try surplus()
        let count = min(Int64(pages), before)
        guard count > 0 else { return false }
        try connection.execute("PRAGMA incremental_vacuum(\(count))")
        let after = try surplus()
        return after > 0 && after < before
    }

    // MARK: Steps of a transaction

    /// Runs `body` in a transaction, updates the totals, and commits; an error undoes everything.
    private func transaction(_ body: (inout Outcome) throws(ImageError) -> Void) throws(ImageError) -> Outcome {
        var outcome = Outcome()
        // An error may have left a transaction open, whose changes were reported as failed.
        if !connection.isIdle { try connection.execute("ROLLBACK") }
        // IMMEDIATE takes the lock at the start: a lock that is upgraded later could fail after work was done.
        try begin.run { _ in }
        do throws(ImageError) {
            try body(&outcome)
            try updateTotals(outcome)
            try commit.run { _ in }
            return outcome
        } catch {
            // The first error is the one to report; closing undoes whatever a failed rollback leaves.
            if !connection.isIdle { _ = try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Adds the differences to the stored totals, or computes these from the rows if they are wrong.
    private func updateTotals(_ outcome: Outcome) throws(ImageError) {
        guard !outcome.isCounted, outcome.entries != 0 || outcome.bytes != 0 || outcome.allocated != 0 else { return }
        try addTotal.run {
            $0.bind(1, outcome.entries)
            $0.bind(2, outcome.bytes)
            $0.bind(3, outcome.allocated)
        }
        if connection.changes == 0 { try countRows() }
    }

    /// Computes the totals from the rows; returns the number of rows.
    @discardableResult private func countRows() throws(ImageError) -> Int {
        connection.beginWhole()
        var (entries, bytes, allocated) = (0, 0, 0)
        try forEachRow(SQLiteSchema.lengths) { row in
            entries += 1
            bytes = bytes.addingSaturated(Int(row.size(1)))
            allocated = allocated.addingSaturated(Int(row.size(2)))
        }
        try connection.prepare(SQLiteSchema.setTotal).run {
            $0.bind(1, entries)
            $0.bind(2, bytes)
            $0.bind(3, allocated)
        }
        guard connection.changes == 1 else { throw ImageError(.cacheDamaged, "disk cache: index has no totals") }
        return entries
    }

    /// Adds a row; the caller removes those that it replaces after all others are added. New rows would otherwise be written to
    /// the pages of these, whose contents SQLite would read and write to the journal first (docs/decisions.md, "Pages are written
    /// together").
    private func put(_ row: CacheRow, _ replaced: inout [Found], _ outcome: inout Outcome) throws(ImageError) {
        if let old = try lookUp(row.key) { replaced.append(old) }
        try insert.run { statement in
            statement.bind(1, MD5(of: row.key.bytes).high)
            statement.bind(2, row.key.bytes)
            statement.bind(3, row.write.instance)
            statement.bind(4, row.write.number)
            statement.bind(5, row.length)
            statement.bind(6, SQLiteWriter.checksums(row))
            statement.bind(7, SQLiteWriter.date(row.created))
            statement.bind(8, SQLiteWriter.date(row.accessed))
            statement.bind(9, SQLiteWriter.date(row.expires))
            statement.bind(10, row.allocated)
            statement.bind(11, Array(row.file.utf8))
            statement.bind(12, row.entityTag)
            statement.bind(13, row.lastModified)
            statement.bind(14, row.encodedRecord)
            if let extended = row.extendedData { statement.bind(15, lending: extended) }
            if let inline = row.inline { statement.bind(16, lending: inline) }
        }
        outcome.entries += 1
        outcome.bytes &+= Int64(row.length)
        outcome.allocated &+= Int64(row.allocated)
    }

    /// The row of a key, without its bytes.
    private func lookUp(_ key: CacheKey) throws(ImageError) -> Found? {
        try find.use { statement throws(ImageError) in
            statement.bind(1, MD5(of: key.bytes).high)
            statement.bind(2, key.bytes)
            return try statement.step() ? Found(statement) : nil
        }
    }

    /// Removes a row, and counts it in the outcome.
    private func remove(_ found: Found, _ outcome: inout Outcome) throws(ImageError) {
        try delete.run { $0.bind(1, found.id) }
        // A damaged tree that contains a page twice returns its rows again: a removal would never be complete.
        guard connection.changes == 1 else { throw ImageError(.cacheDamaged, "disk cache: index returns a row twice") }
        if !found.file.isEmpty { outcome.files.append(found.file) }
        outcome.entries -= 1
        outcome.bytes &-= found.length
        outcome.allocated &-= found.allocated
    }

    /// Up to `limit` rows in the order of removal: those that have expired, or the oldest by the rule of the cache. `isLast`: no
    /// further row matches the selection.
    private func oldest(_ selection: CacheSelection) throws(ImageError) -> (rows: [Found], isLast: Bool) {
        let isByAccess = selection.rule == .access
        let rows: [Found]
        if let date = selection.expiredAt {
            rows = try candidates(SQLiteSchema.expired, [date], selection.limit)
        } else if let date = selection.notAfter {
            rows =
                try isByAccess
                ? candidates(SQLiteSchema.agedByAccess, [date], selection.limit)
                : candidates(SQLiteSchema.agedByCreation, [date, selection.now], selection.limit)
        } else {
            let undated = try isByAccess ? candidates(SQLiteSchema.undated, [], selection.limit) : []
            guard undated.isEmpty else { return (undated, false) }
            rows = try candidates(isByAccess ? SQLiteSchema.leastRecent : SQLiteSchema.firstStored, [], selection.limit)
        }
        return (rows, rows.count < selection.limit)
    }

    /// The rows of a query whose parameters are the limit and dates.
    private func candidates(_ sql: String, _ dates: [UInt64], _ limit: Int) throws(ImageError) -> [Found] {
        let statement = try connection.prepare(sql)
        statement.bind(1, limit)
        for (index, date) in dates.enumerated() { statement.bind(Int32(index + 2), SQLiteWriter.date(date)) }
        var result: [Found] = []
        while try statement.step() { result.append(Found(statement)) }
        return result
    }

    /// Bytes on disk in use, this transaction included.
    private func footprint(_ allocated: Int64) throws(ImageError) -> Int {
        SQLiteReader.footprint(allocated: allocated, pages: try pages.number() &- freePages.number(), pageSize)
    }

    /// Stored checksums: the seal, computed from the dates as stored, in the upper half, and that of the bytes in the lower.
    private static func checksums(_ row: CacheRow) -> UInt64 {
        var row = row
        row.created = date(row.created)
        row.expires = date(row.expires)
        return UInt64(row.seal) << 32 | UInt64(row.checksum)
    }

    /// Limits dates to positive signed numbers, so that they sort.
    private static func date(_ time: UInt64) -> UInt64 { min(time, UInt64(Int64.max)) }
}
