/// Usage and failure counters of a disk cache (docs/decisions.md, "A failing cache does not fail a load").
package struct DiskCacheStatistics: Sendable {
    /// Look-ups that returned bytes.
    package var hits = 0
    /// Look-ups that found nothing, or nothing usable.
    package var misses = 0
    /// Entries committed.
    package var stores = 0
    /// Stores that failed for any reason.
    package var droppedStores = 0
    /// Entries whose bytes differ from the stored ones.
    package var damagedEntries = 0
    /// Rows whose file was missing.
    package var missingFiles = 0
    /// Databases replaced because of damage.
    package var damagedDatabases = 0
    /// Entries removed because of size or age.
    package var trimmedEntries = 0
    /// Bytes pending for a commit.
    package var pendingBytes = 0
    /// nil if no error has occurred.
    package var lastError: ImageError?
    /// The first failure of a store since the last flush.
    var storeError: ImageError?

    package init() {}
}
