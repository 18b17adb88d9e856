/// One picture made of a growing body, again and again as more of it comes: at most one decode at a time, of the newest
/// bytes, and not more often than asked for. Shared by all loads that want the same.
final class Progression: BodyObserver {
    /// Who wants the pictures; called on a worker.
    protocol Audience: AnyObject, Sendable {
        func saw(_ picture: Image, of source: ImageSource)
        /// This thumbnail needs no further bytes.
        func sawEnough(_ picture: Image, of source: ImageSource)
    }

    /// What is the same for all who share it.
    struct Wish: Sendable {
        let decodeOptions: DecodeOptions
        let coder: (any ImageCoder)?
        let priority: LoadPriority
        /// Pictures of parts are wanted, nanoseconds from one to the next; nil: only the early thumbnail.
        let interval: UInt64?
        let transform: @Sendable (Image, StopSignal) throws(ImageError) -> Image
    }

    private struct State {
        var audience: [ObjectIdentifier: any Audience] = [:]
        var decoder: PictureDecoder?
        var attempt = 0
        /// Bytes that were decoded last.
        var seen = 0
        /// What was shown last, as it was decoded and as it was shown.
        var decoded: Image?
        var shown: Image?
        /// Not before then, monotonic nanoseconds.
        var due: UInt64 = 0
        var isDecoding = false
        var hasTimer = false
        /// Damaged, satisfied, or of no interest any more.
        var isOver = false
        var waiting: [@Sendable () -> Void] = []
    }

    private enum Step {
        case decode, wait(until: UInt64), nothing
    }

    private let body: GrowingBody
    private let wish: Wish
    private let registry: CoderRegistry
    private let engine: Engine
    private let stop = StopSignal()
    private let state = Monitor(State())

    init(_ body: GrowingBody, _ wish: Wish, _ registry: CoderRegistry, _ engine: Engine) {
        self.body = body
        self.wish = wish
        self.registry = registry
        self.engine = engine
        body.observe(self)
    }

    /// The best picture so far, for who comes late.
    func join(_ listener: any Audience) -> Image? {
        state.withLock { state in
            state.audience[ObjectIdentifier(listener)] = listener
            return state.shown
        }
    }

    /// True when nobody is left.
    func leave(_ listener: any Audience) -> Bool {
        state.withLock { state in
            state.audience[ObjectIdentifier(listener)] = nil
            if state.audience.isEmpty { state.isOver = true }
            return state.audience.isEmpty
        }
    }

    /// What is being decoded is of no use, where nobody else wants it.
    func giveUp() {
        if state.withLock({ $0.audience.isEmpty }) { stop.cancel() }
    }

    /// The decoder that has the beginning of these bytes behind it, once it rests; nil where a decode of all bytes is as fast.
    func decoder(for bytes: Bytes) async -> PictureDecoder? {
        await suspended { resume in
            let isResting = state.withLock { state in
                state.isOver = true
                if state.isDecoding { state.waiting.append { resume() } }
                return !state.isDecoding
            }
            if isResting { resume() }
        }
        let attempt = body.extent.attempt
        return state.withLock { state in
            guard state.shown != nil, body.became(bytes), state.attempt == attempt else { return nil }
            return state.decoder
        }
    }

    func bodyGrew() {
        switch state.withLock({ next(&$0) }) {
        case .nothing: break
        case .decode: engine.work.submit(wish.priority) { [self] in decode() }
        case .wait(let moment):
            engine.executor.schedule(at: moment) { [weak self] in
                self?.state.withLock { $0.hasTimer = false }
                self?.bodyGrew()
            }
        }
    }

    /// What more bytes, or the passing of time, allow to do now.
    private func next(_ state: inout State) -> Step {
        guard !state.isOver, !state.isDecoding, !state.hasTimer else { return .nothing }
        let extent = body.extent
        if extent.attempt != state.attempt { startAnew(&state, extent.attempt) }
        // A few bytes more show nothing more.
        guard extent.count > state.seen + state.seen / 32 else { return .nothing }
        if MonotonicClock.now < state.due {
            state.hasTimer = true
            return .wait(until: state.due)
        }
        state.isDecoding = true
        return .decode
    }

    private func startAnew(_ state: inout State, _ attempt: Int) {
        state.attempt = attempt
        state.decoder = nil
        state.seen = 0
        state.decoded = nil
        state.shown = nil
    }

    /// One turn, on a worker.
    private func decode() {
        let look = body.look
        let began = MonotonicClock.now
        let (decoder, before) = state.withLock { state in
            if state.attempt != look.attempt { startAnew(&state, look.attempt) }
            let decoder = state.decoder ?? PictureDecoder(registry, options: wish.decodeOptions, coder: wish.coder)
            state.decoder = decoder
            state.seen = look.bytes.count
            return (decoder, state.decoded)
        }
        var hasShown = false
        do throws(ImageError) {
            try decoder.show(look.bytes, isFinished: false, stop: stop)
            if try tellEnough(decoder) { state.withLock { $0.isOver = true } }
            hasShown = try showPart(decoder, before)
        } catch {
            // What is wrong with the bytes, the decode of all of them will say.
            state.withLock { state in
                state.isOver = true
                state.decoder = nil
            }
        }
        rest(began, hasShown)
    }

    /// Whether a thumbnail is as good as it gets from here on.
    private func tellEnough(_ decoder: PictureDecoder) throws(ImageError) -> Bool {
        guard wish.decodeOptions.earlyThumbnail, decoder.isSatisfied, let picture = try decoder.image(stop: stop),
            picture.metadata.consumedBytes != nil
        else { return false }
        let made = try wish.transform(picture, stop)
        for listener in listeners { listener.sawEnough(made, of: body.source) }
        return true
    }

    /// Shows the picture of what has come, unless it is that of the last turn.
    private func showPart(_ decoder: PictureDecoder, _ before: Image?) throws(ImageError) -> Bool {
        guard wish.interval != nil, !state.withLock({ $0.isOver }), let picture = try decoder.image(stop: stop),
            picture.pixels !== before?.pixels || picture.metadata.frameCount != before?.metadata.frameCount
        else { return false }
        let made = try wish.transform(picture, stop)
        state.withLock { state in
            state.decoded = picture
            state.shown = made
        }
        for listener in listeners { listener.saw(made, of: body.source) }
        return true
    }

    /// None once it is over: who left hears nothing more.
    private var listeners: [any Audience] { state.withLock { $0.isOver ? [] : Array($0.audience.values) } }

    private func rest(_ began: UInt64, _ hasShown: Bool) {
        let now = MonotonicClock.now
        let waiting = state.withLock { state in
            state.isDecoding = false
            // However slow the decoder, at most half of the time is spent on parts.
            state.due = max(hasShown ? began &+ (wish.interval ?? 0) : 0, wish.interval == nil ? 0 : now &+ (now &- began))
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
        bodyGrew()
    }
}
