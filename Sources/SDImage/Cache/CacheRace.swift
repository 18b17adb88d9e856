/// A query of several members of a chain at once, which ends with the first hit. Members that are too late are cancelled, and
/// nothing waits for them: a cache of the host may take long.
/// Made by `CacheChain` for each query.
final class CacheRace<R: Sendable>: Sendable {
    /// A query of one member; nil is a miss.
    typealias Query = @Sendable () async -> Result<R?, ImageError>

    /// Guarded by the lock.
    private struct State {
        /// nil before the caller waits, and after the end.
        var resumption: Resumption<Result<R?, ImageError>>?
        var tasks: [Task<Void, Never>] = []
        /// Number of members without an outcome.
        var running = 0
        /// The outcome if no member has a hit: an error of one of them, or a miss.
        var outcome = Result<R?, ImageError>.success(nil)
        var hasEnded = false
    }

    private let state = Lock(State())

    /// The first hit. Without one, an error of a member, or nil after all have missed. Fails with `cancelled` as soon as the task is
    /// cancelled. `lease`: held until all members have replied.
    func first(of queries: [Query], lease: EngineLease) async -> Result<R?, ImageError> {
        await suspended { resumption in
            start(queries, lease, resumption)
        } onCancel: { [self] in
            end(with: .failure(.cancelled))
        }
    }

    private func start(_ queries: [Query], _ lease: EngineLease, _ resumption: Resumption<Result<R?, ImageError>>) {
        let isCancelled = state.withLock { state in
            state.running = queries.count
            if !state.hasEnded { state.resumption = resumption }
            return state.hasEnded
        }
        if isCancelled { return resumption(.failure(.cancelled)) }
        let tasks = queries.map { query in
            Task(executorPreference: lease.engine.executor) { [self] in
                note(await query())
                withExtendedLifetime(lease) {}
            }
        }
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.tasks = tasks }
            return state.hasEnded
        }
        // A member had a hit before the others could be cancelled.
        if hasEnded { for task in tasks { task.cancel() } }
    }

    /// Takes the outcome of one member.
    private func note(_ outcome: Result<R?, ImageError>) {
        if case .success(.some) = outcome { return end(with: outcome) }
        let last = state.withLock { state -> Result<R?, ImageError>? in
            state.running -= 1
            if case .failure = outcome { state.outcome = outcome }
            return state.running == 0 ? state.outcome : nil
        }
        if let last { end(with: last) }
    }

    /// Has an effect once.
    private func end(with outcome: Result<R?, ImageError>) {
        let (resumption, tasks) = state.withLock { state in
            defer { (state.resumption, state.tasks, state.hasEnded) = (nil, [], true) }
            return (state.resumption, state.tasks)
        }
        for task in tasks { task.cancel() }
        resumption?(outcome)
    }
}
