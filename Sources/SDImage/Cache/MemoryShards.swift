import Synchronization

/// A part of a memory cache, selected by hash, in one processor cache line: fields accessible to any thread, followed by the
/// fields guarded by the lock.
///
/// Uses two structures in plain memory. With a lock inside a single structure, a change of a property would count as an access
/// to the whole structure, including the lock that other threads are trying to take.
@unsafe struct MemoryShard {
    struct Contents: ~Copyable {
        var table = MemoryTable()
        var hits = 0
        var misses = 0
    }

    private struct Shared: ~Copyable {
        let lock = LockWord()
        /// The address of the table's slots, for prefetching; may be outdated.
        let slots = Atomic<UInt>(0)
    }

    static let stride = 64
    private let line: UnsafeMutableRawPointer

    init(at line: UnsafeMutableRawPointer) { unsafe self.line = line }

    @inline(__always)
    private var shared: UnsafeMutablePointer<Shared> { unsafe line.assumingMemoryBound(to: Shared.self) }

    @inline(__always)
    private var contents: UnsafeMutablePointer<Contents> {
        unsafe (line + MemoryLayout<Shared>.stride).assumingMemoryBound(to: Contents.self)
    }

    func initialize() {
        unsafe shared.initialize(to: Shared())
        unsafe contents.initialize(to: Contents())
    }

    func deinitialize() {
        unsafe contents.deinitialize(count: 1)
        unsafe shared.deinitialize(count: 1)
    }

    /// Prefetches the slot of a hash while the lock is being taken.
    @inline(__always)
    func prefetch(_ hash: UInt64) { unsafe MemoryTable.prefetch(hash, shared.pointee.slots.load(ordering: .relaxed)) }

    @inline(__always)
    func withLock<R>(_ body: (UnsafeMutablePointer<Contents>) -> R) -> R {
        unsafe shared.pointee.lock.lock()
        defer { unsafe shared.pointee.lock.unlock() }
        return unsafe body(contents)
    }

    /// Inserts a new entry; false when allocation fails.
    func insert(_ entry: MemoryEntry.Pointer) -> Bool {
        unsafe withLock { contents in
            guard unsafe contents.pointee.table.insert(entry) else { return false }
            unsafe shared.pointee.slots.store(contents.pointee.table.location, ordering: .relaxed)
            return true
        }
    }

    func removeAll() {
        unsafe withLock { contents in
            unsafe contents.pointee.table.removeAll()
            unsafe shared.pointee.slots.store(0, ordering: .relaxed)
        }
    }
}

/// All shards of a memory cache. Each has its own cache line, so that threads using different locks do not contend for a line.
@safe struct MemoryShards: ~Copyable, @unchecked Sendable {
    // Unchecked: the contents of a shard are accessed only under its lock.
    private let memory: UnsafeMutableRawPointer
    private static let bits: UInt64 = 6

    static let count = 1 << bits

    init() {
        unsafe memory = .allocate(byteCount: MemoryShards.count * MemoryShard.stride, alignment: MemoryShard.stride)
        for index in 0..<MemoryShards.count { unsafe self[index].initialize() }
    }

    deinit {
        for index in 0..<MemoryShards.count { unsafe self[index].deinitialize() }
        unsafe memory.deallocate()
    }

    /// The shard of an index below `count`.
    @inline(__always)
    subscript(index: Int) -> MemoryShard { unsafe MemoryShard(at: memory + index &* MemoryShard.stride) }

    /// The shard of a hash, selected by the upper bits because the tables use the lower ones.
    @inline(__always)
    subscript(hash: UInt64) -> MemoryShard { unsafe self[Int(truncatingIfNeeded: hash >> (64 &- MemoryShards.bits))] }
}
