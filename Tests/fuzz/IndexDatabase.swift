import CSQLite
import Glibc
import SDImage
import SDImageSQLite

/// Creates a disk cache database as another program might have changed it.
///
/// SQLite writes rows with values of any type, so that its own checks pass. Then bytes and pages are changed.
struct IndexDatabase {
    private let folder: CacheFolder
    private static let name = "index-1.db"

    private enum Value {
        case null, zeros(Int), real(Double), int(Int64), text([UInt8]), blob([UInt8])
    }

    init(in configuration: CacheConfiguration) {
        guard let directory = configuration.directory,
            let folder = try? CacheFolder(
                directory: directory, namespace: configuration.namespace, modes: configuration.modes, isDurable: false)
        else { fatalError("no cache folder") }
        self.folder = folder
    }

    /// Empty databases with this library's tables, by page size.
    private static let templates: [Bool: [UInt8]] = {
        let database = IndexDatabase(in: IndexTarget.configuration)
        var result: [Bool: [UInt8]] = [:]
        for isSmall in [false, true] {
            guard (try? database.folder.root.file(making: name)) != nil,
                let store = try? SQLiteStore(in: database.folder.root, name: name, isDurable: false)
            else { fatalError("no template") }
            store.close()
            database.execute("PRAGMA page_size = \(isSmall ? 512 : 4096); VACUUM")
            result[isSmall] = database.read()
            database.folder.root.remove(name)
        }
        return result
    }()

    private var path: String { folder.path + "/" + IndexDatabase.name }

    func write(_ drawing: inout Drawing, isOfSmallPages isSmall: Bool, hasJournal: Bool) {
        write(IndexDatabase.templates[isSmall] ?? [], to: IndexDatabase.name)
        addRows(&drawing)
        var bytes = read()
        let pageSize = isSmall ? 512 : 4096
        let journal = hasJournal ? self.journal(of: bytes, pageSize, &drawing) : nil
        while !drawing.isEmpty { IndexDatabase.change(&bytes, pageSize, &drawing) }
        write(bytes, to: IndexDatabase.name)
        if let journal { write(journal, to: IndexDatabase.name + "-journal") }
    }

    // MARK: Rows

