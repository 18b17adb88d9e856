typealias Decodes = Coalescer<DecodeKey, SharedDecode, SharedDecode.Waiter>

/// One decode, shared by the loads that decode the same bytes alike. Ends when the last of them is cancelled.
/// Used by `DecodeStage` only. The table is `ImageManager.decodes`.
final class SharedDecode: Sendable {
    /// A suspended load.
    final class Waiter: Sendable {
        private struct State {
            var resumption: Resumption<Result<Image, ImageError>>?
            /// The decode that the waiter joined, for its cancellation.
            var decode: SharedDecode?
        }

        private let state = Lock(State())

        /// Called before the waiter joins, so that no outcome is lost.
        fileprivate func suspend(_ resumption: Resumption<Result<Image, ImageError>>) {
            state.withLock { $0.resumption = resumption }
        }

        fileprivate var decode: SharedDecode? {
            get { state.withLock { $0.decode } }
            set { state.withLock { $0.decode = newValue } }
        }

        /// Has an effect once.
        fileprivate func resume(_ outcome: Result<Image, ImageError>) {
            let resumption = state.withLock { state in
                defer { state.resumption = nil }
                return state.resumption
            }
            resumption?(outcome)
        }
    }

    private let key: DecodeKey?
    /// The table that has the decode while it runs.
    private let decodes: Decodes
    private let pool: WorkPool
    /// Starts at low priority; loads that join raise it.
    private let stop = CancellationToken(priority: .low)
    /// The work while it is queued, and its priority in the queue.
    private let queued = Lock<(body: @Sendable () -> Void, priority: LoadPriority)?>(nil)

    private init(_ key: DecodeKey?, in decodes: Decodes, on pool: WorkPool) {
        self.key = key
        self.decodes = decodes
        self.pool = pool
    }

    /// The image that `decode` returns on a worker, shared with loads of an equal key; nil shares with none. `isInTurn`: a calling
    /// worker was given the task when it was its turn. `didJoin` receives the shared decode, and raises its priority. Fails with
    /// `cancelled` as soon as the task is cancelled.
    /// `limit`: nanoseconds of work, from the start of the decode.
    static func value(
        _ key: DecodeKey?, in decodes: Decodes, on pool: WorkPool, _ priority: LoadPriority, isInTurn: Bool,
        limit: UInt64, didJoin: @escaping @Sendable (SharedDecode) -> Void,
        _ decode: @escaping @Sendable (CancellationToken) throws(ImageError) -> Image
    ) async throws(ImageError) -> Image {
        let waiter = Waiter()
        let outcome: Result<Image, ImageError> = await suspended { resumption in
            waiter.suspend(resumption)
            let made = SharedDecode(key, in: decodes, on: pool)
            let (shared, isNew) = key.map { decodes.join(waiter, $0) { made } } ?? (made, true)
            waiter.decode = shared
            didJoin(shared)
            // The handler below may have run before the waiter joined. Other loads may have joined since.
            if Task.isCancelled { shared.leave(waiter) }
            if isNew { shared.start(priority, isInTurn: isInTurn) { shared.run(waiter, limit, decode) } }
        } onCancel: {
            waiter.decode?.leave(waiter)
        }
        return try outcome.get()
    }

    /// Runs the decode on the calling worker if no other work would wait for it, otherwise queues it.
    private func start(_ priority: LoadPriority, isInTurn: Bool, _ body: @escaping @Sendable () -> Void) {
        // A worker decodes itself, without a change of threads. The pool counts work of low priority, and keeps a worker free.
        let isHere =
            LibraryThread.isOwned(by: pool) && (isInTurn || priority > .low && !pool.hasWork(before: priority))
        if isHere { return body() }
        let raised = queued.withLock { queued in
            // Another load may have joined before the work was queued.
            let raised = stop.priority
            queued = (body, raised)
            return raised
        }
        pool.submit(raised) { [self] in begin() }
    }

    /// Raises the priority to at least `priority`. Queues the work a second time if it waits at a lower one.
    func raise(to priority: LoadPriority) {
        stop.raise(to: priority)
        let isRaised = queued.withLock { queued in
            guard let old = queued?.priority, old < priority else { return false }
            queued?.priority = priority
            return true
        }
        if isRaised { pool.submit(priority) { [self] in begin() } }
    }

    /// Runs the work once, however often it was queued.
    private func begin() {
        let work = queued.withLock { queued in
            defer { queued = nil }
            return queued?.body
        }
        work?()
    }

    /// Runs on a worker. Waiters are read at the end: loads join until the decode has left the table.
    private func run(_ first: Waiter, _ limit: UInt64, _ decode: (CancellationToken) throws(ImageError) -> Image) {
        stop.allow(nanoseconds: limit)
        let outcome: Result<Image, ImageError>
        do throws(ImageError) {
            try stop.check()
            outcome = .success(try decode(stop))
        } catch { outcome = .failure(error) }
        // A decode without a key is in no table and has one waiter.
        guard let key else { return first.resume(outcome) }
        for waiter in decodes.finish(key, self) { waiter.resume(outcome) }
    }

    /// Resumes the waiter with `cancelled`; the last one to leave cancels the decode.
    private func leave(_ waiter: Waiter) {
        if key.map({ decodes.leave(waiter, $0, self) }) ?? true { stop.cancel() }
        waiter.resume(.failure(.cancelled))
    }
}
