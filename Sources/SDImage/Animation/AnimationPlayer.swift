/// Receives the events of an animation. Called on the thread that ticks or seeks, or on the dispatcher of the clock.
package protocol PlaybackHandler: AnyObject, Sendable {
    /// False when `frame` has no effect.
    var wantsFrames: Bool { get }
    func frame(_ player: AnimationPlayer, _ index: Int, _ image: Image)
    /// Reports that `count` rounds are complete.
    func loop(_ player: AnimationPlayer, _ count: Int)
}

/// Plays the frames of one provider.
///
/// The host advances time with `tick`, or a clock does so with `advance`. Handlers run without locks held and may do anything,
/// including releasing the player.
/// `AnimatedView` and the C interface make players; frames come from the pool that all players of the same frames
/// share.
package final class AnimationPlayer: Sendable {
    struct State {
        /// Ticks work on a copy.
        var settings = PlaybackSettings()
        var head = Playhead()
        /// False while paused, stopped or not yet started.
        var isPlaying = false
        /// Limits set by the host; nil uses those of the provider.
        var frameLimit: Int?
        var loopLimit: Int?
        /// Frame count when the provider was last queried.
        var count = 0
        /// The visible frame; nil before the first one and after `stop`.
        var frame: CachedFrame?
        /// The frame that stays drawn after the end; nil as soon as another frame is visible.
        var lastFrame: CachedFrame?
        /// True while a thread runs a tick.
        var isTicking = false
        /// Time that the next tick adds to its own: that passed during the last one and, with a clock, before a pause.
        var carried: UInt64 = 0
        /// Number of arrived frames, now and when the tick began: a frame that arrives during a tick must not be waited for.
        var arrivals = 0
        var arrivalsSeen = 0
        /// Incremented by every change that makes a running tick obsolete.
        var generation = 0
        /// Incremented by every plan of `settle` and by every change of the clock; an older plan is not applied.
        var plans: UInt64 = 0
        /// nil while the host ticks.
        var clock: (any PlaybackClock)?
        /// Time of the clock's last tick, in monotonic nanoseconds.
        var lastTick: UInt64 = 0
        var statistics = Statistics()
    }

    package struct Statistics: Sendable {
        /// Frames that became visible.
        package var shown: UInt64 = 0
        /// Frames shown later than due, because they were not available.
        package var late: UInt64 = 0
        /// Frames skipped because their time was over.
        package var dropped: UInt64 = 0
        /// Frames that could not be made.
        package var failed: UInt64 = 0
    }

    /// The provider with its identity.
    let source: FrameSource
    /// Held frames, in the budget of the process.
    let pool: FramePool
    let handler: (any PlaybackHandler)?
    /// Identifies the player in its pool.
    let id: UInt64
    /// Held for some hundred nanoseconds, and never while foreign code runs.
    let state: Monitor<State>
    /// Held while a clock is armed: after the clock was given to another player, no thread arms it for this one. Acquired before
    /// `state`.
    let arming = Lock(())

    /// Throws when there are fewer than two frames and no more to come.
    package init(
        _ source: FrameSource, handler: (any PlaybackHandler)?, budget: FrameBudget, lease: EngineLease
    ) throws(ImageError) {
        let count = source.frames.frameCount
        guard count > 1 || source.frames.isGrowing else {
            throw ImageError(.invalidArgument, "player: image has \(count) frames, expected at least 2")
        }
        self.source = source
        self.handler = handler
        pool = budget.pool(for: source, lease: lease)
        id = budget.newPlayer()
        var state = State()
        state.count = count
        self.state = Monitor(state)
    }

    // The pool drops the demand, and abandons a frame that is being made for no other player.
    deinit { pool.demand(nil, by: id) }

    // MARK: State

    package var isPlaying: Bool { state.withLock { $0.isPlaying } }
    /// The visible frame; also nil without memory for its pixels.
    package var frame: Image? {
        let frame = state.withLock { $0.frame }
        return try? frame?.image()
    }
    /// The visible frame or, after the end, the last one.
    var drawnFrame: Image? {
        let frame = state.withLock { $0.frame ?? $0.lastFrame }
        return try? frame?.image()
    }
    /// Index of the current position, which may not be visible yet.
    package var index: Int { state.withLock { $0.head.position.index } }
    /// Complete rounds, counted on from the number given to the last seek.
    package var loopCount: Int { state.withLock { $0.head.loopCount } }
    package var settings: PlaybackSettings { state.withLock { $0.settings } }
    package var statistics: Statistics { state.withLock { $0.statistics } }
    /// Number of frames held in the pool, which all players of the same frames share.
    package var bufferedFrames: Int { pool.count }
    package var clock: (any PlaybackClock)? { state.withLock { $0.clock } }

    /// Number of frames that play.
    package var frameCount: Int {
        let count = source.frames.frameCount
        return state.withLock { $0.limited(count) }
    }

    /// Number of rounds to play; 0 = endless.
    package var loopLimit: Int { state.withLock { $0.loopLimit } ?? source.frames.loopCount }

    // MARK: Settings

    /// `body` runs under the lock and must only assign.
    package func change(_ body: (inout PlaybackSettings) -> Void) {
        state.withLock { body(&$0.settings) }
        settle()
    }

    /// Limits playback to the first frames; nil: all frames.
    /// Negative limits count as 0.
    package func setFrameLimit(_ limit: Int?) {
        state.withLock { state in
            state.frameLimit = limit.map { max($0, 0) }
            // A clock rings although the due frame is missing: it may be none of those that play.
            state.arrivals += 1
        }
        settle()
    }

    /// Sets the number of rounds; nil: that of the provider.
    /// A limit below the rounds already played ends playback after the current round.
    package func setLoopLimit(_ limit: Int?) { state.withLock { $0.loopLimit = limit.map { max($0, 0) } } }

    /// Replaces the ticks of the host by a clock; nil returns to ticks.
    package func setClock(_ clock: (any PlaybackClock)?) {
        let before = arming.withLock { _ in
            let before = state.withLock { state in
                defer {
                    state.clock = clock
                    state.lastTick = MonotonicClock.now
                    // Frames that arrived before were not reported to this clock.
                    state.arrivals += 1
                    state.plans += 1
                }
                return state.clock
            }
            // Disarmed under `arming`, so that the old clock does not ring for this player any more.
            before?.arm(at: nil)
            return before
        }
        withExtendedLifetime(before) {}
        pool.setListener(clock == nil ? nil : self, by: id)
        settle()
    }

    // MARK: Playback

    /// Starts or resumes playback.
    /// No effect while it plays. A stopped animation begins at its first frame, or at the last one if the mode starts there.
    package func start() {
        let count = source.frames.frameCount
        let beginsAtFirst = state.withLock { state -> Bool in
            guard !state.isPlaying else { return false }
            state.isPlaying = true
            state.generation += 1
            state.count = count
            state.lastTick = MonotonicClock.now
            guard state.frame == nil else { return false }
            state.head.begin(state.settings.mode, of: state.limited(count))
            return state.head.position.index == 0
        }
        // The first frame of an image is already decoded; the pool gets it instead of making it again.
        let poster = source.takePoster(isShort: pool.isShort)
        settle(poster: beginsAtFirst ? poster : nil)
    }

    /// Stops time and keeps everything else.
    /// Time that passes until the next start does not count.
    package func pause() {
        let now = MonotonicClock.now
        state.withLock { state in
            // The time since the last tick of a clock counts in the next tick.
            if state.isPlaying, state.clock != nil { state.carried &+= state.timeSinceTick(now) }
            state.isPlaying = false
            state.generation += 1
        }
        settle()
    }

    /// Stops and returns to the start without calling the handler. Held frames stay.
    package func stop() { stop(isEnd: false) }

    /// `isEnd`: the visible frame stays drawn.
    func stop(isEnd: Bool) {
        let frames = state.withLock { state -> (CachedFrame?, CachedFrame?) in
            state.isPlaying = false
            state.generation += 1
            state.carried = 0
            state.head = Playhead()
            let frames = (state.frame, state.lastFrame)
            (state.frame, state.lastFrame) = (nil, isEnd ? frames.0 ?? frames.1 : nil)
            return frames
        }
        // They may hold the last references to their pixels, which are freed outside the lock.
        withExtendedLifetime(frames) {}
        settle()
    }

    /// Also frames that other players of the pool need: these are made again.
    package func clearFrameBuffer() { pool.empty() }

    /// Shows a frame immediately, also while paused. The calling thread makes it if necessary. Throws for an invalid index.
    /// `loop` sets the number of complete rounds. Throws also if the frame cannot be made.
    package func seek(to index: Int, loop: Int) throws(ImageError) {
        let count = frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        // A running tick ends: its position is obsolete.
        let generation = state.withLock { state -> Int in
            state.generation += 1
            // The time before does not count.
            (state.carried, state.lastTick) = (0, MonotonicClock.now)
            state.head.seek(to: index, loop: max(loop, 0))
            return state.generation
        }
        // Also if the frame cannot be made: the clock may be waiting for a frame of the former position.
        defer { settle() }
        let frame: CachedFrame
        if case .frame(let held) = pool.look(index) { frame = held } else { frame = try pool.make(index) }
        let image = try handler?.wantsFrames == true ? frame.image() : nil
        // Another seek or stop may have happened while the frame was made.
        guard show(frame, if: generation) else { return }
        state.withLock { state in
            guard state.generation == generation else { return }
            // The time that the frame took to make does not count either.
            state.lastTick = MonotonicClock.now
        }
        if let image { handler?.frame(self, index, image) }
    }

    /// Continues with new frames of the provider; used with clocks, after the provider has grown.
    package func update() {
        frameArrived()
        settle()
    }

    /// Makes a frame the visible one; false when the generation has changed since.
    /// Counts the frame, and those passed since the last one that was shown.
    func show(_ frame: CachedFrame, if generation: Int) -> Bool {
        let (isCurrent, before, last) = state.withLock { state -> (Bool, CachedFrame?, CachedFrame?) in
            guard state.generation == generation else { return (false, nil, nil) }
            state.statistics.dropped += UInt64(max(state.head.passed, 0))
            state.head.showed()
            state.statistics.shown += 1
            defer { (state.frame, state.lastFrame) = (frame, nil) }
            return (true, state.frame, state.lastFrame)
        }
        withExtendedLifetime((before, last)) {}
        return isCurrent
    }
}

extension AnimationPlayer.State {
    /// Number of frames that play, out of `count`.
    func limited(_ count: Int) -> Int { min(frameLimit ?? .max, count) }

    /// True when nothing is to be done before a frame arrives.
    /// A frame that arrived since the start of the last tick may be the right one, so the player looks again.
    var waitsForFrames: Bool { (head.isMissing || head.isStalled) && arrivals == arrivalsSeen }

    /// Time that the next tick of a clock adds. Time stands still while a frame is missing, unless late frames are dropped, and
    /// while the animation is stalled.
    func timeSinceTick(_ now: UInt64) -> UInt64 {
        let isStill = head.isMissing && !settings.dropsLateFrames || head.isStalled
        return isStill || now < lastTick ? 0 : now - lastTick
    }

    /// Time at which the visible frame has been shown for `duration` milliseconds. Counts from the last tick of a clock, because
    /// the head knows no later time.
    func end(of duration: Int, now: UInt64) -> UInt64 {
        let remaining = head.remaining(settings, duration: duration)
        guard clock != nil else { return now &+ remaining }
        let passed = timeSinceTick(now).addingSaturated(carried)
        return now &+ (remaining > passed ? remaining - passed : 0)
    }
}
