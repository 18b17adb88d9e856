/// The order in which frames play.
package enum PlaybackMode: Int32, Sendable {
    case normal = 0
    case reverse = 1
    /// There and back.
    case bounce = 2
    /// Back and there.
    case reversedBounce = 3

    package var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
}
