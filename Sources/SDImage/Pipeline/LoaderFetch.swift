/// One fetch by a loader alone, without a manager: nothing is cached, decoded or shared with other loads.
/// Serves the fetch function of loaders in the C interface. Validates and delivers as a load does.
package final class LoaderFetch: LoadWork {
    /// Guarded by its lock.
    private struct State {
        /// The start, and then the transfer.
        var work: (any Cancellable)?
        /// Set when the transfer has started.
        var loader: (any ImageLoader)?
        var priority: LoadPriority
        var hasEnded = false
    }

    private let request: ImageRequest
    private let engine: Engine
    private let task: LoadTask
    /// Identifies the transfer when its priority changes.
    private let key = SharingKey(url: [], details: Array("fetch \(UniqueNumber.next())".utf8))
    private let started = MonotonicClock.now
    private let state: Lock<State>

    private init(_ request: ImageRequest, _ engine: Engine, _ task: LoadTask) {
        self.request = request
        self.engine = engine
        self.task = task
        state = Lock(State(priority: request.priority))
    }

    /// Starts a fetch; the result of the returned task has the bytes.
    /// Throws only if no fetch could start. Errors of the URL or of the loader are part of the result.
    package static func start(
        _ request: ImageRequest, from loader: any ImageLoader, handler: (any LoadHandler)? = nil, token: UInt = 0,
        owner: (any Sendable & AnyObject)? = nil, observers: LoadObservers, lease: EngineLease
    ) throws(ImageError) -> LoadTask {
        let dispatcher = request.dispatcher.resolved(nil) ?? LibraryDispatcher(lease: lease)
        if handler != nil { try dispatcher.prepare() }
        try lease.engine.executor.ensureStarted()
        let task = LoadTask(
            url: request.urlText.redacted, token: token, dispatcher: dispatcher, priority: request.priority,
            handler: handler, owner: owner, observers: observers, lease: lease)
        let fetch = LoaderFetch(request.withoutPollableDispatcher, lease.engine, task)
        // A loader of the host may wait in its functions.
        let work = Task(executorPreference: lease.engine.executor) { await fetch.run(loader) }
        fetch.hold(CancellationToken { work.cancel() }, nil)
        task.attach(fetch)
        return task
    }

    /// The same for a caller that waits; returns a result with an error too.
    /// Refuses to block a thread of the library.
    package static func wait(
        for request: ImageRequest, from loader: any ImageLoader, observers: LoadObservers, lease: EngineLease
    ) throws(ImageError) -> ImageResult {
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "loader: blocking load on a library thread") }
        var request = request
        // There is no callback, so nothing needs a queue.
        request.dispatcher = .none
        let task = try start(request, from: loader, observers: observers, lease: lease)
        _ = task.waitForResult(deadline: .max)
        guard let result = task.result else { throw ImageError(.internalError, "loader: load ended without a result") }
        return result
    }

    /// Its only task was cancelled.
    func leave(_ task: LoadTask, _ priority: LoadPriority) {
        let ended = end()
        ended.work?.cancel()
        // This may be the last reference to the loader, which the transfer needs until it is cancelled.
        withExtendedLifetime(ended.loader) {}
    }

    func changePriority(from old: LoadPriority?, to new: LoadPriority?) {
        guard let new else { return }
        let loader = state.withLock { state in
            state.priority = new
            return state.loader
        }
        loader?.setPriority(key, to: new)
    }

    /// Runs on the asynchronous thread of the library.
    private func run(_ loader: any ImageLoader) async {
        do throws(ImageError) {
            try request.urlText.validate()
            let loader = try loader.chosen(for: request)
            var sent = try await loader.prepared(request)
            // The priority may have changed while the loader prepared the request.
            sent.priority = state.withLock { $0.priority }
            let transfer = loader.begin(sent, sharedAs: key, progress: LoadProgress(self), on: engine.executor) { [self] in
                finish($0)
            }
            hold(transfer, loader)
            // A change before `hold` found no loader.
            let priority = state.withLock { $0.priority }
            if priority != sent.priority { loader.setPriority(key, to: priority) }
        } catch { finish(.failure(error)) }
    }

    /// Remembers the work under way; cancels it if the fetch has ended.
    private func hold(_ work: any Cancellable, _ loader: (any ImageLoader)?) {
        let hasEnded = state.withLock { state in
            // The transfer may have begun before the token of the start arrives.
            if !state.hasEnded, loader != nil || state.loader == nil { (state.work, state.loader) = (work, loader) }
            return state.hasEnded
        }
        if hasEnded { work.cancel() }
    }

    /// Ends the fetch, and returns the work to cancel, and the loader that does it. Has an effect once.
    private func end() -> (work: (any Cancellable)?, loader: (any ImageLoader)?) {
        state.withLock { state in
            defer { (state.work, state.loader, state.hasEnded) = (nil, nil, true) }
            return (state.work, state.loader)
        }
    }

    /// Called by the loader, on any thread. `end` releases the work before the result is delivered.
    private func finish(_ outcome: Result<LoadedData, ImageError>) {
        let ended = end()
        withExtendedLifetime(ended) {}
        var timings = StageTimings()
        timings.total = MonotonicClock.now - started
        timings.load = timings.total
        let (data, error) = LoaderFetch.parts(outcome)
        if let error {
            let url = URLText(task.url.string).messageText
            Log.write(.info, "loader: failed: \(error.message.string) (\(error.status.name)) \(url)")
        }
        task.finish(
            ImageResult(
                kind: .final, image: data?.image, data: data?.image == nil ? data?.bytes : nil,
                error: error?.about(url: task.url),
                source: data?.source ?? .none, url: task.url, timings: timings,
                transactions: error?.transactions ?? data?.transactions ?? [], response: task.response))
    }

    /// The response 304 has no bytes, and the request had no cached copy, so it is an error.
    private static func parts(_ outcome: Result<LoadedData, ImageError>) -> (LoadedData?, ImageError?) {
        switch outcome {
        case .failure(let error): return (nil, error)
        case .success(let data) where data.isUnmodified: return (nil, .unmodified(after: data.transactions))
        case .success(let data): return (data, nil)
        }
    }
}

extension LoaderFetch: ProgressReceiver {
    package func didReceive(_ received: Int64, _ expected: Int64) { task.report(received: received, expected: expected) }
    package func didRespond(_ head: ReceivedHead) { task.note(head) }
}
