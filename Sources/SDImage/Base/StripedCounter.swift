import Glibc
import Synchronization

/// A counter that many threads increase at a time. The threads share out 16 parts in different processor cache lines, which
/// then rarely move between processors.
/// Statistics of the pipeline count hits in memory with it.
struct StripedCounter: ~Copyable, Sendable {
    private struct Stripe: ~Copyable, Sendable {
        let count = Atomic<Int>(0)
        /// Padding to the size of a cache line.
        private let unused: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    }

    private let stripes = InlineArray<16, Stripe> { _ in Stripe() }

    func increment() {
        // Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4): thread handles differ in some middle bits only.
        let hash = UInt64(pthread_self()) &* 0x9e37_79b9_7f4a_7c15
        stripes[Int(hash >> 60)].count.add(1, ordering: .relaxed)
    }

    /// A sum of values read at different moments: exact only while no thread counts.
    var value: Int {
        var sum = 0
        for index in stripes.indices { sum &+= stripes[index].count.load(ordering: .relaxed) }
        return sum
    }
}
