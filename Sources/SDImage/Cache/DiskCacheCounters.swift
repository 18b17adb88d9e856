/// Statistics of a disk cache in use, shared by its parts.
/// Part of `DiskCache`. One lock, because look-ups of disks are rare compared with those in memory.
final class DiskCacheCounters: Sendable {
    private let counts = Lock(DiskCacheStatistics())

    /// The counters, without `pendingBytes` and `damagedDatabases`, which other parts know.
    var statistics: DiskCacheStatistics { counts.withLock { $0 } }

    /// The last error replaces earlier ones.
    func note(_ error: ImageError) { counts.withLock { $0.lastError = error } }

    func countLookUp(isHit: Bool) {
        counts.withLock { counts in
            if isHit { counts.hits &+= 1 } else { counts.misses &+= 1 }
        }
    }

    /// Counts a store when it has been committed, refused or dropped.
    func countStore(_ result: Result<Void, ImageError>) {
        counts.withLock { counts in
            switch result {
            case .success: counts.stores &+= 1
            case .failure(let error):
                counts.droppedStores &+= 1
                counts.lastError = error
                counts.storeError = counts.storeError ?? error
            }
        }
    }

    /// Throws the first failure of a store since the last call.
    func throwStoreError() throws(ImageError) {
        let error = counts.withLock { counts in
            defer { counts.storeError = nil }
            return counts.storeError
        }
        if let error { throw error }
    }

    func countDamagedEntry() { counts.withLock { $0.damagedEntries &+= 1 } }
    func countMissingFile() { counts.withLock { $0.missingFiles &+= 1 } }
    func countTrimmed(_ count: Int) { counts.withLock { $0.trimmedEntries &+= count } }
}
