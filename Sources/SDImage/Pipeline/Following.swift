import Synchronization

/// One load's part in what is made of its bytes before all are there: it shows parts of the picture, and ends the transfer
/// once a thumbnail needs no more.
final class Following: Progression.Audience {
    private struct State {
        var joined: (key: Progressions.Key, progression: Progression)?
        var early: (picture: Image, source: ImageSource)?
        var transfer: Task<Result<Fetched, ImageError>, Never>?
        var isOver = false
    }

    private let request: ImageRequest
    private let keys: LoadKeys
    private let task: LoadTask
    private let progressions: Progressions
    private let make: @Sendable (GrowingBody, Progression.Wish) -> Progression
    private let state = Monitor(State())

    /// nil when the request wants nothing but the whole picture.
    init?(_ pipeline: LoadPipeline) {
        guard pipeline.request.isProgressive || pipeline.request.endsEarly else { return nil }
        request = pipeline.request
        keys = pipeline.keys
        task = pipeline.task
        progressions = pipeline.manager.progressions
        make = { [registry = pipeline.registry, engine = pipeline.engine] body, wish in
            Progression(body, wish, registry, engine)
        }
    }

    /// For the loader.
    var arrival: @Sendable (GrowingBody) -> Void { { [self] body in follow(body) } }

    /// The bytes come in here from now on.
    private func follow(_ body: GrowingBody) {
        leave()
        guard !state.withLock({ $0.isOver }) else { return }
        let wish = wish
        let key = Progressions.Key(
            body: ObjectIdentifier(body), decode: DecodeKey(request, keys, .body(ObjectIdentifier(body))),
            interval: wish.interval)
        let (progression, best) = progressions.join(key, self) { make(body, wish) }
        let isLate = state.withLock { state -> Bool in
            if !state.isOver { state.joined = (key, progression) }
            return state.isOver
        }
        if isLate { return progressions.leave(key, progression, self) }
        if let best { saw(best, of: body.source) }
        progression.bodyGrew()
    }

    /// Waits for a transfer that may be ended before all bytes are there.
    func wait(for transfer: Task<Result<Fetched, ImageError>, Never>) async throws(ImageError) -> Fetched {
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

    /// Shows nothing more. What was made of the bytes so far helps with the whole picture.
    func end() -> Progression? {
        let progression = state.withLock { state in
            state.isOver = true
            state.transfer = nil
            return state.joined?.progression
        }
        leave()
        return progression
    }

    /// The thumbnail for which the transfer was ended.
    var early: (picture: Image, source: ImageSource)? { state.withLock { $0.early } }

    private func leave() {
        let joined = state.withLock { state in
            defer { state.joined = nil }
            return state.joined
        }
        if let joined { progressions.leave(joined.key, joined.progression, self) }
    }

    private var wish: Progression.Wish {
        Progression.Wish(
            decodeOptions: request.decodeOptions, coder: request.coder, priority: request.priority,
            interval: request.isProgressive ? .saturatingNanoseconds(milliseconds: request.progressiveIntervalMilliseconds) : nil
        ) { [request, keys] image, stop throws(ImageError) in
            try keys.transformed(image, request, stop)
        }
    }

    // MARK: Progression.Audience

    func saw(_ picture: Image, of source: ImageSource) {
        guard !state.withLock({ $0.isOver }) else { return }
        var timings = StageTimings()
        timings.total = MonotonicClock.now - task.started
        task.show(
            ImageResult(
                kind: .partial, image: picture, source: source, url: task.url, cacheKey: keys.text,
                timings: timings))
    }

    func sawEnough(_ picture: Image, of source: ImageSource) {
        let transfer = state.withLock { state in
            if !state.isOver { state.early = (picture, source) }
            return state.transfer
        }
        transfer?.cancel()
    }
}

extension ImageRequest {
    /// The transfer ends as soon as the thumbnail is good.
    var endsEarly: Bool { self.decodeOptions.earlyThumbnail && self.decodeOptions.thumbnailSize != nil }
}
