import SDImage
import Synchronization

/// What all transfers of one loader have in common, as the transfer thread sees it.
final class LoaderSettings: Sendable {
    /// Tells loaders apart; never used twice.
    let id: UInt64
    let configuration: DownloaderConfiguration
    /// Empty = none: a proxy would connect to a private address in our place.
    let proxy: String
    /// Responses that changed the cookies of the loader.
    let cookieChanges = Atomic<UInt64>(0)

    init(_ configuration: DownloaderConfiguration) {
        id = UniqueNumber.next()
        self.configuration = configuration
        proxy = configuration.addressPolicy == .publicOnly ? "" : configuration.proxy ?? ""
    }

    /// Connections go to a socket, or are made by a transport of the host.
    var looksUpNoNames: Bool { configuration.unixSocketPath != nil || configuration.transport != nil }

    /// Fields that say nothing about who asks, and may go to an origin that a redirect named.
    var impersonalHeaders: [HeaderField] {
        configuration.headers.filter { ["accept", "accept-language"].contains($0.name.lowercased()) }
    }
}
