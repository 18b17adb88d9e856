/// Repeated decoding of a body while it arrives. Decodes are serialized, use all bytes received so far, and keep the requested
/// interval. Loads with equal options share one.
/// Notified by `GrowingBody` on the thread of the loader; decodes on workers. `state` is its lock.
final class ProgressiveDecode: BodyObserver {
    /// Receives the images of a progressive decode, on a worker.
    protocol Subscriber: AnyObject, Sendable {
        /// The present priority of the load.
        var priority: LoadPriority { get }
        /// A partial image.
        /// Comes at most once in an interval, and may arrive just after the subscriber has left.
        func didDecode(_ image: Image, of source: ImageSource)
        /// A thumbnail that further bytes would not improve.
        func didDecodeEnough(_ image: Image, of source: ImageSource)
    }

    /// The options that loads must have in common to share a decode.
    /// Taken from the first load that joins: the key guarantees equal ones.
    struct Options: Sendable {
        let decodeOptions: DecodeOptions
        let coder: (any ImageCoder)?
        /// Nanoseconds between two partial images; nil delivers only the early thumbnail.
        let interval: UInt64?
        /// Applies the transformer of the request.
        let transform: @Sendable (Image, CancellationToken) throws(ImageError) -> Image
    }

    private struct State {
        /// By identity.
        var subscribers: [ObjectIdentifier: any Subscriber] = [:]
        /// Kept between decodes, so that each continues with the bytes that are new.
        var decoder: IncrementalDecoder?
        /// Number of the attempt to receive the body. A retry from the first byte increases it, and discards the
        /// decoder.
        var attempt = 0
        /// Number of bytes at the latest decode.
        var seen = 0
        /// The latest partial image before and after its transformer.
        var decoded: Image?
        var shown: Image?
        /// Earliest start of the next decode, monotonic nanoseconds.
        var due: UInt64 = 0
        var activity = Activity.none
        /// True while a timer for `due` is set.
        var hasTimer = false
        /// The body is damaged, the early thumbnail is complete, or no subscriber is left.
        var hasEnded = false
        /// Continuations of loads that wait for the decode under way.
        var waiting: [@Sendable () -> Void] = []
    }

    /// A decode under way.
    private enum Activity { case none, queued, running }

    /// Outcome of `next`, which runs under the lock and must not start work itself.
    private enum Step {
        case decode(LoadPriority), wait(until: UInt64), nothing
    }

    private let body: GrowingBody
    private let options: Options
    private let registry: CoderRegistry
    private let engine: Engine
    /// Cancelled when no load needs the decode any more.
    private let stop = CancellationToken()
    private let state = Monitor(State())

    init(_ body: GrowingBody, _ options: Options, _ registry: CoderRegistry, _ engine: Engine) {
        self.body = body
        self.options = options
        self.registry = registry
        self.engine = engine
        body.observe(self)
    }

    /// Adds a subscriber and returns the latest partial image.
    /// Called under the lock of `ProgressiveDecodes`.
    func join(_ subscriber: any Subscriber) -> Image? {
        state.withLock { state in
            state.subscribers[ObjectIdentifier(subscriber)] = subscriber
            return state.shown
        }
    }

    /// Removes a subscriber; true when none is left.
    func leave(_ subscriber: any Subscriber) -> Bool {
        state.withLock { state in
            state.subscribers[ObjectIdentifier(subscriber)] = nil
            if state.subscribers.isEmpty { state.hasEnded = true }
            return state.subscribers.isEmpty
        }
    }

    /// Cancels the decode under way unless there are subscribers.
    /// Called when a load ends without the complete body.
    func cancelUnlessShared() {
        if state.withLock({ $0.subscribers.isEmpty }) { stop.cancel() }
    }

    /// The decoder, if it has decoded the beginning of `bytes`; nil if decoding from the start is as fast. Waits for a decode
    /// that runs, but not for one that is queued.
    /// Ends the partial images: from now on only the complete body is decoded.
    func decoder(for bytes: Bytes) async -> IncrementalDecoder? {
        await suspended { resume in
            let isResting = state.withLock { state in
                state.hasEnded = true
                if state.activity == .running { state.waiting.append { resume() } }
                return state.activity != .running
            }
            if isResting { resume() }
        }
        // The bytes must be those of the decoder's own attempt, and complete the same body.
        let attempt = body.extent.attempt
        return state.withLock { state in
            guard state.shown != nil, body.became(bytes), state.attempt == attempt else { return nil }
            return state.decoder
        }
    }

