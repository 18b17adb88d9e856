/// Stores that are queued or under way, for which flushing waits.
/// Numbers increase, so that a flush can tell earlier stores from later ones.
package final class PendingStores: Sendable {
    private struct State {
        /// Number of the latest store.
        var last: UInt64 = 0
        /// Numbers of stores that have not ended.
        var pending: Set<UInt64> = []
    }

    private let state = Monitor(State())

    package init() {}

    /// Adds a store; ended with `finish`.
    package func begin() -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.pending.insert(state.last)
            return state.last
        }
    }

    /// Ends a store, whether it succeeded or not.
    package func finish(_ number: UInt64) {
        state.withLock { _ = $0.pending.remove(number) }
        state.broadcast()
    }

    /// Waits for the stores that are queued now; false if `deadline` passed first, and on a thread of the library, which may have
    /// to run them.
    /// `deadline`: monotonic nanoseconds.
    package func wait(deadline: UInt64) -> Bool {
        if LibraryThread.isCurrent { return false }
        let last = state.withLock { $0.last }
        return state.wait(deadline: deadline) { state, _ in state.pending.contains { $0 <= last } ? nil : true } ?? false
    }
}
