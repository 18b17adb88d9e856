import SDImage

/// One load, shared between its caller and the transfer thread.
final class Download: Sendable {
    typealias Outcome = Result<LoadedData, ImageError>

    let settings: LoaderSettings
    private let service: CurlService
    let url: URLText
    /// Header fields of the loader and the request.
    let headers: [HeaderField]
    private let fields: LoaderFields
    let omittedHeaders: [String]
    let method: String
    /// The request body.
    let content: Bytes?
    let priority: LoadPriority
    let sharingKey: [UInt8]
    let maxBodyBytes: Int
    let maxRetries: Int
    let handlesCookies: Bool
    let acceptsInvalidCertificates: Bool
    let inactivityTimeout: UInt64
    let totalTimeout: UInt64
    let progress: LoadProgress
    /// Hooks of the request; the loader's where the request sets none.
    let hooks: DownloadHooks?
    /// The response body; decoders may read it while it arrives.
    let body: GrowingBody

    private struct State {
        var done: (@Sendable (Outcome) -> Void)?
        var isCancelled = false
        /// The task that waits for a hook of the host.
        var call: Task<Void, Never>?
    }

    private let state = Lock(State())

    init(
        _ request: ImageRequest, url: URLText, sharingKey: [UInt8], settings: LoaderSettings, service: CurlService,
        progress: LoadProgress
    ) {
        let configuration = settings.configuration
        let timeout = request.timeoutMilliseconds
        self.settings = settings
        self.service = service
        self.url = url
        self.sharingKey = sharingKey
        self.progress = progress
        hooks = request.hooks?.over(configuration.hooks) ?? configuration.hooks
        fields = settings.fields
        headers = RequestHead.merge(RequestHead.defaults(fields, configuration, url.bytes), request)
        omittedHeaders = request.omittedHeaders
        method = request.method
        content = request.body
        handlesCookies = request.handlesCookies
        acceptsInvalidCertificates = request.acceptsInvalidCertificates
        priority = request.priority
        maxBodyBytes = request.maxBodyBytes > 0 ? request.maxBodyBytes : max(1, configuration.maxBodyBytes)
        body = GrowingBody(limit: maxBodyBytes, source: .network)
        maxRetries = Int(request.maxRetries ?? configuration.maxRetries)
        inactivityTimeout = Download.nanoseconds(
            timeout > 0 ? timeout : configuration.inactivityTimeoutMilliseconds, orElse: 15_000)
        totalTimeout = Download.nanoseconds(timeout > 0 ? timeout : configuration.totalTimeoutMilliseconds, orElse: .max)
    }

    /// The header fields that are sent to another origin.
    var impersonalHeaders: [HeaderField] { RequestHead.without(omittedHeaders, fields.impersonal) }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        markCancelled()
        service.post(.cancel(self))
    }

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
        let isCancelled = state.withLock { state in
            state.call = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func wait(_ done: @escaping @Sendable (Outcome) -> Void) {
        state.withLock { $0.done = done }
    }

    /// Calls the completion handler; the second and later calls do nothing.
    func finish(_ outcome: Outcome) {
        let done = state.withLock { state in
            defer { state.done = nil }
            return state.done
        }
        done?(outcome)
    }

    /// True if the request has one of these fields. A condition or range set by the caller makes a response without the
    /// complete content acceptable.
    func sends(_ names: [String]) -> Bool { headers.contains { field in names.contains { field.isNamed($0) } } }

    private static func nanoseconds(_ milliseconds: UInt32, orElse standard: UInt32) -> UInt64 {
        Durations.nanoseconds(milliseconds: UInt64(milliseconds > 0 ? milliseconds : standard))
    }
}
