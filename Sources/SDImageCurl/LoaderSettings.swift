import SDImage
import Synchronization

/// What all transfers of one loader have in common, as the transfer thread sees it.
final class LoaderSettings: Sendable {
    /// Tells loaders apart; never used twice.
    let id: UInt64
    let configuration: DownloaderConfiguration
    let proxies: ProxySettings

    private static let lastID = Atomic<UInt64>(0)

    init(_ configuration: DownloaderConfiguration) {
        id = LoaderSettings.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.configuration = configuration
        proxies = ProxySettings(configuration)
    }

    /// Fields that say nothing about who asks, and may go to an origin that a redirect named.
    var impersonalHeaders: [HeaderField] {
        configuration.headers.filter { ["accept", "accept-language"].contains($0.name.lowercased()) }
    }
}
