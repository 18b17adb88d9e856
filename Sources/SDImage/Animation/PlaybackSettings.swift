/// Settings that a host may change during playback.
/// A value; `AnimationPlayer` keeps the current one under its lock.
package struct PlaybackSettings: Sendable {
    /// Speed factor: above 1 is faster, 0 and below stops at the next tick.
    /// NaN stops as well, because it is not above 0.
    package var rate = 1.0
    package var mode = PlaybackMode.normal
    /// Follows the wall clock: frames whose time has passed are dropped (docs/decisions.md, "Late frames are shown").
    package var dropsLateFrames = false
    /// Makes a due but missing frame on the calling thread, so that it is not late.
    package var makesFramesItself = false
    /// Limit of the frames held for the player, in bytes; 0 leaves it to the budget of the process, 1 is one frame.
    package var bufferBytes = 0

    package init() {}

    /// Duration at the rate, at most 10^18 ns, which no clock reaches.
    /// `milliseconds` is the duration of a frame at rate 1.
    func nanoseconds(_ milliseconds: Int) -> UInt64 {
        // Infinite or NaN results compare as false.
        let time = Double(max(milliseconds, 0)) * 1_000_000 / rate
        return time < 1e18 ? UInt64(max(time, 0)) : 1_000_000_000_000_000_000
    }
}
