import Glibc

/// Growing bytes from an allocator that can fail: what a download is written into before it becomes `Bytes`.
@safe package struct ByteBuilder: ~Copyable {
    private var base: UnsafeMutableRawPointer?
    package private(set) var count = 0
    private var capacity = 0
    /// More than this is refused with `tooLarge`.
    private let limit: Int

    package init(limit: Int) {
        self.limit = limit
        unsafe base = nil
    }

    deinit { unsafe free(base) }

    /// A hint, believed up to 1 MiB only: an announced length costs the sender nothing.
    package mutating func reserve(_ announced: Int) throws(ImageError) {
        try grow(to: min(max(announced, 0), 1 << 20))
    }

    package mutating func append(_ source: UnsafeRawBufferPointer) throws(ImageError) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        let (needed, overflow) = count.addingReportingOverflow(source.count)
        guard !overflow, needed <= limit else { throw .tooLarge("body size in bytes", limit: limit) }
        if needed > capacity { try grow(to: max(needed, min(capacity * 2, limit), 4096)) }
        if let base = unsafe base { unsafe memcpy(base + count, from, source.count) }
        count = needed
    }

    package mutating func append(_ array: [UInt8]) throws(ImageError) {
        let span = array.span
        unsafe try span.withUnsafeBytes { bytes throws(ImageError) in unsafe try append(bytes) }
    }

    /// Lets `fill` write up to `count` bytes behind those that are there, and say how many it wrote: for `pread`, which
    /// then needs no buffer of its own.
    package mutating func append(
        upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        let (wanted, overflow) = self.count.addingReportingOverflow(max(count, 0))
        guard !overflow else { throw .tooLarge("body size in bytes", limit: limit) }
        if wanted > capacity { try grow(to: max(wanted, capacity + capacity / 2)) }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base.map { unsafe $0 + self.count }, count: max(count, 0))
        let written = min(max(unsafe try fill(room), 0), room.count)
        guard self.count + written <= limit else { throw .tooLarge("body size in bytes", limit: limit) }
        self.count += written
        return written
    }

    /// Hands the bytes over without a copy; the builder starts anew.
    package mutating func finish() -> Bytes {
        guard count > 0 else { return .empty }
        // Give back what doubling took in excess, where it matters.
        if capacity - count > 65536, let smaller = unsafe realloc(base, count) { unsafe base = smaller }
        let bytes = unsafe Bytes.adopting(malloced: base, count: count)
        unsafe base = nil
        count = 0
        capacity = 0
        return bytes
    }

    private mutating func grow(to size: Int) throws(ImageError) {
        guard size > capacity else { return }
        guard let moved = unsafe realloc(base, size) else { throw .noMemory(size) }
        unsafe base = moved
        capacity = size
    }
}
