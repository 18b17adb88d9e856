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
        /// Set once, before anybody else hears of it.
        private let boarded = Mutex<Flight?>(nil)

        init(progress: LoadProgress?) { self.progress = progress }

        /// False when it left before it began to wait.
        func wait(_ continuation: UnsafeContinuation<Result<Value, ImageError>, Never>) -> Bool {
            state.withLock { state in
                guard case .new = state else { return false }
                state = unsafe .waiting(continuation)
                return true
            }
        }

        var flight: Flight? {
            get { boarded.withLock { $0 } }
            set { boarded.withLock { $0 = newValue } }
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

    /// A piece of work under way, and those who wait for it.
    private final class Flight: Sendable {
        private struct State {
            var waiters: [Waiter] = []
            var work: Task<Void, Never>?
            /// Where its bytes come in.
            var body: GrowingBody?
            var head: ReceivedHead?
            /// What was shown last.
            var shown: Image?
            var isOver = false
        }

        let key: Key
        private let state = Mutex(State())

        init(_ key: Key) { self.key = key }

        var waiters: [Waiter] { state.withLock { $0.waiters } }
        var body: GrowingBody? { state.withLock { $0.body } }
        var head: ReceivedHead? { state.withLock { $0.head } }
        var shown: Image? { state.withLock { $0.shown } }

        /// False when it is over.
        func board(_ waiter: Waiter) -> Bool {
            state.withLock { state in
                if !state.isOver { state.waiters.append(waiter) }
                return !state.isOver
            }
        }

        /// Over already, or everybody has left: cancelling what is done changes nothing.
        func attach(_ work: Task<Void, Never>) {
            let isOver = state.withLock { state in
                state.work = work
                return state.isOver
            }
            if isOver { work.cancel() }
        }

        func arrive(in body: GrowingBody) -> [Waiter] {
            state.withLock { state in
                state.body = body
                return state.waiters
            }
        }

        func note(_ head: ReceivedHead) -> [Waiter] {
            state.withLock { state in
                state.head = head
                return state.waiters
            }
        }

        func show(_ image: Image) -> [Waiter] {
            state.withLock { state in
                state.shown = image
                return state.waiters
            }
        }

        /// Those who still wait when it ends.
        func end() -> [Waiter] {
            state.withLock { state in
                state.isOver = true
                defer { state.waiters = [] }
                return state.waiters
            }
        }

        /// True when it was the last one: then nobody wants the work any more.
        func leave(_ waiter: Waiter) -> (isEmpty: Bool, work: Task<Void, Never>?) {
            state.withLock { state in
                guard let place = state.waiters.firstIndex(where: { $0 === waiter }) else { return (false, nil) }
                state.waiters.remove(at: place)
                guard state.waiters.isEmpty else { return (false, nil) }
                state.isOver = true
                return (true, state.work)
            }
        }
    }

    private let flights = Mutex<[Key: Flight]>([:])

    package init() {}

    /// The outcome of `work`, shared with everybody who asks for `key` meanwhile. `joined` is called when somebody else
    /// had started it, `shared` when several get the outcome, before they do. Cancelling the surrounding task leaves with
    /// `cancelled`.
    package func value(
        for key: Key, on executor: WorkerThread, progress: LoadProgress? = nil, joined: () -> Void = {},
        shared: @escaping @Sendable (Value) -> Void = { _ in },
        work: @escaping @Sendable (LoadProgress) async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let waiter = Waiter(progress: progress)
        let outcome: Result<Value, ImageError> = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation { continuation in
                guard unsafe waiter.wait(continuation) else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                let (flight, isNew) = board(waiter, key)
                if isNew {
                    launch(flight, on: executor, shared: shared, work: work)
                } else {
                    joined()
                    // Who comes later sees the bytes so far.
                    if let body = flight.body { progress?.arrives(in: body) }
                    if let head = flight.head { progress?.responded(head) }
                    if let shown = flight.shown { progress?.shows(shown) }
                }
                // Cancelled between beginning to wait and boarding: `leave` found nothing to leave then.
                if waiter.isDone { leave(waiter) }
            }
        } onCancel: {
            leave(waiter)
        }
        return try outcome.get()
    }

    /// Joins the flight under way, or opens one.
    private func board(_ waiter: Waiter, _ key: Key) -> (Flight, isNew: Bool) {
        flights.withLock { flights in
            if let flight = flights[key], flight.board(waiter) {
                waiter.flight = flight
                return (flight, false)
            }
            let flight = Flight(key)
            _ = flight.board(waiter)
            waiter.flight = flight
            flights[key] = flight
            return (flight, true)
        }
    }

    private func launch(
        _ flight: Flight, on executor: WorkerThread, shared: @escaping @Sendable (Value) -> Void,
        work: @escaping @Sendable (LoadProgress) async throws(ImageError) -> Value
    ) {
        flight.attach(
            Task(executorPreference: executor) { [self] in
                do throws(ImageError) {
                    let progress = LoadProgress { received, expected in
                        for waiter in flight.waiters { waiter.progress?(received, expected) }
                    } arrival: { body in
                        for waiter in flight.arrive(in: body) { waiter.progress?.arrives(in: body) }
                    } response: { head in
                        for waiter in flight.note(head) { waiter.progress?.responded(head) }
                    } picture: { image in
                        for waiter in flight.show(image) { waiter.progress?.shows(image) }
                    }
                    let value = try await work(progress)
                    land(flight, .success(value), shared)
                } catch {
                    land(flight, .failure(error), shared)
                }
            })
    }

    private func land(_ flight: Flight, _ outcome: Result<Value, ImageError>, _ shared: (Value) -> Void) {
        let waiters = flight.end()
        forget(flight)
        if waiters.count > 1, case .success(let value) = outcome { shared(value) }
        for waiter in waiters { waiter.resume(outcome) }
    }

    /// Another one may have its place already.
    private func forget(_ flight: Flight) {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
        }
    }

    private func leave(_ waiter: Waiter) {
        waiter.resume(.failure(.cancelled))
        guard let flight = waiter.flight else { return }
        let (isEmpty, work) = flight.leave(waiter)
        guard isEmpty else { return }
        forget(flight)
        work?.cancel()
    }
}
