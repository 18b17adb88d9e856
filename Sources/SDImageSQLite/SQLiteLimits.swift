import SDImage

/// Limits of processor time for calls of the store, in nanoseconds (`SQLiteBudget`).
package struct SQLiteLimits: Sendable {
    /// Limit for calls that read a few pages: more than a thousand times the cost in an intact index.
    package var lookUp: UInt64 = 250_000_000
    /// Limit for one page of a list.
    package var list: UInt64 = 1_000_000_000
    /// Limit for one transaction of a limited number of rows.
    package var change: UInt64 = 10_000_000_000

    package init() {}

    /// Limit for calls that read every row or page. Grows with the disk usage of the file, which is small for a sparse file.
    func whole(_ allocated: Int) -> UInt64 { change.addingSaturated(UInt64(clamping: allocated / (64 << 20)) * 1_000_000_000) }
}
