import CSystem
import Synchronization

/// Condition variable for a `LockWord`: a counter of signals on which waiters sleep.
///
/// Changes to awaited state are made under the lock, and signalled under it or after it.
/// Waiting threads sleep in the kernel (futex(2)); without waiters, a signal costs no system call.
struct Condition: ~Copyable {
    /// Changes with each signal. A waiter reads it under the lock and sleeps only while it is unchanged.
    private let signals = Atomic<UInt32>(0)
    /// Changed only under the lock.
    private let waiters = Atomic<UInt32>(0)

    init() {}

    /// Unlocks, sleeps until a signal or `deadline` (monotonic nanoseconds, `.max` = none), and locks again. May return early.
    func wait(_ lock: borrowing LockWord, deadline: UInt64) {
        waiters.add(1, ordering: .relaxed)
        // Read under the lock: a signal after the unlock changes the number, and the kernel then refuses to sleep.
        let seen = signals.load(ordering: .relaxed)
        lock.unlock()
        unsafe withUnsafePointer(to: signals) { unsafe csys_futex_wait($0, seen, deadline) }
        lock.lock()
        waiters.subtract(1, ordering: .relaxed)
    }

    /// Wakes one waiter, for changes that any single waiter can handle.
    func signal() { wake(1) }
    /// Wakes all waiters, for changes that concern several, such as a shutdown.
    func broadcast() { wake(.max) }

    private func wake(_ count: Int32) {
        signals.wrappingAdd(1, ordering: .relaxed)
        // A waiter that registered before the change is visible: the lock orders the two.
        guard waiters.load(ordering: .relaxed) > 0 else { return }
        unsafe withUnsafePointer(to: signals) { unsafe csys_futex_wake($0, count) }
    }
}
