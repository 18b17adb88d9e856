import SDImage

/// One load, shared between its caller and the transfer thread.
/// Made by `CurlLoader` for each request. The transfer thread has the `Transfer`; this object is what other threads
/// see of it.
final class Download: Cancellable {
    typealias Outcome = Result<LoadedData, ImageError>

    /// Settings of the downloader.
    let settings: LoaderSettings
    private let service: CurlService
    /// Those of the loader at the start of the download.
    private let fields: SentFields
    let request: ImageRequest
    /// nil if no other load shares it.
    let sharingKey: SharingKey?
    /// Receives progress on the transfer thread.
    let progress: LoadProgress
    /// Hooks of the request; the loader's where the request sets none.
    let hooks: DownloadHooks?

    /// Guarded by `state`.
    private struct State {
        /// The completion handler; nil before `wait` and after it was called.
        var done: (@Sendable (Outcome) -> Void)?
        var isCancelled = false
        /// True from `count` to `finish`.
        var isCounted = false
        /// The task that waits for a hook of the host.
        var call: Task<Void, Never>?
    }

    private let state = Lock(State())

    init(
        _ request: ImageRequest, sharingKey: SharingKey?, settings: LoaderSettings, service: CurlService,
        progress: LoadProgress
    ) {
        self.settings = settings
        self.service = service
        self.sharingKey = sharingKey
        self.progress = progress
        hooks = request.hooks?.over(settings.configuration.hooks) ?? settings.configuration.hooks
        fields = settings.sentFields
        self.request = request
    }

    var url: URLText { request.urlText }

    // The request sets these, or else the loader.

    /// Bytes after content decoding.
    var maxBodyBytes: Int { request.maxBodyBytes > 0 ? request.maxBodyBytes : max(1, settings.configuration.maxBodyBytes) }
    var maxRetries: Int { Int(request.maxRetries ?? settings.configuration.maxRetries) }
    /// Nanoseconds.
    var inactivityTimeout: UInt64 { timeout(settings.configuration.inactivityTimeoutMilliseconds, orElse: 15_000) }
    /// Nanoseconds. The time-out of a request replaces both.
    var totalTimeout: UInt64 { timeout(settings.configuration.totalTimeoutMilliseconds, orElse: .max) }

    /// Nanoseconds of a time-out of the loader; 0 = the standard one.
    private func timeout(_ ofLoader: UInt32, orElse standard: UInt32) -> UInt64 {
        let own = request.timeoutMilliseconds
        let milliseconds = own > 0 ? own : ofLoader > 0 ? ofLoader : standard
        return Durations.nanoseconds(milliseconds: UInt64(milliseconds))
    }

    /// Header fields of the loader and the request.
    /// In the order in which they are sent; the fields of the request take precedence.
    var headers: [HeaderField] {
        RequestHead.merge(RequestHead.defaults(fields.fields, settings.configuration.bearerToken, url), request)
    }

    /// The header fields that are sent to another origin.
    var impersonalHeaders: [HeaderField] { RequestHead.without(request.omittedHeaders, fields.fields.impersonal) }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The end is reported by the transfer thread.
    func cancel() {
        markCancelled()
        service.post(.cancel(self))
    }

    /// Ends a hook that is running, for which the transfer waits.
    private func markCancelled() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel()
    }

    /// Calls a hook of the host. `hookReturned` runs on the engine's executor, or immediately if the engine has shut down.
    func call(_ hooks: DownloadHooks, _ call: HookCall, hookReturned: @escaping @Sendable (HookCall.Outcome) -> Void) {
        guard let engine = Engine.current else { return hookReturned(.refusal(.shutdown)) }
        let task = Task(executorPreference: engine.executor) { hookReturned(await call.outcome(of: hooks)) }
        // Cancelled while the task was made.
        let isCancelled = state.withLock { state in
            state.call = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Stores the completion handler.
    func wait(_ done: @escaping @Sendable (Outcome) -> Void) { state.withLock { $0.done = done } }

    /// Counts the download in `transferCount` until it has finished.
    /// Called by `CurlService.post` when it accepts the start.
    func count() {
        state.withLock { $0.isCounted = true }
        settings.transferCount.add(1, ordering: .relaxed)
    }

    /// Calls the completion handler; the second and later calls do nothing. Ends a hook that still runs after a time-out.
    /// May be called on any thread.
    func finish(_ outcome: Outcome) {
        let (done, call, isCounted) = state.withLock { state in
            defer { (state.done, state.call, state.isCounted) = (nil, nil, false) }
            return (state.done, state.call, state.isCounted)
        }
        call?.cancel()
        if isCounted { settings.transferCount.subtract(1, ordering: .relaxed) }
        done?(outcome)
    }

    /// True if the request has one of these fields. A condition or range set by the caller makes a response without the
    /// complete content acceptable.
    /// `names` are compared without regard to case.
    func sends(_ names: [String]) -> Bool { headers.contains { field in names.contains { field.isNamed($0) } } }
}
