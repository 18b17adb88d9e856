/// Start times of background transfers, which yield bandwidth to visible ones.
///
/// Transfers on the same link slow each other down, whatever their priority. So no background transfer starts while a visible
/// one runs. For a while after that, as long as more visible transfers are likely, background transfers run one at a time.
struct BackgroundThrottle {
    /// Time after the last visible transfer during which another one is likely, in nanoseconds.
    private static let idleTime: UInt64 = 300_000_000
    /// Time after the last background start until another one starts even while visible transfers run. Without it, an endless
    /// series of visible transfers would block all others.
    private static let longestDelay: UInt64 = 1_000_000_000

    private var visible = 0
    private var background = 0
    private var lastVisible: UInt64 = 0
    private var lastStart: UInt64 = 0

    /// True if another background transfer may start.
    func admits(at now: UInt64) -> Bool { opening(at: now) <= now }

    /// Earliest start of another background transfer, as far as time alone decides.
    func opening(at now: UInt64) -> UInt64 {
        if background > 0 { return visible > 0 ? .max : lastVisible == 0 ? 0 : lastVisible &+ BackgroundThrottle.idleTime }
        return visible > 0 ? lastStart &+ BackgroundThrottle.longestDelay : 0
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
