import Foundation

/// Polls for a change without an event, such as the end of work of the library. The limit only ends a hang.
public func becomesTrue(within seconds: Double = 120, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while try !condition() {
        guard Date() < end else { return try condition() }
        usleep(1000)
    }
    return true
}

/// Processor time in seconds. Other programs, and for a thread also other tests, do not lengthen it.
public enum ProcessorTime {
    public static var ofThread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }
    public static var ofProcess: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

    /// The time that this thread spends in `body`.
    public static func ofThread(in body: () throws -> Void) rethrows -> Double {
        let start = ofThread
        try body()
        return ofThread - start
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe _ = clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
