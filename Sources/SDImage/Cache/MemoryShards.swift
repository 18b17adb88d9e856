import CSystem
import Synchronization

/// A part of a memory cache, selected by hash, in one processor cache line: its lock, followed by the fields guarded by it.
///
/// Both lie in plain memory. With a lock inside the structure, a change of a property would count as an access to the whole
/// structure, including the lock that other threads are trying to take.
/// A value that names the memory; the memory belongs to `MemoryShards`.
@unsafe struct MemoryShard {
    /// The fields guarded by the lock.
    struct Contents: ~Copyable {
        var table = MemoryTable()
        var hits = 0
        var misses = 0
    }

    /// Bytes of one cache line.
    static let stride = 64
    /// Start of the cache line.
    private let line: UnsafeMutableRawPointer
    /// The address of the table's slots, for prefetching; may be outdated. In another cache line, which no look-up writes: its
    /// slot is fetched while the line of the lock is.
    private let slots: UnsafeMutablePointer<Atomic<UInt>>

    init(at line: UnsafeMutableRawPointer, slots: UnsafeMutablePointer<Atomic<UInt>>) {
        unsafe self.line = line
        unsafe self.slots = slots
    }

    /// The lock is at the start of the line.
    @inline(__always)
    private var lock: UnsafeMutablePointer<LockWord> { unsafe line.assumingMemoryBound(to: LockWord.self) }

    /// The contents follow at the next aligned address.
    @inline(__always)
    private var contents: UnsafeMutablePointer<Contents> {
        unsafe (line + MemoryLayout<Contents>.alignment).assumingMemoryBound(to: Contents.self)
    }

    /// Must be called once before any other use.
    func initialize() {
        unsafe slots.initialize(to: Atomic(0))
        unsafe lock.initialize(to: LockWord())
        unsafe contents.initialize(to: Contents())
    }

    func deinitialize() {
        unsafe contents.deinitialize(count: 1)
        unsafe lock.deinitialize(count: 1)
        unsafe slots.deinitialize(count: 1)
    }

    /// Prefetches the line of the lock, and the slot of a hash.
    @inline(__always)
    func prefetch(_ hash: UInt64) {
        unsafe csys_prefetch_write(line)
        unsafe MemoryTable.prefetch(hash, slots.pointee.load(ordering: .relaxed))
    }

    /// Calls `body` with the contents under the lock. The body must not call the host.
    @inline(__always)
    func withLock<R>(_ body: (UnsafeMutablePointer<Contents>) -> R) -> R {
        unsafe lock.pointee.lock()
        defer { unsafe lock.pointee.unlock() }
        return unsafe body(contents)
    }

    /// Inserts a new entry; false when allocation fails.
    /// The prefetch address follows the slots, which may have moved.
    func insert(_ entry: MemoryEntry.Pointer) -> Bool {
        unsafe withLock { contents in
            guard unsafe contents.pointee.table.insert(entry) else { return false }
            unsafe slots.pointee.store(contents.pointee.table.location, ordering: .relaxed)
            return true
        }
    }

    func removeAll() {
        unsafe withLock { contents in
            unsafe contents.pointee.table.removeAll()
            unsafe slots.pointee.store(0, ordering: .relaxed)
        }
    }
}

/// All shards of a memory cache. Each has its own cache line, so that threads using different locks do not contend for a line.
@safe struct MemoryShards: ~Copyable, @unchecked Sendable {
    // Unchecked: the contents of a shard are accessed only under its lock.
    /// The lines of all shards, followed by their prefetch addresses.
    private let memory: UnsafeMutableRawPointer
    /// Logarithm of the number of shards.
    private static let bits: UInt64 = 6

    static let count = 1 << bits

    init() {
        let size = unsafe MemoryShard.stride + MemoryLayout<Atomic<UInt>>.stride
        unsafe memory = .allocate(byteCount: MemoryShards.count * size, alignment: MemoryShard.stride)
        for index in 0..<MemoryShards.count { unsafe self[index].initialize() }
    }

    deinit {
        for index in 0..<MemoryShards.count { unsafe self[index].deinitialize() }
        unsafe memory.deallocate()
    }

    /// The shard of an index below `count`.
    @inline(__always)
    subscript(index: Int) -> MemoryShard {
        let slots = unsafe (memory + MemoryShards.count &* MemoryShard.stride).assumingMemoryBound(to: Atomic<UInt>.self)
        return unsafe MemoryShard(at: memory + index &* MemoryShard.stride, slots: slots + index)
    }

    /// The shard of a hash, selected by the upper bits because the tables use the lower ones.
    @inline(__always)
    subscript(hash: UInt64) -> MemoryShard { unsafe self[Int(truncatingIfNeeded: hash >> (64 &- MemoryShards.bits))] }
}
