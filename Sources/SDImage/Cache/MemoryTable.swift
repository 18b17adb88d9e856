import Glibc

/// The part of a memory cache that lies under one lock: pictures by key, in the order of their last use.
///
/// Open addressing with linear probing over slots that hold 32 bits of the hash, so that a look-up touches one slot, one
/// node and the key. Nodes form a list from the newest to the oldest. Keys and nodes come from the C allocator, whose
/// refusal only means that an entry is not kept. A picture is retained while the caller holds the lock (decisions R28).
@safe struct MemoryTable: ~Copyable, @unchecked Sendable {
    // Unchecked: it owns its memory, and its one user holds a lock.
    @safe private struct Node {
        var hash: UInt64
        var order: UInt64
        var key: UnsafeMutableRawPointer
        var image: Unmanaged<Image>
        var cost: Int
        var keyLength: Int
        /// Neighbours in the list; 0 at its ends. In a free node `older` is the next free one.
        var newer: UInt32
        var older: UInt32
    }

    /// A picture that left the table. Let go of it after the lock.
    struct Removed {
        let image: Image
        let cost: Int
    }

    // Node 0 is never used: 0 means none.
    private var nodes: UnsafeMutablePointer<Node>?
    private var nodeCapacity = 0
    private var nodeEnd = 1
    private var free: UInt32 = 0
    private var slots: UnsafeMutablePointer<UInt64>?
    private var mask = 0
    private var newest: UInt32 = 0
    private var oldest: UInt32 = 0

    private(set) var count = 0
    /// Order number of the entry that was not used for the longest time; `.max` when empty.
    private(set) var oldestOrder = UInt64.max
    var hits = 0
    var misses = 0

    init() {
        unsafe nodes = nil
        unsafe slots = nil
    }

    deinit {
        var index = newest
        while index != 0, let nodes = unsafe nodes {
            let node = unsafe nodes[Int(index)]
            unsafe node.image.release()
            unsafe Glibc.free(node.key)
            index = node.older
        }
        unsafe Glibc.free(nodes)
        unsafe Glibc.free(slots)
    }

