import Synchronization

/// Working memory of one operation: its buffers together stay within the limit.
/// Made for each operation with a limit, such as a decode (`DecodeLimits.workingBytes`).
package final class WorkingMemory: Sendable {
    /// Bytes.
    package let limit: Int
    private let used = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    /// Counts bytes that are about to be allocated; throws `tooLarge` if they exceed the limit.
    func reserve(_ bytes: Int) throws(ImageError) {
        // Reserved before the comparison, so that threads cannot exceed the limit together.
        let before = used.wrappingAdd(bytes, ordering: .relaxed).oldValue
        guard bytes <= limit, before <= limit - bytes else {
            release(bytes)
            throw .tooLarge("image: working memory in bytes", limit: limit)
        }
    }

    /// Returns bytes that `reserve` counted.
    func release(_ bytes: Int) { used.wrappingSubtract(bytes, ordering: .relaxed) }

    /// Bytes allocated by another library or type; released with this object, or earlier.
    /// For memory that is not `ScratchMemory`.
    package final class Reservation: Sendable {
        private let account: WorkingMemory
        private let bytes: Atomic<Int>

        package init(_ bytes: Int, of account: WorkingMemory) throws(ImageError) {
            try account.reserve(bytes)
            self.account = account
            self.bytes = Atomic(bytes)
        }

        deinit { release() }

        /// Releases the bytes early, when the memory is freed or stops being working memory.
        /// Has an effect once.
        package func release() { account.release(bytes.exchange(0, ordering: .relaxed)) }
    }

    /// Holds the account of an operation in its limits. All slots are equal: options that differ in it request the same image.
    package struct Slot: Hashable, Sendable {
        /// nil for an operation without a limit.
        package var account: WorkingMemory?

        package init(_ account: WorkingMemory? = nil) { self.account = account }

        package static func == (_: Slot, _: Slot) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }
}
