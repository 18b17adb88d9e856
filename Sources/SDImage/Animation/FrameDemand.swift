/// What a player will need next.
package struct FrameDemand: Sendable {
    /// The first frame that is still to be shown.
    package var place = PlaybackPosition()
    package var mode = PlaybackMode.normal
    /// Frames of the animation.
    package var count = 0
    /// When that frame is to be shown, monotonic nanoseconds, and how long after it the one behind.
    package var deadline: UInt64 = 0
    package var interval: UInt64 = 0
    /// Frames to have ready, at least that one; 0: none are to be made for it.
    package var depth = 0
    package var isPlaying = false
    /// See `PlaybackSettings`.
    package var bufferBytes = 0

    /// What its share depends on.
    struct Claim: Equatable {
        let isPlaying: Bool
        let count: Int
        let bufferBytes: Int
    }

    var claim: Claim { Claim(isPlaying: isPlaying, count: count, bufferBytes: bufferBytes) }

    /// However short frames are, so much time is bridged, and not with more frames than that.
    private static let bridged: UInt64 = 120_000_000
    private static let deepest: UInt64 = 16

    package init() {}

    /// How many frames of a length bridge a hiccup of the machine.
    package static func depth(interval: UInt64) -> Int {
        Int(min(max(bridged / max(interval, 1), 2) + 1, deepest))
    }
}

/// Who waits for frames of a pool; called on a worker, under no lock.
package protocol FrameListener: AnyObject, Sendable {
    func frameArrived()
}

/// One who may be gone.
struct WeakListener: Sendable { weak var listener: (any FrameListener)? }
