import Synchronization

/// Says to long work that its result is no longer wanted, or that its time is over.
package final class StopSignal: Cancellable {
    private let cancelled = Atomic<Bool>(false)
    private let deadline = Atomic<UInt64>(.max)

    package init() {}

    package func cancel() { cancelled.store(true, ordering: .relaxed) }

    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Starts the clock of one piece of work.
    package func allow(nanoseconds: UInt64) {
        let (end, overflow) = MonotonicClock.now.addingReportingOverflow(nanoseconds)
        deadline.store(overflow ? .max : end, ordering: .relaxed)
    }

    /// Throws `cancelled` or `timeout` when work must end.
    package func check() throws(ImageError) {
        if isCancelled { throw .cancelled }
        if MonotonicClock.now > deadline.load(ordering: .relaxed) { throw ImageError(.timeout, "decoding took too long") }
    }
}
