/// A part of a memory cache by hash: a table, its lock, and what it counts, in one line of the processor's cache.
@safe struct MemoryShard: ~Copyable {
    // A lock in a shard rather than a class around it: a look-up follows one pointer less.
    let lock = FutexLock()
    var table = MemoryTable()
    var hits = 0
    var misses = 0

    @inline(__always)
    static func withLock<R>(_ shard: UnsafeMutablePointer<MemoryShard>, _ body: (UnsafeMutablePointer<MemoryShard>) -> R) -> R {
        unsafe shard.pointee.lock.lock()
        defer { unsafe shard.pointee.lock.unlock() }
        return unsafe body(shard)
    }
}

/// All shards of a memory cache, each on a line of its own, so that threads do not wait for a line where they share
/// no lock.
@safe struct MemoryShards: ~Copyable, @unchecked Sendable {
    // Unchecked: a shard is touched only under its lock.
    private let memory: UnsafeMutableRawPointer
    private static let bits: UInt64 = 6
    private static let stride = 64

    static let count = 1 << bits

    init() {
        unsafe memory = .allocate(byteCount: MemoryShards.count * MemoryShards.stride, alignment: MemoryShards.stride)
        for index in 0..<MemoryShards.count { unsafe self[index].initialize(to: MemoryShard()) }
    }

    deinit {
        for index in 0..<MemoryShards.count { unsafe self[index].deinitialize(count: 1) }
        unsafe memory.deallocate()
    }

    /// The shard of a number below `count`.
    @inline(__always)
    subscript(index: Int) -> UnsafeMutablePointer<MemoryShard> {
        unsafe (memory + index &* MemoryShards.stride).assumingMemoryBound(to: MemoryShard.self)
    }

    /// The shard of a hash: by its upper bits, because the tables take the lower ones.
    @inline(__always)
    subscript(hash: UInt64) -> UnsafeMutablePointer<MemoryShard> {
        unsafe self[Int(truncatingIfNeeded: hash >> (64 &- MemoryShards.bits))]
    }
}
