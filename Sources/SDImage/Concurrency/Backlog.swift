import Synchronization

/// Counter of received encoded bytes that are not decoded yet.
///
/// A fast network fills memory faster than codecs empty it: while the backlog is full, transfers without an urgent waiter do
/// not start. Bytes that the host keeps after decoding do not count, so the backlog always empties.
package final class Backlog: Sendable {
    /// Counts its bytes until it is released.
    package final class Entry: Sendable {
        private let backlog: Backlog
        private let count: Int

        fileprivate init(_ backlog: Backlog, _ count: Int) {
            self.backlog = backlog
            self.count = count
        }

        deinit { backlog.remove(count) }
    }

    /// About 70 ms of decodes, while the next transfers arrive.
    private static let bytesPerProcessor = 2 << 20
    private static let limit = min(max(LibraryThread.availableProcessors, 2), 16) * bytesPerProcessor

    private let bytes = Atomic<Int>(0)
    private let observers = Lock<[@Sendable () -> Void]>([])

    package init() {}

    package var isFull: Bool { bytes.load(ordering: .relaxed) >= Backlog.limit }

    package func add(_ count: Int) -> Entry {
        bytes.wrappingAdd(count, ordering: .relaxed)
        return Entry(self, count)
    }

    /// Registers `body`, which is called on any thread whenever the backlog stops being full.
    package func whenRoom(_ body: @escaping @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    private func remove(_ count: Int) {
        let before = bytes.wrappingSubtract(count, ordering: .relaxed).oldValue
        guard before >= Backlog.limit, before - count < Backlog.limit else { return }
        for observer in observers.withLock({ $0 }) { observer() }
    }
}
