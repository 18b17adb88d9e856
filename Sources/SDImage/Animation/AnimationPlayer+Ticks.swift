/// One tick reads the provider, shows the due frame and moves on. Calls of the host are made between the critical
/// sections.
extension AnimationPlayer {
    /// Properties of the provider, read at the beginning of a tick. The provider may belong to the host.
    /// A changed generation means that the host has paused, stopped or sought meanwhile, so that the tick ends.
    private struct Look {
        /// Frames that the provider has at present.
        let count: Int
        let isGrowing: Bool
        let loopLimit: Int
        /// Generation of the state that began the tick.
        let generation: Int
    }

    /// The due frame: none, one that is held with its index, or one to make at once.
    private enum Showing { case nothing, frame(CachedFrame, Int), make(Int) }

    /// Advances time; true when another frame is to be drawn. A tick inside a handler, or concurrent with a tick on another
    /// thread, adds its time to the next one.
    /// `nanoseconds`: time since the previous tick.
    @discardableResult
    package func tick(_ nanoseconds: UInt64) -> Bool { tick(nanoseconds, isPrompt: false) }

    /// `isPrompt`: a frame that becomes due is shown in this tick if it is available, instead of in the next tick.
    /// Clocks use it, because they tick when the frame is due.
    func tick(_ nanoseconds: UInt64, isPrompt: Bool) -> Bool {
        // Ticks never nest: the state records one that is running.
        let (begins, generation, carried) = state.withLock { state -> (Bool, Int, UInt64) in
            guard state.isPlaying, !state.isTicking else {
                if state.isPlaying { state.carried &+= nanoseconds }
                return (false, 0, 0)
            }
            state.isTicking = true
            state.arrivalsSeen = state.arrivals
            defer { state.carried = 0 }
            return (true, state.generation, state.carried)
        }
        guard begins else { return false }
        defer {
            state.withLock { $0.isTicking = false }
            // The next due time is planned after every tick, also after one without a change.
            settle()
        }
        // The provider may be foreign code, so it is asked without the lock.
        let frames = source.frames
        let ownLimit = state.withLock { $0.loopLimit }
        let look = Look(
            count: frames.frameCount, isGrowing: frames.isGrowing, loopLimit: ownLimit ?? frames.loopCount,
            generation: generation)
        guard canPlay(look) else { return false }
        let time = nanoseconds &+ carried
        // The frame that became due in the previous tick comes first.
        let first = showDue(look)
        // With a clock, or if frames are made here, the next frame is shown in the same tick.
        guard isCurrent(look), pass(time, look), isPrompt || settings.makesFramesItself else { return first }
        return showDue(look) || first
    }

    /// False after a pause, stop or seek since the tick began.
    private func isCurrent(_ look: Look) -> Bool {
        state.withLock { $0.isPlaying && $0.generation == look.generation }
    }

    /// Stops playback when the rate is 0 or below, or when there are fewer than two frames and no more to come that the limit
    /// admits; false then.
    private func canPlay(_ look: Look) -> Bool {
        let canPlay = state.withLock { state in
            state.count = look.count
            return state.settings.rate > 0 && state.limited(look.isGrowing ? .max : look.count) > 1
        }
        if !canPlay { stop(isEnd: true) }
        return canPlay
    }

    /// Shows the pending frame if it is available, or makes it when the settings say so.
    /// True if it was shown.
    private func showDue(_ look: Look) -> Bool {
        switch due(look) {
        case .nothing: return false
        case .frame(let frame, let index): return present(frame, index, look)
        case .make(let index):
            do throws(ImageError) { return present(try pool.make(index), index, look) } catch {
                fail(look)
                return false
            }
        }
    }

    /// The image for the handler is made first, because it may be refused for lack of memory.
    private func present(_ frame: CachedFrame, _ index: Int, _ look: Look) -> Bool {
        guard let handler, handler.wantsFrames else { return show(frame, if: look.generation) }
        guard let image = try? frame.image() else {
            fail(look)
            return false
        }
        guard show(frame, if: look.generation) else { return false }
        handler.frame(self, index, image)
        return true
    }

    /// Skips a frame that cannot be made: it still takes its time, and the previous frame stays visible.
    private func fail(_ look: Look) {
        state.withLock { state in
            guard state.generation == look.generation else { return }
            state.head.showed()
            state.statistics.failed += 1
        }
    }

    /// Looks the pending frame up. The first look counts in the statistics; later ones wait for the same frame.
    private func due(_ look: Look) -> Showing {
        let (index, isFirstTry, makes) = state.withLock { state in
            let isValid = state.head.position.index < state.limited(look.count)
            let isWaiting = state.head.isWaiting && state.isPlaying && isValid
            // The provider has shrunk, or the host has limited the frames: the due frame never comes, and time goes on.
            if !isValid, state.limited(look.count) > 1 { state.head.showed() }
            return (isWaiting ? state.head.position.index : -1, !state.head.isMissing, state.settings.makesFramesItself)
        }
        guard index >= 0 else { return .nothing }
        switch pool.look(index, counts: isFirstTry) {
        case .frame(let frame): return .frame(frame, index)
        // A failed frame counts as shown, so that time goes on.
        case .failed: fail(look)
        case .absent:
            if makes { return .make(index) }
            state.withLock { state in
                guard state.generation == look.generation else { return }
                if isFirstTry { state.statistics.late += 1 }
                state.head.missed()
            }
        }
        return .nothing
    }

