import CSystem
import Glibc

/// A queue behind a file descriptor, for hosts whose event loop watches descriptors.
///
/// This is what the host and its requests hold. Loads under way hold the queue alone: when the host lets go, what is
/// still queued is dropped, because nobody can take it any more.
package final class PollableDispatcher: Dispatcher {
    private let queue: PollableQueue

    package init() throws(ImageError) { queue = try PollableQueue() }

    deinit { queue.close() }

    package var isCurrent: Bool { queue.isCurrent }
    package var takesEvents: Bool { true }
    package var target: any Dispatcher { queue }
    package var descriptor: Int32 { queue.descriptor }

    package func post(_ delivery: LoadTask) { queue.post(delivery) }
    package func bindCurrentThread() { queue.bindCurrentThread() }

    /// Runs the callbacks queued now; returns how many deliveries that were.
    package func drain() -> Int {
        var count = 0
        for delivery in queue.takeAll() { count += delivery.deliverPending() }
        return count
    }

    /// The next delivery as an object, or nil when nothing is queued.
    package func nextEvent() -> LoadEvent? {
        while let delivery = queue.takeOne() {
            guard let event = delivery.takePending() else { continue }
            // A load may have more than the one delivery that this post stood for.
            if delivery.hasPending { queue.post(delivery) }
            return event
        }
        return nil
    }
}

/// The queue and its descriptor.
package final class PollableQueue: Dispatcher {
    private struct State {
        var queue = FIFO<LoadTask>()
        var isSignalled = false
        var isClosed = false
        var bound: pthread_t?
    }

    package let descriptor: Int32
    private let monitor = Monitor(State())

    fileprivate init() throws(ImageError) {
        descriptor = csys_event_descriptor()
        if descriptor < 0 { throw ImageError(.ioError, "no event descriptor to be had", systemError: -descriptor) }
    }

    // The descriptor's number must not be used again while a load could still signal it.
    deinit { Glibc.close(descriptor) }

    package var isCurrent: Bool { monitor.withLock { $0.bound } == pthread_self() }
    package var takesEvents: Bool { true }

    fileprivate func bindCurrentThread() { monitor.withLock { $0.bound = pthread_self() } }

    package func post(_ delivery: LoadTask) {
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

    fileprivate func takeOne() -> LoadTask? {
        monitor.withLock { state in
            let delivery = state.queue.popFirst()
            unsignalWhenEmpty(&state)
            return delivery
        }
    }

    fileprivate func takeAll() -> [LoadTask] {
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
