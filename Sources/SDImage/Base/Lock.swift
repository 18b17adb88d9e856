import Synchronization

/// Value protected by a lock: the only lock type of the library. `Monitor` adds waiting for a change.
///
/// `Synchronization.Mutex` is not used: it stores the kernel's thread id of the owner. Each thread caches that id, which is
/// wrong in the child of a fork. ThreadSanitizer does not see the slow path of `Mutex`.
/// Critical sections are short: any thread of the library may wait for them.
@safe package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: `cell` is accessed only while `word` is locked.
    private let word = LockWord()
    /// A cell of `Synchronization`, which gives the value a stable address.
    private let cell: _Cell<Value>

    @inline(__always)
    package init(_ value: consuming sending Value) { cell = _Cell(value) }

    /// Only for the at-fork handlers, which hold locks across the fork.
    package func lock() { word.lock() }
    package func unlock() { word.unlock() }

    /// Sleeps until the value is as wanted; false if `deadline` passes first. A thread that changes the value signals `condition`.
    /// Blocks the calling thread; a host that waits for the result of a task does so here.
    func wait(on condition: borrowing Condition, deadline: UInt64, until isWanted: (borrowing Value) -> Bool) -> Bool {
        word.lock()
        defer { word.unlock() }
        let value = unsafe cell._address
        // A wait may return early, so the state decides, then the clock.
        while unsafe !isWanted(value.pointee) {
            if deadline != .max, MonotonicClock.now >= deadline { return false }
            condition.wait(word, deadline: deadline)
        }
        return true
    }

    /// Not recursive: a call of the same lock inside `body` never returns.
    @inline(__always)
    package func withLock<R: ~Copyable, E: Error>(_ body: (inout sending Value) throws(E) -> sending R) throws(E) -> sending R {
        word.lock()
        defer { word.unlock() }
        // A separate pointer: for an access through `cell`, ThreadSanitizer would report a change of the lock word.
        let value = unsafe cell._address
        return unsafe try body(&value.pointee)
    }
}
