import Foundation
import Synchronization

/// Calls of two threads at the same moment, for tests of what may only happen in one order.
enum Race {
    /// The number of times that a thread arrived at the begin of a round.
    private final class Arrivals: Sendable {
        private let count = Atomic(0)

        /// Returns when both threads have arrived. Spins, because a thread that sleeps comes late.
        func wait(_ round: Int) {
            count.wrappingAdd(1, ordering: .sequentiallyConsistent)
            var spins = 0
            while count.load(ordering: .sequentiallyConsistent) < 2 * (round + 1) {
                spins += 1
                if spins > 10_000 { sched_yield() }
            }
        }
    }

    /// Calls both bodies with the number of each round; a round begins when the one before has ended on both threads.
    static func run(rounds: Int, _ first: (Int) -> Void, against second: @escaping @Sendable (Int) -> Void) {
        let arrivals = Arrivals(), group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            defer { group.leave() }
            for round in 0..<rounds {
                arrivals.wait(round)
                second(round)
            }
        }
        for round in 0..<rounds {
            arrivals.wait(round)
            first(round)
        }
        group.wait()
    }
}
