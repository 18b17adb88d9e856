import SDImage
import Synchronization

/// Settings shared by all transfers of one loader, as seen by the transfer thread.
final class LoaderSettings: Sendable {
    /// Unique identifier of the loader; never reused.
    let id: UInt64
    let configuration: DownloaderConfiguration
    /// Empty = none. `publicOnly` disables the proxy, which would connect to a private address on our behalf.
    let proxy: String
    let addressRules: AddressRules
    private let currentFields: Lock<LoaderFields>
    /// Number of changes of the fields.
    let fieldChanges = Atomic<UInt64>(0)
    /// Number of responses that changed the cookies of the loader.
    let cookieChanges = Atomic<UInt64>(0)
    /// Number of running and waiting transfers.
    let transferCount = Atomic<Int>(0)

    init(_ configuration: DownloaderConfiguration) {
        id = UniqueNumber.next()
        self.configuration = configuration
        currentFields = Lock(configuration.fields)
        addressRules = AddressRules(configuration)
        proxy = configuration.addressPolicy == .publicOnly ? "" : configuration.proxy ?? ""
    }

    /// True if connections go to a socket, or a transport of the host makes them.
    var looksUpNoNames: Bool { configuration.unixSocketPath != nil || configuration.transport != nil }

    var fields: LoaderFields { currentFields.withLock { $0 } }

    func setField(_ name: String, _ value: String?) {
        currentFields.withLock { $0.set(name, value) }
        fieldChanges.add(1, ordering: .relaxed)
    }
}
