import Synchronization

/// Work that can be cancelled.
/// Implemented by tokens, transfers and tasks; the holder need not know which.
package protocol Cancellable: AnyObject, Sendable {
    /// May be called any number of times, on any thread.
    func cancel()
}

/// Cancels one operation. Also holds its deadline and the amount of input that its parsers may read, which end it in the same
/// way.
///
/// Shared by all threads of the operation. Unlimited until a limit is set.
/// Made for each operation, such as a decode. All members are atomic and relaxed: a limit that is seen late is only
/// enforced later.
package final class CancellationToken: Cancellable {
    /// Parsers read their input a few times; metadata adds at most some blocks that are decompressed.
    /// Bytes that parsers may read for each byte of input.
    private static let amountPerByte = 16
    /// Bytes that parsers may read in addition, whatever the size of the input.
    private static let baseAmount = 32 << 20
    /// Bytes read between two checks of the clock.
    private static let checkInterval = 1 << 16

    private let onCancel: (@Sendable () -> Void)?
    private let cancelled = Atomic<Bool>(false)
    private let deadline = Atomic<UInt64>(.max)
    /// Bytes that parsers may read in all.
    private let amount = Atomic<Int>(.max)
    /// Bytes read since `start`.
    private let spent = Atomic<Int>(0)
    /// Raw value of the priority.
    private let order: Atomic<Int32>

    /// `onCancel` is called once, by the first cancellation, on its thread.
    package init(priority: LoadPriority = .normal, onCancel: (@Sendable () -> Void)? = nil) {
        order = Atomic(priority.rawValue)
        self.onCancel = onCancel
    }

    /// Loops end at their next `check`; `isCancelled` is true at once.
    package func cancel() {
        if !cancelled.exchange(true, ordering: .relaxed) { onCancel?() }
    }

    /// Deadline in monotonic nanoseconds; `.max` without one.
    /// Reaching it counts as `timeout`.
    package var end: UInt64 { deadline.load(ordering: .relaxed) }

    /// The priority of the operation where it waits for a decoder process.
    package var priority: LoadPriority {
        get { LoadPriority(rawValue: order.load(ordering: .relaxed)) ?? .normal }
        set { order.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Raises the priority to at least `other`.
    package func raise(to other: LoadPriority) { order.max(other.rawValue, ordering: .relaxed) }

    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Sets the deadline of an operation that starts now.
    /// Replaces an earlier deadline.
    package func allow(nanoseconds: UInt64) {
        deadline.store(MonotonicClock.now.addingSaturated(nanoseconds), ordering: .relaxed)
    }

    /// Moves the deadline by time that the operation spent waiting.
    /// Called after waits for which the operation is not responsible, such as a queue.
    package func extend(nanoseconds: UInt64) {
        deadline.store(end.addingSaturated(nanoseconds), ordering: .relaxed)
    }

    /// Sets the deadline of an operation on `encodedBytes` bytes, and an amount in proportion to them.
    package func start(nanoseconds: UInt64, encodedBytes: Int) {
        spent.store(0, ordering: .relaxed)
        resume(nanoseconds: nanoseconds, encodedBytes: encodedBytes)
    }

    /// Sets the deadline of the next step on input that has grown to `encodedBytes` bytes. Earlier steps count towards the
    /// amount.
    package func resume(nanoseconds: UInt64, encodedBytes: Int) {
        let (product, overflow) = max(0, encodedBytes).multipliedReportingOverflow(by: CancellationToken.amountPerByte)
        let (sum, sumOverflow) = product.addingReportingOverflow(CancellationToken.baseAmount)
        amount.store(overflow || sumOverflow ? .max : sum, ordering: .relaxed)
        allow(nanoseconds: nanoseconds)
    }

    /// Counts bytes that a parser reads, skips or decompresses. Throws `tooLarge` if they exceed the amount, independent of the
    /// speed of the machine, and at bounded intervals the errors of `check`.
    package func spend(_ bytes: Int) throws(ImageError) {
        // `bytes` may come from the input, so the comparison must not overflow.
        let before = spent.wrappingAdd(bytes, ordering: .relaxed).oldValue
        let limit = amount.load(ordering: .relaxed)
        guard bytes <= limit - min(before, limit) else { throw .tooLarge("decoder: amount of work in bytes", limit: limit) }
        if before / CancellationToken.checkInterval != (before + bytes) / CancellationToken.checkInterval { try check() }
    }

    /// Throws `cancelled` or `timeout` if the operation must end.
    package func check() throws(ImageError) {
        if isCancelled { throw .cancelled }
        if MonotonicClock.now > deadline.load(ordering: .relaxed) {
            throw ImageError(.timeout, "image: work exceeded its time limit")
        }
    }
}
