import Glibc

/// Serializes the callbacks of one host object, in order, on the host's dispatcher.
///
/// Also serves as the dispatcher of the object's loads, so that their deliveries keep their order among the other calls.
package final class CallQueue: Dispatcher {
    private enum Item {
        case call(@Sendable () -> Void)
        case delivery(any Delivery)
    }

    private struct State {
        var items = FIFO<Item>()
        /// The thread that is running callbacks.
        var deliverer: pthread_t?
    }

    private let base: any Dispatcher
    private let monitor = Monitor(State())

    package init(on dispatcher: any Dispatcher) { base = dispatcher.target }

    /// True when the calling thread runs callbacks, and no call is queued or running: a call made now follows all earlier
    /// ones.
    package var isCurrent: Bool {
        base.isCurrent && monitor.withLock { $0.deliverer == nil && $0.items.isEmpty }
    }

    package var isWaitingFutile: Bool {
        if let deliverer = monitor.withLock({ $0.deliverer }) { return deliverer == pthread_self() }
        return base.isCurrent
    }

    package func prepare() throws(ImageError) { try base.prepare() }

    package func post(_ delivery: any Delivery) { add(.delivery(delivery), inline: false) }
    package func deliver(_ delivery: any Delivery) { add(.delivery(delivery), inline: true) }

    package func post(_ calls: CallQueue) { base.post(calls) }

    /// Runs `body` in order. On the dispatcher's thread, `body` runs before this returns, unless a call of this queue is
    /// running; then it runs after that call.
    package func perform(_ body: @escaping @Sendable () -> Void) { add(.call(body), inline: true) }

    private func add(_ item: Item, inline: Bool) {
        // The thread that is running callbacks continues until the queue is empty.
        let isTaken = monitor.withLock { state -> Bool in
            state.items.append(item)
            return state.deliverer != nil
        }
        if isTaken { return }
        if inline, base.isCurrent { deliverPending() } else { base.post(self) }
    }

    /// Runs all queued calls and returns their number. Does nothing while another thread is running them.
    @discardableResult
    package func deliverPending() -> Int {
        var count = 0
        var next = take(isFirst: true)
        while let item = next {
            switch item {
            case .call(let body):
                body()
                count += 1
            case .delivery(let task): count += task.deliverPending()
            }
            next = take(isFirst: false)
        }
        return count
    }

    /// Discards all queued calls because no thread can run them any more.
    package func dropPending() {
        let dropped = monitor.withLock { $0.items.drain() }
        for case .delivery(let task) in dropped { task.dropPending() }
    }

    private func take(isFirst: Bool) -> Item? {
        monitor.withLock { state in
            if isFirst, state.deliverer != nil { return nil }
            state.deliverer = state.items.isEmpty ? nil : pthread_self()
            return state.items.popFirst()
        }
    }
}
