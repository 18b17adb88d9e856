import Glibc

/// The callbacks of one object of the host, in order and never two at once, on the host's dispatcher.
///
/// It is also the dispatcher of the object's loads, so that their deliveries take their places among the other calls.
package final class CallQueue: Dispatcher {
    private enum Item {
        case call(@Sendable () -> Void)
        case delivery(any Delivery)
    }

    private struct State {
        var items = FIFO<Item>()
        /// The thread that is calling back.
        var deliverer: pthread_t?
    }

    private let base: any Dispatcher
    private let monitor = Monitor(State())

    package init(on dispatcher: any Dispatcher) { base = dispatcher.target }

    /// Also that nothing waits, and nothing runs: a call made now comes after everything before it.
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

    /// Runs `body` in its turn: before this returns where the calling thread is the dispatcher's, unless a call of this queue
    /// is running there; then after it.
    package func perform(_ body: @escaping @Sendable () -> Void) { add(.call(body), inline: true) }

    private func add(_ item: Item, inline: Bool) {
        // Whoever is calling back goes on until nothing waits.
        let isTaken = monitor.withLock { state -> Bool in
            state.items.append(item)
            return state.deliverer != nil
        }
        if isTaken { return }
        if inline, base.isCurrent { deliverPending() } else { base.post(self) }
    }

    /// Runs everything that waits; returns how many that were. Nothing while another thread does.
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

    /// Nobody is there to take them.
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
