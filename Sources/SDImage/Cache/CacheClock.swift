/// The wall clock of a disk cache, which may be set by anyone at any time.
package struct CacheClock: Sendable {
    private let read: @Sendable () -> UInt64
    private let openedAt: UInt64
    private let started: UInt64

    /// `read` gives nanoseconds since 1970.
    package init(_ read: @escaping @Sendable () -> UInt64 = { MonotonicClock.wall }) {
        self.read = read
        openedAt = read()
        started = MonotonicClock.now
    }

    /// What is written into rows and what queries compare with.
    package var now: UInt64 { read() }

    /// What removing in the background goes by: never further ahead than time can have passed, so that a clock set forward
    /// makes nothing old.
    package var steady: UInt64 { min(read(), openedAt &+ (MonotonicClock.now &- started)) }
}