    func bodyGrew() {
        switch state.withLock({ next(&$0) }) {
        case .nothing: break
        case .decode(let priority):
            stop.priority = priority
            engine.work.submit(priority) { [self] in decode() }
        case .wait(let moment):
            engine.executor.schedule(at: moment) { [weak self] in
                self?.state.withLock { $0.hasTimer = false }
                self?.bodyGrew()
            }
        }
    }

    /// The next step after more bytes have arrived or the interval has passed.
    /// Called under the lock.
    private func next(_ state: inout State) -> Step {
        guard !state.hasEnded, state.activity == .none, !state.hasTimer else { return .nothing }
        let extent = body.extent
        // After a restart the bytes may differ from the first one on.
        if extent.attempt != state.attempt { restart(&state, extent.attempt) }
        // Fewer than 3 % more bytes rarely change the image.
        guard extent.count > state.seen + state.seen / 32 else { return .nothing }
        if MonotonicClock.now < state.due {
            state.hasTimer = true
            return .wait(until: state.due)
        }
        state.activity = .queued
        return .decode(state.subscribers.values.map { $0.priority }.max() ?? .normal)
    }

    /// Called under the lock.
    private func restart(_ state: inout State, _ attempt: Int) {
        state.attempt = attempt
        state.decoder = nil
        state.seen = 0
        state.decoded = nil
        state.shown = nil
    }

    /// Decodes all bytes received so far, on a worker. Does nothing after the end: a load may be using the decoder.
    private func decode() {
        // One consistent view: the body may grow or restart meanwhile.
        let look = body.look
        let began = MonotonicClock.now
        let begun = state.withLock { state -> (IncrementalDecoder, Image?)? in
            guard !state.hasEnded else { return nil }
            state.activity = .running
            if state.attempt != look.attempt { restart(&state, look.attempt) }
            let decoder = state.decoder ?? IncrementalDecoder(registry, options: options.decodeOptions, coder: options.coder)
            state.decoder = decoder
            state.seen = look.bytes.count
            return (decoder, state.decoded)
        }
        guard let (decoder, before) = begun else { return }
        var hasShown = false
        do throws(ImageError) {
            try decoder.show(look.bytes, isFinished: false, stop: stop)
            if try notifyIfEnough(decoder) { state.withLock { $0.hasEnded = true } }
            hasShown = try showPart(decoder, before)
        } catch {
            // The decode of the complete body reports the error.
            state.withLock { state in
                state.hasEnded = true
                state.decoder = nil
            }
        }
        finishDecode(began, hasShown)
    }

    /// True when the thumbnail is complete; its subscribers have been notified.
    private func notifyIfEnough(_ decoder: IncrementalDecoder) throws(ImageError) -> Bool {
        guard options.decodeOptions.earlyThumbnail, decoder.isSatisfied, let image = try decoder.image(stop: stop),
            image.metadata.consumedBytes != nil
        else { return false }
        let made = try options.transform(image, stop)
        for subscriber in activeSubscribers { subscriber.didDecodeEnough(made, of: body.source) }
        return true
    }

    /// Delivers the partial image unless it equals the one before.
    private func showPart(_ decoder: IncrementalDecoder, _ before: Image?) throws(ImageError) -> Bool {
        guard options.interval != nil, !state.withLock({ $0.hasEnded }), let image = try decoder.image(stop: stop),
            image.pixels !== before?.pixels || image.metadata.frameCount != before?.metadata.frameCount
        else { return false }
        let made = try options.transform(image, stop)
        state.withLock { state in
            state.decoded = image
            state.shown = made
        }
        for subscriber in activeSubscribers { subscriber.didDecode(made, of: body.source) }
        return true
    }

    /// Empty after the end, so that a subscriber that has left gets nothing more.
    private var activeSubscribers: [any Subscriber] { state.withLock { $0.hasEnded ? [] : Array($0.subscribers.values) } }

    /// Sets the time of the next decode, continues loads that wait, and checks for bytes that arrived meanwhile.
    private func finishDecode(_ began: UInt64, _ hasShown: Bool) {
        let now = MonotonicClock.now
        let waiting = state.withLock { state in
            state.activity = .none
            // A slow decoder spends at most half of the time on partial images.
            state.due = max(hasShown ? began &+ (options.interval ?? 0) : 0, options.interval == nil ? 0 : now &+ (now &- began))
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
        bodyGrew()
    }
}
