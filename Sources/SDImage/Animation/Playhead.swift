/// Where an animation stands in time: which frame is due, and since when. Pure: what is shown, and
/// where frames come from, is for others to say.
package struct Playhead: Sendable {
    package private(set) var place = PlaybackPosition()
    package private(set) var loopCount = 0
    /// The frame at the place is still to be shown.
    package private(set) var isWaiting = false
    /// It was not there when it was asked for.
    package private(set) var isMissing = false
    /// The last frame that has arrived was shown for its time, and more are on their way.
    package private(set) var isStalled = false
    /// Frames that were due and not shown since the last one that was, for those who leave out late ones.
    package private(set) var passed = 0
    private var elapsed: UInt64 = 0

    /// What came of some time.
    package enum Step: Equatable { case stays, moved, looped }

    package init() {}

    /// Before the first frame is shown.
    package mutating func begin(_ mode: PlaybackMode, of count: Int) {
        if place.index == 0, mode.startsAtEnd { place = PlaybackPosition(index: max(count - 1, 0), isForward: false) }
        isWaiting = true
    }

    package mutating func seek(to index: Int, loop: Int) {
        let isForward = place.isForward
        self = Playhead()
        place = PlaybackPosition(index: index, isForward: isForward)
        loopCount = loop
    }

    /// The frame at the place is seen, or can never be.
    package mutating func showed() {
        (isWaiting, isMissing, passed) = (false, false, 0)
    }

    package mutating func missed() { isMissing = true }

    /// Lets time pass. `isGrowing`: more frames are to come behind the last. A step is at most one frame; without dropping
    /// no frame is ever skipped, and time stands still while one is missing.
    package mutating func pass(
        _ time: UInt64, _ settings: PlaybackSettings, of count: Int, isGrowing: Bool, duration: (Int) -> Int
    ) -> Step {
        guard settings.dropsLateFrames || !isMissing else { return .stays }
        elapsed = elapsed.addingSaturated(time)
        // Shown before others are left out, or a slow decoder would never show anything.
        guard !isMissing else { return .stays }
        let shown = settings.nanoseconds(duration(place.index))
        guard elapsed >= shown else { return .stays }
        let next = place.next(settings.mode, of: count)
        isStalled = isGrowing && next.index <= place.index && (settings.mode != .reverse && place.index >= count - 1)
        if isStalled {
            // Moves on at once when there is somewhere to go.
            elapsed = shown
            return .stays
        }
        elapsed -= shown
        if !settings.dropsLateFrames { elapsed = min(elapsed, settings.nanoseconds(duration(next.index))) }
        if isWaiting { passed += 1 }
        place = next
        (isWaiting, isMissing) = (true, false)
        guard next.index == 0 else { return .moved }
        loopCount += 1
        return .looped
    }

    /// Gives up what time is left beyond a frame's: after a very long pause nobody wants the past.
    package mutating func forgetTime() { elapsed = 0 }

    /// Until the frame that shows has been shown for its time.
    package func remaining(_ settings: PlaybackSettings, duration: Int) -> UInt64 {
        let shown = settings.nanoseconds(duration)
        return shown > elapsed ? shown - elapsed : 0
    }
}
