import Glibc

/// Growing buffer from an allocator that can fail; downloads are written into it before they become `Bytes`.
/// Used by one thread. For bytes that are read while more arrive, `GrowingBytes` keeps the views valid.
@safe package struct ByteBuilder: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    package private(set) var count = 0
    private var capacity = 0
    /// Appending more than this fails with `tooLarge`.
    private let limit: Int

    package init(limit: Int) {
        self.limit = limit
        unsafe base = nil
    }

    deinit { unsafe free(base) }

    /// Preallocates at most 1 MiB: an announced length costs the sender nothing.
    /// Throws `noMemory` only; the buffer may still grow beyond the announcement.
    package mutating func reserve(_ announced: Int) throws(ImageError) {
        try grow(to: min(max(announced, 0), 1 << 20))
    }

    /// Copies bytes; throws `tooLarge` beyond the limit, and then keeps what it has.
    package mutating func append(_ source: UnsafeRawBufferPointer) throws(ImageError) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        let (needed, overflow) = count.addingReportingOverflow(source.count)
        guard !overflow, needed <= limit else { throw .tooLarge("data: size in bytes", limit: limit) }
        // Doubling keeps the cost of copying linear, but never allocates beyond the limit.
        if needed > capacity { try grow(to: max(needed, min(capacity * 2, limit), 4096)) }
        if let base = unsafe base { unsafe memcpy(base + count, from, source.count) }
        count = needed
    }

    package mutating func append(_ array: [UInt8]) throws(ImageError) {
        let span = array.span
        unsafe try span.withUnsafeBytes { bytes throws(ImageError) in unsafe try append(bytes) }
    }

    /// Appends up to `count` bytes: `fill` writes them directly into the buffer and returns their number, so that `pread` needs
    /// no intermediate buffer.
    /// The limit is checked after the call, so that a source that ends at the limit can be told from a longer one.
    package mutating func append(
        upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        let (wanted, overflow) = self.count.addingReportingOverflow(max(count, 0))
        guard !overflow else { throw .tooLarge("data: size in bytes", limit: limit) }
        if wanted > capacity { try grow(to: max(wanted, capacity + capacity / 2)) }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base.map { unsafe $0 + self.count }, count: max(count, 0))
        // `fill` may be foreign code: its result is clamped to the room that it got.
        let written = min(max(unsafe try fill(room), 0), room.count)
        guard self.count + written <= limit else { throw .tooLarge("data: size in bytes", limit: limit) }
        self.count += written
        return written
    }

    /// Transfers the bytes to the result without a copy; the builder is empty afterwards.
    package mutating func finish() -> Bytes {
        guard count > 0 else { return .empty }
        // Returns a large excess from doubling.
        if capacity - count > 65536, let smaller = unsafe realloc(base, count) { unsafe base = smaller }
        let bytes = unsafe Bytes.adopting(malloced: base, count: count)
        unsafe base = nil
        count = 0
        capacity = 0
        return bytes
    }

    /// Enlarges the allocation to exactly `size` bytes.
    private mutating func grow(to size: Int) throws(ImageError) {
        guard size > capacity else { return }
        guard let moved = unsafe realloc(base, size) else { throw .noMemory(size) }
        unsafe base = moved
        capacity = size
    }
}
