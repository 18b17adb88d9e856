import Synchronization

/// Notified once of the end of every load of a manager, including cancelled ones; on any thread, so it must be quick.
package protocol LoadObserver: AnyObject, Sendable {
    /// Called before the final result is delivered.
    func loadEnded(_ result: ImageResult)
}

/// The observers of one manager's loads.
/// Shared by the manager, its tasks and fetches without a manager.
package final class LoadObservers: Sendable {
    private let statistics: LoadStatistics
    private let observer: (any LoadObserver)?

    package init(_ statistics: LoadStatistics, _ observer: (any LoadObserver)? = nil) {
        self.statistics = statistics
        self.observer = observer
    }

    /// Called by `LoadTask.conclude` and by memory hits, once for each load.
    func loadEnded(_ result: ImageResult) {
        statistics.loadEnded(result)
        observer?.loadEnded(result)
        if Log.isOn(.debug) { LoadObservers.log(result) }
    }

    private static func log(_ result: ImageResult) {
        let (outcome, url) = (result.error?.status.name ?? "OK", URLText(result.url.string).messageText)
        Log.write(.debug, "load: ended (\(outcome), source \(result.source.name)) \(url)")
    }
}

/// Counters of all loads of the process; they only increase.
package final class LoadStatistics: Sendable {
    /// A histogram of the durations of one stage of loads.
    /// Stages that a load did not pass have the duration 0 and are not counted.
    package struct Histogram: Sendable {
        /// Upper bounds of the classes in nanoseconds; there is one more class above the last.
        package static let bounds: [UInt64] = [
            100_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 50_000_000, 100_000_000, 500_000_000, 1_000_000_000,
            5_000_000_000, 10_000_000_000,
        ]
        /// Loads in each class; unlike the buckets of Prometheus, a class does not include the smaller ones.
        package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
        /// Sum of all durations in nanoseconds.
        package private(set) var sum: UInt64 = 0

        /// Adds one duration in nanoseconds.
        fileprivate mutating func add(_ time: UInt64) {
            guard time > 0 else { return }
            counts[Histogram.bounds.firstIndex { time <= $0 } ?? Histogram.bounds.count] += 1
            sum &+= time
        }
    }

    /// A snapshot of all counters.
    package struct Numbers: Sendable {
        /// Loads by the source of their image; failed loads and those that found nothing have no source.
        package fileprivate(set) var ended: [ImageSource: Int] = [:]
        /// Loads that ended with an error, including cancelled ones, by status.
        package fileprivate(set) var failed: [Status: Int] = [:]
        /// Loads whose result was a stale image because its revalidation failed.
        package fileprivate(set) var stale = 0
        /// Bytes of responses after content decoding.
        package fileprivate(set) var receivedBytes: UInt64 = 0
        /// Requests that were sent, including redirects and retries.
        package fileprivate(set) var exchanges = 0
        /// The exchanges among them that opened no connection.
        package fileprivate(set) var exchangesOnKeptConnections = 0
        /// Durations by stage, in the order of `LoadStatistics.stages`.
        package fileprivate(set) var stages: [(name: StaticString, times: Histogram)] = LoadStatistics.stages.map {
            ($0.0, Histogram())
        }
    }

    /// Names are part of the exported metrics.
    fileprivate static let stages: [(StaticString, @Sendable (StageTimings) -> UInt64)] = [
        ("queued", { $0.queued }), ("disk", { $0.diskQuery }), ("load", { $0.load }), ("decode", { $0.decode }),
        ("store", { $0.store }), ("total", { $0.total }),
    ]

    /// Counted separately, because finding an image in memory is as cheap as taking the lock.
    private let fromMemory = StripedCounter()
    /// Guarded by its lock: all loads that are not plain memory hits.
    private let others = Lock(Numbers())

    package init() {}

    fileprivate func loadEnded(_ result: ImageResult) {
        if result.source == .memory, result.error == nil, result.transactions.isEmpty {
            fromMemory.increment()
        } else {
            others.withLock { $0.add(result) }
        }
    }

    /// Adds the hits in memory at the time of the call.
    package var numbers: Numbers {
        var numbers = others.withLock { $0 }
        numbers.ended[.memory, default: 0] += fromMemory.value
        return numbers
    }
}

/// Called under the lock.
extension LoadStatistics.Numbers {
    fileprivate mutating func add(_ result: ImageResult) {
        ended[result.source, default: 0] += 1
        if let error = result.error { failed[error.status, default: 0] += 1 }
        if result.isStale { stale += 1 }
        for exchange in result.transactions {
            exchanges += 1
            receivedBytes &+= exchange.bodyBytes
            if exchange.isConnectionReused { exchangesOnKeptConnections += 1 }
        }
        for (index, stage) in LoadStatistics.stages.enumerated() { stages[index].times.add(stage.1(result.timings)) }
    }
}
