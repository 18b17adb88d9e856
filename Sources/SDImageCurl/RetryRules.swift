import SDImage

/// Decides which failures are retried, and after which delay.
/// Used on the transfer thread.
enum RetryRules {
    /// Methods with the same effect once or twice (RFC 9110, section 9.2.2).
    private static let idempotent: Set<String> = [
        ImageRequest.get, "PUT", "DELETE", "OPTIONS", "QUERY", "PROPFIND", "REPORT", "SEARCH",
    ]
    /// Statuses of overload and of failures that often pass: RFC 9110, RFC 8470 (425) and RFC 6585 (429).
    private static let statuses: Set<Int32> = [408, 425, 429, 500, 502, 503, 504]

    /// Nanoseconds until the next try; nil for none:
    /// - the failure is lasting or the method is not idempotent,
    /// - the retries are used up,
    /// - Retry-After exceeds its limit, or the delay ends after the transfer's total time.
    static func delay(_ transfer: Transfer, after failure: ImageError, at now: UInt64) -> UInt64? {
        // A request with another method may have taken effect already.
        guard transfer.course.retries < transfer.download.maxRetries, isIdempotent(transfer.download.request.method),
            isTransient(failure, transfer),
            let delay = delay(transfer, failure)
        else { return nil }
        return Durations.moment(now, after: delay) < transfer.end ? delay : nil
    }

    static func isIdempotent(_ method: String) -> Bool { idempotent.contains(method) }

    /// True if a reused connection ended before any part of a response arrived, so that the request may be repeated (RFC 9112,
    /// section 9.3.1).
    static func isStaleConnection(_ transfer: Transfer, _ failure: ImageError?) -> Bool {
        guard let failure, transfer.hop.isHeadAwaited, transfer.hop.failure == nil, isIdempotent(transfer.hop.method) else {
            return false
        }
        return failure.status == .connectionLost || failure.status == .protocolError
    }

    /// True for failures that another try may avoid.
    private static func isTransient(_ failure: ImageError, _ transfer: Transfer) -> Bool {
        switch failure.status {
        case .connectFailed, .connectionLost: true
        // A server that stopped in the middle of a response would do so again.
        case .timeout: transfer.hop.isHeadAwaited
        case .httpStatus: statuses.contains(failure.httpStatus)
        default: false
        }
    }

    /// A random delay up to a bound that doubles with each retry, so that clients do not all return at the same moment. A
    /// Retry-After field replaces it; a random delay up to the first bound is added to that.
    private static func delay(_ transfer: Transfer, _ failure: ImageError) -> UInt64? {
        let configuration = transfer.settings.configuration
        let first = UInt64(configuration.retryDelayMilliseconds), longest = UInt64(configuration.longestRetryDelayMilliseconds)
        if failure.httpStatus > 0, !transfer.hop.head.transport.retryAfter.isEmpty,
            let wait = wait(transfer.hop.head.transport.retryAfter, now: MonotonicClock.wallSeconds)
        {
            guard wait <= UInt64(configuration.longestRetryAfterMilliseconds) else { return nil }
            return Durations.moment(
                Durations.nanoseconds(milliseconds: wait),
                after: UInt64.random(in: 0...Durations.nanoseconds(milliseconds: min(first, longest))))
        }
        // `first` is below 2^32; shifted by 20 it cannot overflow.
        let bound = min(first << UInt64(min(transfer.course.retries, 20)), longest)
        return UInt64.random(in: 0...Durations.nanoseconds(milliseconds: bound))
    }

    /// Delay of a Retry-After field in milliseconds, given in seconds or as a date (RFC 9110, section 10.2.3); nil for other
    /// text. `now` is in seconds since 1970.
    static func wait(_ field: [UInt8], now: Int64) -> UInt64? {
        if !field.isEmpty, field.allSatisfy(Byte.isDigit) {
            let digits = field.drop { $0 == Byte.zero }
            // Zeros alone mean now.
            if digits.isEmpty { return 0 }
            // More digits exceed any limit, and might not fit the number.
            return digits.count > 9
                ? .max : UInt64(String(decoding: digits, as: UTF8.self)).map { Durations.milliseconds(seconds: $0) }
        }
        // The year of the date has four digits; the difference cannot overflow.
        return HTTPDate.parse(field, now: now).map { Durations.milliseconds(seconds: UInt64(max(0, $0 &- now))) }
    }
}
