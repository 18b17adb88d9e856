import SDImage
import Synchronization

/// Reading half of a store. It has a separate connection, which waits for a writer only while that writes its pages.
/// Used by `SQLiteStore` under the lock of the reader.
final class SQLiteReader: Sendable {
    private let connection: SQLiteConnection
    private let header: SQLiteStatement
    private let row: SQLiteStatement
    private let holds: SQLiteStatement
    private let totals: SQLiteStatement
    private let pages: SQLiteStatement
    private let freePages: SQLiteStatement
    /// Bytes.
    private let pageSize: Int
    /// Current size of the page cache in KiB.
    private let cacheSize = Atomic<Int>(SQLiteReader.leastCache)
    private static let leastCache = 2048

    init(_ folder: FileDescriptor, _ name: String, _ limits: SQLiteLimits) throws(ImageError) {
        connection = try SQLiteConnection(folder, name, limits)
        try connection.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -\(SQLiteReader.leastCache)")
        header = SQLiteStatement(SQLiteSchema.header, of: connection)
        row = SQLiteStatement(SQLiteSchema.row, of: connection)
        holds = SQLiteStatement(SQLiteSchema.holds, of: connection)
        totals = SQLiteStatement(SQLiteSchema.totals, of: connection)
        pages = SQLiteStatement("PRAGMA page_count", of: connection)
        freePages = SQLiteStatement("PRAGMA freelist_count", of: connection)
        pageSize = Int(try connection.number("PRAGMA page_size"))
    }

    /// Limits the processor time of the next calls.
    /// `limit`: nanoseconds.
    func begin(_ limit: UInt64) { connection.begin(limit) }

    /// The row without the bytes; nil if there is none.
    func header(for key: CacheKey) throws(ImageError) -> CacheRow? {
        try header.use { statement throws(ImageError) in try find(key, by: statement) }
    }

    /// The row with bytes that are stored in it; those of a file are read by the caller.
    func row(for key: CacheKey) throws(ImageError) -> CacheRow? {
        try row.use { statement throws(ImageError) in
            guard var row = try find(key, by: statement) else { return nil }
            // A row either has a file or bytes; the last column is not read without need.
            if row.file.isEmpty, !statement.isNull(13) { row.inline = try statement.bytes(13) }
            return row
        }
    }

    /// The columns of both statements, in the order of the schema.
    private func find(_ key: CacheKey, by statement: SQLiteStatement) throws(ImageError) -> CacheRow? {
        // The digest selects a few rows by the index; the key itself decides.
        statement.bind(1, MD5(of: key.bytes).high)
        statement.bind(2, key.bytes)
        guard try statement.step() else { return nil }
        var row = CacheRow(key: key, write: CacheWrite(instance: statement.bits(0), number: statement.bits(1)))
        row.length = Int(statement.int(2))
        // The upper half contains the seal of the row.
        let checksums = statement.bits(3)
        row.checksum = UInt32(truncatingIfNeeded: checksums)
        row.created = statement.bits(4)
        row.accessed = statement.bits(5)
        row.expires = statement.bits(6)
        row.allocated = Int(statement.int(7))
        row.file = String(decoding: statement.array(8), as: UTF8.self)
        row.entityTag = statement.array(9)
        row.lastModified = statement.array(10)
        row.encodedRecord = statement.array(11)
        row.extendedData = statement.isNull(12) ? nil : try statement.bytes(12)
        // A row whose columns do not agree with their checksum, or with the totals, is reported, not hidden.
        row.isIntact = UInt64(row.seal) == checksums >> 32 && statement.int(7) == statement.size(7)
        return row
    }

    /// True if a row refers to a file with this name.
    func holds(_ name: CacheFileName) throws(ImageError) -> Bool {
        try holds.use { statement throws(ImageError) in
            statement.bind(1, name.digest.high)
            statement.bind(2, name.write.instance)
            statement.bind(3, name.write.number)
            return try statement.step()
        }
    }

