import Synchronization

/// The working memory of one operation: all its buffers together stay within the limit.
package final class WorkingMemory: Sendable {
    package let limit: Int
    private let used = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    /// Counts bytes that are about to be allocated.
    func reserve(_ bytes: Int) throws(ImageError) {
        let before = used.wrappingAdd(bytes, ordering: .relaxed).oldValue
        guard bytes <= limit, before <= limit - bytes else {
            release(bytes)
            throw .tooLarge("working memory in bytes", limit: limit)
        }
    }

    func release(_ bytes: Int) { used.wrappingSubtract(bytes, ordering: .relaxed) }

    /// Bytes of memory that another library or type allocates; given back with this object, or before.
    package final class Reservation: Sendable {
        private let account: WorkingMemory
        private let bytes: Atomic<Int>

        package init(_ bytes: Int, of account: WorkingMemory) throws(ImageError) {
            try account.reserve(bytes)
            self.account = account
            self.bytes = Atomic(bytes)
        }

        deinit { release() }

        /// The memory is gone, or no longer working memory.
        package func release() { account.release(bytes.exchange(0, ordering: .relaxed)) }
    }

    /// Where limits keep the account of their operation; options that differ in it ask for the same picture.
    package struct Slot: Hashable, Sendable {
        package var account: WorkingMemory?

        package init(_ account: WorkingMemory? = nil) { self.account = account }

        package static func == (_: Slot, _: Slot) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }
}
