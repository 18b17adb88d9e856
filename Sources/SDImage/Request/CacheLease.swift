/// The exclusive right of this process to request an entry from the origin that several processes share. The lease ends with
/// its last reference; whether the store succeeded or failed, waiting processes then continue.
/// Granted by `LeaseGranting.lease`, and passed on with the response until the original is stored.
package final class CacheLease: Sendable {
    private let end: @Sendable () -> Void

    /// `end` is called once, on the thread that releases the last reference. It only posts work.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// Result of asking a shared cache for a lease before a request to the origin.
/// The caller is `LeaseRequest.fetch`.
package enum CacheLeasing: Sendable {
    /// No coordination: the caller requests the entry from the origin.
    case unknown
    /// This process requests the entry from the origin.
    case granted(CacheLease)
    /// Another process has stored the entry meanwhile.
    case found(CachedData)
}