    /// The picture of `key`, which becomes the newest.
    mutating func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer, order: UInt64) -> Image? {
        let index = unsafe index(of: hash, key)
        guard index != 0, let nodes = unsafe nodes else {
            misses &+= 1
            return nil
        }
        hits &+= 1
        touch(index, order: order)
        return unsafe nodes[Int(index)].image.takeUnretainedValue()
    }

    func contains(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Bool { unsafe index(of: hash, key) != 0 }

    /// Puts a picture in as the newest. Says what it replaced, and whether it was kept: not when memory is refused.
    mutating func insert(_ hash: UInt64, _ key: UnsafeRawBufferPointer, _ image: Image, cost: Int, order: UInt64)
        -> (replaced: Removed?, isKept: Bool)
    {
        let existing = unsafe index(of: hash, key)
        if existing != 0, let nodes = unsafe nodes {
            let index = Int(existing)
            let old = unsafe Removed(image: nodes[index].image.takeRetainedValue(), cost: nodes[index].cost)
            unsafe nodes[index].image = .passRetained(image)
            unsafe nodes[index].cost = cost
            touch(existing, order: order)
            return (old, true)
        }
        guard reserveSlot(), let index = takeNode(), let nodes = unsafe nodes else { return (nil, false) }
        guard let copy = unsafe malloc(max(1, key.count)) else {
            giveBack(index)
            return (nil, false)
        }
        if let source = key.baseAddress { unsafe memcpy(copy, source, key.count) }
        unsafe (nodes + Int(index)).initialize(
            to: Node(
                hash: hash, order: order, key: copy, image: .passRetained(image), cost: cost, keyLength: key.count, newer: 0,
                older: 0))
        link(index)
        place(index, hash: hash)
        count += 1
        return (nil, true)
    }

    mutating func remove(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> Removed? {
        let index = unsafe index(of: hash, key)
        return index == 0 ? nil : take(index)
    }

    mutating func removeOldest() -> Removed? { oldest == 0 ? nil : take(oldest) }

    // MARK: Nodes

    private mutating func take(_ index: UInt32) -> Removed? {
        guard let nodes = unsafe nodes else { return nil }
        let node = unsafe nodes[Int(index)]
        unplace(index, hash: node.hash)
        unlink(index)
        unsafe Glibc.free(node.key)
        giveBack(index)
        count -= 1
        return unsafe Removed(image: node.image.takeRetainedValue(), cost: node.cost)
    }

    private mutating func takeNode() -> UInt32? {
        if free != 0, let nodes = unsafe nodes {
            let index = free
            free = unsafe nodes[Int(index)].older
            return index
        }
        if nodeEnd >= nodeCapacity {
            let capacity = max(16, nodeCapacity * 2)
            guard capacity < Int(UInt32.max),
                let moved = unsafe realloc(nodes, capacity * MemoryLayout<Node>.stride)
            else { return nil }
            unsafe nodes = moved.assumingMemoryBound(to: Node.self)
            nodeCapacity = capacity
        }
        nodeEnd += 1
        return UInt32(nodeEnd - 1)
    }

    private mutating func giveBack(_ index: UInt32) {
        guard let nodes = unsafe nodes else { return }
        unsafe nodes[Int(index)].older = free
        free = index
    }

    // MARK: Order of use

    private mutating func touch(_ index: UInt32, order: UInt64) {
        guard let nodes = unsafe nodes else { return }
        unsafe nodes[Int(index)].order = order
        if index == newest {
            if index == oldest { oldestOrder = order }
            return
        }
        unlink(index)
        link(index)
    }

    private mutating func link(_ index: UInt32) {
        guard let nodes = unsafe nodes else { return }
        unsafe nodes[Int(index)].older = newest
        unsafe nodes[Int(index)].newer = 0
        if newest != 0 { unsafe nodes[Int(newest)].newer = index }
        newest = index
        if oldest == 0 {
            oldest = index
            oldestOrder = unsafe nodes[Int(index)].order
        }
    }

    private mutating func unlink(_ index: UInt32) {
        guard let nodes = unsafe nodes else { return }
        let (newer, older) = unsafe (nodes[Int(index)].newer, nodes[Int(index)].older)
        if newer != 0 { unsafe nodes[Int(newer)].older = older } else { newest = older }
        if older != 0 { unsafe nodes[Int(older)].newer = newer }
        guard index == oldest else { return }
        oldest = newer
        oldestOrder = newer == 0 ? .max : unsafe nodes[Int(newer)].order
    }

    // MARK: Slots

    private static func tag(_ hash: UInt64) -> UInt64 { hash & 0xffff_ffff_0000_0000 }

    private static func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard let start = b.baseAddress else { return true }
        return unsafe memcmp(a, start, b.count) == 0
    }

    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

    private func index(of hash: UInt64, _ key: UnsafeRawBufferPointer) -> UInt32 {
        guard let slots = unsafe slots, let nodes = unsafe nodes else { return 0 }
        var position = home(hash)
        while true {
            let slot = unsafe slots[position]
            if slot == 0 { return 0 }
            if MemoryTable.tag(slot ^ hash) == 0 {
                let index = UInt32(truncatingIfNeeded: slot)
                let node = unsafe nodes + Int(index)
                if unsafe node.pointee.hash == hash, unsafe node.pointee.keyLength == key.count,
                    unsafe MemoryTable.areEqual(node.pointee.key, key)
                {
                    return index
                }
            }
            position = (position + 1) & mask
        }
    }

    /// Room for one more at a load of at most two thirds, so that each search ends at an empty slot.
    private mutating func reserveSlot() -> Bool {
        let capacity = unsafe slots == nil ? 0 : mask + 1
        guard (count + 1) * 3 > capacity * 2 else { return true }
        let larger = max(16, capacity * 2)
        guard let memory = unsafe calloc(larger, MemoryLayout<UInt64>.stride) else { return false }
        unsafe Glibc.free(slots)
        unsafe slots = memory.assumingMemoryBound(to: UInt64.self)
        mask = larger - 1
        var index = newest
        while index != 0, let nodes = unsafe nodes {
            place(index, hash: unsafe nodes[Int(index)].hash)
            index = unsafe nodes[Int(index)].older
        }
        return true
    }

    private func place(_ index: UInt32, hash: UInt64) {
        guard let slots = unsafe slots else { return }
        var position = home(hash)
        while unsafe slots[position] != 0 { position = (position + 1) & mask }
        unsafe slots[position] = MemoryTable.tag(hash) | UInt64(index)
    }

    /// Empties the slot and moves later ones of the same run back, so that no search ends too early.
    private func unplace(_ index: UInt32, hash: UInt64) {
        guard let slots = unsafe slots, let nodes = unsafe nodes else { return }
        var hole = home(hash)
        while unsafe UInt32(truncatingIfNeeded: slots[hole]) != index { hole = (hole + 1) & mask }
        var position = hole
        while true {
            position = (position + 1) & mask
            let slot = unsafe slots[position]
            if slot == 0 { break }
            let home = unsafe home(nodes[Int(UInt32(truncatingIfNeeded: slot))].hash)
            // Distances along the ring: a slot may move back to the hole unless its home lies after the hole.
            if (position &- home) & mask < (position &- hole) & mask { continue }
            unsafe slots[hole] = slot
            hole = position
        }
        unsafe slots[hole] = 0
    }
}
