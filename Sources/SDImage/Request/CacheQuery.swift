/// Which entries of a disk cache are listed, and in which order.
package struct CacheQuery: Sendable {
    package enum Order: Int32, Sendable {
        /// The oldest store first.
        case stored = 0
        /// The least recently used first.
        case accessed = 1
    }

    package var order = Order.stored
    /// Bytes that keys begin with; empty for all.
    package var prefix: [UInt8] = []
    /// Only entries last used at this moment or before; nanoseconds since 1970.
    package var accessedUntil = UInt64.max
    package var lengths: ClosedRange<Int> = 0...Int.max

    package init() {}

    /// So many rows are looked at for one page at most, so that no page takes long however few entries match.
    package static let longestLook = 4096
    /// Bytes of keys in one page.
    package static let heaviestPage = 4 << 20
}

/// Where a list goes on.
package struct CachePosition: Sendable, Equatable {
    package var date: UInt64
    package var id: Int64

    /// Before every row: this library numbers rows from 1 on, another program may have used other numbers.
    package static let beginning = CachePosition(date: 0, id: .min)

    package init(date: UInt64, id: Int64) {
        self.date = date
        self.id = id
    }
}

/// A part of the list of a disk cache's entries.
package struct CachePage: Sendable {
    package var entries: [CacheEntry] = []
    /// Where the next page begins; nil after the last. A page that is not the last may be short, even empty.
    package var next: CachePosition?

    package init() {}
}

/// One line of that list.
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
