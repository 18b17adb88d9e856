import SDImage
import Synchronization

/// Settings shared by all transfers of one loader, as seen by the transfer thread.
final class LoaderSettings: Sendable {
    /// Unique identifier of the loader; never reused.
    let id: UInt64
    let configuration: DownloaderConfiguration
    /// Empty = none. `publicOnly` disables the proxy, which would connect to a private address on our behalf.
    let proxy: String
    /// Number of responses that changed the cookies of the loader.
    let cookieChanges = Atomic<UInt64>(0)

    init(_ configuration: DownloaderConfiguration) {
        id = UniqueNumber.next()
        self.configuration = configuration
        proxy = configuration.addressPolicy == .publicOnly ? "" : configuration.proxy ?? ""
    }

    /// True if connections go to a socket, or a transport of the host makes them.
    var looksUpNoNames: Bool { configuration.unixSocketPath != nil || configuration.transport != nil }

    /// Fields that do not identify the client and may be sent to the origin that a redirect names.
    var impersonalHeaders: [HeaderField] {
        configuration.headers.filter { ["accept", "accept-language"].contains($0.name.lowercased()) }
    }
}
