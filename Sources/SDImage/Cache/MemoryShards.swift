import Synchronization

/// A part of a memory cache by hash, in one line of the processor's cache: what any thread may access, and behind it what the lock
/// guards.
///
/// Two structures in plain memory rather than one with its lock inside: a change of a property counts as an access to the whole
/// structure, and with it to the lock that other threads are trying to take.
@unsafe struct MemoryShard {
    struct Contents: ~Copyable {
        var table = MemoryTable()
        var hits = 0
        var misses = 0
    }

    private struct Shared: ~Copyable {
        let lock = LockWord()
        /// The address of the table's slots, for prefetching; may be out of date.
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

    /// Begins to fetch the slot of a hash: it comes while the lock is taken.
    @inline(__always)
    func prefetch(_ hash: UInt64) { unsafe MemoryTable.prefetch(hash, shared.pointee.slots.load(ordering: .relaxed)) }

    @inline(__always)
    func withLock<R>(_ body: (UnsafeMutablePointer<Contents>) -> R) -> R {
        unsafe shared.pointee.lock.lock()
        defer { unsafe shared.pointee.lock.unlock() }
        return unsafe body(contents)
    }

    /// Adds an entry that is not there yet; false when memory is refused.
    func insert(_ entry: MemoryEntry.Pointer) -> Bool {
        unsafe withLock { contents in
            guard unsafe contents.pointee.table.insert(entry) else { return false }
            unsafe shared.pointee.slots.store(contents.pointee.table.place, ordering: .relaxed)
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

/// All shards of a memory cache, each on a line of its own, so that threads do not wait for a line where they share
/// no lock.
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

    /// The shard of a number below `count`.
    @inline(__always)
    subscript(index: Int) -> MemoryShard { unsafe MemoryShard(at: memory + index &* MemoryShard.stride) }

    /// The shard of a hash: by its upper bits, because the tables take the lower ones.
    @inline(__always)
    subscript(hash: UInt64) -> MemoryShard { unsafe self[Int(truncatingIfNeeded: hash >> (64 &- MemoryShards.bits))] }
}
