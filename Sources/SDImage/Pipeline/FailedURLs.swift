/// Requests that failed for good a moment ago and are not sent again for a while. Bounded: the oldest goes.
///
/// A failure holds for requests that could have shared its transfer: the same loader, header fields, credentials and hooks.
package final class FailedURLs: Sendable {
    private struct Entry {
        let failure: ImageError
        /// When it may be asked again, monotonic nanoseconds.
        let until: UInt64
        /// Of its place in the order: one that was forgotten meanwhile may be there again.
        let number: UInt64
    }

    private struct State {
        var entries: [CacheKey: [MD5: Entry]] = [:]
        var order = FIFO<(CacheKey, MD5, UInt64)>()
        var lastNumber: UInt64 = 0

        mutating func remove(_ url: CacheKey, _ identity: MD5) {
            entries[url]?[identity] = nil
            if entries[url]?.isEmpty == true { entries[url] = nil }
        }
    }

    private static var capacity: Int { 10_000 }

    /// Seconds; negative = until cleared, 0 = never remembered.
    private let retryAfter: Int64
    private let state = Lock(State())

    package init(retryAfter: Int64) { self.retryAfter = retryAfter }

    package func insert(_ scope: FailureScope, _ failure: ImageError) {
        guard retryAfter != 0 else { return }
        var until = UInt64.max
        if retryAfter > 0 {
            until = MonotonicClock.now.addingSaturated(.saturatingNanoseconds(seconds: retryAfter))
        }
        state.withLock { state in
            state.lastNumber &+= 1
            let entry = Entry(failure: failure, until: until, number: state.lastNumber)
            state.entries[scope.url, default: [:]][scope.identity] = entry
            state.order.append((scope.url, scope.identity, state.lastNumber))
            // The order may name what was removed, or has failed again: it is what stays bounded.
            while state.order.count > FailedURLs.capacity, let (url, identity, number) = state.order.popFirst() {
                if state.entries[url]?[identity]?.number == number { state.remove(url, identity) }
            }
        }
    }

    /// Whether any failure of a URL is remembered; spares the scope of a request in most loads.
    package func knows(_ url: CacheKey) -> Bool { state.withLock { $0.entries[url] != nil } }

    /// The failure for which a request is refused now; nil for one that may be sent.
    package func failure(of scope: FailureScope) -> ImageError? {
        state.withLock { state in
            guard let entry = state.entries[scope.url]?[scope.identity] else { return nil }
            if entry.until > MonotonicClock.now { return entry.failure }
            state.remove(scope.url, scope.identity)
            return nil
        }
    }

    /// Forgets all failures of a URL, whatever the requests.
    package func remove(_ url: CacheKey) { state.withLock { $0.entries[url] = nil } }

    package func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.order = FIFO()
        }
    }
}

/// The requests for which a failure is remembered.
package struct FailureScope: Sendable {
    package let url: CacheKey
    let identity: MD5

    /// `request` is the one that is sent, after a request hook, for a load of `url`. nil for requests whose failures say
    /// nothing about others: they accept invalid certificates, change something at the server, or cannot be compared.
    package init?(_ url: [UInt8], _ request: ImageRequest, _ loader: any ImageLoader) {
        guard request.isGet, !request.acceptsInvalidCertificates else { return nil }
        var plain = request
        // What changes neither the bytes nor who asks.
        (plain.maxRetries, plain.timeoutMilliseconds, plain.maxBodyBytes) = (nil, 0, 0)
        plain.headers.removeAll { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
        guard let key = loader.failureKey(plain) else { return nil }
        self.url = CacheKey(url)
        identity = MD5(of: Array("\(loader.number) ".utf8) + key)
    }
}
