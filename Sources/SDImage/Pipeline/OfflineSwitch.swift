import Synchronization

/// The switch that forbids a manager to load over the network.
package final class OfflineSwitch: Sendable {
    private let isOffline = Atomic<Bool>(false)

    package init() {}

    package var isOn: Bool { isOffline.load(ordering: .relaxed) }

    package func set(_ isOn: Bool) { isOffline.store(isOn, ordering: .relaxed) }

    /// Files and data URLs need no network, with any loader.
    func forbids(_ request: ImageRequest) -> Bool {
        guard isOn else { return false }
        let url = request.urlText
        return url.hasScheme("http") || url.hasScheme("https")
    }
}
