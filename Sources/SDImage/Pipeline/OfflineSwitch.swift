import Synchronization

/// The switch that forbids a manager to load over the network.
/// Read by loads before they start a transfer; transfers under way continue.
package final class OfflineSwitch: Sendable {
    /// Relaxed: a load that starts at the same time may see either value.
    private let isOffline = Atomic<Bool>(false)

    package init() {}

    package var isOn: Bool { isOffline.load(ordering: .relaxed) }

    package func set(_ isOn: Bool) { isOffline.store(isOn, ordering: .relaxed) }

    /// Files and data URLs need no network, with any loader.
    /// Schemes of the loaders of hosts are not refused either: only http and https certainly need the network.
    func forbids(_ request: ImageRequest) -> Bool {
        guard isOn else { return false }
        let url = request.urlText
        return url.hasScheme("http") || url.hasScheme("https")
    }
}
