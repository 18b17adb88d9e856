/// Distributes the rows of a result for kernels that carry state from row to row. Each thread processes its own range from top
/// to bottom, and takes half of the largest remaining range when its own is empty.
package final class RowShares: Sendable {
    private struct State {
        /// Remaining rows of each thread.
        /// By number of the thread; 0 is the caller.
        var ranges: [Range<Int>]
        var failure: ImageError?
    }

    /// Number of rows that a thread takes at once.
    private let band: Int
    private let stop: CancellationToken
    private let state: Lock<State>

    private init(rows: Int, band: Int, stop: CancellationToken) {
        self.band = max(1, band)
        self.stop = stop
        state = Lock(State(ranges: [0..<rows], failure: nil))
    }

    /// Range of one thread.
    package struct Share: Sendable {
        fileprivate let shares: RowShares
        fileprivate let number: Int

        /// The next rows to process, usually directly below the last ones; nil at the end.
        /// Throws `cancelled` and `timeout`.
        package func next() throws(ImageError) -> Range<Int>? {
            try shares.stop.check()
            return shares.next(number)
        }
    }

    /// Calls `body` on the calling thread and on up to `helpers` idle workers. Returns when all rows are done; throws the first
    /// error. Rows are handed out `band` at a time.
    /// Each thread calls `body` once.
    package static func run(
        _ rows: Int, band: Int, helpers: Int, stop: CancellationToken,
        _ body: @escaping @Sendable (Share) throws(ImageError) -> Void
    ) throws(ImageError) {
        let shares = RowShares(rows: rows, band: band, stop: stop)
        var assistances: [Assistance] = []
        if helpers > 0, let pool = Engine.current?.work, RunQueue.hasIdleProcessor {
            while assistances.count < helpers {
                // The range exists before the helper starts, and is empty until the helper takes rows.
                let number = shares.add()
                guard let assistance = pool.assist({ shares.work(number, body) }) else { break }
                assistances.append(assistance)
            }
        }
        shares.work(0, body)
        // Helpers use memory of the caller.
        for assistance in assistances { assistance.wait() }
        if let error = shares.state.withLock({ $0.failure }) { throw error }
    }

    /// The number of a new thread, without rows.
    private func add() -> Int {
        state.withLock { state in
            state.ranges.append(0..<0)
            return state.ranges.count - 1
        }
    }

    /// Runs on each of the threads.
    private func work(_ number: Int, _ body: (Share) throws(ImageError) -> Void) {
        do throws(ImageError) {
            try body(Share(shares: self, number: number))
        } catch {
            state.withLock { state in
                state.failure = state.failure ?? error
                // The other threads find no more rows.
                for index in state.ranges.indices { state.ranges[index] = 0..<0 }
            }
        }
    }

    /// The next rows of a thread, up to `band`; nil when no thread has any left.
    private func next(_ number: Int) -> Range<Int>? {
        state.withLock { state in
            if state.ranges[number].isEmpty {
                guard let richest = state.ranges.indices.max(by: { state.ranges[$0].count < state.ranges[$1].count }) else {
                    return nil
                }
                let rows = state.ranges[richest]
                // A single band is not split.
                // Each range stays contiguous: the kernel continues from the row above.
                let middle = rows.count > band ? rows.lowerBound + (rows.count + 1) / 2 : rows.lowerBound
                state.ranges[richest] = rows.lowerBound..<middle
                state.ranges[number] = middle..<rows.upperBound
            }
            let rows = state.ranges[number]
            let end = min(rows.upperBound, rows.lowerBound + band)
            state.ranges[number] = end..<rows.upperBound
            return rows.isEmpty ? nil : rows.lowerBound..<end
        }
    }
}
