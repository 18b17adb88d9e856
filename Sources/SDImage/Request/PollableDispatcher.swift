import CSystem
import Glibc

/// A queue with a file descriptor, for hosts whose event loop polls descriptors.
///
/// The host and its requests retain this object. Running loads retain only the queue. When the host releases this object,
/// queued deliveries are dropped, because no thread can take them any more.
package final class PollableDispatcher: Dispatcher {
    private let queue: PollableQueue

    package init() throws(ImageError) { queue = try PollableQueue() }

    deinit { queue.close() }

    package var isCurrent: Bool { queue.isCurrent }
    package var takesEvents: Bool { true }
    package var target: any Dispatcher { queue }
    package var descriptor: Int32 { queue.descriptor }

    package func post(_ delivery: any Delivery) { queue.post(delivery) }
    package func bindCurrentThread() { queue.bindCurrentThread() }

    /// Runs the callbacks queued now; returns their number.
    package func drain() -> Int {
        var count = 0
        for delivery in queue.takeAll() { count += delivery.deliverPending() }
        return count
    }

    /// The event that `take` derives from the next delivery; nil when nothing is queued. Runs queued calls other than
    /// deliveries of loads on the way.
    package func next<Event>(_ take: (any Delivery) -> Event?) -> Event? {
        while let delivery = queue.takeOne() {
            if let calls = delivery as? CallQueue {
                calls.deliverPending()
                continue
            }
            guard let event = take(delivery) else { continue }
            // A load may have more pending deliveries than the one taken here.
            if delivery.hasPending { queue.post(delivery) }
            return event
        }
        return nil
    }
}

/// The queue and its descriptor.
package final class PollableQueue: Dispatcher {
    private struct State {
        var queue = FIFO<any Delivery>()
        var isSignalled = false
        var isClosed = false
        var bound: pthread_t?
    }

    package let descriptor: Int32
    private let monitor = Monitor(State())

    fileprivate init() throws(ImageError) {
        descriptor = csys_event_descriptor()
        if descriptor < 0 {
            throw ImageError(.ioError, "dispatcher: event descriptor could not be created", systemError: -descriptor)
        }
    }

    // Closed last: the descriptor's number must not be reused while a load could still signal it.
    deinit { Glibc.close(descriptor) }

    package var isCurrent: Bool { monitor.withLock { $0.bound } == pthread_self() }
    package var takesEvents: Bool { true }

    fileprivate func bindCurrentThread() { monitor.withLock { $0.bound = pthread_self() } }

    package func post(_ delivery: any Delivery) {
        let isDropped = monitor.withLock { state -> Bool in
            if state.isClosed { return true }
            state.queue.append(delivery)
            if !state.isSignalled {
                state.isSignalled = true
                csys_signal_event(descriptor)
            }
            return false
        }
        if isDropped { delivery.dropPending() }
    }

    fileprivate func takeOne() -> (any Delivery)? {
        monitor.withLock { state in
            let delivery = state.queue.popFirst()
            unsignalWhenEmpty(&state)
            return delivery
        }
    }

    fileprivate func takeAll() -> [any Delivery] {
        monitor.withLock { state in
            let all = state.queue.drain()
            unsignalWhenEmpty(&state)
            return all
        }
    }

    fileprivate func close() {
        let dropped = monitor.withLock { state in
            state.isClosed = true
            return state.queue.drain()
        }
        for delivery in dropped { delivery.dropPending() }
    }

    private func unsignalWhenEmpty(_ state: inout State) {
        guard state.isSignalled, state.queue.isEmpty else { return }
        state.isSignalled = false
        csys_clear_event(descriptor)
    }
}