    private func addRows(_ drawing: inout Drawing) {
        var database: OpaquePointer?, statement: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK else { fatalError("no database") }
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        sqlite3_exec(database, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN", nil, nil, nil)
        let marks = (1...17).map { "?\($0)" }.joined(separator: ",")
        guard sqlite3_prepare_v2(database, "INSERT OR IGNORE INTO entry VALUES (\(marks))", -1, &statement, nil) == SQLITE_OK
        else {
            fatalError("another schema")
        }
        for index in 0..<drawing.number(below: 40) {
            for (position, value) in row(index, &drawing).enumerated() {
                IndexDatabase.bind(value, to: Int32(position + 1), of: statement)
            }
            sqlite3_step(statement)
            sqlite3_reset(statement)
        }
        changeTotals(of: database, &drawing)
        sqlite3_exec(database, "COMMIT", nil, nil, nil)
    }

    private func changeTotals(of database: OpaquePointer?, _ drawing: inout Drawing) {
        let flags = drawing.byte()
        if flags & 1 == 0 { sqlite3_exec(database, "UPDATE total SET entries = (SELECT count(*) FROM entry)", nil, nil, nil) }
        if flags & 2 != 0 { sqlite3_exec(database, "DELETE FROM total", nil, nil, nil) }
        if flags & 4 != 0 {
            sqlite3_exec(database, "UPDATE total SET entries = 9e18, bytes = 9e18, allocated = -9e18", nil, nil, nil)
        }
        if flags & 8 != 0 {
            sqlite3_exec(database, "UPDATE total SET entries = 'x', bytes = -1, allocated = x'01'", nil, nil, nil)
        }
    }

    /// A row as this library writes it, with some values replaced.
    private func row(_ index: Int, _ drawing: inout Drawing) -> [Value] {
        let shape = drawing.byte()
        var row = CacheRow(key: IndexCalls.key(shape & 7), write: CacheWrite(instance: 7, number: UInt64(index)))
        let contents = [UInt8](repeating: shape, count: 12 + index)
        row.inline = (try? Bytes.copying(contents)) ?? .empty
        row.length = contents.count
        row.checksum = contents.withUnsafeBytes { CRC32C.checksum($0) }
        row.created = MonotonicClock.wall
        row.accessed = row.created - (shape & 8 == 0 ? 0 : 3_600_000_000_000)
        if shape & 16 != 0 { makeFile(of: &row) }
        let hasReplaced = shape & 32 != 0, isSealed = shape & 64 != 0
        if shape & 128 != 0 { row.expires = row.created + 1_000_000_000_000 }
        let mask = hasReplaced ? drawing.number16() << 1 | drawing.number(below: 2) : 0
        var values = IndexDatabase.values(of: row, id: Int64(index + 1))
        for column in values.indices where mask >> column & 1 == 1 {
            values[column] = isSealed ? IndexDatabase.alike(values[column], &drawing) : IndexDatabase.value(&drawing)
        }
        if isSealed { IndexDatabase.seal(&values) }
        return values
    }

    private func makeFile(of row: inout CacheRow) {
        let name = CacheFileName(key: row.key, write: row.write)
        guard let bytes = row.inline, let allocated = try? folder.create(name, bytes) else { return }
        (row.file, row.allocated, row.inline) = (name.path, allocated, nil)
    }

    private static func values(of row: CacheRow, id: Int64) -> [Value] {
        let inline = row.inline.map { bytes in Value.blob(bytes.withUnsafeBytes { Array($0) }) } ?? .null
        return [
            .int(id), .int(Int64(bitPattern: MD5(of: row.key.bytes).high)), .blob(row.key.bytes), .int(Int64(row.write.instance)),
            .int(Int64(row.write.number)), .int(Int64(row.length)), .int(Int64(row.seal) << 32 | Int64(row.checksum)),
            .int(Int64(row.created)), .int(Int64(row.accessed)), .int(Int64(row.expires)), .int(Int64(row.allocated)),
            .blob(Array(row.file.utf8)), .blob([]), .blob([]), .blob([]), .null, inline,
        ]
    }

    /// Recomputes the row's checksum for the current values, to reach the code after the check.
    private static func seal(_ values: inout [Value]) {
        func number(_ column: Int) -> Int64 { if case .int(let number) = values[column] { number } else { 0 } }
        func bytes(_ column: Int) -> [UInt8] { if case .blob(let bytes) = values[column] { bytes } else { [] } }
        func bits(_ column: Int) -> UInt64 { UInt64(bitPattern: number(column)) }
        values[1] = .int(Int64(bitPattern: MD5(of: bytes(2)).high))
        var row = CacheRow(key: CacheKey(bytes(2)), write: CacheWrite(instance: bits(3), number: bits(4)))
        (row.length, row.created, row.expires) = (Int(number(5)), bits(7), bits(9))
        (row.allocated, row.file) = (Int(number(10)), String(decoding: bytes(11), as: UTF8.self))
        (row.entityTag, row.lastModified, row.encodedRecord) = (bytes(12), bytes(13), bytes(14))
        if case .blob(let extended) = values[15] { row.extendedData = try? Bytes.copying(extended) }
        row.checksum = UInt32(truncatingIfNeeded: number(6))
        values[6] = .int(Int64(row.seal) << 32 | Int64(row.checksum))
    }

    // MARK: Values

    private static let numbers: [Int64] = [0, -1, 1, .max, .min, 1 << 31, 1 << 32, 1 << 62, 65537, 1 << 30, (1 << 30) + 1, 12]
    private static let texts: [[UInt8]] = [
        "../../canary", "../canary", "/canary", "index-1.db", "00/../index-1.db", "9e18", "-1", "x", "max-age=60", "W/\"a\"",
    ].map { Array($0.utf8) }

    private static func value(_ drawing: inout Drawing) -> Value {
        switch drawing.number(below: 8) {
        case 0: .null
        case 1: .int(Int64(Int8(bitPattern: drawing.byte())))
        case 2: .int(number64(&drawing))
        case 3: .int(numbers[drawing.number(below: numbers.count)])
        case 4: .real(Double(bitPattern: UInt64(bitPattern: number64(&drawing))))
        case 5: .text(bytes(&drawing))
        case 6: .blob(bytes(&drawing))
        default: .zeros(Int(drawing.byte()) << 8)
        }
    }

    /// Another value of the same type.
    private static func alike(_ value: Value, _ drawing: inout Drawing) -> Value {
        if case .int = value {
            let kind = drawing.byte()
            return .int(kind & 1 == 0 ? numbers[Int(kind >> 1) % numbers.count] : number64(&drawing))
        }
        return .blob(bytes(&drawing))
    }

    private static func number64(_ drawing: inout Drawing) -> Int64 {
        Int64(bitPattern: (0..<8).reduce(UInt64(0)) { number, _ in number << 8 | UInt64(drawing.byte()) })
    }

    private static func bytes(_ drawing: inout Drawing) -> [UInt8] {
        let count = Int(drawing.byte())
        return count >= 240 ? texts[(count - 240) % texts.count] : (0..<count).map { _ in drawing.byte() }
    }

    private static func bind(_ value: Value, to position: Int32, of statement: OpaquePointer?) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, position)
        case .zeros(let count): sqlite3_bind_zeroblob(statement, position, Int32(count))
        case .real(let number): sqlite3_bind_double(statement, position, number)
        case .int(let number): sqlite3_bind_int64(statement, position, number)
        case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, position, 0)
        case .blob(let bytes): sqlite3_bind_blob(statement, position, bytes, Int32(bytes.count), transient)
        case .text(let bytes):
            bytes.withUnsafeBytes { bytes in
                let text = bytes.bindMemory(to: CChar.self)
                _ = sqlite3_bind_text(statement, position, text.baseAddress, Int32(text.count), transient)
            }
        }
    }

    // MARK: Bytes

    /// One change: some bytes, a page copied over another, a pointer to a cell or child, the file length.
    private static func change(_ bytes: inout [UInt8], _ pageSize: Int, _ drawing: inout Drawing) {
        let pages = max(1, bytes.count / pageSize)
        let page = drawing.number(below: pages) * pageSize
        switch drawing.number(below: 5) {
        case 0:
            let offset = page + drawing.number16() % pageSize
            for index in 0..<drawing.number(below: 16) where offset + index < bytes.count {
                bytes[offset + index] = drawing.byte()
            }
        case 1:
            let source = drawing.number(below: pages) * pageSize
            guard max(source, page) + pageSize <= bytes.count else { return }
            bytes.replaceSubrange(page..<page + pageSize, with: bytes[source..<source + pageSize])
        case 2:
            // Most cells of an SQLite page are referenced by two bytes each, starting at byte 8 or 12.
            let offset = page + 8 + 2 * drawing.number(below: 64), value = drawing.number16()
            guard offset + 1 < bytes.count else { return }
            (bytes[offset], bytes[offset + 1]) = (UInt8(value >> 8 & 0xff), UInt8(value & 0xff))
        case 3:
            let count = drawing.number16()
            bytes.removeLast(min(count, bytes.count))
        default:
            bytes.append(contentsOf: [UInt8](repeating: drawing.byte(), count: pageSize))
        }
    }

    /// A journal of old pages, which SQLite writes back before it reads (SQLite file format, 3).
    private func journal(of bytes: [UInt8], _ pageSize: Int, _ drawing: inout Drawing) -> [UInt8] {
        let pages = bytes.count / pageSize
        func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let count = drawing.number(below: 4), flags = drawing.byte()
        var journal: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        journal +=
            four(flags & 1 == 0 ? count : -1) + four(0) + four(flags & 2 == 0 ? pages : Int(flags)) + four(512) + four(pageSize)
        journal += [UInt8](repeating: 0, count: 512 - journal.count)
        for _ in 0..<count {
            let number = drawing.number(below: pages + 2)
            let source = min(drawing.number(below: max(1, pages)), max(0, pages - 1)) * pageSize
            var page = Array(bytes[source..<min(source + pageSize, bytes.count)])
            IndexDatabase.change(&page, pageSize, &drawing)
            page = Array((page + [UInt8](repeating: 0, count: pageSize)).prefix(pageSize))
            // The checksum with nonce 0: every 200th byte from the end.
            let sum = stride(from: pageSize - 200, to: 0, by: -200).reduce(0) { $0 + Int(page[$1]) }
            journal += four(number) + page + four(sum)
        }
        if flags & 4 != 0 { journal.removeLast(min(journal.count, drawing.number16())) }
        return journal
    }

    // MARK: Files

    private func execute(_ sql: String) {
        var database: OpaquePointer?
        guard sqlite3_open(path, &database) == SQLITE_OK, sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            fatalError("no database")
        }
        sqlite3_close(database)
    }

    private func read() -> [UInt8] {
        guard let file = try? folder.root.file(IndexDatabase.name), let bytes = try? file.read(file.status?.size ?? 0) else {
            return []
        }
        return bytes.withUnsafeBytes { Array($0) }
    }

    private func write(_ bytes: [UInt8], to name: String) {
        folder.root.remove(name)
        guard let file = try? folder.root.file(making: name), (try? bytes.withUnsafeBytes { try file.write($0) }) != nil else {
            fatalError("no file")
        }
    }
}