    /// True when another frame is due. When late frames are dropped, takes as many steps as the time requires, up to one round.
    /// `time` is in nanoseconds; the durations are divided by the rate.
    private func pass(_ time: UInt64, _ look: Look) -> Bool {
        var rest = time
        var isMoved = false
        var steps = 0
        // The head is advanced on a copy: the durations come from the provider, which is called without the lock.
        while true {
            // A limit that is reached ends the growth.
            let step = state.withLock { state in
                let count = state.limited(look.count)
                return (state.head, state.settings, count, look.isGrowing && count < state.frameLimit ?? .max)
            }
            var head = step.0
            let outcome = head.pass(
                rest, step.1, of: step.2, isGrowing: step.3,
                duration: { source.frames.durationMilliseconds(at: $0) })
            // A seek or pause meanwhile makes the copy obsolete.
            let isTaken = state.withLock { state -> Bool in
                guard state.isPlaying, state.generation == look.generation else { return false }
                state.head = head
                return true
            }
            guard isTaken else { return false }
            // The first step takes all the time; further ones use what is left in the head.
            (rest, steps) = (0, steps + 1)
            switch outcome {
            case .stays: return isMoved
            case .moved: break
            case .looped: guard countRound(head.loopCount, look) else { return false }
            }
            isMoved = true
            // Without dropping, a tick passes one frame at most.
            guard step.1.dropsLateFrames else { return true }
            // After a whole round, the rest is forgotten, so that the loop ends.
            if steps >= step.2 {
                state.withLock { $0.head.forgetTime() }
                return true
            }
        }
    }

    /// False after the last round, or when the handler has changed the playback.
    /// `count`: complete rounds.
    private func countRound(_ count: Int, _ look: Look) -> Bool {
        handler?.loop(self, count)
        guard isCurrent(look) else { return false }
        // The handler may have changed the limit.
        let limit = state.withLock { $0.loopLimit } ?? look.loopLimit
        guard limit == 0 || count < limit else {
            stop(isEnd: true)
            return false
        }
        return true
    }

    /// Reports the frames needed from now on to the pool, and arms the clock. `poster`: the first frame, if it need not be made.
    ///
    /// Two threads may run this concurrently, and the one with the older state may apply it last. Each repeats until its plan is
    /// the newest.
    /// Called without locks, after each change of the state. `arming` ensures that the clock gets the newest plan.
    func settle(poster: CachedFrame? = nil) {
        var poster = poster
        while true {
            let plan = plan()
            pool.demand(plan.demand, by: id, poster: poster)
            poster = nil
            let isNewest = arming.withLock { _ in
                let (isNewest, isDue) = state.withLock { state in
                    (state.plans == plan.number, state.isPlaying && !state.waitsForFrames)
                }
                // A frame that arrived in between is due immediately.
                if isNewest { plan.clock?.arm(at: plan.moment ?? (isDue ? MonotonicClock.now : nil)) }
                return isNewest
            }
            if isNewest { return }
        }
    }

    /// Demand and due time, computed from one state.
    private struct Plan {
        /// The value of `plans` when it was made.
        let number: UInt64
        let demand: FrameDemand
        /// nil while nothing is due.
        let moment: UInt64?
        let clock: (any PlaybackClock)?
    }

    /// The duration of the frame at the position is read first, without the lock.
    private func plan() -> Plan {
        let index = state.withLock { $0.head.position.index }
        let duration = source.frames.durationMilliseconds(at: index)
        let now = MonotonicClock.now
        return state.withLock { state in
            state.plans += 1
            var moment: UInt64?
            if state.isPlaying, !state.waitsForFrames {
                // A frame that is to be looked up, or may have arrived, needs a tick at once.
                let isNow = state.head.isMissing || state.head.isStalled || state.head.isWaiting
                moment = isNow ? now : state.end(of: duration, now: now)
            }
            return Plan(
                number: state.plans, demand: need(state, duration: duration, now: now), moment: moment, clock: state.clock)
        }
    }

    /// The demand for the pool: from which frame on, until when, and how many in advance.
    private func need(_ state: State, duration: Int, now: UInt64) -> FrameDemand {
        var demand = FrameDemand()
        // A rate of 0 or below never reaches the next frame; half of the range cannot overflow in sums.
        let interval = state.settings.rate > 0 ? state.settings.nanoseconds(duration) : .max / 2
        demand.mode = state.settings.mode
        demand.count = state.limited(state.count)
        // The frame to show next: the pending one, or the one after the visible one.
        demand.position = state.head.isWaiting ? state.head.position : state.head.position.next(demand.mode, of: demand.count)
        demand.deadline = state.head.isWaiting ? now : state.end(of: duration, now: now)
        demand.interval = interval
        demand.isPlaying = state.isPlaying
        // Frames in advance serve only an animation that plays and does not make its frames itself.
        let needsNone = state.settings.makesFramesItself || !state.isPlaying || state.head.isStalled
        demand.depth = needsNone ? 0 : FrameDemand.depth(interval: interval)
        demand.bufferBytes = state.settings.bufferBytes
        return demand
    }
}

/// Playback driven by a clock.
/// The clock calls `advance`, and the pool `frameArrived`.
extension AnimationPlayer: FrameListener {
    /// Advances by the time since the last tick.
    @discardableResult
    package func advance() -> Bool {
        let now = MonotonicClock.now
        let time = state.withLock { state -> UInt64 in
            defer { state.lastTick = now }
            return state.timeSinceTick(now)
        }
        return tick(time, isPrompt: true)
    }

    /// Makes a waiting animation look for its frame at once; called by the pool and when the provider has grown.
    package func frameArrived() {
        arming.withLock { _ in
            let clock = state.withLock { state in
                // Counted even without a clock: a running tick compares the numbers.
                state.arrivals += 1
                return state.isPlaying && (state.head.isWaiting || state.head.isStalled) ? state.clock : nil
            }
            clock?.arm(at: MonotonicClock.now)
        }
    }
}
