import Glibc

/// Monotonic time, wall-clock time and processor time.
/// Deadlines use `now`; only times in files and headers use the wall clock, which may jump.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment.
    package static var now: UInt64 { read(CLOCK_MONOTONIC) }

    /// Wall-clock nanoseconds since 1970.
    package static var wall: UInt64 { read(CLOCK_REALTIME) }

    /// Nanoseconds of processor time that the calling thread has used.
    /// The budget of a query in SQLite counts it, so that a loaded machine does not shorten it.
    package static var processor: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// Wall-clock seconds since 1970.
    package static var wallSeconds: Int64 { Int64(wall / 1_000_000_000) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // Fails only for clocks that the system lacks; 0 is then "long ago".
        guard unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(max(time.tv_sec, 0)) &* 1_000_000_000 &+ UInt64(max(time.tv_nsec, 0))
    }
}
