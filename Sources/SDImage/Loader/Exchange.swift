/// One request and its response, performed by a transport. Events arrive in order: at most one response, pieces of its body,
/// and exactly one end.
package final class Exchange: Sendable {
    package enum Event: Sendable {
        case responded(DownloadResponse)
        case received(Bytes)
        case ended(ImageError?)
    }

    private struct State {
        var hasAnswered = false
        var hasEnded = false
        var isCancelled = false
        var written = 0
        weak var holder: (any AnyObject & Sendable)?
    }

    /// The request to send: URL, method, header fields, body.
    package let request: ImageRequest
    private let limit: Int
    private let transport: any Transport
    private let hear: @Sendable (Exchange, Event) -> Void
    private let state = Lock(State())

    /// `hear` is called on the threads of the transport and must return quickly. More than `limit` bytes of body are refused.
    package init(
        _ request: ImageRequest, limit: Int, on transport: any Transport, hear: @escaping @Sendable (Exchange, Event) -> Void
    ) {
        self.request = request
        self.limit = limit
        self.transport = transport
        self.hear = hear
    }

    /// The transport's object for this exchange, held weakly.
    package var holder: (any AnyObject & Sendable)? {
        get { state.withLock { $0.holder } }
        set { state.withLock { $0.holder = newValue } }
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the exchange; has no effect after its end.
    package func cancel() {
        let isFirst = state.withLock { state in
            guard !state.isCancelled, !state.hasEnded else { return false }
            state.isCancelled = true
            return true
        }
        if isFirst { transport.cancel(self) }
    }

    /// Reports the final response, without its body.
    package func respond(_ response: DownloadResponse) throws(ImageError) {
        guard (200...599).contains(response.status) else {
            throw ImageError(.invalidArgument, "transport: \(response.status) is not the status of a final response")
        }
        try state.withLock { state throws(ImageError) in
            if state.isCancelled { throw .cancelled }
            guard !state.hasAnswered, !state.hasEnded else {
                throw ImageError(.invalidArgument, "transport: second response in one exchange")
            }
            state.hasAnswered = true
        }
        hear(self, .responded(response))
    }

    /// Reports the next bytes of the body.
    package func write(_ piece: UnsafeRawBufferPointer) throws(ImageError) {
        try state.withLock { state throws(ImageError) in
            if state.isCancelled { throw .cancelled }
            guard state.hasAnswered, !state.hasEnded else {
                throw ImageError(.invalidArgument, "transport: body bytes before the response or after the end")
            }
            guard piece.count <= limit - state.written else { throw .tooLarge("transport: body size in bytes", limit: limit) }
            state.written += piece.count
        }
        guard unsafe !piece.isEmpty else { return }
        hear(self, .received(unsafe try Bytes.copying(piece)))
    }

    /// Ends the exchange: the response is complete, or `error` is the reason for its failure. Only the first end counts.
    package func finish(_ error: ImageError?) {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst { hear(self, .ended(error)) }
    }
}
