/// A position in the playback order.
/// Computed without the provider, so a pool can follow it into the future.
package struct PlaybackPosition: Equatable, Sendable {
    /// Index of the frame.
    package var index = 0
    /// Direction in which a bouncing animation moves.
    package var isForward = true

    package init(index: Int = 0, isForward: Bool = true) {
        self.index = index
        self.isForward = isForward
    }

    /// The next position. A single frame is its own successor.
    /// `count` may have changed since the position was computed; the result is always valid for it.
    package func next(_ mode: PlaybackMode, of count: Int) -> PlaybackPosition {
        guard count > 1 else { return PlaybackPosition() }
        let last = count - 1
        switch mode {
        case .normal: return PlaybackPosition(index: index < last ? index + 1 : 0)
        // A position beyond the end, after frames were removed, returns to the last frame.
        case .reverse: return PlaybackPosition(index: index > 0 ? min(index, count) - 1 : last, isForward: false)
        // Both kinds of bouncing differ in their start only; each end is shown once.
        case .bounce, .reversedBounce:
            let isForward = index <= 0 || index < last && isForward
            return PlaybackPosition(index: isForward ? index + 1 : min(index, last) - 1, isForward: isForward)
        }
    }
}
