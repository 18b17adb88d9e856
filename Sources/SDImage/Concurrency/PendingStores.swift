/// Stores that are queued or under way, for which flushing waits.
/// Numbers increase, so that a flush can tell earlier stores from later ones.
package final class PendingStores: Sendable {
    private struct Store {
        let number: UInt64
        /// The entry that is stored, and the identities of its cache and of all that this contains; none if no removal drops it.
        let key: CacheKey?
        let caches: [ObjectIdentifier]
        /// Called once when a removal drops the store.
        let whenDropped: (@Sendable () -> Void)?
    }

    private struct State {
        /// Number of the latest store.
        var last: UInt64 = 0
        /// Stores that have not ended.
        var pending: [Store] = []
    }

    private let state = Monitor(State())

    package init() {}

    /// Adds a store; ended with `finish`.
    /// `caches`: the identities of the cache and of all that it contains; then `drop` ends the store, too, and calls
    /// `whenDropped`.
    package func begin(
        _ key: CacheKey? = nil, in caches: [ObjectIdentifier] = [], whenDropped: (@Sendable () -> Void)? = nil
    ) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.pending.append(Store(number: state.last, key: key, caches: caches, whenDropped: whenDropped))
            return state.last
        }
    }

    /// Ends a store, whether it succeeded or not.
    package func finish(_ number: UInt64) { _ = remove { $0.number == number } }

    /// Calls `store` unless the store was dropped. Under the lock: a removal that follows `drop` is later than the store.
    func perform(_ number: UInt64, _ store: () -> Void) {
        state.withLock { if $0.pending.contains(where: { $0.number == number }) { store() } }
    }

    /// Drops the stores that would bring back an entry, or all entries (nil), of caches from which it is about to be removed.
    func drop(_ key: CacheKey?, of caches: [ObjectIdentifier]) {
        let dropped = remove { (key == nil || $0.key == key) && $0.caches.contains(where: caches.contains) }
        for store in dropped { store.whenDropped?() }
    }

    /// Returns the removed stores, so that they are released outside the lock.
    private func remove(where matches: (Store) -> Bool) -> [Store] {
        let removed = state.withLock { state in
            let removed = state.pending.filter(matches)
            state.pending.removeAll(where: matches)
            return removed
        }
        state.broadcast()
        return removed
    }

    /// Waits for the stores that are queued now; false if `deadline` passed first, and on a thread of the library, which may have
    /// to run them.
    /// `deadline`: monotonic nanoseconds.
    package func wait(deadline: UInt64) -> Bool {
        if LibraryThread.isCurrent { return false }
        let last = state.withLock { $0.last }
        return state.wait(deadline: deadline) { state, _ in state.pending.contains { $0.number <= last } ? nil : true } ?? false
    }
}
