/// Rows of a disk cache: an index with small values inline. Implemented on SQLite; every call may block on the disk and
/// is made on a thread that may wait. Reading and writing calls may run at the same time.
///
/// The row is the commit: an entry exists when its row does (docs/decisions.md, "The row is the commit"). Errors: `cacheDamaged`
/// says that the database must be given up (R24), `busy` that another process held it for too long.
package protocol CacheStore: AnyObject, Sendable {
    /// The row of `key`, with its inline bytes, or nil.
    func row(for key: CacheKey) throws(ImageError) -> CacheRow?
    /// The row without its bytes.
    func header(for key: CacheKey) throws(ImageError) -> CacheRow?
    /// Whether the row of that very write exists.
    func holds(_ name: CacheFileName) throws(ImageError) -> Bool
    /// Makes all changes in one transaction. Returns the paths of files that no row names any more.
    func apply(_ changes: [CacheChange]) throws(ImageError) -> [String]
    /// Removes every row; returns the paths of files.
    func removeAll() throws(ImageError) -> [String]
    /// Removes, oldest first, at most `selection.limit` rows. Stops when `selection` is satisfied.
    func removeOldest(_ selection: CacheSelection) throws(ImageError) -> CacheRemoval
    func totals() throws(ImageError) -> CacheTotals
    /// The next entries of a list, at most `limit` of them.
    func entries(_ query: CacheQuery, from place: CachePosition, limit: Int) throws(ImageError) -> CachePage
    /// Writes the dates, validators and extended data of a row, if it is still of that very write; false when it is not.
    func update(_ row: CacheRow) throws(ImageError) -> Bool
    /// Reads the whole database and compares its indexes; `cacheDamaged` where it finds a fault. Takes long.
    func examine() throws(ImageError)
    /// Makes the indexes anew from the rows.
    func mend() throws(ImageError)
    /// Counts all rows and sets right what `totals` tells.
    func recount() throws(ImageError)
    /// Raises access dates, each to the later of the two (docs/decisions.md, "Dates of access").
    func touch(_ accesses: [(key: CacheKey, time: UInt64)]) throws(ImageError)
    /// Gives unused pages back to the file system, at most so many; true when there may be more.
    func vacuum(pages: Int) throws(ImageError) -> Bool
    /// Closes the database. Further calls throw `shutdown`.
    func close()
}

/// Opens the database of a name inside a folder; makes its tables where the file is empty.
package typealias CacheStoreFactory =
    @Sendable (_ folder: FileDescriptor, _ name: String, _ isDurable: Bool)
    throws(ImageError) -> any CacheStore

/// One step of a transaction.
package enum CacheChange: Sendable {
    /// Replaces a row of equal key.
    case put(CacheRow)
    /// With `write`, only if the row is of that very write (docs/decisions.md, "The row is the commit").
    case remove(CacheKey, write: CacheWrite?)
    /// A row whose key no longer leads to it.
    case removeRow(Int64, write: CacheWrite)
}

/// Which rows to remove.
package struct CacheSelection: Sendable {
    /// The date that counts.
    package var rule: ExpiryRule
    /// Only rows not later than this; without it, until `footprint` is reached.
    package var notAfter: UInt64?
    /// Rows whose own expiry passed this moment, whatever the rule.
    package var expiredAt: UInt64?
    /// Stop when fewer bytes of disk than these are used.
    package var footprint = 0
    package var limit = 256
    /// The slice ends when this much time has passed, so that it holds the lock for writing no longer.
    package var patience: UInt64 = 2_500_000

    package init(rule: ExpiryRule) { self.rule = rule }
}

/// What one slice of removing did.
package struct CacheRemoval: Sendable {
    package var files: [String] = []
    package var count = 0
    /// Nothing is left to be removed by this selection.
    package var isComplete = true

    package init() {}
}

/// What a disk cache holds.
package struct CacheTotals: Sendable, Equatable {
    package var count = 0
    /// Sum of the lengths of all entries.
    package var bytes = 0
    /// Bytes of disk: used pages of the database and blocks of files (docs/decisions.md, "Sizes count disk usage").
    package var footprint = 0

    package init() {}
}
