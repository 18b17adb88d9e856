import Glibc

/// Recycled memory for pixels and downloads: touching a fresh 48 MB buffer for the first time costs as much as decoding the
/// image for it.
///
/// Blocks of 16 KiB and more are kept, up to a limit, for the next images: the C allocator would scatter thumbnails over the
/// arenas of its threads. Blocks of 1 MiB and more are aligned to 2 MiB and request huge pages. Blocks below
/// 16 KiB come from the C allocator.
/// Any thread may call it; one lock guards the unused blocks, and the system is called outside of it.
@safe package final class PixelPool: Sendable {
    package static let shared = PixelPool()

    /// One block of memory; 64-byte aligned.
    @unsafe package struct Block {
        package let base: UnsafeMutableRawPointer
        /// Usable bytes, at least the requested number.
        package let capacity: Int
    }

    /// Guarded by the lock; `liveBytes` counts the pooled blocks that are in use.
    @safe private struct State {
        var free = FreeBlocks(wholeFrom: PixelPool.hugeFrom, smallest: PixelPool.pooledFrom)
        var liveBytes = 0
    }

    #if SDIMAGE_SANITIZED
        // Every block comes from the C allocator, whose bounds are checked.
        private static let pooledFrom = Int.max
    #else
        private static let pooledFrom = 16 << 10
    #endif
    /// Maximum number of unused bytes that are kept.
    private static let retainedLimit = 64 << 20
    /// From this size on, blocks come from the allocator and are never joined or divided.
    private static let hugeFrom = 1 << 20
    private static let hugePage = 2 << 20

    // `Monitor` instead of a mutex, because it must be held across `fork`.
    private let state = Monitor(State())

    private init() {}

    /// Contents are undefined: recycled blocks hold old pixels. Throws `noMemory`.
    package func allocate(_ size: Int) throws(ImageError) -> Block {
        guard size > 0, size <= Int.max / 2 else { throw .noMemory(size) }
        // Small blocks bypass the lock and the statistics.
        guard size >= PixelPool.pooledFrom else {
            var memory: UnsafeMutableRawPointer?
            guard unsafe posix_memalign(&memory, 64, size) == 0, let memory = unsafe memory else { throw .noMemory(size) }
            return unsafe Block(base: memory, capacity: size)
        }
        let capacity = PixelPool.capacity(for: size)
        let recycled: Block? = unsafe state.withLock { state in
            guard let block = unsafe state.free.take(capacity) else { return nil }
            unsafe state.liveBytes += block.capacity
            return unsafe block
        }
        if let recycled = unsafe recycled { return unsafe recycled }
        // The mapping is made without the lock, because the system may take long.
        guard let memory = unsafe PixelPool.map(capacity) else { throw .noMemory(size) }
        state.withLock { $0.liveBytes += capacity }
        return unsafe Block(base: memory, capacity: capacity)
    }

    /// Maps fresh memory for one block.
    private static func map(_ capacity: Int) -> UnsafeMutableRawPointer? {
        guard capacity >= hugeFrom else {
            let memory = unsafe mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            return unsafe memory == MAP_FAILED ? nil : memory
        }
        var memory: UnsafeMutableRawPointer?
        guard unsafe posix_memalign(&memory, hugePage, capacity) == 0, let memory = unsafe memory else { return nil }
        // Advice only: no effect where huge pages are disabled.
        _ = unsafe madvise(memory, capacity, MADV_HUGEPAGE)
        return unsafe memory
    }

    /// Unmaps or frees blocks: the capacity alone determines how the memory was allocated. Joined and divided blocks consist of
    /// whole pages.
    private static func unmap(_ blocks: [Block]) {
        unsafe blocks.forEach { block in
            if unsafe block.capacity >= hugeFrom {
                unsafe free(block.base)
            } else {
                unsafe _ = munmap(block.base, block.capacity)
            }
        }
    }

    /// Every block must return exactly once, with the capacity that it was given.
    package func release(_ block: Block) {
        guard unsafe block.capacity >= PixelPool.pooledFrom else { return unsafe free(block.base) }
        let surplus: [Block] = unsafe state.withLock { state in
            unsafe state.liveBytes -= block.capacity
            unsafe state.free.add(block)
            // A block over the limit for kept memory drives out the oldest ones, which may include itself.
            return unsafe state.free.evict(to: PixelPool.retainedLimit)
        }
        unsafe PixelPool.unmap(surplus)
    }

    /// Returns every unused block to the system.
    /// Called on memory pressure, and by a worker process that becomes idle.
    package func trim() {
        let surplus: [Block] = unsafe state.withLock { unsafe $0.free.evict(to: 0) }
        unsafe PixelPool.unmap(surplus)
    }

    /// Bytes in use and bytes kept for reuse; counts only blocks of 16 KiB and more.
    package var statistics: (live: Int, retained: Int) { state.withLock { ($0.liveBytes, $0.free.bytes) } }

    /// The lock is held across `fork`, so that the child finds a consistent pool.
    package func lockForFork() { state.lock() }
    package func unlockAfterFork() { state.unlock() }

    /// Rounds up to whole pages (huge pages for large blocks), in steps of an eighth of the size, so that images of nearly equal
    /// size share blocks.
    private static func capacity(for size: Int) -> Int {
        let page = size >= hugeFrom ? hugePage : 4096
        // A step of an eighth wastes at most an eighth, plus a page for small sizes.
        let step = max(page, (size / 8) & ~(page - 1))
        return (size + step - 1) / step * step
    }
}
