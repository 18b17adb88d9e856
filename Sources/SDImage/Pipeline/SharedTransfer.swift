typealias Transfers = Coalescer<FetchKey, SharedTransfer, Load>

/// One transfer, shared by the loads that send the same request: its response head, growing body and preview, and its response
/// until the last of them has stored it.
final class SharedTransfer: Sendable {
    private struct State {
        /// The request as it is sent and its loader, until the transfer ends: a loader of the host may keep the sink, which
        /// holds the transfer.
        var request: ImageRequest?
        var loader: (any ImageLoader)?
        var work: (any Cancellable)?
        var isCancelled = false
        var isFinished = false
        var received: (count: Int64, expected: Int64)?
        var head: ReceivedHead?
        var body: GrowingBody?
        var preview: Image?
        var response: FetchResult?
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
    func attach(_ work: any Cancellable) {
        let isCancelled = state.withLock { state in
            // Kept only while it is needed: it refers to the transfer.
            if !state.isCancelled, !state.isFinished { state.work = work }
            return state.isCancelled
        }
        if isCancelled { work.cancel() }
    }

    /// Takes the outcome of the loader.
    func loaderFinished(_ outcome: Result<LoadedData, ImageError>) {
        let (request, loader) = state.withLock { ($0.request, $0.loader) }
        // Without them, the last load has left.
        guard let request, let loader else { return finish(.failure(.cancelled)) }
        finish(outcome.map { FetchResult($0.noted(request, loader), engine.backlog) })
    }

    /// Gives a load that joined late the response, or what has arrived so far.
    func update(_ load: Load) {
        let (response, received, head, body, preview) = state.withLock {
            ($0.response, $0.received, $0.head, $0.body, $0.preview)
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
        guard transfers.leave(load, key, self) else { return }
        let work = state.withLock { state in
            state.isCancelled = true
            defer { (state.work, state.request, state.loader) = (nil, nil, nil) }
            return (state.work, state.request, state.loader)
        }
        work.0?.cancel()
    }

    /// Gives the transfer the highest priority of its loads.
    func updatePriority() {
        guard !key.sharingKey.isEmpty, let priority = loads.map(\.context.priority).max() else { return }
        state.withLock { $0.loader }?.setPriority(key.sharingKey, to: priority)
    }

    /// Ends the transfer, and continues its loads.
    func finish(_ outcome: Result<FetchResult, ImageError>) {
        let finished = state.withLock { state in
            if case .success(let response) = outcome { state.response = response }
            state.isFinished = true
            defer {
                (state.work, state.request, state.loader, state.body, state.preview) = (nil, nil, nil, nil, nil)
            }
            return (state.work, state.request, state.loader, state.body, state.preview)
        }
        withExtendedLifetime(finished) {}
        // A successful transfer stays in the table: a load that starts while others decode and store the response uses it, too.
        guard case .success(let response) = outcome else {
            for load in transfers.finish(key, self) { load.transferFinished(outcome) }
            return
        }
        let loads = loads
        if loads.count > 1 { response.noteShared() }
        for load in loads { load.transferFinished(outcome) }
    }

    private var loads: Transfers.Waiters { transfers.waiters(key, self) }
}

/// The progress of the transfer, for its loads.
extension SharedTransfer: ProgressReceiver {
    func didReceive(_ received: Int64, _ expected: Int64) {
        state.withLock { $0.received = (received, expected) }
        for load in loads { load.didReceive(received, expected) }
    }

    func bodyArrives(_ body: GrowingBody) {
        state.withLock { $0.body = body }
        for load in loads { load.bodyArrives(body) }
    }

    func didRespond(_ head: ReceivedHead) {
        state.withLock { $0.head = head }
        for load in loads { load.didRespond(head) }
    }

    func didPreview(_ image: Image) {
        let old = state.withLock { state in
            defer { state.preview = image }
            return state.preview
        }
        withExtendedLifetime(old) {}
        for load in loads { load.didPreview(image) }
    }
}
