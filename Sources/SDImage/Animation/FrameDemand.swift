/// The next frames that a player needs.
/// Sent to the pool after each change of a player; the budget divides memory and workers by it.
package struct FrameDemand: Sendable {
    /// Position of the first frame still to be shown.
    /// `PoolTable` follows it to know which frames come next.
    package var position = PlaybackPosition()
    package var mode = PlaybackMode.normal
    /// Number of frames that play.
    package var count = 0
    /// Due time of that frame in monotonic nanoseconds, and the interval to the following frame in nanoseconds.
    package var deadline: UInt64 = 0
    package var interval: UInt64 = 0
    /// Number of frames to have ready, including that one; 0: none are made for this player.
    package var depth = 0
    package var isPlaying = false
    /// See `PlaybackSettings`.
    package var bufferBytes = 0

    /// The part of a demand that determines its share.
    /// A change of anything else leaves the division of memory valid.
    struct Claim: Equatable {
        let isPlaying: Bool
        let count: Int
        let bufferBytes: Int
    }

    var claim: Claim { Claim(isPlaying: isPlaying, count: count, bufferBytes: bufferBytes) }

    /// Time that frames held in advance bridge, in nanoseconds, and the largest number of frames used for it.
    private static let bridged: UInt64 = 120_000_000
    private static let deepest: UInt64 = 16

    package init() {}

    /// Number of frames of a given duration that bridge a short delay of the machine.
    /// Short frames need more of them: 120 ms of frames, at least three and at most sixteen.
    package static func depth(interval: UInt64) -> Int {
        Int(min(max(bridged / max(interval, 1), 2) + 1, deepest))
    }
}

/// Notified when a frame of a pool arrives. Called on a worker without locks held.
package protocol FrameListener: AnyObject, Sendable {
    /// The player looks again for its frame, and its clock rings.
    func frameArrived()
}

/// A listener that may have been freed.
struct WeakListener: Sendable { weak var listener: (any FrameListener)? }
