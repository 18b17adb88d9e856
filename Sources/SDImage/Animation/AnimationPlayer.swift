/// What a host wants to see of an animation; called on the thread that ticks or seeks, or on the clock's dispatcher.
package protocol PlaybackHandler: AnyObject, Sendable {
    /// False where `frame` does nothing.
    var wantsFrames: Bool { get }
    func frame(_ player: AnimationPlayer, _ index: Int, _ image: Image)
    /// So many rounds are over.
    func loop(_ player: AnimationPlayer, _ count: Int)
}

/// Plays the frames of one provider.
///
/// Time comes from the host by `tick`, or from a clock, whose turns call `advance`. Handlers run under no lock and may do
/// anything, letting go of the player included.
package final class AnimationPlayer: Sendable {
    struct State {
        var settings = PlaybackSettings()
        var head = Playhead()
        var isPlaying = false
        /// Set by hand, in place of what the provider says.
        var frameLimit: Int?
        var loopLimit: Int?
        /// Frames there were at the last look.
        var count = 0
        var frame: CachedFrame?
        /// A thread is in a turn; time that passes meanwhile is for the next.
        var isTurning = false
        var carried: UInt64 = 0
        /// Frames that have arrived, and how many of them had when the turn began: who arrives meanwhile must not be waited for.
        var arrivals = 0
        var arrivalsSeen = 0
        /// Rises with everything that makes a turn under way pointless.
        var generation = 0
        /// Rises with every plan of `settle` and with every change of the clock: an older plan is not applied.
        var plans: UInt64 = 0
        var clock: (any PlaybackClock)?
        /// When a clock's turn was last, monotonic nanoseconds.
        var lastTurn: UInt64 = 0
        var statistics = Statistics()
    }

    package struct Statistics: Sendable {
        package var shown: UInt64 = 0
        /// Shown later than they were due, because they were not there.
        package var late: UInt64 = 0
        /// Left out, because their time was over.
        package var dropped: UInt64 = 0
        /// That could not be made.
        package var failed: UInt64 = 0
    }

    let source: FrameSource
    let pool: FramePool
    let handler: (any PlaybackHandler)?
    let id: UInt64
    let state: Monitor<State>
    /// Held while a clock is armed: once it was given to another player, no thread arms it for this one. Before `state`.
    let arming = Lock(())

    /// Refuses what has fewer than two frames and will not get more.
    package init(
        _ source: FrameSource, handler: (any PlaybackHandler)?, budget: FrameBudget, lease: EngineLease
    ) throws(ImageError) {
        let count = source.frames.frameCount
        guard count > 1 || source.frames.isGrowing else {
            throw ImageError(.invalidArgument, "a picture with fewer than two frames")
        }
        self.source = source
        self.handler = handler
        pool = budget.pool(for: source, lease: lease)
        id = budget.newPlayer()
        var state = State()
        state.count = count
        self.state = Monitor(state)
    }

    deinit { pool.want(nil, by: id) }

    // MARK: What it says

    package var isPlaying: Bool { state.withLock { $0.isPlaying } }
    /// On show; nil also without memory for its pixels.
    package var frame: Image? {
        let frame = state.withLock { $0.frame }
        return try? frame?.image()
    }
    package var index: Int { state.withLock { $0.head.place.index } }
    package var loopCount: Int { state.withLock { $0.head.loopCount } }
    package var settings: PlaybackSettings { state.withLock { $0.settings } }
    package var statistics: Statistics { state.withLock { $0.statistics } }
    /// Frames that are held for it, and for others who play the same.
    package var bufferedFrames: Int { pool.count }
    package var clock: (any PlaybackClock)? { state.withLock { $0.clock } }

    /// Frames that play.
    package var frameCount: Int {
        let count = source.frames.frameCount
        return state.withLock { $0.limited(count) }
    }

    /// How often they play; 0 = for ever.
    package var loopLimit: Int { state.withLock { $0.loopLimit } ?? source.frames.loopCount }

    // MARK: What is set

    package func change(_ body: (inout PlaybackSettings) -> Void) {
        state.withLock { body(&$0.settings) }
        settle()
    }

    /// Plays the first frames only; nil: all that there are.
    package func setFrameLimit(_ limit: Int?) {
        state.withLock { $0.frameLimit = limit.map { max($0, 0) } }
        settle()
    }

    /// nil: as the provider says.
    package func setLoopLimit(_ limit: Int?) { state.withLock { $0.loopLimit = limit.map { max($0, 0) } } }

    /// In place of the host's ticks; nil: back to them.
    package func setClock(_ clock: (any PlaybackClock)?) {
        let before = arming.withLock { _ in
            let before = state.withLock { state in
                defer {
                    state.clock = clock
                    state.lastTurn = MonotonicClock.now
                    // Nobody told of those that arrived before.
                    state.arrivals += 1
                    state.plans += 1
                }
                return state.clock
            }
            before?.arm(at: nil)
            return before
        }
        withExtendedLifetime(before) {}
        pool.tell(clock == nil ? nil : self, by: id)
        settle()
    }

    // MARK: What it does

    /// Starts, or goes on.
    package func start() {
        let count = source.frames.frameCount
        let beginsAtFirst = state.withLock { state -> Bool in
            guard !state.isPlaying else { return false }
            state.isPlaying = true
            state.generation += 1
            state.count = count
            state.lastTurn = MonotonicClock.now
            guard state.frame == nil else { return false }
            state.head.begin(state.settings.mode, of: state.limited(count))
            return state.head.place.index == 0
        }
        let poster = source.takePoster(isShort: pool.isShort)
        settle(poster: beginsAtFirst ? poster : nil)
    }

    /// Stops time and keeps everything else.
    package func pause() {
        state.withLock { state in
            state.isPlaying = false
            state.generation += 1
        }
        settle()
    }

    /// Stops and goes back to the start, without a word to the handler; frames that are held stay.
    package func stop() {
        let frame = state.withLock { state -> CachedFrame? in
            state.isPlaying = false
            state.generation += 1
            state.head = Playhead()
            defer { state.frame = nil }
            return state.frame
        }
        withExtendedLifetime(frame) {}
        settle()
    }

    package func clearFrameBuffer() { pool.empty() }

    /// Shows a frame now, made by the calling thread, also while paused. Refuses what is no frame.
    package func seek(to index: Int, loop: Int) throws(ImageError) {
        let count = frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        let generation = state.withLock { state -> Int in
            state.generation += 1
            state.head.seek(to: index, loop: max(loop, 0))
            return state.generation
        }
        let frame: CachedFrame
        if case .frame(let held) = pool.look(index) { frame = held } else { frame = try pool.make(index) }
        let image = try handler?.wantsFrames == true ? frame.image() : nil
        guard show(frame, if: generation) else { return }
        if let image { handler?.frame(self, index, image) }
        settle()
    }

    /// Looks again at what the provider has; for clocks, after it has grown.
    package func update() {
        frameArrived()
        settle()
    }

    /// False where something else has happened since.
    func show(_ frame: CachedFrame, if generation: Int) -> Bool {
        let (isCurrent, before) = state.withLock { state -> (Bool, CachedFrame?) in
            guard state.generation == generation else { return (false, nil) }
            state.statistics.dropped += UInt64(max(state.head.passed, 0))
            state.head.showed()
            state.statistics.shown += 1
            defer { state.frame = frame }
            return (true, state.frame)
        }
        withExtendedLifetime(before) {}
        return isCurrent
    }
}

extension AnimationPlayer.State {
    /// Of so many frames, those that play.
    func limited(_ count: Int) -> Int { min(frameLimit ?? .max, count) }

    /// Nothing is to be done before a frame arrives.
    var waitsForFrames: Bool { (head.isMissing || head.isStalled) && arrivals == arrivalsSeen }
}
