import SDImage

/// Processor time that calls of the store may take, in nanoseconds (`SQLiteBudget`).
package struct SQLiteLimits: Sendable {
    /// A few pages are read: more than a thousand times what a sound index takes.
    package var lookUp: UInt64 = 250_000_000
    /// One page of a list.
    package var list: UInt64 = 1_000_000_000
    /// One transaction of a limited number of rows.
    package var change: UInt64 = 10_000_000_000

    package init() {}

    /// Every row, or every page: grows with the bytes that the file occupies on disk, which a sparse file does not.
    func whole(_ allocated: Int) -> UInt64 { change.addingSaturated(UInt64(clamping: allocated / (64 << 20)) * 1_000_000_000) }
}
