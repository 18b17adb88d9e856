import Synchronization

/// The outcome of a transfer, shared by all who waited for it; stored by the first of them in each cache.
package final class FetchResult: Sendable {
    let data: LoadedData
    /// Where another process had brought it into a shared cache: the entry there.
    let kept: CachedData?
    /// Of a shared cache, until all that is stored of this is.
    let lease: CacheLease?
    private struct Place: Hashable {
        let cache: ObjectIdentifier
        let key: CacheKey
    }

    /// Several loads go on with it.
    private let several = Atomic<Bool>(false)
    private let stored = Lock<Set<Place>>([])
    private let backlogEntry: Lock<Backlog.Entry?>

    init(_ data: LoadedData, _ backlog: Backlog, kept: CachedData? = nil, lease: CacheLease? = nil) {
        self.data = data
        self.kept = kept
        self.lease = lease
        backlogEntry = Lock(backlog.add(data.bytes.count))
    }

    var isShared: Bool { several.load(ordering: .acquiring) }
    func noteShared() { several.store(true, ordering: .releasing) }

    /// What tells equal decodes of it apart from others; nil where nobody else can want one.
    var decodeOrigin: DecodeOrigin? { isShared ? .transfer(ObjectIdentifier(self)) : nil }

    /// The bytes are decoded, or nobody wants them any more.
    func leaveBacklog() { backlogEntry.withLock { $0 = nil } }

    /// True for the first who asks with this key and cache.
    func claimStore(_ key: CacheKey, in cache: any ImageCaching) -> Bool {
        stored.withLock { $0.insert(Place(cache: ObjectIdentifier(cache), key: key)).inserted }
    }
}

/// What must be equal for two loads to share a transfer.
package struct FetchKey: Hashable, Sendable {
    let loader: ObjectIdentifier
    let url: [UInt8]
    /// One that shares with nobody.
    var alone: ObjectIdentifier?
    let maxBodyBytes: Int
    let timeout: UInt32
    /// Also where the loader's own key does not say so: the bytes of one are never given to the other.
    let acceptsInvalidCertificates: Bool
    let handlesCookies: Bool
    /// Which entry of a shared cache may take the place of the transfer; nil where none may.
    let leasing: LeaseRequest.Identity?

    package func hash(into hasher: inout Hasher) { unsafe url.withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
}
