import Synchronization

/// Processes the rows of a result in bands, on the calling thread and on the available idle workers.
/// For kernels whose rows do not depend on each other, such as conversions. `RowShares` is for others.
package final class RowBands: Sendable {
    private let rows: Int
    /// Rows of one band.
    private let bandRows: Int
    private let stop: CancellationToken
    /// First row of the next band; at least `rows` at the end.
    private let next = Atomic<Int>(0)
    /// The first error of any thread.
    private let failure = Lock<ImageError?>(nil)

    /// Approximate band size: large enough that the cost of requesting the next band is negligible, small enough that a
    /// cancellation takes effect soon.
    private static let bandBytes = 256 << 10

    private init(rows: Int, rowBytes: Int, stop: CancellationToken) {
        self.rows = rows
        self.stop = stop
        bandRows = max(1, min(rows, RowBands.bandBytes / max(1, rowBytes)))
    }

    /// Calls `body` for each band, on several threads at once; throws the first error.
    /// Returns when all bands are done. `rowBytes`: bytes of one row, which determine the size of a band.
    package static func run(
        _ rows: Int, rowBytes: Int, stop: CancellationToken, _ body: @escaping @Sendable (Range<Int>) throws(ImageError) -> Void
    ) throws(ImageError) {
        let bands = RowBands(rows: rows, rowBytes: rowBytes, stop: stop)
        var helpers: [Assistance] = []
        let count = (rows + bands.bandRows - 1) / bands.bandRows
        // If all processors are busy, a helper would only delay the caller.
        if count > 1, let pool = Engine.current?.work, RunQueue.hasIdleProcessor {
            while helpers.count < count - 1, let helper = pool.assist({ bands.work(body) }) { helpers.append(helper) }
        }
        bands.work(body)
        // Helpers use memory of the caller, so none may run after this returns.
        for helper in helpers { helper.wait() }
        if let error = bands.failure.withLock({ $0 }) { throw error }
    }

    /// Takes bands until none is left. Runs on each of the threads.
    private func work(_ body: (Range<Int>) throws(ImageError) -> Void) {
        do throws(ImageError) {
            while true {
                let first = next.add(bandRows, ordering: .relaxed).oldValue
                guard first < rows else { return }
                try stop.check()
                try body(first..<min(rows, first + bandRows))
            }
        } catch {
            // Ends the other threads at their next band.
            next.store(rows, ordering: .relaxed)
            failure.withLock { $0 = $0 ?? error }
        }
    }
}
