/// Unused blocks of `PixelPool`.
///
/// Neighbors are joined, and a request that no block fits gets the first part of a larger one: bodies of downloads have many sizes,
/// and their memory would otherwise not serve the thumbnails that are decoded from them and kept.
/// Guarded by the lock of the pool; nothing here allocates or frees pixels.
@safe struct FreeBlocks {
    /// Least recently freed first.
    private var blocks: [PixelPool.Block] = unsafe []
    /// Sum of the capacities.
    private(set) var bytes = 0
    /// Smaller blocks are joined and divided.
    private let wholeFrom: Int
    /// Minimum size of what remains of a divided block.
    private let smallest: Int

    init(wholeFrom: Int, smallest: Int) {
        self.wholeFrom = wholeFrom
        self.smallest = smallest
    }

    /// Removes and returns a block of at least `capacity` bytes; nil if there is none of a suitable size.
    mutating func take(_ capacity: Int) -> PixelPool.Block? {
        guard let index = location(capacity) else { return nil }
        let block = unsafe blocks[index]
        let rest = unsafe block.capacity - capacity
        guard unsafe block.capacity < wholeFrom, rest >= smallest else {
            unsafe blocks.remove(at: index)
            unsafe bytes -= block.capacity
            return unsafe block
        }
        // The rest stays in the place of the block, so it keeps its age for `evict`.
        unsafe blocks[index] = unsafe PixelPool.Block(base: block.base + capacity, capacity: rest)
        bytes -= capacity
        return unsafe PixelPool.Block(base: block.base, capacity: capacity)
    }

    /// Finds the most recently freed block of about that size, whose pages are the most likely to be in a CPU cache; otherwise the
    /// smallest larger one that may be divided.
    private func location(_ capacity: Int) -> Int? {
        // Newest first: an equal size is taken from the back, as long as at most a quarter is wasted.
        var best: (index: Int, size: Int)?
        for index in unsafe blocks.indices.reversed() {
            let size = unsafe blocks[index].capacity
            guard size >= capacity else { continue }
            if size <= capacity + capacity / 4 { return index }
            if size < wholeFrom, size < best?.size ?? .max { best = (index, size) }
        }
        return best?.index
    }

    /// Adds a block, joined with its neighbors as long as the result may be divided again.
    mutating func add(_ block: PixelPool.Block) {
        var (base, size) = unsafe (block.base, block.capacity)
        bytes += size
        // A block may have a neighbor on each side; the loop finds both.
        for index in unsafe blocks.indices.reversed() {
            let other = unsafe blocks[index]
            guard unsafe other.capacity + size < wholeFrom,
                unsafe other.base + other.capacity == base || base + size == other.base
            else { continue }
            unsafe base = min(base, other.base)
            unsafe size += other.capacity
            unsafe blocks.remove(at: index)
        }
        unsafe blocks.append(PixelPool.Block(base: base, capacity: size))
    }

    /// Removes and returns the least recently freed blocks, until at most `limit` bytes remain.
    /// The caller unmaps them outside the lock.
    mutating func evict(to limit: Int) -> [PixelPool.Block] {
        var evicted = 0
        while bytes > limit, unsafe evicted < blocks.count {
            unsafe bytes -= blocks[evicted].capacity
            evicted += 1
        }
        defer { unsafe blocks.removeFirst(evicted) }
        return unsafe Array(blocks.prefix(evicted))
    }
}