    /// Reads rows in order and filters them here, because no index combines the conditions.
    func entries(_ query: CacheQuery, from position: CachePosition, limit: Int) throws(ImageError) -> CachePage {
        let statement = try connection.prepare(
            query.order == .stored ? SQLiteSchema.listStored : SQLiteSchema.listAccessed)
        statement.bind(1, min(position.date, UInt64(Int64.max)))
        statement.bind(2, position.id)
        var page = CachePage()
        var (looked, weight) = (0, 0)
        var last = (date: Int64(clamping: position.date), id: position.id)
        while page.entries.count < limit, looked < CacheQuery.longestLook, weight < CacheQuery.heaviestPage {
            guard try statement.step() else { return page }
            looked += 1
            let here = (date: statement.int(6), id: statement.int(0))
            // A damaged tree that contains a page twice returns its rows again: the list would never end.
            guard query.order == .stored ? here.id > last.id : here > last else {
                throw ImageError(.cacheDamaged, "disk cache: index returns rows out of order")
            }
            last = here
            let accessed = statement.bits(6)
            // No later row can match in the order of access.
            if query.order == .accessed, accessed > query.accessedUntil { return page }
            page.next = CachePosition(date: accessed, id: statement.int(0))
            guard accessed <= query.accessedUntil, query.lengths.contains(Int(statement.int(4))),
                statement.starts(1, with: query.prefix)
            else { continue }
            let entry = entry(statement)
            weight &+= entry.key.bytes.count
            page.entries.append(entry)
        }
        // A full page is the last one if no row follows; otherwise the next call starts behind it.
        if page.entries.count == limit, try !statement.step() { page.next = nil }
        return page
    }

    /// The entry of the current row; file names are not read.
    private func entry(_ statement: SQLiteStatement) -> CacheEntry {
        CacheEntry(
            id: statement.int(0), key: CacheKey(statement.key(1)),
            write: CacheWrite(instance: statement.bits(2), number: statement.bits(3)),
            length: Int(statement.int(4)), created: statement.bits(5), accessed: statement.bits(6),
            expires: statement.bits(7), isFile: statement.int(8) > 0)
    }

    /// Runs the integrity check of SQLite on its pages and indexes.
    /// Throws `cacheDamaged` with the first problem that SQLite reports.
    func examine() throws(ImageError) {
        connection.beginWhole()
        let statement = try connection.prepare("PRAGMA integrity_check(1)")
        guard try statement.step() else { return }
        let report = String(decoding: statement.array(0), as: UTF8.self)
        guard report == "ok" else { throw ImageError(.cacheDamaged, "disk cache: index is damaged: " + report) }
    }

    /// Sets the size of the page cache by the number of entries: each look-up needs the pages of their index, 1 MiB for 2¹⁵
    /// entries. Bytes of images pass through and are not missed.
    private func keepPages(for entries: Int64) throws(ImageError) {
        let wanted =
            entries < 1 << 15 ? SQLiteReader.leastCache : entries < 1 << 17 ? 8192 : entries < 1 << 19 ? 16384 : 32768
        guard wanted != cacheSize.load(ordering: .relaxed) else { return }
        try connection.execute("PRAGMA cache_size = -\(wanted)")
        cacheSize.store(wanted, ordering: .relaxed)
    }

    /// Bytes on disk. Neither number is trusted: the sum saturates instead of overflowing.
    /// `allocated`: bytes of the files of entries. `pages`: pages of the database in use.
    static func footprint(allocated: Int64, pages: Int64, _ pageSize: Int) -> Int {
        let (used, isHuge) = Int(max(0, pages)).multipliedReportingOverflow(by: max(0, pageSize))
        let (sum, isHuger) = Int(max(0, allocated)).addingReportingOverflow(used)
        return isHuge || isHuger ? .max : sum
    }

    /// Stored totals, and the pages of the database in use at this moment.
    func readTotals() throws(ImageError) -> CacheTotals {
        let (entries, bytes, allocated) = try totals.use { statement throws(ImageError) in
            guard try statement.step() else { throw ImageError(.cacheDamaged, "disk cache: index has no totals") }
            return (statement.int(0), statement.int(1), statement.int(2))
        }
        let used = try pages.number() &- freePages.number()
        try keepPages(for: entries)
        var result = CacheTotals()
        result.count = Int(max(0, entries))
        result.bytes = Int(max(0, bytes))
        result.allocated = Int(max(0, allocated))
        result.footprint = SQLiteReader.footprint(allocated: allocated, pages: used, pageSize)
        return result
    }
}
