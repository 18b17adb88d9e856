import SDImage
import Testing

@testable import SDImageIsolation

@Suite struct WorkerQueueTests {
    private final class Worker {}

    private let first = Worker()
    private let second = Worker()

    /// The numbers in the order in which one free worker serves them.
    private func order(_ queue: WorkerQueue, _ numbers: [UInt64], worker: Worker) -> [UInt64] {
        var (queue, order) = (queue, [UInt64]())
        while let next = numbers.first(where: { !order.contains($0) && queue.mayTake(ObjectIdentifier(worker), $0) }) {
            queue.leave(next)
            order.append(next)
        }
        return order
    }

    @Test func higherPrioritiesAreServedFirstAndEqualOnesInOrder() {
        var queue = WorkerQueue()
        let priorities: [LoadPriority] = [.low, .normal, .high, .low, .normal, .high]
        let numbers = priorities.map { queue.enter($0) }
        let expected = [2, 5, 1, 4, 0, 3].map { numbers[$0] }
        // Asked in the opposite order, so that only the queue decides.
        #expect(order(queue, numbers.reversed(), worker: first) == expected)
    }

    @Test func onlyTheFirstMayTakeAWorker() {
        var queue = WorkerQueue()
        let (low, high) = (queue.enter(.low), queue.enter(.high))
        #expect(!queue.mayTake(nil, low) && queue.mayTake(nil, high))
        queue.leave(high)
        #expect(queue.mayTake(nil, low))
        queue.leave(low)
        #expect(queue.isEmpty)
    }

    @Test func aSessionWaitsForItsWorkerOnly() {
        var queue = WorkerQueue()
        let session = queue.enter(.high, wanted: ObjectIdentifier(first))
        let other = queue.enter(.normal)
        #expect(!queue.mayTake(ObjectIdentifier(first), other) && queue.mayTake(ObjectIdentifier(second), other))
        #expect(queue.mayTake(ObjectIdentifier(first), session))
        // A decode that any worker can serve, and that came before, also takes the one that the session wants.
        let late = queue.enter(.low, wanted: ObjectIdentifier(second))
        #expect(!queue.mayTake(ObjectIdentifier(second), late))
    }
}
