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

    /// Where limits keep the account of their operation; options that differ in it ask for the same picture.
    package struct Slot: Hashable, Sendable {
        package var account: WorkingMemory?

        package init(_ account: WorkingMemory? = nil) { self.account = account }

        package static func == (_: Slot, _: Slot) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }
}
