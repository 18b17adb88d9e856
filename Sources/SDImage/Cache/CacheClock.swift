/// The wall clock of a disk cache. It may be changed at any time.
package struct CacheClock: Sendable {
    private let read: @Sendable () -> UInt64
    /// Wall time at the opening, nanoseconds since 1970.
    private let openedAt: UInt64
    /// Monotonic time at the opening.
    private let started: UInt64

    /// `read` returns nanoseconds since 1970.
    package init(_ read: @escaping @Sendable () -> UInt64 = { MonotonicClock.wall }) {
        self.read = read
        openedAt = read()
        started = MonotonicClock.now
    }

    /// The time stored in rows and used by queries.
    package var now: UInt64 { read() }

    /// The time used by background removal. It never advances further than the monotonic clock since opening, so that a clock
    /// set forward expires nothing.
    package var steady: UInt64 { min(read(), openedAt &+ (MonotonicClock.now &- started)) }
}
