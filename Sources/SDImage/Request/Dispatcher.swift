/// Runs the callbacks of loads.
/// Implementations: `LibraryDispatcher`, `ImmediateDispatcher`, `PollableDispatcher`, `CallQueue`, and functions of
/// the host.
package protocol Dispatcher: AnyObject, Sendable {
    /// True when callbacks may run on the calling thread; some are then delivered inline.
    var isCurrent: Bool { get }
    /// True when deliveries can be taken as events; loads without callbacks then deliver too.
    var takesEvents: Bool { get }
    /// The object retained by a running load. Differs from the dispatcher when the host's release of the dispatcher means that
    /// no delivery will be taken any more.
    var target: any Dispatcher { get }
    /// Throws when no thread for deliveries can be started.
    func prepare() throws(ImageError)
    /// Runs or hands out `delivery` once, now or later, in order of posting. A closed dispatcher drops it.
    func post(_ delivery: any Delivery)
    /// Posts progress; called on the thread that transfers the bytes.
    func postProgress(_ delivery: any Delivery)
    /// Runs `delivery` immediately on the calling thread, which must be one that runs callbacks.
    func deliver(_ delivery: any Delivery)
    /// True when a call queued here can only run after the calling thread has returned to its caller.
    var isWaitingFutile: Bool { get }
}

extension Dispatcher {
    package var takesEvents: Bool { false }
    package var target: any Dispatcher { self }
    package var isWaitingFutile: Bool { isCurrent }
    package func postProgress(_ delivery: any Delivery) { post(delivery) }
    package func deliver(_ delivery: any Delivery) { delivery.deliverPending() }
    package func prepare() throws(ImageError) {}
}

/// Runs callbacks on the callback thread of the engine.
/// Used for requests and managers without a dispatcher of their own.
package final class LibraryDispatcher: Dispatcher {
    /// The thread exists as long as the lease.
    private let lease: EngineLease

    package init(lease: EngineLease) { self.lease = lease }

    package var isCurrent: Bool { lease.engine.callbacks.isCurrent }

    package func prepare() throws(ImageError) { try lease.engine.callbacks.ensureStarted() }

    package func post(_ delivery: any Delivery) { lease.engine.callbacks.submit { delivery.deliverPending() } }
}

/// Runs callbacks on the posting thread. Progress is posted to another thread, so callbacks never run on the thread that
/// transfers bytes of network or disk.
/// Used inside the library, for example by prefetchers, which queue their own callbacks.
package final class ImmediateDispatcher: Dispatcher {
    package init() {}

    package var isCurrent: Bool { true }
    package var isWaitingFutile: Bool { false }

    package func post(_ delivery: any Delivery) { delivery.deliverPending() }
    // Progress is reported by the transfer thread, which must not run foreign code.
    package func postProgress(_ delivery: any Delivery) { Engine.callLater { delivery.deliverPending() } }
}
