import CSQLite
import Foundation

/// The index of a disk cache with pages that refer thousands of times to one page: SQLite would read it practically without end.
public struct LoopedIndex {
    /// Enough rows to make every tree of the index higher than two pages.
    public static let rows = 1600
    /// Smaller than the library's page size, so that few rows are enough.
    private static let pageSize = 8192
    /// SQLite reports damage at once for more pointers than one per six bytes.
    private static let pointers = 1360

    private let path: String

    /// `folder` is the folder of a cache whose first index is closed and has `rows` rows.
    public init(in folder: String) { path = folder + "/v1/index-1.db" }

    /// Makes each page of a tree refer 1360 times to the page below: nearly two million references to the rows of one page.
    public func loop(_ tree: String) throws {
        _ = try number("PRAGMA page_size = \(LoopedIndex.pageSize)", then: "VACUUM")
        let root = UInt32(try number("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'"))
        let value = tree == "entry" ? 0 : try number("SELECT \(tree.dropFirst(6)) FROM entry WHERE id = 1")
        // Look-ups by key compare every row with that digest.
        if tree == "entry_digest" { _ = try number("UPDATE entry SET key = x'01'") }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        func write(_ bytes: [UInt8], to page: UInt32) throws {
            try file.seek(toOffset: UInt64(page - 1) * UInt64(LoopedIndex.pageSize))
            try file.write(contentsOf: Data(bytes))
        }
        try file.seek(toOffset: UInt64(root - 1) * UInt64(LoopedIndex.pageSize))
        let old = [UInt8](try file.read(upToCount: LoopedIndex.pageSize) ?? Data())
        try LoopedIndex.check(old.first == (tree == "entry" ? 5 : 2))
        /// The pages that the first cells of the root refer to.
        let children = (0..<2).map { index in
            let cell = Int(old[12 + 2 * index]) << 8 | Int(old[13 + 2 * index])
            return old[cell..<cell + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        // The record of the value and of row 1.
        let record: [UInt8] = [11, 3, 6, 9] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        for (page, child) in [(root, children[0]), (children[0], children[1])] {
            let cell = LoopedIndex.four(child) + (tree == "entry" ? [127] : record)
            try write(LoopedIndex.page(tree == "entry" ? 5 : 2, cell, last: child), to: page)
        }
        if tree != "entry" { try write(LoopedIndex.page(10, record), to: children[1]) }
    }

    /// True if the library has replaced the index by the next generation.
    public var isGivenUp: Bool {
        FileManager.default.fileExists(atPath: path.replacingOccurrences(of: "index-1", with: "index-2"))
    }

    private func number(_ sql: String, then last: String? = nil) throws -> Int64 {
        var database: OpaquePointer?, statement: OpaquePointer?
        defer {
            unsafe sqlite3_finalize(statement)
            unsafe sqlite3_close(database)
        }
        try unsafe LoopedIndex.check(sqlite3_open(path, &database) == SQLITE_OK)
        try unsafe LoopedIndex.check(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
        let value = unsafe sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
        if let last { try unsafe LoopedIndex.check(sqlite3_exec(database, last, nil, nil, nil) == SQLITE_OK) }
        return value
    }

    private static func check(_ holds: Bool) throws { if !holds { throw CocoaError(.fileReadCorruptFile) } }

    /// A page of a tree: its kind, a cell, and pointers to that cell (SQLite file format, 1.6).
    private static func page(_ kind: UInt8, _ cell: [UInt8], last: UInt32? = nil) -> [UInt8] {
        let start = pageSize - cell.count
        func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
        var bytes = [kind, 0, 0] + two(pointers) + two(start) + [0] + (last.map(four) ?? [])
        for _ in 0..<pointers { bytes += two(start) }
        return bytes + [UInt8](repeating: 0, count: start - bytes.count) + cell
    }

    private static func four(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}
