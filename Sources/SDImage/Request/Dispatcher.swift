/// Where callbacks of a load run.
package protocol Dispatcher: AnyObject, Sendable {
    /// True when the calling thread is one that callbacks run on: then some are delivered inline.
    var isCurrent: Bool { get }
    /// True when deliveries can be taken as events, so that loads without callbacks deliver too.
    var takesEvents: Bool { get }
    /// What a load under way holds on to. Differs from the object itself where the host's letting go of that means that
    /// nobody will ever take a delivery.
    var target: any Dispatcher { get }
    /// Throws when nothing could be delivered, for want of a thread.
    func prepare() throws(ImageError)
    /// Runs or hands out `delivery` once, later or now, in the order of posting. A closed dispatcher drops it.
    func post(_ delivery: any Delivery)
    /// The same for progress, which the thread that moves the bytes tells.
    func postProgress(_ delivery: any Delivery)
    /// Runs `delivery` now, on the calling thread, which is one that callbacks run on.
    func deliver(_ delivery: any Delivery)
    /// Posts calls that are no deliveries of a load.
    func post(_ calls: CallQueue)
    /// True when a call that waits here cannot run before the calling thread has returned to whoever called it.
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

/// The callback thread of the engine.
package final class LibraryDispatcher: Dispatcher {
    private let lease: EngineLease

    package init(lease: EngineLease) { self.lease = lease }

    package var isCurrent: Bool { lease.engine.callbacks.isCurrent }

    package func prepare() throws(ImageError) { try lease.engine.callbacks.ensureStarted() }

    package func post(_ delivery: any Delivery) { lease.engine.callbacks.submit { delivery.deliverPending() } }
    package func post(_ calls: CallQueue) { lease.engine.callbacks.submit { calls.deliverPending() } }
}

/// Whatever thread posts; never the one that moves bytes of network or disk, because that posts progress only.
package final class ImmediateDispatcher: Dispatcher {
    package init() {}

    package var isCurrent: Bool { true }

    package func post(_ delivery: any Delivery) { delivery.deliverPending() }
    package func postProgress(_ delivery: any Delivery) { Engine.callLater { delivery.deliverPending() } }
    package func post(_ calls: CallQueue) { calls.deliverPending() }
}
