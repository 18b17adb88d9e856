/// What a host may change while an animation plays.
package struct PlaybackSettings: Sendable {
    /// How often it plays; 0 = for ever.
    package var loopLimit = 0
    /// Above 1 is faster; 0 and below stops at the next tick.
    package var rate = 1.0
    package var mode = PlaybackMode.normal
    /// Follows the wall clock: frames whose time is over are left out (docs/decisions.md, "Late frames are shown").
    package var dropsLateFrames = false
    /// A frame that is due and not there is made by the calling thread, instead of being late.
    package var makesFramesItself = false
    /// Bytes of frames that may be held for it; 0 leaves that to the budget of the process, 1 is one frame.
    package var bufferBytes = 0

    package init() {}

    /// A length of time that plays at the rate. Endless for what no clock reaches.
    func nanoseconds(_ milliseconds: Int) -> UInt64 {
        let time = Double(max(milliseconds, 0)) * 1_000_000 / rate
        return time < 1e18 ? UInt64(max(time, 0)) : 1_000_000_000_000_000_000
    }
}
