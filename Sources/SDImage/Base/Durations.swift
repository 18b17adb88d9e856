/// Conversions of durations. Results that exceed 64 bits become the maximum.
/// The downloader converts configured times with it.
package enum Durations {
    package static func nanoseconds(milliseconds: UInt64) -> UInt64 { product(milliseconds, 1_000_000) }

    package static func nanoseconds(microseconds: UInt64) -> UInt64 { product(microseconds, 1000) }

    package static func milliseconds(seconds: UInt64) -> UInt64 { product(seconds, 1000) }

    /// The time `duration` after `start`; `.max` on overflow.
    package static func moment(_ start: UInt64, after duration: UInt64) -> UInt64 {
        let (sum, isTooLarge) = start.addingReportingOverflow(duration)
        return isTooLarge ? .max : sum
    }

    private static func product(_ count: UInt64, _ unit: UInt64) -> UInt64 {
        let (product, isTooLarge) = count.multipliedReportingOverflow(by: unit)
        return isTooLarge ? .max : product
    }
}
