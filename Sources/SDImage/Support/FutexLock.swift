import CSystem
import Synchronization

/// A lock of four bytes, to lie beside what it guards: uncontended, to lock is one atomic exchange and to unlock a store.
///
/// A waiter looks again for a short while, then sleeps: with more threads than processors the holder may be off its
/// processor. It must lie in memory that does not move.
package struct FutexLock: ~Copyable {
    // 0 = free, 1 = held, 2 = held and somebody may sleep.
    private let word = Atomic<UInt32>(0)

    /// Nanoseconds.
    private static let nap: UInt32 = 100_000

    package init() {}

    @inline(__always)
    package func lock() {
        if !word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged {
            wait()
        }
    }

    @inline(__always)
    package func unlock() {
        // Not one exchange, which costs as much as locking. A waiter that goes to sleep between these two lines is not woken:
        // it sleeps for `nap` at most.
        if word.load(ordering: .relaxed) == 1 { return word.store(0, ordering: .releasing) }
        if word.exchange(0, ordering: .releasing) == 2 { wake() }
    }

    @inline(never)
    private func wait() {
        for _ in 0..<50 {
            csys_pause()
            guard word.load(ordering: .relaxed) == 0 else { continue }
            if word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged {
                return
            }
        }
        // Whoever slept takes the lock as one that others may sleep on too.
        while word.exchange(2, ordering: .acquiring) != 0 {
            unsafe withUnsafePointer(to: word) { unsafe csys_futex_wait($0, 2, FutexLock.nap) }
        }
    }

    @inline(never)
    private func wake() {
        unsafe withUnsafePointer(to: word) { unsafe csys_futex_wake($0) }
    }
}
