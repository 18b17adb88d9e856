import CSystem
import Synchronization

/// Mutual-exclusion lock of four bytes: the three-state futex lock of Drepper, "Futexes Are Tricky" (mutex 2).
///
/// A waiter spins briefly, then sleeps: with more threads than processors the holder may be preempted. The lock has no owner,
/// so that the child of a fork can unlock a lock taken by the forking thread of its parent. It must be stored in memory that
/// does not move.
package struct LockWord: ~Copyable {
    // 0 = free, 1 = locked, 2 = locked and a thread may sleep.
    // Only a lock in state 2 costs a system call on unlocking.
    private let word = Atomic<UInt32>(0)

    private static let spins = 50

    package init() {}

    /// The uncontended path is one atomic exchange, inlined into callers.
    @inline(__always)
    package func lock() {
        // The calls around it inform ThreadSanitizer, and are empty in other builds.
        unsafe withUnsafePointer(to: word) { unsafe csys_will_lock($0) }
        if !word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged {
            wait()
        }
        unsafe withUnsafePointer(to: word) { unsafe csys_did_lock($0) }
    }

    /// False if the lock is held.
    /// Never sleeps; for work that can be left to the holder.
    package func tryLock() -> Bool {
        unsafe withUnsafePointer(to: word) { unsafe csys_will_try_lock($0) }
        let (isLocked, _) = word.compareExchange(
            expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
        unsafe withUnsafePointer(to: word) { unsafe csys_did_try_lock($0, isLocked) }
        return isLocked
    }

    @inline(__always)
    package func unlock() {
        unsafe withUnsafePointer(to: word) { unsafe csys_will_unlock($0) }
        // One exchange: with a load before the store, a waiter that goes to sleep in between would not be woken.
        if word.exchange(0, ordering: .releasing) == 2 { wake() }
        unsafe withUnsafePointer(to: word) { unsafe csys_did_unlock($0) }
    }

    /// Spins, then sleeps until the lock is taken.
    @inline(never)
    private func wait() {
        for _ in 0..<LockWord.spins {
            // Only reads while the lock is held, so that the cache line stays with the holder.
            csys_pause()
            guard word.load(ordering: .relaxed) == 0 else { continue }
            if word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged {
                return
            }
        }
        // A thread that slept cannot know that it was the last one: it locks with 2.
        while word.exchange(2, ordering: .acquiring) != 0 {
            unsafe withUnsafePointer(to: word) { unsafe csys_futex_wait($0, 2, .max) }
        }
    }

    // The word may already be freed by the next holder: the kernel then finds no sleeper at its address, which is harmless.
    @inline(never)
    private func wake() { unsafe withUnsafePointer(to: word) { unsafe csys_futex_wake($0, 1) } }
}
