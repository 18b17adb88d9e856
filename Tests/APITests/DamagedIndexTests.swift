import CSDImage
import CSQLite
import Foundation
import TestSupport
import Testing

/// The index of a disk cache whose pages another program changed so that SQLite would read it without end.
@Suite struct DamagedIndexTests {
    private let folder = TemporaryDirectory()
    private static let entries = 4000
    private static let pageSize = 16384

    private var path: String { folder.path + "/default/v1/index-1.db" }

    /// A cache with more entries than fit one page of any tree, and an index without the keys that entries were stored under.
    private func fill() throws {
        let cache = try makeCache(in: folder.path)
        let data = try make(sdimage_data_unref) { sdimage_data_new("bytes", 5, $0, $1) }
        for index in 0..<DamagedIndexTests.entries {
            #expect(
                sdimage_cache_store_data_async(cache.pointer, "\(index)", -1, data.pointer, nil, nil, nil, nil)
                    == .SDIMAGE_STATUS_OK)
        }
        #expect(sdimage_cache_flush(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
        #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
    }

    private func number(_ sql: String) throws -> Int64 {
        var database: OpaquePointer?, statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        try #require(sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
    }

    /// A page of a tree: its kind, a cell, and 2700 pointers to that cell (SQLite file format, 1.6).
    private func page(_ kind: UInt8, _ cell: [UInt8], last: UInt32? = nil) -> [UInt8] {
        let count = 2700, start = DamagedIndexTests.pageSize - cell.count
        func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
        var bytes = [kind, 0, 0] + two(count) + two(start) + [0] + (last.map(four) ?? [])
        for _ in 0..<count { bytes += two(start) }
        return bytes + [UInt8](repeating: 0, count: start - bytes.count) + cell
    }

    private func four(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    /// Lets each page of a tree refer 2700 times to the page below: 7 million times to the rows of one page.
    private func loop(_ tree: String) throws {
        let root = UInt32(try number("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'"))
        let value = tree == "entry" ? 0 : try number("SELECT \(tree.dropFirst(6)) FROM entry WHERE id = 1")
        // Look-ups by key compare every row of that digest.
        if tree == "entry_digest" { _ = try number("UPDATE entry SET key = x'01'") }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        defer { try? file.close() }
        func write(_ bytes: [UInt8], to page: UInt32) throws {
            try file.seek(toOffset: UInt64(page - 1) * UInt64(DamagedIndexTests.pageSize))
            try file.write(contentsOf: Data(bytes))
        }
        try file.seek(toOffset: UInt64(root - 1) * UInt64(DamagedIndexTests.pageSize))
        let old = [UInt8](try #require(try file.read(upToCount: DamagedIndexTests.pageSize)))
        /// Pages that the first cells of the root refer to.
        let children = (0..<2).map { index in
            let cell = Int(old[12 + 2 * index]) << 8 | Int(old[13 + 2 * index])
            return old[cell..<cell + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        guard tree != "entry" else {
            try #require(old[0] == 5)
            for (page, child) in [(root, children[0]), (children[0], children[1])] {
                try write(self.page(5, four(child) + [127], last: child), to: page)
            }
            return
        }
        try #require(old[0] == 2)
        // The record of the value and the row 1.
        let record: [UInt8] = [11, 3, 6, 9] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        for (page, child) in [(root, children[0]), (children[0], children[1])] {
            try write(self.page(2, four(child) + record, last: child), to: page)
        }
        try write(page(10, record), to: children[1])
    }

    enum Use: CaseIterable {
        case data, contains, stored, accessed, prefix, totals, verify, repair, trim, expired, path, extended, expiry, clear, store
    }

    /// Ends, whatever it returns.
    private func apply(_ use: Use, _ cache: OpaquePointer) {
        var object: OpaquePointer?
        switch use {
        case .data:
            sdimage_cache_data(cache, "0", -1, &object, nil)
            sdimage_data_unref(object)
        case .contains: _ = sdimage_cache_contains(cache, "0", -1)
        case .stored: list(cache, .SDIMAGE_CACHE_ORDER_STORED, prefix: "")
        case .accessed: list(cache, .SDIMAGE_CACHE_ORDER_USED, prefix: "")
        case .prefix: list(cache, .SDIMAGE_CACHE_ORDER_STORED, prefix: "no such key")
        case .totals:
            var bytes: UInt64 = 0, count: UInt64 = 0
            sdimage_cache_disk_totals(cache, &bytes, &count, nil)
        case .verify, .repair:
            sdimage_cache_verify(cache, use == .repair, &object, nil)
            sdimage_data_unref(object)
        case .trim: sdimage_cache_trim(cache, 1, nil)
        case .expired: sdimage_cache_remove_expired(cache, nil)
        case .path:
            sdimage_cache_path(cache, "0", -1, &object, nil)
            sdimage_data_unref(object)
        case .extended:
            sdimage_cache_extended_data(cache, "0", -1, &object, nil)
            sdimage_data_unref(object)
        case .expiry: sdimage_cache_set_expiry(cache, "0", -1, 1, nil)
        case .clear: sdimage_cache_clear(cache, .SDIMAGE_CACHE_LAYERS_DISK, nil)
        case .store:
            sdimage_data_new("other", 5, &object, nil)
            sdimage_cache_store_data(cache, "0", -1, object, nil)
            sdimage_data_unref(object)
        }
    }

    /// Every page, as a host reads a list.
    private func list(_ cache: OpaquePointer, _ order: sdimage_cache_order, prefix: String) {
        let query = sdimage_cache_query_new()
        sdimage_cache_query_set_order(query, order)
        sdimage_cache_query_set_prefix(query, prefix, prefix.utf8.count)
        var last: OpaquePointer?
        while true {
            var next: OpaquePointer?
            sdimage_cache_list(cache, query, last, 1000, &next, nil)
            sdimage_cache_page_unref(last)
            last = next
            if next == nil || sdimage_cache_page_is_last(next) { break }
        }
        sdimage_cache_page_unref(last)
        sdimage_cache_query_unref(query)
    }

    @Test(arguments: ["entry", "entry_digest", "entry_accessed"]) func anIndexWithoutAnEndIsGivenUp(tree: String) throws {
        try fill()
        try loop(tree)
        try FileManager.default.moveItem(atPath: folder.path + "/default", toPath: folder.path + "/kept")
        for use in Use.allCases {
            try FileManager.default.copyItem(atPath: folder.path + "/kept", toPath: folder.path + "/default")
            let begun = Date()
            let cache = try makeCache(in: folder.path)
            apply(use, cache.pointer)
            // Later calls, and what the cache does in the background, find an index that works.
            for _ in 0..<2 { apply(.trim, cache.pointer) }
            apply(.store, cache.pointer)
            let data = try make(sdimage_data_unref) { sdimage_cache_data(cache.pointer, "0", -1, $0, $1) }
            #expect(sdimage_data_length(data.pointer) == 5, "\(tree), \(use)")
            #expect(sdimage_cache_close(cache.pointer, nil) == .SDIMAGE_STATUS_OK)
            // A table without an end takes the time of one transaction, twice; a busy machine takes longer.
            #expect(Date().timeIntervalSince(begun) < 60, "\(tree), \(use)")
            try FileManager.default.removeItem(atPath: folder.path + "/default")
        }
    }
}
