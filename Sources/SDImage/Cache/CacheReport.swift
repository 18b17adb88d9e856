/// Result of verifying a disk cache.
/// Made by `Verifier`, and returned to the program.
package struct CacheReport: Sendable {
    /// Number of entries read, and their bytes.
    package var entries = 0
    package var bytes = 0
    /// Entries whose bytes or row differ from the stored ones.
    package var damaged = 0
    /// Entries whose file is missing.
    package var missing = 0
    /// Files without an entry, left by killed processes.
    package var strays = 0
    /// True if the database or its indexes are damaged.
    package var isIndexDamaged = false
    /// The recorded number of entries or their total size is wrong.
    package var areTotalsWrong = false
    /// True when the problems found were also repaired.
    package var isRepaired = false
    /// Keys of the first thousand damaged or missing entries.
    package var keys: [CacheKey] = []

    package init() {}

    /// True when no problem was found.
    package var isSound: Bool { damaged == 0 && missing == 0 && strays == 0 && !isIndexDamaged && !areTotalsWrong }

    /// Counts beyond the thousand are in `damaged` and `missing`.
    mutating func note(_ key: CacheKey) { if keys.count < 1000 { keys.append(key) } }
}
