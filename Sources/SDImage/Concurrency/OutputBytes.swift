import Glibc

/// Output buffer of an encoder, in pooled memory: touching fresh pages takes a tenth of the time of a JPEG encode.
/// Used by encoders, one thread at a time. `finish` hands its memory over.
@safe package final class OutputBytes {
    /// Memory of the pool, replaced by `grow`.
    private var block: PixelPool.Block
    package private(set) var count = 0

    /// Minimum size of the memory in bytes.
    private static let smallest = 4096

    /// `expected`: the initial size of the memory; it grows if needed.
    package init(expecting expected: Int) throws(ImageError) {
        unsafe block = try PixelPool.shared.allocate(max(expected, OutputBytes.smallest))
    }

    deinit { unsafe PixelPool.shared.release(block) }

    /// Bytes that fit without more memory.
    package var capacity: Int { unsafe block.capacity }

    /// The whole memory, for a library that writes into it; its address changes with `grow`.
    package var memory: UnsafeMutableRawPointer { unsafe block.base }

    /// At least doubles the memory and keeps its complete contents.
    /// Throws `noMemory` if the memory cannot be allocated; the contents then stay as they are.
    package func grow(toAtLeast wanted: Int = 0) throws(ImageError) {
        let (doubled, overflow) = capacity.multipliedReportingOverflow(by: 2)
        guard !overflow else { throw .noMemory(capacity) }
        let larger = unsafe try PixelPool.shared.allocate(max(wanted, doubled))
        // The library may have written beyond `count`, so everything is copied.
        unsafe memcpy(larger.base, block.base, capacity)
        unsafe PixelPool.shared.release(block)
        unsafe block = larger
    }

    /// Sets the number of bytes at the beginning of the memory that belong to the output.
    /// For a library that has written into `memory`; limited to the capacity.
    package func setCount(_ count: Int) { self.count = min(max(0, count), capacity) }

    /// Copies the bytes behind those written so far.
    package func append(_ source: UnsafeRawBufferPointer) throws(ImageError) {
        guard let from = source.baseAddress, source.count > 0 else { return }
        let (needed, overflow) = count.addingReportingOverflow(source.count)
        guard !overflow else { throw .noMemory(source.count) }
        if needed > capacity { try grow(toAtLeast: needed) }
        unsafe memcpy(block.base + count, from, source.count)
        count = needed
    }

    package func append(_ array: [UInt8]) throws(ImageError) {
        let span = array.span
        unsafe try span.withUnsafeBytes { bytes throws(ImageError) in unsafe try append(bytes) }
    }

    package func append(_ bytes: Bytes) throws(ImageError) {
        unsafe try bytes.withUnsafeBytes { bytes throws(ImageError) in unsafe try append(bytes) }
    }

    /// Overwrites existing bytes; does nothing if the range exceeds them.
    /// For headers whose lengths are known only at the end.
    package func replace(at position: Int, with array: [UInt8]) {
        guard position >= 0, position <= count - array.count else { return }
        for (index, byte) in array.enumerated() {
            unsafe block.base.storeBytes(of: byte, toByteOffset: position + index, as: UInt8.self)
        }
    }

    /// The bytes written so far, valid until more are written.
    package var written: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: block.base, count: count) }

    /// The output. Copies it to smaller memory if more than half would be unused; the object is empty afterwards.
    /// Otherwise the memory itself becomes the output.
    package func finish() throws(ImageError) -> Bytes {
        defer { count = 0 }
        guard capacity - count <= max(count, OutputBytes.smallest) else {
            return unsafe try Bytes.copyingPooled(written)
        }
        let full = unsafe block
        // The object must have memory of its own; this one is small.
        unsafe block = try PixelPool.shared.allocate(OutputBytes.smallest)
        return unsafe Bytes(pooled: full, count: count)
    }
}
