/// How a disk cache was used, and what went wrong in it (docs/decisions.md, "A failing cache does not fail a load").
package struct DiskCacheStatistics: Sendable {
    package var hits = 0
    package var misses = 0
    /// Entries committed.
    package var stores = 0
    /// Stores that failed, for whatever reason.
    package var droppedStores = 0
    /// Entries whose bytes were not those that were stored.
    package var damagedEntries = 0
    /// Rows whose file was missing.
    package var missingFiles = 0
    /// Databases given up.
    package var damagedDatabases = 0
    /// Entries removed because of size or age.
    package var trimmedEntries = 0
    /// Bytes that wait to be committed.
    package var pendingBytes = 0
    package var lastError: ImageError?

    package init() {}
}
