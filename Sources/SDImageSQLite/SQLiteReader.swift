import SDImage

/// The reading half of a store: a connection of its own, which in WAL mode no writer ever blocks.
final class SQLiteReader: Sendable {
    private let connection: SQLiteConnection
    private let row: SQLiteStatement
    private let holds: SQLiteStatement
    private let totals: SQLiteStatement
    private let pages: SQLiteStatement
    private let freePages: SQLiteStatement
    private let pageSize: Int

    init(_ path: String) throws(ImageError) {
        connection = try SQLiteConnection(path)
        row = try connection.prepare(SQLiteSchema.row)
        holds = try connection.prepare(SQLiteSchema.holds)
        totals = try connection.prepare(SQLiteSchema.totals)
        pages = try connection.prepare("PRAGMA page_count")
        freePages = try connection.prepare("PRAGMA freelist_count")
        pageSize = Int(try connection.number("PRAGMA page_size"))
    }

    func row(for key: CacheKey) throws(ImageError) -> CacheRow? {
        try row.use { statement throws(ImageError) in
            statement.bind(1, MD5(of: key.bytes).high)
            statement.bind(2, key.bytes)
            guard try statement.step() else { return nil }
            var row = CacheRow(key: key, write: CacheWrite(instance: statement.bits(0), number: statement.bits(1)))
            row.length = Int(statement.int(2))
            row.checksum = UInt32(truncatingIfNeeded: statement.int(3))
            row.created = statement.bits(4)
            row.accessed = statement.bits(5)
            row.expires = statement.bits(6)
            row.allocated = Int(statement.int(7))
            row.file = String(decoding: statement.array(8), as: UTF8.self)
            row.entityTag = statement.array(9)
            row.lastModified = statement.array(10)
            row.cacheControl = statement.array(11)
            row.extendedData = statement.isNull(12) ? nil : try statement.bytes(12)
            if row.file.isEmpty { row.inline = try statement.bytes(13) }
            return row
        }
    }

    func holds(_ name: CacheFileName) throws(ImageError) -> Bool {
        try holds.use { statement throws(ImageError) in
            statement.bind(1, name.digest.high)
            statement.bind(2, name.write.instance)
            statement.bind(3, name.write.number)
            return try statement.step()
        }
    }

    func readTotals() throws(ImageError) -> CacheTotals {
        let (entries, bytes, allocated) = try totals.use { statement throws(ImageError) in
            guard try statement.step() else { throw ImageError(.cacheDamaged, "database without totals") }
            return (statement.int(0), statement.int(1), statement.int(2))
        }
        let used = try pages.number() &- freePages.number()
        var result = CacheTotals()
        result.count = Int(max(0, entries))
        result.bytes = Int(max(0, bytes))
        result.footprint = Int(max(0, allocated)) &+ Int(max(0, used)) &* pageSize
        return result
    }
}
