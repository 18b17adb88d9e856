import Glibc

/// A file as a coder writes it, in pooled memory: touching fresh pages costs a tenth of the time in which a JPEG is encoded.
@safe package final class OutputBytes {
    private var block: PixelPool.Block
    package private(set) var count = 0

    private static let smallest = 4096

    /// `expected` is believed for the memory to begin with; more is taken when needed.
    package init(expecting expected: Int) throws(ImageError) {
        unsafe block = try PixelPool.shared.allocate(max(expected, OutputBytes.smallest))
    }

    deinit { unsafe PixelPool.shared.release(block) }

    /// Bytes that fit without more memory.
    package var capacity: Int { unsafe block.capacity }

    /// All of the memory, for a library that writes into it; where it lies changes with `grow`.
    package var memory: UnsafeMutableRawPointer { unsafe block.base }

    /// Makes room for at least twice as much, and keeps all that the memory holds.
    package func grow(toAtLeast wanted: Int = 0) throws(ImageError) {
        let (doubled, overflow) = capacity.multipliedReportingOverflow(by: 2)
        guard !overflow else { throw .noMemory(capacity) }
        let larger = unsafe try PixelPool.shared.allocate(max(wanted, doubled))
        unsafe memcpy(larger.base, block.base, capacity)
        unsafe PixelPool.shared.release(block)
        unsafe block = larger
    }

    /// So many bytes at the beginning of the memory are the file so far.
    package func setCount(_ count: Int) { self.count = min(max(0, count), capacity) }

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

    /// Writes over bytes that are there; does nothing where one of them is not.
    package func replace(at position: Int, with array: [UInt8]) {
        guard position >= 0, position <= count - array.count else { return }
        for (index, byte) in array.enumerated() {
            unsafe block.base.storeBytes(of: byte, toByteOffset: position + index, as: UInt8.self)
        }
    }

    /// What was written so far, to be looked at until more is written.
    package var written: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: block.base, count: count) }

    /// The file. Memory more than twice as large is exchanged for some of the right size; the object starts anew.
    package func finish() throws(ImageError) -> Bytes {
        defer { count = 0 }
        guard capacity - count <= max(count, OutputBytes.smallest) else {
            return unsafe try Bytes.copyingPooled(written)
        }
        let full = unsafe block
        unsafe block = try PixelPool.shared.allocate(OutputBytes.smallest)
        return unsafe Bytes(pooled: full, count: count)
    }
}
