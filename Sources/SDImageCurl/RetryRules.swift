import Glibc
import SDImage

/// Which failures are worth another try, and how long to wait before it.
enum RetryRules {
    /// Doing it twice is doing it once (RFC 9110, section 9.2.2).
    private static let idempotent: Set<String> = [
        ImageRequest.get, "PUT", "DELETE", "OPTIONS", "QUERY", "PROPFIND", "REPORT", "SEARCH",
    ]
    private static let statuses: Set<Int32> = [408, 425, 429, 500, 502, 503, 504]

    /// Nanoseconds until the next try; nil when there is none: the failure is lasting, the tries are used up, or the wait
    /// would go past the end of the transfer's time.
    static func delay(_ transfer: Transfer, after failure: ImageError, at now: UInt64) -> UInt64? {
        guard transfer.retries < transfer.ticket.maxRetries, idempotent.contains(transfer.ticket.method),
            isTransient(failure, transfer),
            let delay = delay(transfer, failure)
        else { return nil }
        // Neither exceeds some days in ns.
        return now &+ delay < transfer.end ? delay : nil
    }

    private static func isTransient(_ failure: ImageError, _ transfer: Transfer) -> Bool {
        switch failure.status {
        case .connectFailed, .connectionLost: true
        // A server that fell silent in the middle would do so again.
        case .timeout: transfer.isHeadAwaited
        case .httpStatus: statuses.contains(failure.httpStatus)
        default: false
        }
    }

    /// Any moment up to a bound that doubles, so that clients of a server that comes back do not come back as one; or what the
    /// server asked for.
    private static func delay(_ transfer: Transfer, _ failure: ImageError) -> UInt64? {
        let configuration = transfer.settings.configuration
        let first = UInt64(configuration.retryDelayMilliseconds), longest = UInt64(configuration.longestRetryDelayMilliseconds)
        if failure.httpStatus > 0, !transfer.head.transport.retryAfter.isEmpty,
            let wish = wait(transfer.head.transport.retryAfter, now: time(nil))
        {
            guard wish <= UInt64(configuration.longestRetryAfterMilliseconds) else { return nil }
            return nanoseconds(wish) &+ UInt64.random(in: 0...nanoseconds(min(first, longest)))
        }
        let bound = min(first << UInt64(min(transfer.retries, 20)), longest)
        return UInt64.random(in: 0...nanoseconds(bound))
    }

    /// Milliseconds that a Retry-After asks for, in seconds or as a date (RFC 9110, section 10.2.3); nil for other text.
    static func wait(_ field: [UInt8], now: Int) -> UInt64? {
        if !field.isEmpty, field.allSatisfy(Byte.isDigit) {
            return field.count > 9 ? .max : UInt64(String(decoding: field, as: UTF8.self)).map { $0 * 1000 }
        }
        return TransportFields.seconds(field).map { UInt64(max(0, $0 - now)) * 1000 }
    }

    private static func nanoseconds(_ milliseconds: UInt64) -> UInt64 { milliseconds * 1_000_000 }
}
