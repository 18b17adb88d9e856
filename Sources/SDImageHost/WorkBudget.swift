import SDImage

/// The budget of an operation as seen by a coder of the host: of one call, or of the current call of an instance. Coders query it
/// through their options, from any thread.
package final class WorkBudget: Sendable, HandleObject {
    @inlinable package static var forkRule: ForkRule { .usable }

    private struct State {
        /// nil between calls of an instance.
        var stop: CancellationToken?
        /// Monotonic nanoseconds; for calls whose `stop` has no time limit.
        var deadline = UInt64.max
    }

    private let state: Monitor<State>
    /// Bytes of a bitmap that the call may make.
    let bitmapBytes: Int

    /// A budget without limits until a call begins.
    package init(bitmapBytes: Int = 0) {
        state = Monitor(State())
        self.bitmapBytes = bitmapBytes
    }

    /// The budget of one call that begins here.
    package convenience init(_ stop: CancellationToken, nanoseconds: UInt64, bitmapBytes: Int = 0) {
        self.init(bitmapBytes: bitmapBytes)
        begin(stop, nanoseconds: nanoseconds)
    }

    /// The budget of one call with the limits of its options.
    package convenience init(_ stop: CancellationToken, _ limits: DecodeLimits) {
        self.init(stop, nanoseconds: limits.workNanoseconds, bitmapBytes: limits.outputBytes)
    }

    /// Starts the budget of a call of an instance: the token, and a time from here on.
    package func begin(_ stop: CancellationToken, nanoseconds: UInt64) {
        let (end, overflow) = MonotonicClock.now.addingReportingOverflow(nanoseconds)
        state.withLock { $0 = State(stop: stop, deadline: overflow ? .max : end) }
    }

    /// Ends the budget of a call: from here on there is no limit.
    package func end() { state.withLock { $0 = State() } }

    /// Throws `cancelled` or `timeout` when the work must end.
    package func check() throws(ImageError) {
        let (stop, deadline) = state.withLock { ($0.stop, $0.deadline) }
        try stop?.check()
        if MonotonicClock.now > deadline { throw ImageError(.timeout, "image: work exceeded its time limit") }
    }

    /// The reason to stop the work; nil while it may continue.
    package var failure: ImageError? {
        do throws(ImageError) { try check() } catch { return error }
        return nil
    }

    /// Counts bytes that the coder has read; throws when the work must end.
    package func spend(_ bytes: Int) throws(ImageError) {
        let stop = state.withLock { $0.stop }
        // Capped above any real amount, so that sums of several calls do not overflow.
        try stop?.spend(min(bytes, 1 << 32))
        try check()
    }

    /// Time that is left; UINT32_MAX without a limit.
    package var remainingMilliseconds: UInt32 {
        let (stop, deadline) = state.withLock { ($0.stop, $0.deadline) }
        let end = min(deadline, stop?.end ?? .max), now = MonotonicClock.now
        guard end < .max else { return .max }
        return end > now ? UInt32(clamping: (end - now) / 1_000_000) : 0
    }
}
