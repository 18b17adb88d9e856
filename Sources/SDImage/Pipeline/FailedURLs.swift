/// Requests that failed definitely and are not sent again for a while. Holds at most 10,000; the oldest is dropped first.
///
/// A failure holds for requests that could have shared its transfer: the same loader, header fields, credentials and hooks; and
/// for the same format hint, which decides what counts as an image.
/// Asked by `FetchStage` before a transfer, and filled by `LoadContext.remember`. Safe from any thread.
package final class FailedURLs: Sendable {
    private struct Entry {
        let failure: ImageError
        /// Time and expiry of the failure, monotonic nanoseconds.
        let since: UInt64
        let until: UInt64
        /// Identifies the insertion in `order`: a URL may be forgotten and fail again.
        let number: UInt64
    }

    /// `entries` has the failures by URL and request; `order` has their insertions, oldest first.
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

    /// Remembers a failure, in place of an earlier one of the same scope.
    package func insert(_ scope: FailureScope, _ failure: ImageError) {
        guard retryAfter != 0 else { return }
        let now = MonotonicClock.now
        let until = retryAfter < 0 ? .max : now.addingSaturated(.saturatingNanoseconds(seconds: retryAfter))
        state.withLock { state in
            state.lastNumber &+= 1
            let entry = Entry(failure: failure, since: now, until: until, number: state.lastNumber)
            state.entries[scope.url, default: [:]][scope.identity] = entry
            state.order.append((scope.url, scope.identity, state.lastNumber))
            // `order` bounds the memory: it also contains failures that were removed or replaced.
            while state.order.count > FailedURLs.capacity, let (url, identity, number) = state.order.popFirst() {
                if state.entries[url]?[identity]?.number == number { state.remove(url, identity) }
            }
        }
    }

    /// True when any failure of a URL is remembered. Most loads need no `FailureScope` because of it.
    /// An autoclosure: a key copies the URL, which is wasted while nothing is remembered.
    package func knows(_ url: @autoclosure () -> CacheKey) -> Bool {
        if state.withLock({ $0.entries.isEmpty }) { return false }
        let url = url()
        return state.withLock { $0.entries[url] != nil }
    }

    /// The failure that refuses a request now; nil when the request may be sent.
    package func failure(of scope: FailureScope) -> ImageError? { entry(of: scope)?.failure }

    /// The error of a refused request; nil when the request may be sent. It has the cause, its age and the time of the next try.
    package func refusal(of scope: FailureScope) -> ImageError? {
        guard let entry = entry(of: scope) else { return nil }
        let (failure, now, second) = (entry.failure, MonotonicClock.now, UInt64(1_000_000_000))
        let age = (now - entry.since) / second
        let cause =
            failure.httpStatus > 0
            ? "HTTP status \(failure.httpStatus), \(age) s ago" : "failed \(age) s ago (\(failure.message.string))"
        // Rounded up: a request after that time is not refused.
        let wait = (entry.until - min(now, entry.until) + second - 1) / second
        let next = entry.until == .max ? "not tried again" : "next try in \(wait) s"
        return ImageError(
            .failedURL, "request: \(cause); \(next)", httpStatus: failure.httpStatus, cause: failure)
    }

    /// nil for an entry that has expired, which is removed.
    private func entry(of scope: FailureScope) -> Entry? {
        state.withLock { state in
            guard let entry = state.entries[scope.url]?[scope.identity] else { return nil }
            if entry.until > MonotonicClock.now { return entry }
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
/// Two parts: the URL, by which programs forget failures, and a digest of everything else in the request.
package struct FailureScope: Sendable {
    package let url: CacheKey
    /// Digest of the loader, the format hint and the loader's own key. A digest, because the key may contain
    /// credentials.
    let identity: MD5

    /// Longest URL in bytes. Servers need not accept longer ones (RFC 9110, section 4.1), and 10,000 are remembered.
    private static var longestURL: Int { 8192 }

    /// `request` is the one that is sent, after a request hook, for a load of `url`. nil for requests that do not predict the
    /// failure of others: they accept invalid certificates, change something at the server, or cannot be compared.
    /// Also nil for a long URL, and for a loader without failure keys.
    package init?(_ url: [UInt8], _ request: ImageRequest, _ loader: any ImageLoader) {
        guard request.isGet, !request.acceptsInvalidCertificates, url.count <= FailureScope.longestURL else { return nil }
        var plain = request
        // Fields that change neither the bytes nor the identity of the client.
        // A longer timeout or a larger limit of the body does not make a missing resource appear.
        (plain.maxRetries, plain.timeoutMilliseconds, plain.maxBodyBytes) = (nil, 0, 0)
        plain.headers.removeAll { ["if-none-match", "if-modified-since"].contains($0.name.lowercased()) }
        plain.conditionTarget = .unknown
        guard let key = loader.failureKey(plain) else { return nil }
        self.url = CacheKey(url)
        identity = MD5(of: Array("\(loader.number) \(request.decodeOptions.formatHint.rawValue) ".utf8) + key)
    }
}
