import Synchronization

/// Encoded bytes that have arrived and wait to be decoded.
///
/// A fast network fills memory faster than codecs empty it: while this is full, transfers that nobody waits for urgently do
/// not start. Bytes that the host keeps afterwards do not count, so it always empties.
package final class Backlog: Sendable {
    /// Counts its bytes until it is let go of.
    package final class Entry: Sendable {
        private let backlog: Backlog
        private let count: Int

        fileprivate init(_ backlog: Backlog, _ count: Int) {
            self.backlog = backlog
            self.count = count
        }

        deinit { backlog.remove(count) }
    }

    private static let limit = 8 << 20

    private let bytes = Atomic<Int>(0)
    private let observers = Lock<[@Sendable () -> Void]>([])

    package init() {}

    package var isFull: Bool { bytes.load(ordering: .relaxed) >= Backlog.limit }

    package func add(_ count: Int) -> Entry {
        bytes.wrappingAdd(count, ordering: .relaxed)
        return Entry(self, count)
    }

    /// `body` is called on any thread whenever there is room again.
    package func whenRoom(_ body: @escaping @Sendable () -> Void) { observers.withLock { $0.append(body) } }

    private func remove(_ count: Int) {
        let before = bytes.wrappingSubtract(count, ordering: .relaxed).oldValue
        guard before >= Backlog.limit, before - count < Backlog.limit else { return }
        for observer in observers.withLock({ $0 }) { observer() }
    }
}
