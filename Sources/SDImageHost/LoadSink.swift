import SDImage

/// The write end of a load, held by a loader of the host. Releasing it unfinished ends the load: so only the loader may hold
/// it, and waiters hold the `Inflow`. `sdimage_load_sink` in C.
package final class LoadSink: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .refused }

    package let inflow: Inflow

    package init(_ inflow: Inflow) { self.inflow = inflow }

    deinit { inflow.finish(ImageError(.internalError, "loader: sink released without completion")) }
}

/// The data written into a sink. Ends exactly once: finished, or cancelled. One thread writes at a time, any thread may cancel;
/// no lock is held while the waiter is resumed.
@safe package final class Inflow: Sendable {
    package typealias Outcome = Result<LoadedData, ImageError>

    /// State under the lock of `state`.
    @safe private struct State {
        /// Number of bytes to expect; -1 if it is unknown.
        var expected: Int64 = -1
        var isFinished = false
        var isCancelled = false
        var isStorable = true
        /// The error of a refused write, after which the bytes are incomplete.
        var refusal: ImageError?
        /// Resumes the load; nil before it waits, and after the end.
        var waiting: Resumption<Outcome>?
        /// Weak: a strong reference here would keep a released sink from ending the load.
        weak var sink: LoadSink?
        /// The host's pointer: a loader that keeps the sink uses it until it finishes the sink, also after a cancellation and after
        /// the release of the loader.
        var host: Foreign?
        /// An end that came before the waiter.
        var early: Outcome?
    }

    /// The limit that the request sets, for bytes by reference too; nil for none.
    private let requestLimit: Int?
    private let progress: LoadProgress
    /// The bytes written so far, which progressive decodes read.
    private let body: GrowingBody
    private let state = Monitor(State())

    /// `standardLimit`: that of the bytes written for a request without a limit. Bytes by reference exist already.
    package init(_ request: ImageRequest, standardLimit: Int, progress: LoadProgress) {
        requestLimit = request.maxBodyBytes > 0 ? request.maxBodyBytes : nil
        self.progress = progress
        body = GrowingBody(limit: requestLimit ?? standardLimit)
        progress.arrives(in: body)
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// True if a disk cache may store the data.
    package var isStorable: Bool {
        get { state.withLock { $0.isStorable } }
        set { state.withLock { $0.isStorable = newValue } }
    }

    private var isOver: Bool { state.withLock { $0.isFinished || $0.isCancelled } }

    /// Notes the sink that the loader is about to receive; false if the load is cancelled. In one step: a loader is told of a
    /// cancellation only if it receives the sink.
    package func lend(_ sink: LoadSink, to host: Foreign) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            (state.sink, state.host) = (sink, host)
            return true
        }
    }

    /// The sink, while the loader still holds it; nil before `lend`.
    package var sink: LoadSink? { state.withLock { $0.sink } }

    /// Resumes the caller with the outcome, at once if the sink has ended.
    package func wait(_ resume: Resumption<Outcome>) {
        let early = state.withLock { state -> Outcome? in
            if state.early == nil { state.waiting = resume }
            return state.early
        }
        if let early { resume(early) }
    }

    /// The number of bytes to expect; negative if it is unknown.
    package var expectedLength: Int64 { state.withLock { $0.expected } }

    /// Sets the number of bytes to expect, and reserves memory for them.
    package func expect(_ length: UInt64) {
        state.withLock { $0.expected = Int64(clamping: length) }
        // A hint only: if the memory is refused, the first write fails.
        try? body.reserve(Int(clamping: length))
    }

    /// Appends bytes. Throws `cancelled` when the load needs no more, and `tooLarge` beyond the limit, with which the load then ends.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
        let expected = try state.withLock { state throws(ImageError) in
            if state.isCancelled { throw .cancelled }
            if state.isFinished { throw ImageError(.invalidArgument, "loader: sink is already finished") }
            return state.expected
        }
        do throws(ImageError) { unsafe try body.append(bytes) } catch {
            state.withLock { $0.refusal = error }
            throw error
        }
        progress(Int64(body.count), expected)
    }

    /// Discards the bytes written so far.
    package func restart() {
        if isOver { return }
        state.withLock { $0.refusal = nil }
        body.reset()
    }

    /// Shows a preview of the final image.
    package func show(_ image: Image) {
        if !isOver { progress.shows(image) }
    }

    /// Reports progress without bytes.
    package func report(_ received: Int64, _ expected: Int64) {
        if !isOver { progress(max(received, 0), max(expected, -1)) }
    }

    /// Ends with the bytes written, or with the error.
    package func finish(_ error: ImageError?) { end(error.map { .failure($0) }) }

    /// Ends with bytes by reference.
    package func finish(_ data: Bytes?) { end(received(data)) }

    /// Ends with an image that has no bytes.
    package func finish(_ image: Image?) {
        guard let image else { return end(.failure(ImageError(.emptyData, "loader: no data returned"))) }
        var data = LoadedData(bytes: .empty)
        data.image = image
        end(.success(data))
    }

    /// Ends with an image that is still encoded.
    package func finish(_ data: Bytes?, decodedWith options: DecodeOptions) {
        end(
            received(data).map { loaded in
                var loaded = loaded
                loaded.decodeOptions = options
                return loaded
            })
    }

    /// Checks bytes by reference.
    private func received(_ data: Bytes?) -> Outcome {
        guard let data, !data.isEmpty else { return .failure(ImageError(.emptyData, "loader: no data returned")) }
        if let requestLimit, data.count > requestLimit {
            return .failure(.tooLarge("loader: body size in bytes", limit: requestLimit))
        }
        return .success(LoadedData(bytes: data))
    }

    /// Cancels the wait; returns true for the first call while the loader still works.
    package func cancel() -> Bool {
        let isFirst = state.withLock { state -> Bool in
            guard !state.isCancelled, !state.isFinished else { return false }
            state.isCancelled = true
            return true
        }
        if isFirst { resume(.failure(.cancelled)) }
        return isFirst
    }

    /// nil: ends with the bytes written.
    private func end(_ outcome: Outcome?) {
        let (isFirst, refusal, host) = state.withLock { state in
            defer { (state.isFinished, state.host) = (true, nil) }
            return (!state.isFinished, state.refusal, state.host)
        }
        guard isFirst else { return }
        defer { withExtendedLifetime(host) {} }
        let bytes = body.finish()
        let written: Outcome =
            bytes.isEmpty ? .failure(ImageError(.emptyData, "loader: no bytes written")) : .success(LoadedData(bytes: bytes))
        resume(outcome ?? refusal.map { Outcome.failure($0) } ?? written)
    }

    /// Passes the first outcome to the waiter, or keeps it until there is one.
    private func resume(_ outcome: Outcome) {
        let waiting = state.withLock { state -> Resumption<Outcome>? in
            let waiting = state.waiting
            state.waiting = nil
            if waiting == nil, state.early == nil { state.early = outcome }
            return waiting
        }
        waiting?(outcome)
    }
}
