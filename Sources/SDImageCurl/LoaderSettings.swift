import SDImage
import Synchronization

/// Settings shared by all transfers of one loader, as seen by the transfer thread.
/// Made by `CurlLoader`, and held by its downloads longer than the loader itself.
final class LoaderSettings: Sendable {
    /// Unique identifier of the loader; never reused.
    let id: UInt64
    let configuration: DownloaderConfiguration
    /// Empty = none. `publicOnly` disables the proxy, which would connect to a private address on our behalf.
    let proxy: String
    let addressRules: AddressRules
    /// Replaced as a whole; readers keep the object that they got.
    private let currentFields: Lock<SentFields>
    private let currentLimits: Lock<QueueLimits>
    /// Number of changes of the cookies of the loader: responses that set some, and removals.
    let cookieChanges = Atomic<UInt64>(0)
    /// Number of running and waiting transfers.
    let transferCount = Atomic<Int>(0)

    init(_ configuration: DownloaderConfiguration) {
        id = UniqueNumber.next()
        self.configuration = configuration
        currentFields = Lock(SentFields(configuration.fields, changes: 0, loader: id))
        currentLimits = Lock(configuration.queueLimits)
        addressRules = AddressRules(configuration)
        proxy = configuration.addressPolicy == .publicOnly ? "" : configuration.proxy ?? ""
    }

    /// Nanoseconds after which a hop that is not connected ends: the connect time-out, and 100 ms in which libcurl ends it first.
    var longestConnect: UInt64 {
        Durations.nanoseconds(milliseconds: UInt64(configuration.connectTimeoutMilliseconds)) + 100_000_000
    }

    /// True if connections go to a socket, or a transport of the host makes them.
    var looksUpNoNames: Bool { configuration.unixSocketPath != nil || configuration.transport != nil }

    /// The header fields at this moment.
    var sentFields: SentFields { currentFields.withLock { $0 } }

    /// Transfers that have started keep their fields.
    func setField(_ name: String, _ value: String?) {
        currentFields.withLock { current in
            var fields = current.fields
            fields.set(name, value)
            current = SentFields(fields, changes: current.changes + 1, loader: id)
        }
    }

    /// Numbers of transfers at once, at this moment.
    var limits: QueueLimits { currentLimits.withLock { $0 } }

    /// Calls `publish` under the lock, so that it receives concurrent changes in their order.
    func changeLimits(_ change: (inout QueueLimits) -> Void, publish: (QueueLimits) -> Void) {
        currentLimits.withLock { limits in
            change(&limits)
            publish(limits)
        }
    }
}
