import Glibc

/// A value under a lock that is held for some nanoseconds by many threads at once.
///
/// A waiter looks again for a short while, then sleeps: with more threads than processors the holder may be off its
/// processor, and waiting busily, as `Mutex` does for long, costs more than it saves.
@safe package final class AdaptiveLock<Value: ~Copyable>: @unchecked Sendable {
    // Unchecked: `value` is touched only between locking and unlocking.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: consuming sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&attributes)
        unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        unsafe pthread_mutex_init(mutex, &attributes)
        unsafe pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    @inline(__always)
    package func withLock<R: ~Copyable, E: Error>(_ body: (inout sending Value) throws(E) -> sending R) throws(E) -> sending R {
        unsafe _ = pthread_mutex_lock(mutex)
        defer { unsafe _ = pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
