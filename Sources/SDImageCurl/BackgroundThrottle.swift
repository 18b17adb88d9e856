/// Start times of background transfers, which yield bandwidth to visible ones.
///
/// Transfers on the same link slow each other down, whatever their priority. So no background transfer starts while a visible
/// one runs. For a while after that, as long as more visible transfers are likely, background transfers run one at a time.
/// Used by `CurlLoop` for the transfers of all downloaders together. Confined to the transfer thread. Times are
/// monotonic nanoseconds.
struct BackgroundThrottle {
    /// Time after the last visible transfer during which another one is likely, in nanoseconds.
    private static let idleTime: UInt64 = 300_000_000
    /// Time after the last background start until another one starts even while visible transfers run. Without it, an endless
    /// series of visible transfers would block all others.
    private static let longestDelay: UInt64 = 1_000_000_000

    /// Transfers that run now, above low priority.
    private var visible = 0
    /// Transfers of low priority that run now.
    private var background = 0
    /// Time at which a visible transfer began or ended last; 0 before the first.
    private var lastVisible: UInt64 = 0
    /// Time at which a background transfer began last.
    private var lastStart: UInt64 = 0

    /// True if another background transfer may start.
    func admits(at now: UInt64) -> Bool { opening(at: now) <= now }

    /// Earliest start of another background transfer, as far as time alone decides.
    /// `.max` while no time is known: another transfer has to end first.
    func opening(at now: UInt64) -> UInt64 {
        // One background transfer runs already: a second one needs the idle time.
        if background > 0 { return visible > 0 ? .max : lastVisible == 0 ? 0 : lastVisible &+ BackgroundThrottle.idleTime }
        return visible > 0 ? lastStart &+ BackgroundThrottle.longestDelay : 0
    }

    /// Counts a transfer that starts.
    mutating func began(inBackground: Bool, at now: UInt64) {
        if inBackground {
            background += 1
            lastStart = now
        } else {
            visible += 1
            lastVisible = now
        }
    }

    /// Counts a transfer that has ended, or whose hop has.
    mutating func ended(inBackground: Bool, at now: UInt64) {
        if inBackground {
            background -= 1
        } else {
            visible -= 1
            lastVisible = now
        }
    }
}
