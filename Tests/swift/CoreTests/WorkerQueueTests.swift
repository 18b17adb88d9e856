import SDImage
import Testing

@testable import SDImageIsolation

@Suite struct WorkerQueueTests {
    private final class Worker {}

    private let first = Worker()
    private let second = Worker()

    private func token(_ priority: LoadPriority) -> CancellationToken {
        let stop = CancellationToken()
        stop.priority = priority
        return stop
    }

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
        let numbers = priorities.map { queue.enter(token($0)) }
        let expected = [2, 5, 1, 4, 0, 3].map { numbers[$0] }
        // Asked in the opposite order, so that only the queue decides.
        #expect(order(queue, numbers.reversed(), worker: first) == expected)
    }

    @Test func onlyTheFirstMayTakeAWorker() {
        var queue = WorkerQueue()
        let (low, high) = (queue.enter(token(.low)), queue.enter(token(.high)))
        #expect(!queue.mayTake(nil, low) && queue.mayTake(nil, high))
        queue.leave(high)
        #expect(queue.mayTake(nil, low))
        queue.leave(low)
        #expect(queue.isEmpty)
    }

    @Test func aSessionWaitsForItsWorkerOnly() {
        var queue = WorkerQueue()
        let session = queue.enter(token(.high), wanted: ObjectIdentifier(first))
        let other = queue.enter(token(.normal))
        #expect(!queue.mayTake(ObjectIdentifier(first), other) && queue.mayTake(ObjectIdentifier(second), other))
        #expect(queue.mayTake(ObjectIdentifier(first), session))
        // A decode that any worker can serve, and that came before, also takes the one that the session wants.
        let late = queue.enter(token(.low), wanted: ObjectIdentifier(second))
        #expect(!queue.mayTake(ObjectIdentifier(second), late))
    }

    @Test func aChangedPriorityCountsAtOnce() {
        var queue = WorkerQueue()
        let stop = token(.low)
        let (low, normal) = (queue.enter(stop), queue.enter(token(.normal)))
        #expect(order(queue, [low, normal], worker: first) == [normal, low])
        stop.raise(to: .high)
        #expect(order(queue, [normal, low], worker: first) == [low, normal])
        stop.raise(to: .low)
        #expect(stop.priority == .high)
    }

    @Test func waitingMovesADeadline() {
        let stop = CancellationToken()
        stop.extend(nanoseconds: 1)
        #expect(stop.end == .max)
        stop.allow(nanoseconds: 1_000_000_000)
        let end = stop.end
        stop.extend(nanoseconds: 5)
        #expect(stop.end == end + 5)
    }
}
