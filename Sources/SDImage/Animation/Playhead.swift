/// Position of an animation in time: the due frame, and the time since it became due. Pure: showing and making frames is left to
/// the player.
/// The player holds it under its lock and gives it time; each step moves by one frame at most.
package struct Playhead: Sendable {
    package private(set) var position = PlaybackPosition()
    /// Complete rounds.
    package private(set) var loopCount = 0
    /// The frame at this position is still to be shown.
    package private(set) var isWaiting = false
    /// The frame was not available when it was looked up.
    /// Time stands still then, unless late frames are dropped.
    package private(set) var isMissing = false
    /// The last frame that has arrived was shown for its duration, and more frames are to come.
    package private(set) var isStalled = false
    /// Frames that were due but not shown since the last shown one; used when late frames are dropped.
    package private(set) var passed = 0
    /// Time since the frame at this position became due, in nanoseconds.
    private var elapsed: UInt64 = 0

    /// Outcome of advancing time.
    /// `looped`: moved to the first frame, so that a round is complete.
    package enum Step: Equatable { case stays, moved, looped }

    package init() {}

    /// Prepares playback before the first frame is shown.
    package mutating func begin(_ mode: PlaybackMode, of count: Int) {
        // A bounce from the end begins backward.
        if position.index == 0, mode.startsAtEnd { position = PlaybackPosition(index: max(count - 1, 0), isForward: false) }
        isWaiting = true
    }

    /// A seek keeps the direction, and forgets time and the pending frame.
    package mutating func seek(to index: Int, loop: Int) {
        let isForward = position.isForward
        self = Playhead()
        position = PlaybackPosition(index: index, isForward: isForward)
        loopCount = loop
    }

    /// Records that the frame at this position is shown, or can never be.
    package mutating func showed() {
        (isWaiting, isMissing, passed) = (false, false, 0)
    }

    /// The frame is looked up again with each tick until it arrives.
    package mutating func missed() { isMissing = true }

    /// Advances time by at most one frame. `isGrowing`: more frames are to come after the last. Without dropping, no frame is
    /// skipped, and time stands still while one is missing.
    /// `duration`: milliseconds of a frame; called for this position and the next one.
    package mutating func pass(
        _ time: UInt64, _ settings: PlaybackSettings, of count: Int, isGrowing: Bool, duration: (Int) -> Int
    ) -> Step {
        guard settings.dropsLateFrames || !isMissing else { return .stays }
        // Saturated: a clock may report any time.
        elapsed = elapsed.addingSaturated(time)
        // A missing frame is shown before others are dropped; otherwise a slow decoder would never show anything.
        guard !isMissing else { return .stays }
        let shown = settings.nanoseconds(duration(position.index))
        guard elapsed >= shown else { return .stays }
        let next = position.next(settings.mode, of: count)
        // In reverse an animation never stalls: it goes from the first frame to the last that has arrived.
        isStalled = isGrowing && next.index <= position.index && (settings.mode != .reverse && position.index >= count - 1)
        if isStalled {
            // Moves on as soon as a following frame exists.
            elapsed = shown
            return .stays
        }
        elapsed -= shown
        // Without dropping, a long delay shortens the next frame at most, and never skips one.
        if !settings.dropsLateFrames { elapsed = min(elapsed, settings.nanoseconds(duration(next.index))) }
        // A frame that was due and is not shown now is a dropped one.
        if isWaiting { passed += 1 }
        position = next
        (isWaiting, isMissing) = (true, false)
        // The first frame ends a round in every mode.
        guard next.index == 0 else { return .moved }
        loopCount += 1
        return .looped
    }

    /// Discards the remaining time: after a very long pause, past frames are of no interest.
    package mutating func forgetTime() { elapsed = 0 }

    /// Nanoseconds until the visible frame has been shown for its duration.
    /// 0 if it is over.
    package func remaining(_ settings: PlaybackSettings, duration: Int) -> UInt64 {
        let shown = settings.nanoseconds(duration)
        return shown > elapsed ? shown - elapsed : 0
    }
}
