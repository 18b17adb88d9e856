import Synchronization

/// The response of a transfer, shared by all its waiters. The first one stores it in each cache.
/// Made by `SharedTransfer.loaderFinished` or `LeaseRequest.fetch`, and released with the last load that uses it.
package final class FetchResult: Sendable {
    let data: LoadedData
    /// The entry of a shared cache when another process has stored the response there.
    let sharedEntry: CachedData?
    /// The lease of a shared cache, held until the response is stored.
    let lease: CacheLease?
    /// One destination of the response.
    private struct Store: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
    }

    /// True when several loads continue with it.
    /// Set once and never reset: decodes of one load need no entry in the table of shared decodes.
    private let several = Atomic<Bool>(false)
    private let stored = Lock<Set<Store>>([])
    /// Counts the received bytes as not yet decoded; nil after `leaveBacklog`.
    private let backlogEntry: Lock<Backlog.Entry?>

    init(_ data: LoadedData, _ backlog: Backlog, sharedEntry: CachedData? = nil, lease: CacheLease? = nil) {
        self.data = data
        self.sharedEntry = sharedEntry
        self.lease = lease
        backlogEntry = Lock(backlog.add(data.bytes.count))
    }

    var isShared: Bool { several.load(ordering: .acquiring) }
    func noteShared() { several.store(true, ordering: .releasing) }

    /// Key of decodes that loads of this response can share; nil when only one load has it.
    var decodeOrigin: DecodeOrigin? { isShared ? .transfer(ObjectIdentifier(self)) : nil }

    /// Ends the reservation in the backlog: the bytes are decoded or no longer needed.
    func leaveBacklog() { backlogEntry.withLock { $0 = nil } }

    /// True for the first caller with this key and cache.
    /// Loads of one response that store into the same entry would write equal bytes several times.
    func claimStore(_ key: CacheKey, in cache: any DataCaching) -> Bool {
        stored.withLock { $0.insert(Store(cache: ObjectIdentifier(cache), key: key)).inserted }
    }
}
