typealias Transfers = Coalescer<FetchKey, SharedTransfer, Load>

/// One transfer, shared by the loads that send the same request: its response head, growing body and preview, and its response
/// until the last of them has stored it.
/// Made by `FetchStage.join` and kept in `ImageManager.transfers`. The loader reports on any thread.
/// `state` is its lock; it is not held while loads, loaders or the host run.
final class SharedTransfer: Sendable {
    /// The received parts of the response. An object, because few of many waiting transfers have one.
    private final class Arrival: @unchecked Sendable {
        // Unchecked: used under the lock of `state`.
        /// Bytes of the body so far; `expected` is -1 for an unknown length.
        var received: (count: Int64, expected: Int64)?
        var head: ReceivedHead?
        /// The body that is being received; nil after the end, because `response` has the bytes.
        var body: GrowingBody?
        /// The latest image that the loader sent ahead.
        var preview: Image?
        /// Set by a successful end, for loads that join while others still store it.
        var response: FetchResult?
    }

    /// Guarded by the lock.
    private struct State {
        /// The request as it is sent and its loader, until the transfer ends: a loader of the host may keep the sink, which
        /// holds the transfer.
        var request: ImageRequest?
        var loader: (any ImageLoader)?
        /// The transfer, or a token that cancels the task of a leased fetch.
        var work: (any Cancellable)?
        /// True when the loader knows the transfer, and if its priority changed before.
        var isStarted = false
        var hasNewPriority = false
        /// True when the last load has left.
        var isCancelled = false
        var isFinished = false
        var arrival: Arrival?
    }

    private let key: FetchKey
    private let transfers: Transfers
    private let engine: Engine
    private let state: Lock<State>

    init(_ key: FetchKey, _ request: ImageRequest, _ loader: any ImageLoader, of manager: ImageManager) {
        self.key = key
        transfers = manager.transfers
        engine = manager.engine
        state = Lock(State(request: request, loader: loader))
    }

    /// Remembers the work that was started, to cancel it when the last load leaves.
    /// The loader knows the transfer from now on, so a priority that changed before is passed on.
    func attach(_ work: any Cancellable) {
        let (isCancelled, hasNewPriority) = state.withLock { state in
            // Kept only while it is needed: it refers to the transfer.
            if !state.isCancelled, !state.isFinished { state.work = work }
            state.isStarted = true
            return (state.isCancelled, state.hasNewPriority)
        }
        if isCancelled { work.cancel() }
        if hasNewPriority { updatePriority() }
    }

    /// Takes the outcome of the loader.
    /// Called by the loader, on any thread, once.
    func loaderFinished(_ outcome: Result<LoadedData, ImageError>) {
        let (request, loader) = state.withLock { ($0.request, $0.loader) }
        // Without them, the last load has left.
        guard let request, let loader else { return finish(.failure(.cancelled)) }
        finish(outcome.map { FetchResult($0.noted(request, loader), engine.backlog) })
    }

    /// Gives a load that joined late the response, or what has arrived so far.
    /// The head comes before everything else, as it does for loads that joined at the start.
    func update(_ load: Load) {
        let (response, received, head, body, preview) = state.withLock { state in
            let arrival = state.arrival
            return (arrival?.response, arrival?.received, arrival?.head, arrival?.body, arrival?.preview)
        }
        if let head { load.didRespond(head) }
        if let response {
            response.noteShared()
            return load.transferFinished(.success(response))
        }
        if let received { load.didReceive(received.count, received.expected) }
        if let body { load.bodyArrives(body) }
        if let preview { load.didPreview(preview) }
    }

    /// Removes a load that needs nothing more of the transfer; the last one cancels it.
    func leave(_ load: Load) {
        guard transfers.leave(load, key, self) else {
            // Only a load that alone had the highest priority changes that of the transfer.
            if loads.allSatisfy({ $0.context.priority < load.context.priority }) { updatePriority() }
            return
        }
        let work = state.withLock { state in
            state.isCancelled = true
            defer { (state.work, state.request, state.loader) = (nil, nil, nil) }
            return (state.work, state.request, state.loader)
        }
        work.0?.cancel()
    }

    /// True if a load waits for the transfer.
    /// Called by `FetchStage` before it starts the transfer.
    var hasLoads: Bool { loads.count > 0 }

    /// Gives the transfer the highest priority of its loads, as soon as the loader knows it.
    /// Loaders know transfers by their sharing key; those without one keep their first priority.
    func updatePriority() {
        let loader = state.withLock { state -> (any ImageLoader)? in
            if !state.isStarted { state.hasNewPriority = true }
            return state.isStarted ? state.loader : nil
        }
        guard let loader, let sharingKey = key.sharingKey, let priority = loads.map(\.context.priority).max() else { return }
        loader.setPriority(sharingKey, to: priority)
    }

    /// Ends the transfer, and continues its loads.
    /// `outcome` may hold a response of this process or the entry of another one.
    func finish(_ outcome: Result<FetchResult, ImageError>) {
        let finished = state.withLock { state in
            state.isFinished = true
            var arrival = state.arrival
            if case .success(let response) = outcome {
                arrival = arrival ?? Arrival()
                arrival?.response = response
                state.arrival = arrival
            }
            defer {
                (state.work, state.request, state.loader) = (nil, nil, nil)
                arrival?.body = nil
                arrival?.preview = nil
            }
            return (state.work, state.request, state.loader, arrival?.body, arrival?.preview)
        }
        withExtendedLifetime(finished) {}
        // A successful transfer stays in the table: a load that starts while others decode and store the response uses it, too.
        guard case .success(let response) = outcome else {
            // A failed transfer leaves the table first, so that a load that retries starts another one.
            for load in transfers.finish(key, self) { load.transferFinished(outcome) }
            return
        }
        // Set before the loads continue: the first one decides by it about a shared decode.
        let loads = loads
        if loads.count > 1 { response.noteShared() }
        for load in loads { load.transferFinished(outcome) }
    }

    private var loads: Transfers.Waiters { transfers.waiters(key, self) }

    /// Calls `body` under the lock, with the record, which is made on the first call.
    private func change<R: Sendable>(_ body: (Arrival) -> R) -> R {
        state.withLock { state in
            let arrival = state.arrival ?? Arrival()
            state.arrival = arrival
            return body(arrival)
        }
    }
}

/// The progress of the transfer, for its loads.
/// Records each event before the loads are notified: a load that joins meanwhile finds it in `update`.
extension SharedTransfer: ProgressReceiver {
    func didReceive(_ received: Int64, _ expected: Int64) {
        change { $0.received = (received, expected) }
        for load in loads { load.didReceive(received, expected) }
    }

    func bodyArrives(_ body: GrowingBody) {
        change { $0.body = body }
        for load in loads { load.bodyArrives(body) }
    }

    func didRespond(_ head: ReceivedHead) {
        change { $0.head = head }
        for load in loads { load.didRespond(head) }
    }

    func didPreview(_ image: Image) {
        let old = change { arrival in
            defer { arrival.preview = image }
            return arrival.preview
        }
        withExtendedLifetime(old) {}
        for load in loads { load.didPreview(image) }
    }
}
