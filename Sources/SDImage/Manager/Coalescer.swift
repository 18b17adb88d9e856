import Synchronization

/// Lets equal pieces of work that are wanted at the same moment run once: the first to ask starts it, the others wait for
/// the same outcome, and it is cancelled when the last of them has left.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// One who waits. Resumed exactly once: by the outcome or by leaving, whichever is first.
    private final class Waiter: Sendable {
        @safe private enum State {
            case new
            case waiting(UnsafeContinuation<Result<Value, ImageError>, Never>)
            case done
        }

        let progress: LoadProgress?
        private let state = Mutex(State.new)

        init(progress: LoadProgress?) { self.progress = progress }

        /// False when it left before it began to wait.
        func wait(_ continuation: UnsafeContinuation<Result<Value, ImageError>, Never>) -> Bool {
            state.withLock { state in
                guard case .new = state else { return false }
                state = unsafe .waiting(continuation)
                return true
            }
        }

        var isDone: Bool {
            state.withLock { state in if case .done = state { true } else { false } }
        }

        func resume(_ outcome: Result<Value, ImageError>) {
            let previous = state.withLock { state in
                defer { state = .done }
                return state
            }
            if case .waiting(let continuation) = previous { unsafe continuation.resume(returning: outcome) }
        }
    }

    private struct Flight {
        let number: UInt64
        var waiters: [ObjectIdentifier: Waiter]
        var work: Task<Void, Never>?
        /// Where its bytes come in.
        var body: GrowingBody?
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The outcome of `work`, shared with everybody who asks for `key` meanwhile. `joined` is called when somebody else
    /// had started it. Cancelling the surrounding task leaves with `cancelled`.
    package func value(
        for key: Key, on executor: WorkerThread, progress: LoadProgress? = nil, joined: () -> Void = {},
        work: @escaping @Sendable (LoadProgress) async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let waiter = Waiter(progress: progress)
        let outcome: Result<Value, ImageError> = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { continuation in
                guard unsafe waiter.wait(continuation) else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                if let number = board(waiter, key) {
                    launch(key, number, on: executor, work: work)
                } else {
                    joined()
                    // Who comes later sees the bytes so far.
                    if let body = state.withLock({ $0.flights[key]?.body }) { progress?.arrives(in: body) }
                }
                // Cancelled between beginning to wait and boarding: `leave` found nothing to leave then.
                if waiter.isDone { leave(waiter, key) }
            }
        } onCancel: {
            leave(waiter, key)
        }
        return try outcome.get()
    }

    /// Joins the flight under way, or opens one and gives its number.
    private func board(_ waiter: Waiter, _ key: Key) -> UInt64? {
        state.withLock { state in
            if state.flights[key] != nil {
                state.flights[key]?.waiters[ObjectIdentifier(waiter)] = waiter
                return nil
            }
            state.lastNumber += 1
            state.flights[key] = Flight(number: state.lastNumber, waiters: [ObjectIdentifier(waiter): waiter])
            return state.lastNumber
        }
    }

    private func launch(
        _ key: Key, _ number: UInt64, on executor: WorkerThread,
        work: @escaping @Sendable (LoadProgress) async throws(ImageError) -> Value
    ) {
        let task = Task(executorPreference: executor) { [self] in
            do throws(ImageError) {
                let progress = LoadProgress { [self] received, expected in
                    for waiter in waiters(key, number) { waiter.progress?(received, expected) }
                } arrival: { [self] body in
                    for waiter in waiters(key, number, arrival: body) { waiter.progress?.arrives(in: body) }
                }
                land(key, number, .success(try await work(progress)))
            } catch {
                land(key, number, .failure(error))
            }
        }
        let isWanted = state.withLock { state -> Bool in
            guard state.flights[key]?.number == number else { return false }
            state.flights[key]?.work = task
            return true
        }
        // Landed already, or everybody has left: cancelling what is done changes nothing.
        if !isWanted { task.cancel() }
    }

    private func land(_ key: Key, _ number: UInt64, _ outcome: Result<Value, ImageError>) {
        let flight = state.withLock { state -> Flight? in
            guard state.flights[key]?.number == number else { return nil }
            return state.flights.removeValue(forKey: key)
        }
        guard let flight else { return }
        for waiter in flight.waiters.values { waiter.resume(outcome) }
    }

    private func waiters(_ key: Key, _ number: UInt64, arrival body: GrowingBody? = nil) -> [Waiter] {
        state.withLock { state -> [Waiter] in
            guard let flight = state.flights[key], flight.number == number else { return [] }
            if let body { state.flights[key]?.body = body }
            return Array(flight.waiters.values)
        }
    }

    private func leave(_ waiter: Waiter, _ key: Key) {
        waiter.resume(.failure(.cancelled))
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            guard state.flights[key]?.waiters.removeValue(forKey: ObjectIdentifier(waiter)) != nil,
                state.flights[key]?.waiters.isEmpty == true
            else { return nil }
            return state.flights.removeValue(forKey: key)?.work
        }
        abandoned?.cancel()
    }
}
