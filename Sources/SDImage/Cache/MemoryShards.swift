import Synchronization

/// A part of a memory cache by hash: a table, its lock, and what it counts, in one line of the processor's cache.
@safe struct MemoryShard: ~Copyable {
    // A lock in a shard rather than a class around it: a look-up follows one pointer less.
    let lock = LockWord()
    var table = MemoryTable()
    var hits = 0
    var misses = 0
    /// Where the table's slots are, for whoever only wants the memory to come nearer; may be out of date.
    let slots = Atomic<UInt>(0)

    /// Begins to fetch the slot of a hash: it comes while the lock is taken.
    @inline(__always)
    static func prefetch(_ hash: UInt64, of shard: UnsafeMutablePointer<MemoryShard>) {
        unsafe MemoryTable.prefetch(hash, shard.pointee.slots.load(ordering: .relaxed))
    }

    /// Puts in an entry that is not there yet; false when memory is refused. Under the lock.
    static func insert(_ entry: MemoryEntry.Pointer, into shard: UnsafeMutablePointer<MemoryShard>) -> Bool {
        guard unsafe shard.pointee.table.insert(entry) else { return false }
        unsafe shard.pointee.slots.store(shard.pointee.table.place, ordering: .relaxed)
        return true
    }

    /// Forgets all entries. Under the lock.
    static func removeAll(from shard: UnsafeMutablePointer<MemoryShard>) {
        unsafe shard.pointee.table.removeAll()
        unsafe shard.pointee.slots.store(0, ordering: .relaxed)
    }

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
