import Synchronization

/// Counter of received encoded bytes that are not decoded yet.
///
/// A fast network fills memory faster than codecs empty it: while the backlog is full, transfers without an urgent waiter do
/// not start. Bytes that the host keeps after decoding do not count, so the backlog always empties.
/// One for each engine. Loads add their responses (`FetchResult`); the HTTP engine checks it before it starts a
/// transfer.
package final class Backlog: Sendable {
    /// Counts its bytes until it is released.
    /// Released when the response is decoded, or no load needs it.
    package final class Entry: Sendable {
        private let backlog: Backlog
        /// Encoded bytes of the response.
        private let count: Int

        fileprivate init(_ backlog: Backlog, _ count: Int) {
            self.backlog = backlog
            self.count = count
        }

        deinit { backlog.remove(count) }
    }

    /// About 70 ms of decodes, while the next transfers arrive.
    private static let bytesPerProcessor = 2 << 20
    /// Bytes of all processors together, at which the backlog counts as full.
    private static let limit = min(max(LibraryThread.availableProcessors, 2), 16) * bytesPerProcessor

    private let bytes = Atomic<Int>(0)
    /// Never removed: they belong to services of the same engine.
    private let observers = Lock<[@Sendable () -> Void]>([])

    package init() {}

    /// A moment's value: transfers that start at the same time may exceed the limit together.
    package var isFull: Bool { bytes.load(ordering: .relaxed) >= Backlog.limit }

    /// Adds the bytes of a response, whatever the limit; the caller keeps the entry.
    package func add(_ count: Int) -> Entry {
        bytes.wrappingAdd(count, ordering: .relaxed)
        return Entry(self, count)
    }

    /// Registers `body`, which is called on any thread whenever the backlog stops being full.
    package func whenRoom(_ body: @escaping @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    private func remove(_ count: Int) {
        // Only the release that crosses the limit notifies the observers.
        let before = bytes.wrappingSubtract(count, ordering: .relaxed).oldValue
        guard before >= Backlog.limit, before - count < Backlog.limit else { return }
        for observer in observers.withLock({ $0 }) { observer() }
    }
}
