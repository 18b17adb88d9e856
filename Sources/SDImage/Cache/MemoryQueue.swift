/// Entries of a memory cache in order of insertion.
/// A doubly linked list through the entries, used by `AdaptiveOrder`.
@safe struct MemoryQueue {
    /// nil for an empty queue.
    private(set) var oldest: MemoryEntry.Pointer?
    private var newest: MemoryEntry.Pointer?
    /// Costs of its entries.
    private(set) var bytes = 0
    private(set) var count = 0

    init() {
        unsafe oldest = nil
        unsafe newest = nil
    }

    mutating func append(_ entry: MemoryEntry.Pointer) {
        unsafe entry.pointee.newer = nil
        unsafe entry.pointee.older = newest
        if let newest = unsafe newest { unsafe newest.pointee.newer = entry } else { unsafe oldest = entry }
        unsafe newest = entry
        // Wrapping, because the host chooses the costs.
        unsafe bytes &+= entry.pointee.cost
        count += 1
    }

    /// The entry must be in this queue.
    mutating func remove(_ entry: MemoryEntry.Pointer) {
        let (newer, older) = unsafe (entry.pointee.newer, entry.pointee.older)
        if let newer = unsafe newer { unsafe newer.pointee.older = older } else { unsafe newest = older }
        if let older = unsafe older { unsafe older.pointee.newer = newer } else { unsafe oldest = newer }
        unsafe bytes &-= entry.pointee.cost
        count -= 1
    }

    /// Removes all entries; returns them linked by `older` and followed by `rest`.
    mutating func removeAll(followedBy rest: MemoryEntry.Pointer?) -> MemoryEntry.Pointer? {
        if let oldest = unsafe oldest { unsafe oldest.pointee.older = rest }
        let chain = unsafe newest ?? rest
        self = MemoryQueue()
        return unsafe chain
    }
}
