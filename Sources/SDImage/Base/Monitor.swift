import Synchronization

/// Value protected by a lock, with waiting for a change.
///
/// Used by library threads and by callers that asked to block. Code on the cooperative executor uses `Lock`.
/// `Lock` stores its value in place, without an object of its own.
@safe package final class Monitor<State: ~Copyable>: @unchecked Sendable {
    // Unchecked: `cell` is accessed only while `word` is locked.
    private let word = LockWord()
    private let condition = Condition()
    private let cell: _Cell<State>

    package init(_ state: consuming State) { cell = _Cell(state) }

    /// Only for the at-fork handlers, which hold locks across the fork.
    package func lock() { word.lock() }
    package func unlock() { word.unlock() }

    /// The value, for the caller of `lock`.
    /// Only between `lock` and `unlock` of the same thread: the handlers of a fork hold many locks at once.
    func withHeldState<R>(_ body: (inout State) -> R) -> R { unsafe body(&cell._address.pointee) }

    package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        let value = unsafe cell._address
        return unsafe try body(&value.pointee)
    }

    /// Calls `body` under the lock; does nothing if the lock is held.
    /// For work that the holder does as well, or that a later call can do.
    package func withLockIfFree(_ body: (inout State) -> Void) {
        guard word.tryLock() else { return }
        defer { unlock() }
        let value = unsafe cell._address
        unsafe body(&value.pointee)
    }

    /// Wakes one waiter; called after a change that any waiter may handle.
    package func signal() { condition.signal() }
    /// Wakes all waiters, to let each examine the change.
    package func broadcast() { condition.broadcast() }

    /// Calls `body` under the lock until it returns a value, and sleeps between calls. `body` may set the time of its next call
    /// through `wakeAt`. Returns nil if `deadline` passes first.
    /// `wakeAt` is in monotonic nanoseconds and counts for one sleep only.
    package func wait<R>(deadline: UInt64 = .max, _ body: (inout State, inout UInt64) -> R?) -> R? {
        lock()
        defer { unlock() }
        let value = unsafe cell._address
        while true {
            var wakeAt = UInt64.max
            if let result = unsafe body(&value.pointee, &wakeAt) { return result }
            if deadline != .max, MonotonicClock.now >= deadline { return nil }
            // Woken or not, `body` examines the state again under the lock.
            condition.wait(word, deadline: min(wakeAt, deadline))
        }
    }
}
