/// Selects the entries of a disk cache to list, and their order.
/// Made by the list functions of the C interface, and evaluated by `CacheStore.entries`.
package struct CacheQuery: Sendable {
    /// Order of the list. Entries with the same date of use are in the order of their rows.
    package enum Order: Int32, Sendable {
        /// The oldest store first.
        case stored = 0
        /// The least recently used first.
        case accessed = 1
    }

    package var order = Order.stored
    /// Prefix of the keys; empty for all.
    package var prefix: [UInt8] = []
    /// Latest last use of the entries, nanoseconds since 1970.
    package var accessedUntil = UInt64.max
    /// Accepted lengths of entries in bytes.
    package var lengths: ClosedRange<Int> = 0...Int.max

    package init() {}

    /// Maximum number of rows examined for one page. It bounds the time of a page, however few entries match.
    /// Without it a query that matches nothing would read the whole table in one call.
    package static let longestLook = 4096
    /// Maximum bytes of keys in one page.
    /// Keys come from URLs and may be long.
    package static let heaviestPage = 4 << 20
}

/// Position at which a list continues.
/// The date and the row of the last entry that was examined, whether it matched or not.
package struct CachePosition: Sendable, Equatable {
    /// Date of the last use of that entry, nanoseconds since 1970.
    package var date: UInt64
    /// Number of the row, which orders entries of the same date.
    package var id: Int64

    /// Position before every row. This library numbers rows from 1; other programs may use other numbers.
    package static let beginning = CachePosition(date: 0, id: .min)

    package init(date: UInt64, id: Int64) {
        self.date = date
        self.id = id
    }
}

/// One page of the list of entries.
package struct CachePage: Sendable {
    package var entries: [CacheEntry] = []
    /// Start of the next page; nil on the last page. Any other page may be short or empty.
    package var next: CachePosition?

    package init() {}
}

/// One entry of a list.
/// Describes the row; the bytes are not read.
package struct CacheEntry: Sendable {
    /// Number of the row.
    package var id: Int64
    package var key: CacheKey
    /// The write that the row describes, to address exactly that entry later.
    package var write: CacheWrite
    /// Bytes of the entry.
    package var length: Int
    /// Time of the store, nanoseconds since 1970.
    package var created: UInt64
    /// Time of the last use, nanoseconds since 1970; the cache may record it with delay.
    package var accessed: UInt64
    /// Time from which the entry is a miss, nanoseconds since 1970; 0 = determined by the age rule of the cache.
    package var expires: UInt64
    /// True if the bytes are in a file of their own instead of the database.
    package var isFile: Bool

    package init(
        id: Int64, key: CacheKey, write: CacheWrite, length: Int, created: UInt64, accessed: UInt64, expires: UInt64,
        isFile: Bool
    ) {
        self.id = id
        self.key = key
        self.write = write
        self.length = length
        self.created = created
        self.accessed = accessed
        self.expires = expires
        self.isFile = isFile
    }
}
