/// What checking a disk cache found.
package struct CacheReport: Sendable {
    /// Entries that were read, and their bytes.
    package var entries = 0
    package var bytes = 0
    /// Entries whose bytes or row are not what was stored.
    package var damaged = 0
    /// Entries whose file is gone.
    package var missing = 0
    /// Files without an entry, left by processes that were killed.
    package var strays = 0
    package var isIndexDamaged = false
    /// Number and size of the entries were told wrongly.
    package var areTotalsWrong = false
    /// Whether what was found was also removed or set right.
    package var isRepaired = false
    /// Keys of damaged and missing entries, the first thousand.
    package var keys: [CacheKey] = []

    package init() {}

    /// Nothing was found.
    package var isSound: Bool { damaged == 0 && missing == 0 && strays == 0 && !isIndexDamaged && !areTotalsWrong }

    mutating func note(_ key: CacheKey) { if keys.count < 1000 { keys.append(key) } }
}
