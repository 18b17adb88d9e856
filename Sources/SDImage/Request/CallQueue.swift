import Glibc

/// Serializes the callbacks of one host object, in order, on the host's dispatcher.
///
/// Also serves as the dispatcher of the object's loads, so that their deliveries keep their order among the other calls.
/// Used by targets, players, prefetchers and other objects with several kinds of callbacks.
/// `monitor` has the lock; it is not held while callbacks run.
package final class CallQueue: Dispatcher, Delivery {
    /// `delivery`: one or more callbacks of a load, which queues them itself. `dropped` runs in place of a call that no thread can
    /// run any more.
    private enum Item {
        case call(@Sendable () -> Void, dropped: (@Sendable () -> Void)?)
        case delivery(any Delivery)
    }

    private let base: any Dispatcher
    /// The waiting calls, and the thread that runs them.
    private let monitor = Monitor(DeliveryQueue<Item>())

    package init(on dispatcher: any Dispatcher) { base = dispatcher.target }

    /// True when the calling thread runs callbacks, and no call is queued or running: a call made now follows all earlier
    /// ones.
    package var isCurrent: Bool {
        base.isCurrent && monitor.withLock { $0.deliverer == nil && $0.items.isEmpty }
    }

    /// True on the thread that runs a call of this queue now: it cannot wait for a later one.
    package var isWaitingFutile: Bool {
        if let deliverer = monitor.withLock({ $0.deliverer }) { return deliverer == pthread_self() }
        return base.isWaitingFutile
    }

    package func prepare() throws(ImageError) { try base.prepare() }

    package func post(_ delivery: any Delivery) { add(.delivery(delivery), inline: false) }
    package func deliver(_ delivery: any Delivery) { add(.delivery(delivery), inline: true) }

    /// Runs `body` in order. On the dispatcher's thread, `body` runs before this returns, unless a call of this queue is
    /// running; then it runs after that call. `dropped` runs instead if the call is dropped, on any thread; it must not call the host.
    package func perform(_ body: @escaping @Sendable () -> Void, dropped: (@Sendable () -> Void)? = nil) {
        add(.call(body, dropped: dropped), inline: true)
    }

    /// `inline`: the call may run on this thread before the function returns.
    private func add(_ item: Item, inline: Bool) {
        // The thread that is running callbacks continues until the queue is empty.
        let isTaken = monitor.withLock { state in
            state.items.append(item)
            return state.deliverer != nil
        }
        if isTaken { return }
        if inline, base.isCurrent { deliverPending() } else { base.post(self) }
    }

    /// Runs all queued calls and returns their number. Does nothing while another thread is running them.
    /// Called by the dispatcher on which the queue was posted.
    @discardableResult
    package func deliverPending() -> Int {
        var count = 0
        var (next, isDropped) = take(isFirst: true)
        while let item = next {
            switch item {
            case _ where isDropped: drop(item)
            case .call(let body, _):
                body()
                count += 1
            case .delivery(let delivery): count += delivery.deliverPending()
            }
            (next, isDropped) = take(isFirst: false)
        }
        return count
    }

    /// The next item for the calling thread, and true if it is to be dropped.
    private func take(isFirst: Bool) -> (Item?, Bool) { monitor.withLock { ($0.next(isFirst: isFirst), $0.isDropping) } }

    package var hasPending: Bool { monitor.withLock { !$0.items.isEmpty } }

    /// Discards all queued calls because no thread can run them any more.
    package func dropPending() {
        for item in monitor.withLock({ $0.drop() }) { drop(item) }
    }

    private func drop(_ item: Item) {
        switch item {
        case .call(_, let dropped): dropped?()
        // Each delivery has a state that must end.
        case .delivery(let delivery): delivery.dropPending()
        }
    }
}
