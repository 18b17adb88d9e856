/// The order in which frames play.
/// The numbers are those of the C interface.
package enum PlaybackMode: Int32, Sendable {
    case normal = 0
    case reverse = 1
    /// Forward, then backward.
    case bounce = 2
    /// Backward, then forward.
    case reversedBounce = 3

    /// True if the first frame to show is the last of the animation.
    package var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
}
