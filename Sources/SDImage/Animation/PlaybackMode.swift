/// The order in which frames play.
package enum PlaybackMode: Int32, Sendable {
    case normal = 0
    case reverse = 1
    /// Forward, then backward.
    case bounce = 2
    /// Backward, then forward.
    case reversedBounce = 3

    package var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
}
