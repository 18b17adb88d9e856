/// Evicts exactly the least recently used entry.
///
/// A heap by the last time of use known to the order. A use changes only the entry; the heap reads the new time when the entry
/// reaches the top, and moves it down then. Each use costs at most one such move.
/// Used by `MemoryCache` under the lock of its order.
@safe final class LeastRecentlyUsedOrder: EvictionOrder {
    /// An entry, and the time of use by which it is sorted.
    @safe private struct Item {
        var time: UInt64
        var entry: MemoryEntry.Pointer
    }

    /// A binary heap, the least recent entry first; `position` of an entry is its index.
    private var heap: [Item] = []

    static let needsTimes = true
    var ghostHits: Int { 0 }

    /// The entry's time must be set.
    func insert(_ entry: MemoryEntry.Pointer) {
        unsafe heap.append(Item(time: entry.pointee.lastUse.load(ordering: .relaxed), entry: entry))
        rise(heap.count - 1)
    }

    func remove(_ entry: MemoryEntry.Pointer) { remove(at: unsafe entry.pointee.position) }

    func popNext() -> MemoryEntry.Pointer? {
        // An entry that was used since it was sorted moves down to its place.
        while let first = heap.first {
            let time = unsafe first.entry.pointee.lastUse.load(ordering: .relaxed)
            guard time == first.time else {
                heap[0].time = time
                sink(0)
                continue
            }
            remove(at: 0)
            return unsafe first.entry
        }
        return nil
    }

    func removeAll() -> MemoryEntry.Pointer? {
        var chain: MemoryEntry.Pointer?
        for item in heap {
            unsafe item.entry.pointee.older = chain
            unsafe chain = item.entry
        }
        heap = []
        return unsafe chain
    }

    /// Costs do not matter for this order.
    func setLimits(bytes: Int, count: Int) {}

    /// Removes the item at an index: the last item takes its place, and moves up or down.
    private func remove(at index: Int) {
        guard index < heap.count, let last = heap.popLast(), index < heap.count else { return }
        put(last, at: index)
        sink(index)
        rise(index)
    }

    /// Writes an item, and its index to the entry.
    private func put(_ item: Item, at index: Int) {
        heap[index] = item
        unsafe item.entry.pointee.position = index
    }

    /// Moves an item up while its parent is more recent.
    private func rise(_ start: Int) {
        var index = start
        let item = heap[index]
        while index > 0, heap[(index - 1) / 2].time > item.time {
            put(heap[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        put(item, at: index)
    }

    /// Moves an item down while a child is less recent.
    private func sink(_ start: Int) {
        var index = start
        let item = heap[index]
        while true {
            var child = index * 2 + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].time < heap[child].time { child += 1 }
            guard heap[child].time < item.time else { break }
            put(heap[child], at: index)
            index = child
        }
        put(item, at: index)
    }
}
