import Synchronization

/// URLs that failed for good a moment ago and are not asked again for a while (decisions D9). Bounded: the oldest goes.
package final class FailedURLs: Sendable {
    private struct Entry {
        let failure: ImageError
        /// When it may be asked again, monotonic nanoseconds.
        let until: UInt64
        /// Of its place in the order: one that was forgotten meanwhile may be there again.
        let number: UInt64
    }

    private struct State {
        var entries: [CacheKey: Entry] = [:]
        var order = FIFO<(CacheKey, UInt64)>()
        var lastNumber: UInt64 = 0
    }

    private static var capacity: Int { 10_000 }

    /// Seconds; negative = until cleared, 0 = never remembered.
    private let retryAfter: Int64
    private let state = Mutex(State())

    package init(retryAfter: Int64) { self.retryAfter = retryAfter }

    package func insert(_ url: CacheKey, _ failure: ImageError) {
        guard retryAfter != 0 else { return }
        var until = UInt64.max
        if retryAfter > 0 {
            until = MonotonicClock.now.addingSaturated(.saturatingNanoseconds(seconds: retryAfter))
        }
        state.withLock { state in
            state.lastNumber &+= 1
            state.entries[url] = Entry(failure: failure, until: until, number: state.lastNumber)
            state.order.append((url, state.lastNumber))
            // The order may name what was removed, or has failed again: it is what stays bounded.
            while state.order.count > FailedURLs.capacity, let (oldest, number) = state.order.popFirst() {
                if state.entries[oldest]?.number == number { state.entries[oldest] = nil }
            }
        }
    }

    /// Why a URL is not asked now; nil for one that may be.
    package func failure(of url: CacheKey) -> ImageError? {
        state.withLock { state in
            guard let entry = state.entries[url] else { return nil }
            if entry.until > MonotonicClock.now { return entry.failure }
            state.entries[url] = nil
            return nil
        }
    }

    package func remove(_ url: CacheKey) { state.withLock { $0.entries[url] = nil } }

    package func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.order = FIFO()
        }
    }
}
