/// One request and its response, performed by a transport. Events arrive in order: at most one response, pieces of its body,
/// and exactly one end.
/// Made by the HTTP engine if the host supplies the `Transport`; the transport reports with `respond`, `write` and
/// `finish`.
package final class Exchange: Sendable {
    /// Passed to the HTTP engine, on the threads of the transport.
    package enum Event: Sendable {
        case responded(DownloadResponse)
        /// A piece of the body, copied from the memory of the transport.
        case received(Bytes)
        /// nil for a complete response.
        case ended(ImageError?)
    }

    /// Guarded by the lock, which is not held while `hear` or the transport runs.
    private struct State {
        /// True after the response.
        var hasAnswered = false
        var hasEnded = false
        var isCancelled = false
        /// Bytes of the body so far.
        var written = 0
        /// The error of a refused write, after which the body is incomplete.
        var refusal: ImageError?
        /// Weak: the transport owns its object.
        weak var holder: (any AnyObject & Sendable)?
    }

    /// The request to send: URL, method, header fields, body.
    package let request: ImageRequest
    /// Largest body in bytes.
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

    /// Notes the object that the transport is about to receive for this exchange, and holds it weakly; false if the exchange is
    /// cancelled. In one step: a transport is told of a cancellation only if it receives the object.
    package func lend(_ holder: any AnyObject & Sendable) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.holder = holder }
            return !state.isCancelled
        }
    }

    /// The transport's object for this exchange, while it still exists; nil before `lend`.
    package var holder: (any AnyObject & Sendable)? { state.withLock { $0.holder } }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the exchange; has no effect after its end.
    /// The transport is told once; it still reports the end.
    package func cancel() {
        let isFirst = state.withLock { state in
            guard !state.isCancelled, !state.hasEnded else { return false }
            state.isCancelled = true
            return true
        }
        if isFirst { transport.cancel(self) }
    }

    /// Reports the final response, without its body.
    /// Throws `cancelled` for a cancelled exchange, and `invalidArgument` for a call out of order or an interim status.
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
    /// Throws as `respond`, and `tooLarge` above the limit, with which the exchange then ends.
    package func write(_ piece: UnsafeRawBufferPointer) throws(ImageError) {
        try state.withLock { state throws(ImageError) in
            if state.isCancelled { throw .cancelled }
            guard state.hasAnswered, !state.hasEnded else {
                throw ImageError(.invalidArgument, "transport: body bytes before the response or after the end")
            }
            guard piece.count <= limit - state.written else {
                let error = ImageError.tooLarge("transport: body size in bytes", limit: limit)
                state.refusal = error
                throw error
            }
            state.written += piece.count
        }
        guard unsafe !piece.isEmpty else { return }
        let bytes: Bytes
        do throws(ImageError) { bytes = unsafe try Bytes.copying(piece) } catch {
            state.withLock { $0.refusal = error }
            throw error
        }
        hear(self, .received(bytes))
    }

    /// Ends the exchange: the response is complete, or `error` is the reason for its failure. Only the first end counts.
    package func finish(_ error: ImageError?) {
        let (isFirst, refusal) = state.withLock { state in
            defer { state.hasEnded = true }
            return (!state.hasEnded, state.refusal)
        }
        if isFirst { hear(self, .ended(error ?? refusal)) }
    }
}
