import Synchronization

/// Value protected by a lock, with waiting for a change.
///
/// Used by library threads and by callers that asked to block. Code on the cooperative executor uses `Lock`.
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
    func withHeldState<R>(_ body: (inout State) -> R) -> R { unsafe body(&cell._address.pointee) }

    package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        let value = unsafe cell._address
        return unsafe try body(&value.pointee)
    }

    /// Calls `body` under the lock; does nothing if the lock is held.
    package func withLockIfFree(_ body: (inout State) -> Void) {
        guard word.tryLock() else { return }
        defer { unlock() }
        let value = unsafe cell._address
        unsafe body(&value.pointee)
    }

    package func signal() { condition.signal() }
    package func broadcast() { condition.broadcast() }

    /// Calls `body` under the lock until it returns a value, and sleeps between calls. `body` may set the time of its next call
    /// through `wakeAt`. Returns nil if `deadline` passes first.
    package func wait<R>(deadline: UInt64 = .max, _ body: (inout State, inout UInt64) -> R?) -> R? {
        lock()
        defer { unlock() }
        let value = unsafe cell._address
        while true {
            var wakeAt = UInt64.max
            if let result = unsafe body(&value.pointee, &wakeAt) { return result }
            if deadline != .max, MonotonicClock.now >= deadline { return nil }
            condition.wait(word, deadline: min(wakeAt, deadline))
        }
    }
}
