/// The properties that two loads must have in common to share a transfer. An object, because both the transfer and the table of
/// transfers have it.
/// Made by `FetchStage.join`. Equality compares the complete properties; the hash uses the loader's key alone.
package final class FetchKey: Hashable, Sendable {
    private let loader: ObjectIdentifier
    /// The loader's key of the transfer; nil for a load that shares with no other.
    let sharingKey: SharingKey?
    /// Largest accepted body in bytes. Loads with different limits must fail separately.
    private let maxBodyBytes: Int
    /// Time limit in milliseconds, as in the request.
    private let timeout: UInt32
    /// Part of the key even if the loader's own key omits it: the bytes of one kind of load are never given to the other.
    private let acceptsInvalidCertificates: Bool
    private let handlesCookies: Bool
    /// The entry of a shared cache that may replace the transfer; nil if none may.
    private let lease: LeaseRequest.Identity?
    /// Computed once: a transfer looks itself up several times.
    private let hash: UInt64

    /// `context`: that of the load, whose identity is the hash of a key that equals no other.
    init(_ request: ImageRequest, _ loader: any ImageLoader, _ lease: LeaseRequest?, _ context: LoadContext) {
        let sharingKey = loader.sharingKey(request)
        self.loader = ObjectIdentifier(loader)
        self.sharingKey = sharingKey
        maxBodyBytes = request.maxBodyBytes
        timeout = request.timeoutMilliseconds
        acceptsInvalidCertificates = request.acceptsInvalidCertificates
        handlesCookies = request.handlesCookies
        self.lease = lease?.identity
        hash = sharingKey?.hash ?? UInt64(UInt(bitPattern: ObjectIdentifier(context).hashValue))
    }

    package static func == (one: FetchKey, other: FetchKey) -> Bool {
        // A load without a sharing key equals itself only.
        one === other
            || one.hash == other.hash && one.loader == other.loader
                && one.sharingKey != nil && one.sharingKey == other.sharingKey
                && one.maxBodyBytes == other.maxBodyBytes && one.timeout == other.timeout
                && one.acceptsInvalidCertificates == other.acceptsInvalidCertificates
                && one.handlesCookies == other.handlesCookies && one.lease == other.lease
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }
}
