/// Lets equal pieces of work that are wanted at the same moment run once: the first to ask starts it, the others wait for
/// the same outcome, and it is cancelled when the last of them has left.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, ImageError>

    /// One who waits. Told exactly once: by the outcome or by leaving, whichever is first.
    package final class Seat: Cancellable {
        private enum State {
            case new
            case waiting(@Sendable (Outcome) -> Void)
            case done
        }

        fileprivate let progress: LoadProgress?
        private let coalescer: Coalescer
        private let state = Lock(State.new)
        /// Set once, before anybody else hears of it.
        private let boarded = Lock<Flight?>(nil)

        fileprivate init(_ coalescer: Coalescer, _ progress: LoadProgress?) {
            self.coalescer = coalescer
            self.progress = progress
        }

        /// Leaves with `cancelled`.
        package func cancel() { coalescer.leave(self) }

        /// False when it left before it began to wait.
        fileprivate func wait(_ tell: @escaping @Sendable (Outcome) -> Void) -> Bool {
            state.withLock { state in
                guard case .new = state else { return false }
                state = .waiting(tell)
                return true
            }
        }

        fileprivate var flight: Flight? {
            get { boarded.withLock { $0 } }
            set { boarded.withLock { $0 = newValue } }
        }

        fileprivate var isDone: Bool {
            state.withLock { state in if case .done = state { true } else { false } }
        }

        fileprivate func tell(_ outcome: Outcome) { end()?(outcome) }

        /// Whom to tell; nil where that is done, or he is not waiting yet.
        fileprivate func end() -> (@Sendable (Outcome) -> Void)? {
            let previous = state.withLock { state in
                defer { state = .done }
                return state
            }
            return if case .waiting(let tell) = previous { tell } else { nil }
        }
    }

    /// A piece of work under way, and those who wait for it.
    fileprivate final class Flight: Sendable {
        private struct State {
            var seats: [Seat] = []
            var work: (any Cancellable)?
            /// Where its bytes come in.
            var body: GrowingBody?
            var head: ReceivedHead?
            /// What was shown last.
            var shown: Image?
            var isOver = false
        }

        let key: Key
        private let state = Lock(State())

        init(_ key: Key) { self.key = key }

        var seats: [Seat] { state.withLock { $0.seats } }
        var body: GrowingBody? { state.withLock { $0.body } }
        var head: ReceivedHead? { state.withLock { $0.head } }
        var shown: Image? { state.withLock { $0.shown } }

        /// False when it is over.
        func board(_ seat: Seat) -> Bool {
            state.withLock { state in
                if !state.isOver { state.seats.append(seat) }
                return !state.isOver
            }
        }

        /// Over already, or everybody has left: cancelling what is done changes nothing.
        func attach(_ work: any Cancellable) {
            let isOver = state.withLock { state in
                if !state.isOver { state.work = work }
                return state.isOver
            }
            if isOver { work.cancel() }
        }

        func arrive(in body: GrowingBody) -> [Seat] {
            state.withLock { state in
                state.body = body
                return state.seats
            }
        }

        func note(_ head: ReceivedHead) -> [Seat] {
            state.withLock { state in
                state.head = head
                return state.seats
            }
        }

        func show(_ image: Image) -> [Seat] {
            let (seats, old) = state.withLock { state in
                defer { state.shown = image }
                return (state.seats, state.shown)
            }
            withExtendedLifetime(old) {}
            return seats
        }

        /// Those who still wait when it ends.
        func end() -> [Seat] {
            let (seats, work) = state.withLock { state in
                state.isOver = true
                defer { (state.seats, state.work) = ([], nil) }
                return (state.seats, state.work)
            }
            withExtendedLifetime(work) {}
            return seats
        }

        /// True when it was the last one: then nobody wants the work any more.
        func leave(_ seat: Seat) -> (isEmpty: Bool, work: (any Cancellable)?) {
            state.withLock { state in
                guard let place = state.seats.firstIndex(where: { $0 === seat }) else { return (false, nil) }
                state.seats.remove(at: place)
                guard state.seats.isEmpty else { return (false, nil) }
                state.isOver = true
                defer { state.work = nil }
                return (true, state.work)
            }
        }
    }

    private let flights = Lock<[Key: Flight]>([:])

    package init() {}

    /// For one who is going to wait; can be cancelled before.
    package func seat(_ progress: LoadProgress? = nil) -> Seat { Seat(self, progress) }

    /// The outcome of `work`, shared with everybody who asks for `key` meanwhile. Cancelling the surrounding task leaves with
    /// `cancelled`.
    package func value(
        for key: Key, on executor: WorkerThread, progress: LoadProgress? = nil, joined: () -> Void = {},
        shared: @escaping @Sendable (Value) -> Void = { _ in },
        work: @escaping @Sendable (LoadProgress) async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let seat = seat(progress)
        let outcome: Outcome = await withTaskCancellationHandler {
            await suspended { resume in
                join(seat, for: key, joined: joined, shared: shared) { progress, done in
                    Task(executorPreference: executor) {
                        do throws(ImageError) { done(.success(try await work(progress))) } catch { done(.failure(error)) }
                    }
                } tell: {
                    resume($0)
                }
            }
        } onCancel: {
            seat.cancel()
        }
        return try outcome.get()
    }

    /// The same for one who waits without a task: `tell` is called once, on any thread, maybe before this returns. `start`
    /// begins the work, whose end `done` hears. `joined` is called when somebody else had started it, `shared` when several
    /// get the outcome, before they do.
    @_specialize(exported:false,where Key == FetchKey, Value == Fetched)
    @_specialize(exported:false,where Key == DecodeKey, Value == Image)
    package func join(
        _ seat: Seat, for key: Key, joined: () -> Void = {}, shared: @escaping @Sendable (Value) -> Void = { _ in },
        start: (LoadProgress, _ done: @escaping @Sendable (Outcome) -> Void) -> any Cancellable,
        tell: @escaping @Sendable (Outcome) -> Void
    ) {
        guard seat.wait(tell) else { return tell(.failure(.cancelled)) }
        let (flight, isNew) = board(seat, key)
        if isNew {
            flight.attach(start(progress(of: flight)) { [self] outcome in land(flight, outcome, shared) })
        } else {
            joined()
            // Who comes later sees the bytes so far.
            if let body = flight.body { seat.progress?.arrives(in: body) }
            if let head = flight.head { seat.progress?.responded(head) }
            if let shown = flight.shown { seat.progress?.shows(shown) }
        }
        // Cancelled between beginning to wait and boarding: `leave` found nothing to leave then.
        if seat.isDone { leave(seat) }
    }

    /// Joins the flight under way, or opens one.
    private func board(_ seat: Seat, _ key: Key) -> (Flight, isNew: Bool) {
        flights.withLock { flights in
            if let flight = flights[key], flight.board(seat) {
                seat.flight = flight
                return (flight, false)
            }
            let flight = Flight(key)
            _ = flight.board(seat)
            seat.flight = flight
            flights[key] = flight
            return (flight, true)
        }
    }

    private func progress(of flight: Flight) -> LoadProgress {
        LoadProgress { received, expected in
            for seat in flight.seats { seat.progress?(received, expected) }
        } arrival: { body in
            for seat in flight.arrive(in: body) { seat.progress?.arrives(in: body) }
        } response: { head in
            for seat in flight.note(head) { seat.progress?.responded(head) }
        } picture: { image in
            for seat in flight.show(image) { seat.progress?.shows(image) }
        }
    }

    private func land(_ flight: Flight, _ outcome: Outcome, _ shared: (Value) -> Void) {
        let seats = flight.end()
        forget(flight)
        if seats.count > 1, case .success(let value) = outcome { shared(value) }
        for seat in seats { seat.tell(outcome) }
    }

    /// Another one may have its place already.
    private func forget(_ flight: Flight) {
        flights.withLock { flights in
            if flights[flight.key] === flight { flights[flight.key] = nil }
        }
    }

    private func leave(_ seat: Seat) {
        let tell = seat.end(), flight = seat.flight
        let (isEmpty, work) = flight?.leave(seat) ?? (false, nil)
        if isEmpty, let flight { forget(flight) }
        // Now only: told, he may let go of what the key knows by its address, and another may come to be there.
        tell?(.failure(.cancelled))
        work?.cancel()
    }
}
