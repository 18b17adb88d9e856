/// Two queues, first in, first out: a small one for what came once, and a main one for what came again (S3-FIFO, Yang et
/// al., SOSP 2023). A scan passes through the small one and leaves the other alone.
///
/// Unlike there the share of the small queue follows the traffic: where what just left the small queue is asked for again
/// it was too small, where what just left the main queue is, it was too large. Only ghosts of equal windows count, so that
/// the two gains are compared like with like.
@safe final class AdaptiveOrder: EvictionOrder {
    private var small = MemoryQueue()
    private var main = MemoryQueue()
    private var ghosts = GhostTable()
    /// Of the capacity, what the small queue may take.
    private(set) var smallShare = 0.1
    private(set) var ghostHits = 0
    private var limits = (bytes: 0, count: 0)

    private static let shares = 0.01...0.9
    /// What must have left since at most for a ghost to move the share.
    private static let window = 0.1
    // Values of an entry's place; 0 is new.
    private static let inSmall = 1
    private static let inMain = 2

    static let needsTimes = false

    func setLimits(bytes: Int, count: Int) { limits = (bytes, count) }

    func insert(_ entry: MemoryEntry.Pointer) {
        if unsafe entry.pointee.place == 0 { unsafe entry.pointee.place = firstPlace(entry) }
        if unsafe entry.pointee.place == AdaptiveOrder.inMain { unsafe main.append(entry) } else { unsafe small.append(entry) }
    }

    func remove(_ entry: MemoryEntry.Pointer) {
        if unsafe entry.pointee.place == AdaptiveOrder.inMain { unsafe main.remove(entry) } else { unsafe small.remove(entry) }
    }

    func popNext() -> MemoryEntry.Pointer? {
        // Look-ups of other threads may count new uses as fast as they are taken back here.
        for _ in unsafe 0...((small.count + main.count) * Int(MemoryEntry.mostUses + 2)) {
            if let entry = unsafe step(mayPass: true) { return unsafe entry }
        }
        return unsafe step(mayPass: false)
    }

    func removeAll() -> MemoryEntry.Pointer? {
        ghosts.removeAll()
        return unsafe main.removeAll(followedBy: small.removeAll(followedBy: nil))
    }

    /// Looks at one entry: nil when it passes because it was used, or when there is none.
    private func step(mayPass: Bool) -> MemoryEntry.Pointer? {
        let takesSmall = unsafe main.oldest == nil || share(bytes: small.bytes, count: small.count) > smallShare
        guard let entry = unsafe (takesSmall ? small.oldest : nil) ?? main.oldest else { return nil }
        let isSmall = unsafe entry.pointee.place == AdaptiveOrder.inSmall
        unsafe remove(entry)
        let uses = unsafe entry.pointee.uses.load(ordering: .relaxed)
        guard uses > 0, mayPass else {
            let gone = unsafe share(bytes: entry.pointee.cost, count: 1)
            ghosts.add(unsafe entry.pointee.hash, from: isSmall ? .small : .main, share: gone, entries: small.count + main.count)
            return unsafe entry
        }
        // What leaves the small queue begins anew; in the main queue each use is worth one round.
        unsafe entry.pointee.uses.store(isSmall ? 0 : uses - 1, ordering: .relaxed)
        unsafe entry.pointee.place = AdaptiveOrder.inMain
        unsafe main.append(entry)
        return nil
    }

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

    /// How much of the capacity that is, by the limit of which it takes more.
    private func share(bytes: Int, count: Int) -> Double {
        let ofBytes = limits.bytes > 0 ? Double(bytes) / Double(limits.bytes) : 0
        let ofCount = limits.count > 0 ? Double(count) / Double(limits.count) : 0
        return max(ofBytes, ofCount)
    }
}
