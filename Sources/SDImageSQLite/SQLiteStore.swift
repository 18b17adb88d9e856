import SDImage

/// Index of a disk cache in one SQLite database.
/// Made by `CacheIndex` for each generation of the index. Reads and writes have separate connections and locks, so
/// that look-ups do not wait for commits.
/// The functions are those of `CacheStore`; after `close` they throw `shutdown`.
package final class SQLiteStore: CacheStore {
    // nil once closed.
    private let reader: Lock<SQLiteReader?>
    private let writer: Lock<SQLiteWriter?>
    /// Held to open further connections.
    private let folder: FileDescriptor
    private let name: String
    private let limits: SQLiteLimits

    /// Opens the database `name`, an existing file in `folder`; creates the tables if it is empty.
    /// `isDurable`: commits wait until the disk has the data.
    package init(in folder: FileDescriptor, name: String, isDurable: Bool, limits: SQLiteLimits = SQLiteLimits())
        throws(ImageError)
    {
        self.folder = folder
        self.name = name
        self.limits = limits
        // The writer first: it creates the tables for which the reader's statements are compiled.
        writer = Lock(try SQLiteWriter(folder, name, isDurable: isDurable, limits))
        reader = Lock(try SQLiteReader(folder, name, limits))
    }

    package func row(for key: CacheKey) throws(ImageError) -> CacheRow? {
        try read(limits.lookUp) { reader throws(ImageError) in try reader.row(for: key) }
    }

    package func header(for key: CacheKey) throws(ImageError) -> CacheRow? {
        try read(limits.lookUp) { reader throws(ImageError) in try reader.header(for: key) }
    }

    package func holds(_ name: CacheFileName) throws(ImageError) -> Bool {
        try read(limits.lookUp) { reader throws(ImageError) in try reader.holds(name) }
    }

    package func totals() throws(ImageError) -> CacheTotals {
        try read(limits.lookUp) { reader throws(ImageError) in try reader.readTotals() }
    }

    package func entries(_ query: CacheQuery, from position: CachePosition, limit: Int) throws(ImageError) -> CachePage {
        try read(limits.list) { reader throws(ImageError) in try reader.entries(query, from: position, limit: limit) }
    }

    // Uses a separate connection: it takes long, and queries would wait for it. Stores of this process wait: a commit would hold
    // back every new reader until the examination ends.
    package func examine() throws(ImageError) {
        try write { _ throws(ImageError) in try SQLiteReader(folder, name, limits).examine() }
    }

    package func update(_ row: CacheRow) throws(ImageError) -> Bool {
        try write { writer throws(ImageError) in try writer.update(row) }
    }

    package func mend() throws(ImageError) { try write { writer throws(ImageError) in try writer.mend() } }

    package func recount() throws(ImageError) { try write { writer throws(ImageError) in try writer.recount() } }

    package func apply(_ changes: [CacheChange]) throws(ImageError) -> [String] {
        try write { writer throws(ImageError) in try writer.apply(changes) }
    }

    package func removeAll() throws(ImageError) -> [String] {
        try write { writer throws(ImageError) in try writer.removeAll() }
    }

    package func removeOldest(_ selection: CacheSelection) throws(ImageError) -> CacheRemoval {
        try write { writer throws(ImageError) in try writer.removeOldest(selection) }
    }

    package func touch(_ accesses: [(key: CacheKey, time: UInt64)]) throws(ImageError) {
        try write { writer throws(ImageError) in try writer.touch(accesses) }
    }

    package func vacuum(pages: Int) throws(ImageError) -> Bool {
        try write { writer throws(ImageError) in try writer.vacuum(pages: pages) }
    }

    /// Waits for the calls that are running.
    package func close() {
        reader.withLock { $0 = nil }
        writer.withLock { $0 = nil }
    }

    /// Sets the limit of processor time, and calls the reader under its lock.
    private func read<R: Sendable>(_ limit: UInt64, _ body: (SQLiteReader) throws(ImageError) -> R) throws(ImageError) -> R {
        try reader.withLock { reader throws(ImageError) in
            guard let reader else { throw .shutdown }
            reader.begin(limit)
            return try body(reader)
        }
    }

    /// The same for the writer. Longer functions set a larger limit themselves.
    private func write<R: Sendable>(_ body: (SQLiteWriter) throws(ImageError) -> R) throws(ImageError) -> R {
        try writer.withLock { writer throws(ImageError) in
            guard let writer else { throw .shutdown }
            writer.limitTime(limits.change)
            return try body(writer)
        }
    }
}
