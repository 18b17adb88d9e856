import Glibc

/// Bytes of which more arrive. Every look at them is immutable and stays valid, whatever is appended later: what is there
/// is never moved or changed under a reader's eyes.
@safe package struct GrowingBytes {
    /// Memory that readers share with the writer, who only writes behind what they see.
    @safe private final class Block: @unchecked Sendable {
        // Unchecked: bytes are written once, before they are handed out.
        let base: UnsafeMutableRawPointer
        let capacity: Int

        init(_ capacity: Int) throws(ImageError) {
            guard let base = unsafe malloc(capacity) else { throw .noMemory(capacity) }
            unsafe self.base = unsafe base
            self.capacity = capacity
        }

        deinit { unsafe free(base) }
    }

    private static let smallestBlock = 4096

    private var block: Block?
    package private(set) var count = 0
    /// More than this is refused with `tooLarge`.
    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    package mutating func append(_ source: UnsafeRawBufferPointer) throws(ImageError) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        let (needed, overflow) = count.addingReportingOverflow(source.count)
        guard !overflow, needed <= limit else { throw .tooLarge("encoded size in bytes", limit: limit) }
        if needed > block?.capacity ?? 0 { try grow(to: needed) }
        guard let block else { return }
        unsafe memcpy(block.base + count, from, source.count)
        count = needed
    }

    /// What has arrived so far, by reference.
    package var bytes: Bytes {
        guard let block, count > 0 else { return .empty }
        return unsafe Bytes(adopting: block.base, count: count) { withExtendedLifetime(block) {} }
    }

    private mutating func grow(to size: Int) throws(ImageError) {
        let doubled = min((block?.capacity ?? 0) * 2, limit)
        let larger = try Block(max(size, doubled, GrowingBytes.smallestBlock))
        if let block { unsafe memcpy(larger.base, block.base, count) }
        block = larger
    }
}
