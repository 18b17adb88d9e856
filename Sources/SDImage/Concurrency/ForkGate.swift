/// Keeps threads out of a C library during a fork, because the library has mutexes of its own: the child could wait forever for
/// one that a thread of its parent holds.
/// One for each such library. `ForkHandlers` closes and opens it.
package final class ForkGate: Sendable {
    /// Guarded by the monitor.
    private struct State {
        /// Number of threads in the library.
        var inside = 0
        /// True while a fork is under way.
        var isClosed = false
        /// True in a child whose parent had threads in the library.
        var isLost = false
    }

    /// Nanoseconds for which a fork waits for threads in the library: most images take less.
    private static let longestWait: UInt64 = 250_000_000

    private let state = Monitor(State())

    package init() {}

    /// Calls the library; waits while a fork is under way. Throws `forked` in a child that must not call it.
    package func pass<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        // Counting and the check are one step, or a fork could begin between them.
        let isLost = state.wait { state, _ -> Bool? in
            guard !state.isClosed else { return nil }
            if !state.isLost { state.inside += 1 }
            return state.isLost
        }
        if isLost == true { throw .forked }
        defer {
            let isAwaited = state.withLock { state in
                state.inside -= 1
                return state.isClosed
            }
            // Only a fork waits for threads that leave.
            if isAwaited { state.broadcast() }
        }
        return try body()
    }

    /// Lets no more threads in, and waits for those inside, but not for long.
    /// Returns with the lock held, which `open` releases. Threads that stay inside make the library unusable in the
    /// child.
    func close() {
        let end = MonotonicClock.now + ForkGate.longestWait
        _ = state.wait(deadline: end) { state, _ -> Bool? in
            state.isClosed = true
            return state.inside == 0 ? true : nil
        }
        state.lock()
    }

    /// Opens the gate after the fork, in the parent and in the child.
    func open(inChild: Bool) {
        state.withHeldState { state in
            state.isClosed = false
            guard inChild else { return }
            // The mutexes of the library may be held by threads that the child does not have.
            if state.inside > 0 { state.isLost = true }
            state.inside = 0
        }
        state.unlock()
        state.broadcast()
    }
}
