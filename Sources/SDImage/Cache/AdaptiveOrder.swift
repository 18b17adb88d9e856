/// Two FIFO queues: a small one for entries used once and a main one for entries used again (S3-FIFO, Yang et al., SOSP 2023).
/// A scan passes through the small queue and leaves the main queue intact.
///
/// Unlike in the paper, the share of the small queue follows the traffic. A miss on an entry recently evicted from the small
/// queue enlarges that queue; a miss on one recently evicted from the main queue shrinks it. Only ghosts of equal windows
/// count, so that the two gains are comparable.
/// Used by `MemoryCache` under the lock of its order. Entries are nodes of the queues; the order allocates memory for
/// ghosts only.
@safe final class AdaptiveOrder: EvictionOrder {
    /// Entries used once, in order of insertion.
    private var small = MemoryQueue()
    /// Entries used again.
    private var main = MemoryQueue()
    /// Hashes of evicted entries.
    private var ghosts = GhostTable()
    /// Share of the capacity that the small queue may use.
    private(set) var smallShare = 0.1
    /// Insertions so far of entries that had a ghost, for statistics.
    private(set) var ghostHits = 0
    /// Limits of the cache; 0 = unlimited.
    private var limits = (bytes: 0, count: 0)

    /// Range of `smallShare`: neither queue is given up completely.
    private static let shares = 0.01...0.9
    /// Upper bound on the share of the capacity evicted since then, for a ghost to move `smallShare`.
    private static let window = 0.1
    // Values of `MemoryEntry.position`; 0 marks a new entry.
    private static let inSmall = 1
    private static let inMain = 2

    static let needsTimes = false

    func setLimits(bytes: Int, count: Int) { limits = (bytes, count) }

    func insert(_ entry: MemoryEntry.Pointer) {
        // An entry that is inserted again after a change of its cost keeps its queue.
        if unsafe entry.pointee.position == 0 { unsafe entry.pointee.position = firstPlace(entry) }
        if unsafe entry.pointee.position == AdaptiveOrder.inMain { unsafe main.append(entry) } else { unsafe small.append(entry) }
    }

    func remove(_ entry: MemoryEntry.Pointer) {
        if unsafe entry.pointee.position == AdaptiveOrder.inMain { unsafe main.remove(entry) } else { unsafe small.remove(entry) }
    }

    /// Entries that were used move to the main queue on the way, and are passed over.
    func popNext() -> MemoryEntry.Pointer? {
        // Bounded: look-ups on other threads may count new uses as fast as this loop removes them.
        for _ in unsafe 0...((small.count + main.count) * Int(MemoryEntry.mostUses + 2)) {
            if let entry = unsafe step(mayPass: true) { return unsafe entry }
        }
        return unsafe step(mayPass: false)
    }

    /// Ghosts are forgotten, too.
    func removeAll() -> MemoryEntry.Pointer? {
        ghosts.removeAll()
        return unsafe main.removeAll(followedBy: small.removeAll(followedBy: nil))
    }

    /// Examines one entry. Returns nil when the entry was used and moves to the main queue, or when both queues are empty.
    private func step(mayPass: Bool) -> MemoryEntry.Pointer? {
        // The small queue gives its oldest entry while it exceeds its share.
        let takesSmall = unsafe main.oldest == nil || share(bytes: small.bytes, count: small.count) > smallShare
        guard let entry = unsafe (takesSmall ? small.oldest : nil) ?? main.oldest else { return nil }
        let isSmall = unsafe entry.pointee.position == AdaptiveOrder.inSmall
        unsafe remove(entry)
        let uses = unsafe entry.pointee.uses.load(ordering: .relaxed)
        // After too many rounds an entry is evicted in spite of its uses.
        guard uses > 0, mayPass else {
            let gone = unsafe share(bytes: entry.pointee.cost, count: 1)
            ghosts.add(unsafe entry.pointee.hash, from: isSmall ? .small : .main, share: gone, entries: small.count + main.count)
            return unsafe entry
        }
        // An entry that moves from the small queue restarts at 0 uses. In the main queue, each use is worth one round.
        unsafe entry.pointee.uses.store(isSmall ? 0 : uses - 1, ordering: .relaxed)
        unsafe entry.pointee.position = AdaptiveOrder.inMain
        unsafe main.append(entry)
        return nil
    }

    /// Queue of a new entry: the main one for an entry that was evicted recently. Adapts the shares.
    private func firstPlace(_ entry: MemoryEntry.Pointer) -> Int {
        guard let ghost = ghosts.take(unsafe entry.pointee.hash) else { return AdaptiveOrder.inSmall }
        ghostHits &+= 1
        if ghost.age <= AdaptiveOrder.window {
            let step = unsafe share(bytes: entry.pointee.cost, count: 1)
            let moved = ghost.queue == .small ? smallShare + step : smallShare - step
            smallShare = min(max(moved, AdaptiveOrder.shares.lowerBound), AdaptiveOrder.shares.upperBound)
        }
        return AdaptiveOrder.inMain
    }

    /// Share of the capacity, by the limit that yields the larger value.
    private func share(bytes: Int, count: Int) -> Double {
        let ofBytes = limits.bytes > 0 ? Double(bytes) / Double(limits.bytes) : 0
        let ofCount = limits.count > 0 ? Double(count) / Double(limits.count) : 0
        return max(ofBytes, ofCount)
    }
}
