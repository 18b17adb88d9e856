import Glibc

/// Pixel memory, recycled: first-touching a fresh 48 MB buffer costs as much as decoding the picture that goes into it.
///
/// Blocks of 1 MiB and more are aligned to 2 MiB with huge pages asked for and kept, up to a bound, for the next
/// picture of about that size. Smaller ones come from the C allocator, which recycles them well.
@safe package final class PixelPool: Sendable {
    package static let shared = PixelPool()

    /// One block of memory; 64-byte aligned.
    @unsafe package struct Block {
        package let base: UnsafeMutableRawPointer
        /// Usable bytes, at least what was asked for.
        package let capacity: Int
    }

    @safe private struct State {
        /// Free blocks, least recently used first.
        var free: [Block] = unsafe []
        var freeBytes = 0
        var liveBytes = 0
        var retainedLimit = 64 << 20
    }

    private static let pooledFrom = 1 << 20
    private static let hugePage = 2 << 20

    // A monitor rather than a mutex, because it must be held across `fork`.
    private let state = Monitor(State())

    private init() {}

    package func allocate(_ size: Int) throws(ImageError) -> Block {
        guard size > 0, size <= Int.max / 2 else { throw .noMemory(size) }
        guard size >= PixelPool.pooledFrom else {
            var memory: UnsafeMutableRawPointer?
            let capacity = (size + 63) & ~63
            guard unsafe posix_memalign(&memory, 64, capacity) == 0, let memory = unsafe memory else { throw .noMemory(size) }
            return unsafe Block(base: memory, capacity: capacity)
        }
        let capacity = PixelPool.capacity(for: size)
        let recycled: Block? = unsafe state.withLock { state in
            // The most recently freed block of a fitting size: its pages are the likeliest to be in a cache.
            guard let index = unsafe state.free.lastIndex(where: { unsafe $0.capacity >= capacity && $0.capacity <= capacity + capacity / 4 })
            else { return nil }
            let block = unsafe state.free.remove(at: index)
            unsafe state.freeBytes -= block.capacity
            unsafe state.liveBytes += block.capacity
            return unsafe block
        }
        if let recycled = unsafe recycled { return unsafe recycled }
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, PixelPool.hugePage, capacity) == 0, let memory = unsafe memory else {
            throw .noMemory(size)
        }
        // Advice only: where huge pages are off this changes nothing.
        _ = unsafe madvise(memory, capacity, MADV_HUGEPAGE)
        state.withLock { $0.liveBytes += capacity }
        return unsafe Block(base: memory, capacity: capacity)
    }

    package func release(_ block: Block) {
        guard unsafe block.capacity >= PixelPool.pooledFrom else { return unsafe free(block.base) }
        let surplus: [Block] = unsafe state.withLock { state in
            unsafe state.liveBytes -= block.capacity
            unsafe state.free.append(block)
            unsafe state.freeBytes += block.capacity
            return unsafe PixelPool.evict(&state, to: state.retainedLimit)
        }
        for unsafe block in unsafe surplus { unsafe free(block.base) }
    }

    /// Gives every unused block back to the system.
    package func trim() {
        let surplus: [Block] = unsafe state.withLock { unsafe PixelPool.evict(&$0, to: 0) }
        for unsafe block in unsafe surplus { unsafe free(block.base) }
    }

    /// Bytes in use and bytes kept for reuse, blocks of 1 MiB and more only.
    package var statistics: (live: Int, retained: Int) { state.withLock { ($0.liveBytes, $0.freeBytes) } }

    /// How many unused bytes are kept, 64 MiB at first; takes effect at once.
    package func setRetainedLimit(_ bytes: Int) {
        let surplus: [Block] = unsafe state.withLock { state in
            state.retainedLimit = max(0, bytes)
            return unsafe PixelPool.evict(&state, to: state.retainedLimit)
        }
        for unsafe block in unsafe surplus { unsafe free(block.base) }
    }

    package func lockForFork() { state.lock() }
    package func unlockAfterFork() { state.unlock() }

    /// Whole huge pages, in steps of an eighth of the size, so that pictures of nearly equal size share blocks.
    private static func capacity(for size: Int) -> Int {
        let step = max(hugePage, (size / 8) & ~(hugePage - 1))
        return (size + step - 1) / step * step
    }

    private static func evict(_ state: inout State, to limit: Int) -> [Block] {
        var surplus: [Block] = unsafe []
        while state.freeBytes > limit, unsafe !state.free.isEmpty {
            let oldest = unsafe state.free.removeFirst()
            unsafe state.freeBytes -= oldest.capacity
            unsafe surplus.append(oldest)
        }
        return unsafe surplus
    }
}
