/// Selects the entries of a disk cache to list, and their order.
package struct CacheQuery: Sendable {
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
    package var lengths: ClosedRange<Int> = 0...Int.max

    package init() {}

    /// Maximum number of rows examined for one page. It bounds the time of a page, however few entries match.
    package static let longestLook = 4096
    /// Maximum bytes of keys in one page.
    package static let heaviestPage = 4 << 20
}

/// Position at which a list continues.
package struct CachePosition: Sendable, Equatable {
    package var date: UInt64
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
package struct CacheEntry: Sendable {
    /// Number of the row.
    package var id: Int64
    package var key: CacheKey
    package var write: CacheWrite
    package var length: Int
    /// Nanoseconds since 1970.
    package var created: UInt64
    package var accessed: UInt64
    /// 0 = by the cache's age rule.
    package var expires: UInt64
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
