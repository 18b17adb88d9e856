/// Runs equal work that is requested at the same time once.
///
/// The first waiter of a key starts the work, later ones join it, and all get its outcome. The work is cancelled when its last
/// waiter leaves.
package final class Coalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, ImageError>

    /// One caller that waits. Its completion handler is called exactly once: with the outcome, or with `cancelled` when it leaves
    /// first.
    package final class Waiter: Cancellable {
        private enum State {
            case new
            case waiting(@Sendable (Outcome) -> Void)
            case finished
        }

        fileprivate let progress: LoadProgress?
        private let coalescer: Coalescer
        private let state = Lock(State.new)
        private let joined = Lock<InFlight?>(nil)

        fileprivate init(_ coalescer: Coalescer, _ progress: LoadProgress?) {
            self.coalescer = coalescer
            self.progress = progress
        }

        /// Leaves with `cancelled`.
        package func cancel() { coalescer.leave(self) }

        /// Subscribes the completion handler; false when the waiter has left already.
        fileprivate func wait(_ completion: @escaping @Sendable (Outcome) -> Void) -> Bool {
            state.withLock { state in
                guard case .new = state else { return false }
                state = .waiting(completion)
                return true
            }
        }

        /// The work that the waiter has joined; set once.
        fileprivate var inFlight: InFlight? {
            get { joined.withLock { $0 } }
            set { joined.withLock { $0 = newValue } }
        }

        fileprivate var isFinished: Bool {
            state.withLock { state in if case .finished = state { true } else { false } }
        }

        fileprivate func finish(_ outcome: Outcome) { takeCompletion()?(outcome) }

        /// The completion handler; nil before the waiter subscribes and after it was taken.
        fileprivate func takeCompletion() -> (@Sendable (Outcome) -> Void)? {
            let previous = state.withLock { state in
                defer { state = .finished }
                return state
            }
            return if case .waiting(let completion) = previous { completion } else { nil }
        }
    }

    /// Work that has started, and its waiters.
    fileprivate final class InFlight: Sendable {
        private struct State {
            var waiters: [Waiter] = []
            var work: (any Cancellable)?
            /// The growing body of a transfer.
            var body: GrowingBody?
            var head: ReceivedHead?
            /// The latest partial image.
            var partial: Image?
            var isFinished = false
        }

        let key: Key
        private let state = Lock(State())

        init(_ key: Key) { self.key = key }

        var waiters: [Waiter] { state.withLock { $0.waiters } }
        var body: GrowingBody? { state.withLock { $0.body } }
        var head: ReceivedHead? { state.withLock { $0.head } }
        var partial: Image? { state.withLock { $0.partial } }

        /// False when the work is finished.
        func add(_ waiter: Waiter) -> Bool {
            state.withLock { state in
                if !state.isFinished { state.waiters.append(waiter) }
                return !state.isFinished
            }
        }

        /// Stores the handle that cancels the work, or cancels immediately when all waiters have left: cancelling finished work
        /// has no effect.
        func attach(_ work: any Cancellable) {
            let isFinished = state.withLock { state in
                if !state.isFinished { state.work = work }
                return state.isFinished
            }
            if isFinished { work.cancel() }
        }

        func setBody(_ body: GrowingBody) -> [Waiter] {
            state.withLock { state in
                state.body = body
                return state.waiters
            }
        }

        func setHead(_ head: ReceivedHead) -> [Waiter] {
            state.withLock { state in
                state.head = head
                return state.waiters
            }
        }

        func setPartial(_ image: Image) -> [Waiter] {
            let (waiters, old) = state.withLock { state in
                defer { state.partial = image }
                return (state.waiters, state.partial)
            }
            withExtendedLifetime(old) {}
            return waiters
        }

        /// The waiters that are left when the work finishes.
        func finish() -> [Waiter] {
            let (waiters, work) = state.withLock { state in
                state.isFinished = true
                defer { (state.waiters, state.work) = ([], nil) }
                return (state.waiters, state.work)
            }
            withExtendedLifetime(work) {}
            return waiters
        }

        /// `isLast` is true when no waiter is left; `work` is then to be cancelled.
        func remove(_ waiter: Waiter) -> (isLast: Bool, work: (any Cancellable)?) {
            state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0 === waiter }) else { return (false, nil) }
                state.waiters.remove(at: index)
                guard state.waiters.isEmpty else { return (false, nil) }
                state.isFinished = true
                defer { state.work = nil }
                return (true, state.work)
            }
        }
    }

    private let table = Lock<[Key: InFlight]>([:])

    package init() {}

    /// A waiter that has not joined yet; it can be cancelled before.
    package func waiter(_ progress: LoadProgress? = nil) -> Waiter { Waiter(self, progress) }

    /// The outcome of `work`, shared with all callers that request `key` meanwhile. Cancelling the surrounding task leaves with
    /// `cancelled`.
    package func value(
        for key: Key, on executor: WorkerThread, progress: LoadProgress? = nil, joined: () -> Void = {},
        shared: @escaping @Sendable (Value) -> Void = { _ in },
        work: @escaping @Sendable (LoadProgress) async throws(ImageError) -> Value
    ) async throws(ImageError) -> Value {
        let waiter = waiter(progress)
        let outcome: Outcome = await withTaskCancellationHandler {
            await suspended { resume in
                join(waiter, for: key, joined: joined, shared: shared) { progress, done in
                    Task(executorPreference: executor) {
                        do throws(ImageError) { done(.success(try await work(progress))) } catch { done(.failure(error)) }
                    }
                } completion: {
                    resume($0)
                }
            }
        } onCancel: {
            waiter.cancel()
        }
        return try outcome.get()
    }

    /// Joins the work of `key`, or starts it. Holds no task: thousands of waiters cost little more than their requests.
    ///
    /// `start` begins the work, which calls `done` when it ends. `joined` is called when the work had started before, `shared`
    /// when several waiters get the outcome, before they get it. `completion` is called once, on any thread, possibly before
    /// this returns.
    @_specialize(exported:false,where Key == FetchKey, Value == FetchResult)
    @_specialize(exported:false,where Key == DecodeKey, Value == Image)
    package func join(
        _ waiter: Waiter, for key: Key, joined: () -> Void = {}, shared: @escaping @Sendable (Value) -> Void = { _ in },
        start: (LoadProgress, _ done: @escaping @Sendable (Outcome) -> Void) -> any Cancellable,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        guard waiter.wait(completion) else { return completion(.failure(.cancelled)) }
        let (inFlight, isNew) = enter(waiter, key)
        if isNew {
            inFlight.attach(start(progress(of: inFlight)) { [self] outcome in finish(inFlight, outcome, shared) })
        } else {
            joined()
            // A late waiter gets what has arrived so far.
            if let body = inFlight.body { waiter.progress?.arrives(in: body) }
            if let head = inFlight.head { waiter.progress?.responded(head) }
            if let partial = inFlight.partial { waiter.progress?.shows(partial) }
        }
        // Cancelled after `wait` and before `enter`: `leave` found no work to leave then.
        if waiter.isFinished { leave(waiter) }
    }

    /// Adds the waiter to the work of its key, which is new when there was none.
    private func enter(_ waiter: Waiter, _ key: Key) -> (InFlight, isNew: Bool) {
        table.withLock { table in
            if let inFlight = table[key], inFlight.add(waiter) {
                waiter.inFlight = inFlight
                return (inFlight, false)
            }
            let inFlight = InFlight(key)
            _ = inFlight.add(waiter)
            waiter.inFlight = inFlight
            table[key] = inFlight
            return (inFlight, true)
        }
    }

    private func progress(of inFlight: InFlight) -> LoadProgress {
        LoadProgress { received, expected in
            for waiter in inFlight.waiters { waiter.progress?(received, expected) }
        } arrival: { body in
            for waiter in inFlight.setBody(body) { waiter.progress?.arrives(in: body) }
        } response: { head in
            for waiter in inFlight.setHead(head) { waiter.progress?.responded(head) }
        } picture: { image in
            for waiter in inFlight.setPartial(image) { waiter.progress?.shows(image) }
        }
    }

    private func finish(_ inFlight: InFlight, _ outcome: Outcome, _ shared: (Value) -> Void) {
        let waiters = inFlight.finish()
        forget(inFlight)
        if waiters.count > 1, case .success(let value) = outcome { shared(value) }
        for waiter in waiters { waiter.finish(outcome) }
    }

    /// Removes the work from the table, unless newer work has its key.
    private func forget(_ inFlight: InFlight) {
        table.withLock { table in
            if table[inFlight.key] === inFlight { table[inFlight.key] = nil }
        }
    }

    private func leave(_ waiter: Waiter) {
        let completion = waiter.takeCompletion(), inFlight = waiter.inFlight
        let (isLast, work) = inFlight?.remove(waiter) ?? (false, nil)
        if isLast, let inFlight { forget(inFlight) }
        // Must come last: the waiter may free the object whose address is part of the key, and a new object may reuse that
        // address.
        completion?(.failure(.cancelled))
        work?.cancel()
    }
}
