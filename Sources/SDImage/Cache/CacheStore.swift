/// Rows of a disk cache: an index with small values inline. Implemented on SQLite; every call may block on the disk and
/// is made under the caller's own serialisation, never on the cooperative executor.
///
/// The row is the commit: an entry exists when its row does (decisions D4).
package protocol CacheStore: AnyObject, Sendable {
    /// The row of `key`, with its inline bytes, or nil.
    func row(for key: CacheKey) throws(ImageError) -> CacheRow?
    /// Whether a row exists, without reading its bytes.
    func contains(_ key: CacheKey) throws(ImageError) -> Bool
    /// Writes all of them in one transaction, replacing rows of equal key. Returns the places of the files replaced.
    func commit(_ rows: [CacheRow]) throws(ImageError) -> [CachePlace]
    /// Removes a row; with `write`, only that very write (decisions R20). Returns the place it had.
    func remove(_ key: CacheKey, write: CacheWrite?) throws(ImageError) -> CachePlace?
    /// Removes every row; returns the places of files.
    func removeAll() throws(ImageError) -> [CachePlace]
    /// Number of entries and bytes they hold on disk.
    func totals() throws(ImageError) -> (count: Int, bytes: Int)
    /// Raises access dates, each to the later of the two (decisions R25).
    func touch(_ accesses: [(key: CacheKey, time: UInt64)]) throws(ImageError)
    /// Closes the database. Further calls throw `shutdown`.
    func close()
}

/// Names one write of one instance, and is never used twice: file names are made of it.
package struct CacheWrite: Hashable, Sendable {
    package var instance: UInt64
    package var number: UInt64

    package init(instance: UInt64, number: UInt64) {
        self.instance = instance
        self.number = number
    }
}

/// Where an entry's bytes lie.
package enum CachePlace: Sendable {
    /// In the row itself.
    case inline
    /// In a file; path relative to the cache's folder.
    case file(String)
}

/// One entry of the index.
package struct CacheRow: Sendable {
    package var key: CacheKey
    package var write: CacheWrite
    package var place: CachePlace
    /// Inline bytes; nil when the bytes are in a file.
    package var inline: Bytes?
    package var length: Int
    /// CRC-32C (RFC 3720, appendix B.4) of the bytes.
    package var checksum: UInt32
    /// Nanoseconds since 1970.
    package var created: UInt64
    package var accessed: UInt64
    /// 0 = by the cache's age rule.
    package var expires: UInt64 = 0
    package var entityTag: [UInt8] = []
    package var lastModified: [UInt8] = []
    package var cacheControl: [UInt8] = []
    package var extendedData: Bytes?

    package init(
        key: CacheKey, write: CacheWrite, place: CachePlace, inline: Bytes?, length: Int, checksum: UInt32, created: UInt64
    ) {
        self.key = key
        self.write = write
        self.place = place
        self.inline = inline
        self.length = length
        self.checksum = checksum
        self.created = created
        accessed = created
    }
}
