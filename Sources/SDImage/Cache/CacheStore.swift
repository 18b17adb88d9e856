/// Rows of a disk cache: an index with small values inline. Implemented on SQLite; every call may block on the disk and
/// is made on a thread that may wait. Reading and writing calls may run at the same time.
///
/// The row is the commit: an entry exists when its row does (decisions D4). Errors: `cacheDamaged` says that the database
/// must be given up (R24), `busy` that another process held it for too long.
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
    /// The next entries after a place in the order of storing; 0 is the beginning.
    func entries(after place: Int64, limit: Int) throws(ImageError) -> [CacheEntry]
    /// Raises access dates, each to the later of the two (decisions R25).
    func touch(_ accesses: [(key: CacheKey, time: UInt64)]) throws(ImageError)
    /// Gives unused pages back to the file system, at most so many; true when there may be more.
    func vacuum(pages: Int) throws(ImageError) -> Bool
    /// Closes the database. Further calls throw `shutdown`.
    func close()
}

/// Opens, and makes where the file is empty, the database at a path.
package typealias CacheStoreFactory = @Sendable (_ path: String, _ isDurable: Bool) throws(ImageError) -> any CacheStore

/// Names one write of one instance, and is never used twice: file names are made of it.
package struct CacheWrite: Hashable, Sendable {
    package var instance: UInt64
    package var number: UInt64

    package init(instance: UInt64, number: UInt64) {
        self.instance = instance
        self.number = number
    }
}

/// One step of a transaction.
package enum CacheChange: Sendable {
    /// Replaces a row of equal key.
    case put(CacheRow)
    /// With `write`, only if the row is of that very write (decisions R20).
    case remove(CacheKey, write: CacheWrite?)
}

/// One entry of the index.
package struct CacheRow: Sendable {
    package var key: CacheKey
    package var write: CacheWrite
    /// Path of the file, relative to the cache's folder; empty when the bytes are inline.
    package var file = ""
    /// Bytes of disk that the file occupies.
    package var allocated = 0
    /// Inline bytes.
    package var inline: Bytes?
    package var length = 0
    /// CRC-32C (RFC 3720, appendix B.4) of the bytes.
    package var checksum: UInt32 = 0
    /// Nanoseconds since 1970.
    package var created: UInt64 = 0
    package var accessed: UInt64 = 0
    /// 0 = by the cache's age rule.
    package var expires: UInt64 = 0
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    package var cacheControl: [UInt8] = []
    package var extendedData: Bytes?

    package init(key: CacheKey, write: CacheWrite) {
        self.key = key
        self.write = write
    }
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
    package var limit = 64

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

/// One line of the list of a disk cache's entries.
package struct CacheEntry: Sendable {
    /// Where to go on listing.
    package var place: Int64
    package var key: CacheKey
    package var length: Int
    /// Nanoseconds since 1970.
    package var created: UInt64
    package var accessed: UInt64
    /// 0 = by the cache's age rule.
    package var expires: UInt64
    package var isFile: Bool

    package init(place: Int64, key: CacheKey, length: Int, created: UInt64, accessed: UInt64, expires: UInt64, isFile: Bool) {
        self.place = place
        self.key = key
        self.length = length
        self.created = created
        self.accessed = accessed
        self.expires = expires
        self.isFile = isFile
    }
}

/// What a disk cache holds.
package struct CacheTotals: Sendable, Equatable {
    package var count = 0
    /// Sum of the lengths of all entries.
    package var bytes = 0
    /// Bytes of disk: used pages of the database and blocks of files (decisions R21).
    package var footprint = 0

    package init() {}
}
