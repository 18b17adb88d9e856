import CSystem
import Glibc

/// A queue with a file descriptor, for hosts whose event loop polls descriptors.
///
/// The host and its requests retain this object. Running loads retain only the queue. When the host releases this object,
/// queued deliveries are dropped, because no thread can take them any more.
package final class PollableDispatcher: Dispatcher {
    private let queue: PollableQueue

    package init() throws(ImageError) { queue = try PollableQueue() }

    // No thread can take deliveries of a queue that the host cannot reach.
    deinit { queue.close() }

    package var isCurrent: Bool { queue.isCurrent }
    package var takesEvents: Bool { true }
    /// Loads hold the queue, not this object: otherwise `deinit` would never run.
    package var target: any Dispatcher { queue }
    /// Readable while deliveries are queued. It belongs to the queue and must not be closed by the host.
    package var descriptor: Int32 { queue.descriptor }

    package func post(_ delivery: any Delivery) { queue.post(delivery) }
    /// Makes the calling thread the one on which callbacks may run inline.
    package func bindCurrentThread() { queue.bindCurrentThread() }

    /// Runs the callbacks queued now; returns their number.
    /// Deliveries that are posted meanwhile are left for the next call.
    package func drain() -> Int {
        var count = 0
        for delivery in queue.takeAll() { count += delivery.deliverPending() }
        return count
    }

    /// The event that `take` derives from the next delivery; nil when nothing is queued. Runs queued calls other than
    /// deliveries of loads on the way.
    /// nil from `take`: the delivery has nothing left, for example because it was taken inline.
    package func next<Event>(_ take: (any Delivery) -> Event?) -> Event? {
        while let delivery = queue.takeOne() {
            if let calls = delivery as? CallQueue {
                calls.deliverPending()
                continue
            }
            // Delivered or dropped meanwhile.
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
    /// Guarded by `monitor`.
    private struct State {
        var queue = FIFO<any Delivery>()
        /// True while the descriptor is readable, so that each change is one system call.
        var isSignalled = false
        var isClosed = false
        /// The thread of `bindCurrentThread`; nil before.
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

    /// False before `bindCurrentThread`.
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
        // Outside the lock: dropping may release objects of the host.
        if isDropped { delivery.dropPending() }
    }

    /// The next delivery; nil when none is queued.
    fileprivate func takeOne() -> (any Delivery)? {
        monitor.withLock { state in
            let delivery = state.queue.popFirst()
            unsignalWhenEmpty(&state)
            return delivery
        }
    }

    /// All deliveries that are queued now.
    fileprivate func takeAll() -> [any Delivery] {
        monitor.withLock { state in
            let all = state.queue.drain()
            unsignalWhenEmpty(&state)
            return all
        }
    }

    /// Drops what is queued, and everything that is posted later.
    fileprivate func close() {
        let dropped = monitor.withLock { state in
            state.isClosed = true
            return state.queue.drain()
        }
        for delivery in dropped { delivery.dropPending() }
    }

    /// Called under the lock, so that signal and queue agree.
    private func unsignalWhenEmpty(_ state: inout State) {
        guard state.isSignalled, state.queue.isEmpty else { return }
        state.isSignalled = false
        csys_clear_event(descriptor)
    }
}
