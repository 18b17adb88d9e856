/// Index of a disk cache: rows with small values inline, implemented on SQLite. Every call may block on the disk and runs on a
/// thread that may wait. Reads and writes may run concurrently.
///
/// The row is the commit: an entry exists when its row does (docs/decisions.md, "The row is the commit"). Errors:
/// `cacheDamaged` means that the database must be replaced, `busy` that another process held it for too long.
package protocol CacheStore: AnyObject, Sendable {
    /// The row of `key` with its inline bytes; nil when there is none.
    func row(for key: CacheKey) throws(ImageError) -> CacheRow?
    /// The row of `key` without its bytes.
    func header(for key: CacheKey) throws(ImageError) -> CacheRow?
    /// True when the row of exactly this write exists.
    func holds(_ name: CacheFileName) throws(ImageError) -> Bool
    /// Applies all changes, at most one of each key, in one transaction. Returns the paths of files that no row refers to any more.
    func apply(_ changes: [CacheChange]) throws(ImageError) -> [String]
    /// Removes every row; returns the paths of their files.
    func removeAll() throws(ImageError) -> [String]
    /// Removes at most `selection.limit` rows, oldest first. Stops when `selection` is satisfied.
    func removeOldest(_ selection: CacheSelection) throws(ImageError) -> CacheRemoval
    func totals() throws(ImageError) -> CacheTotals
    /// The next page of a list, with at most `limit` entries.
    func entries(_ query: CacheQuery, from position: CachePosition, limit: Int) throws(ImageError) -> CachePage
    /// Writes the dates, validators and extended data of a row; false when the row no longer belongs to the same write.
    func update(_ row: CacheRow) throws(ImageError) -> Bool
    /// Reads the whole database and compares its indexes; throws `cacheDamaged` on a fault. Slow.
    func examine() throws(ImageError)
    /// Rebuilds the indexes from the rows.
    func mend() throws(ImageError)
    /// Counts all rows and corrects the values returned by `totals`.
    func recount() throws(ImageError)
    /// Advances access dates; each becomes the later of the stored and the given one (docs/decisions.md, "Dates of access").
    func touch(_ accesses: [(key: CacheKey, time: UInt64)]) throws(ImageError)
    /// Returns at most `pages` unused pages to the file system; true when more may remain.
    func vacuum(pages: Int) throws(ImageError) -> Bool
    /// Closes the database. Further calls throw `shutdown`.
    func close()
}

/// Opens the database `name` in a folder; creates its tables when the file is empty.
package typealias CacheStoreFactory =
    @Sendable (_ folder: FileDescriptor, _ name: String, _ isDurable: Bool)
    throws(ImageError) -> any CacheStore

/// One step of a transaction.
/// Made by `CommitTransaction`, `CacheReader.drop` and `Verifier`.
package enum CacheChange: Sendable {
    /// Inserts a row, replacing one of equal key.
    case put(CacheRow)
    /// Removes the row of a key; with `write`, only if the row belongs to that write (docs/decisions.md, "The row is the
    /// commit").
    case remove(CacheKey, write: CacheWrite?)
    /// Removes a row that is no longer found by its key.
    case removeRow(Int64, write: CacheWrite)
}

/// Selection of rows to remove.
/// Made by `Trimmer`. At most one of `notAfter` and `expiredAt` is set; without both, rows are removed by size.
package struct CacheSelection: Sendable {
    /// The date that determines the order and the age of a row.
    package var rule: ExpiryRule
    /// Only rows dated at or before this time; nil removes rows until `footprint` is reached.
    package var notAfter: UInt64?
    /// Current time, with `notAfter`: later dates are those of a wrong clock.
    package var now = UInt64.max
    /// Only rows whose own expiry has passed at this time, regardless of the rule.
    package var expiredAt: UInt64?
    /// Stops when the cache uses fewer bytes of disk than this.
    package var footprint = 0
    /// Maximum number of rows in one slice.
    package var limit = 256
    /// Longest duration of the slice in nanoseconds; bounds how long it holds the write lock.
    package var busyTimeout: UInt64 = 2_500_000

    package init(rule: ExpiryRule) { self.rule = rule }
}

/// Result of one removal slice.
package struct CacheRemoval: Sendable {
    /// Paths of files without a row, to be removed by the caller.
    package var files: [String] = []
    /// Number of rows removed.
    package var count = 0
    /// True when the selection matches no further rows.
    package var isComplete = true

    package init() {}
}

/// Totals of a disk cache.
package struct CacheTotals: Sendable, Equatable {
    /// Number of entries.
    package var count = 0
    /// Sum of the lengths of all entries.
    package var bytes = 0
    /// Bytes of the files of entries on disk.
    package var allocated = 0
    /// Disk usage in bytes: used pages of the database and blocks of files (docs/decisions.md, "Sizes count disk usage").
    package var footprint = 0

    package init() {}
}
