import Synchronization

/// URLs that failed for good a moment ago and are not asked again for a while (decisions D9). Bounded: the oldest goes.
package final class FailedURLs: Sendable {
    private struct State {
        /// When each may be asked again, monotonic nanoseconds.
        var until: [CacheKey: UInt64] = [:]
        var order = FIFO<CacheKey>()
    }

    private static var capacity: Int { 10_000 }

    /// Seconds; negative = until cleared, 0 = never remembered.
    private let retryAfter: Int64
    private let state = Mutex(State())

    package init(retryAfter: Int64) { self.retryAfter = retryAfter }

    package func insert(_ url: CacheKey) {
        guard retryAfter != 0 else { return }
        var until = UInt64.max
        if retryAfter > 0 {
            let wait = UInt64(retryAfter).multipliedReportingOverflow(by: 1_000_000_000)
            let end = MonotonicClock.now.addingReportingOverflow(wait.partialValue)
            until = wait.overflow || end.overflow ? .max : end.partialValue
        }
        state.withLock { state in
            if state.until.updateValue(until, forKey: url) == nil { state.order.append(url) }
            // The order may name removed URLs too: it is what stays bounded.
            while state.order.count > FailedURLs.capacity, let oldest = state.order.popFirst() {
                state.until[oldest] = nil
            }
        }
    }

    package func contains(_ url: CacheKey) -> Bool {
        state.withLock { state in
            guard let until = state.until[url] else { return false }
            return until > MonotonicClock.now
        }
    }

    package func remove(_ url: CacheKey) { state.withLock { $0.until[url] = nil } }

    package func removeAll() {
        state.withLock { state in
            state.until = [:]
            state.order = FIFO()
        }
    }
}
