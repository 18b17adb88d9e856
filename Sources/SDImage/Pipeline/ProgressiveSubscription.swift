import Synchronization

/// The subscription of one load to the progressive decode of its body. Delivers partial images, and ends the transfer when an
/// early thumbnail needs no further bytes.
final class ProgressiveSubscription: ProgressiveDecode.Subscriber {
    private struct State {
        var joined: (key: ProgressiveDecodes.Key, decode: ProgressiveDecode)?
        var early: (picture: Image, source: ImageSource)?
        var transfer: Task<Result<FetchResult, ImageError>, Never>?
        var hasEnded = false
    }

    private let request: ImageRequest
    private let keys: LoadKeys
    private let task: LoadTask
    private let decodes: ProgressiveDecodes
    private let make: @Sendable (GrowingBody, ProgressiveDecode.Options) -> ProgressiveDecode
    private let state = Monitor(State())

    /// Nil when the request accepts only the complete image.
    init?(_ pipeline: LoadPipeline) {
        guard pipeline.request.isProgressive || pipeline.request.endsEarly else { return nil }
        request = pipeline.request
        keys = pipeline.keys
        task = pipeline.task
        decodes = pipeline.manager.progressiveDecodes
        make = { [registry = pipeline.registry, engine = pipeline.engine] body, options in
            ProgressiveDecode(body, options, registry, engine)
        }
    }

    /// Called by the loader when the body begins to arrive, and again when a retry starts a new one.
    var arrival: @Sendable (GrowingBody) -> Void { { [self] body in subscribe(to: body) } }

    /// Subscribes to the decode of `body` in place of an earlier one.
    private func subscribe(to body: GrowingBody) {
        leave()
        guard !state.withLock({ $0.hasEnded }) else { return }
        let options = options
        let key = ProgressiveDecodes.Key(
            body: ObjectIdentifier(body), decode: DecodeKey(request, keys, .body(ObjectIdentifier(body))),
            interval: options.interval)
        let (decode, best) = decodes.join(key, self) { make(body, options) }
        let isLate = state.withLock { state -> Bool in
            if !state.hasEnded { state.joined = (key, decode) }
            return state.hasEnded
        }
        if isLate { return decodes.leave(key, decode, self) }
        if let best { didDecode(best, of: body.source) }
        decode.bodyGrew()
    }

    /// Waits for a transfer that an early thumbnail may end.
    func wait(for transfer: Task<Result<FetchResult, ImageError>, Never>) async throws(ImageError) -> FetchResult {
        let isEnough = state.withLock { state in
            state.transfer = transfer
            return state.early != nil
        }
        if isEnough { transfer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await transfer.value
        } onCancel: {
            transfer.cancel()
        }
        return try outcome.get()
    }

    /// Ends the deliveries. Returns the decode so far, which shortens that of the complete body.
    func end() -> ProgressiveDecode? {
        let decode = state.withLock { state in
            state.hasEnded = true
            state.transfer = nil
            return state.joined?.decode
        }
        leave()
        return decode
    }

    /// The early thumbnail that ended the transfer.
    var early: (picture: Image, source: ImageSource)? { state.withLock { $0.early } }

    private func leave() {
        let joined = state.withLock { state in
            defer { state.joined = nil }
            return state.joined
        }
        if let joined { decodes.leave(joined.key, joined.decode, self) }
    }

    private var options: ProgressiveDecode.Options {
        ProgressiveDecode.Options(
            decodeOptions: request.decodeOptions, coder: request.coder, priority: request.priority,
            interval: request.isProgressive ? .saturatingNanoseconds(milliseconds: request.progressiveIntervalMilliseconds) : nil
        ) { [request, keys] image, stop throws(ImageError) in
            try keys.transformed(image, request, stop)
        }
    }

    // MARK: ProgressiveDecode.Subscriber

    func didDecode(_ picture: Image, of source: ImageSource) {
        guard !state.withLock({ $0.hasEnded }) else { return }
        var timings = StageTimings()
        timings.total = MonotonicClock.now - task.started
        task.show(
            ImageResult(
                kind: .partial, image: picture, source: source, url: task.url, cacheKey: keys.text,
                timings: timings))
    }

    func didDecodeEnough(_ picture: Image, of source: ImageSource) {
        let transfer = state.withLock { state in
            if !state.hasEnded { state.early = (picture, source) }
            return state.transfer
        }
        transfer?.cancel()
    }
}

extension ImageRequest {
    /// True if the transfer ends as soon as a thumbnail of full quality is decoded.
    var endsEarly: Bool { self.decodeOptions.earlyThumbnail && self.decodeOptions.thumbnailSize != nil }
}
