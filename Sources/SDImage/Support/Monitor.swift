import Glibc

/// A value under a lock that threads can wait on: a mutex and a condition variable on the monotonic clock.
///
/// For library threads and for callers that asked to block. Code on the cooperative executor uses `Mutex` instead.
@safe package final class Monitor<State: ~Copyable>: @unchecked Sendable {
    // Unchecked: `state` is touched only between `lock` and `unlock`.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: consuming State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(condition)
        unsafe mutex.deallocate()
        unsafe condition.deallocate()
    }

    /// Only for the at-fork handlers, which must hold a lock across the fork.
    package func lock() { unsafe _ = pthread_mutex_lock(mutex) }
    package func unlock() { unsafe _ = pthread_mutex_unlock(mutex) }

    /// For whoever called `lock`: the value under it.
    func withHeldState<R>(_ body: (borrowing State) -> R) -> R { body(state) }

    package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body(&state)
    }

    /// Nothing where somebody else has the lock.
    package func withLockIfFree(_ body: (inout State) -> Void) {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return }
        defer { unlock() }
        body(&state)
    }

    package func signal() { unsafe _ = pthread_cond_signal(condition) }
    package func broadcast() { unsafe _ = pthread_cond_broadcast(condition) }

    /// Calls `body` under the lock until it answers, sleeping in between. `body` may give a later moment to be called
    /// again through `wakeAt`. nil when `deadline` passed first.
    package func wait<R>(deadline: UInt64 = .max, _ body: (inout State, inout UInt64) -> R?) -> R? {
        lock()
        defer { unlock() }
        while true {
            var wakeAt = UInt64.max
            if let answer = body(&state, &wakeAt) { return answer }
            let until = min(wakeAt, deadline)
            if until == .max {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            if MonotonicClock.now >= deadline { return nil }
            var time = timespec(tv_sec: Int(until / 1_000_000_000), tv_nsec: Int(until % 1_000_000_000))
            unsafe pthread_cond_timedwait(condition, mutex, &time)
        }
    }
}
