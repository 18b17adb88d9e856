/// The properties that two loads must have in common to share a transfer. An object, because both the transfer and the table of
/// transfers have it.
package final class FetchKey: Hashable, Sendable {
    private let loader: ObjectIdentifier
    /// The loader's key of the transfer; empty for a load that shares with no other.
    let sharingKey: [UInt8]
    private let alone: ObjectIdentifier?
    private let maxBodyBytes: Int
    private let timeout: UInt32
    /// Part of the key even if the loader's own key omits it: the bytes of one kind of load are never given to the other.
    private let acceptsInvalidCertificates: Bool
    private let handlesCookies: Bool
    /// The entry of a shared cache that may replace the transfer; nil if none may.
    private let lease: LeaseRequest.Identity?

    init(_ request: ImageRequest, _ loader: any ImageLoader, _ lease: LeaseRequest?, _ context: LoadContext) {
        let parameters = request.parameters.all
        let sharing = loader.sharingKey(request)
        self.loader = ObjectIdentifier(loader)
        sharingKey = sharing ?? []
        alone = sharing == nil ? ObjectIdentifier(context) : nil
        maxBodyBytes = parameters.maxBodyBytes
        timeout = parameters.timeoutMilliseconds
        acceptsInvalidCertificates = parameters.acceptsInvalidCertificates
        handlesCookies = parameters.handlesCookies
        self.lease = lease?.identity
    }

    package static func == (one: FetchKey, other: FetchKey) -> Bool {
        one === other
            || one.loader == other.loader && one.sharingKey == other.sharingKey && one.alone == other.alone
                && one.maxBodyBytes == other.maxBodyBytes && one.timeout == other.timeout
                && one.acceptsInvalidCertificates == other.acceptsInvalidCertificates
                && one.handlesCookies == other.handlesCookies && one.lease == other.lease
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(alone)
        unsafe sharingKey.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
