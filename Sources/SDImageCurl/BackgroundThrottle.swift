/// When transfers that nobody waits for may start: those that somebody waits for have the line to themselves.
///
/// What shares a line makes the others slower, whatever its priority. So nothing starts in the background while something
/// visible runs; and for a while after that, as long as more of it is likely to come, one at a time.
struct BackgroundThrottle {
    /// How long more of what is visible is likely to come, in nanoseconds.
    private static let quiet: UInt64 = 300_000_000
    /// Something starts all the same after that long, or endless visible loads would stop all others.
    private static let patience: UInt64 = 1_000_000_000

    private var visible = 0
    private var background = 0
    private var lastVisible: UInt64 = 0
    private var lastStart: UInt64 = 0

    /// Whether one more may start in the background.
    func admits(at now: UInt64) -> Bool { opening(at: now) <= now }

    /// When that is, as far as time alone decides.
    func opening(at now: UInt64) -> UInt64 {
        if background > 0 { return visible > 0 ? .max : lastVisible == 0 ? 0 : lastVisible &+ BackgroundThrottle.quiet }
        return visible > 0 ? lastStart &+ BackgroundThrottle.patience : 0
    }

    mutating func began(inBackground: Bool, at now: UInt64) {
        if inBackground {
            background += 1
            lastStart = now
        } else {
            visible += 1
            lastVisible = now
        }
    }

    mutating func ended(inBackground: Bool, at now: UInt64) {
        if inBackground {
            background -= 1
        } else {
            visible -= 1
            lastVisible = now
        }
    }
}
