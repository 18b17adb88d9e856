/// Recently evicted entries of a memory cache, by the hash of their keys. A wrong result only affects the placement of an
/// entry.
///
/// Time is the amount evicted, as a share of the cache's capacity, and runs separately for each queue. Buckets hold four
/// ghosts; the oldest of a bucket is replaced.
/// Part of `AdaptiveOrder`, under its lock.
struct GhostTable {
    /// The queue that an entry was evicted from.
    enum Queue: Int {
        case small = 0
        case main = 1
    }

    private struct Ghost {
        /// Hash of the key; the key itself is not kept.
        var hash: UInt64 = 0
        /// The queue, whose clock dates the ghost.
        var queue = Queue.small
        /// Time of the eviction; negative infinity marks a free slot.
        var left = -Double.infinity
    }

    /// Slots of a bucket.
    private static let ways = 4
    /// Lifetimes of ghosts; ghosts of the main queue matter less.
    private static let lifetimes = (small: 0.75, main: 0.5)

    /// Slots; their number is a power of two, and at least the number of entries in the cache.
    private var ghosts: [Ghost] = []
    /// Shares evicted so far from each queue.
    private var clocks = (small: 0.0, main: 0.0)

    /// Records an evicted entry that took `share` of the capacity. `entries` is the number of entries in the cache.
    mutating func add(_ hash: UInt64, from queue: Queue, share: Double, entries: Int) {
        if ghosts.count < entries || ghosts.isEmpty { grow(to: entries) }
        switch queue {
        case .small: clocks.small += share
        case .main: clocks.main += share
        }
        insert(Ghost(hash: hash, queue: queue, left: queue == .small ? clocks.small : clocks.main))
    }

    /// Removes a ghost; returns its queue and the amount evicted from that queue since. nil for an unknown or expired ghost.
    mutating func take(_ hash: UInt64) -> (queue: Queue, age: Double)? {
        let found = bucket(hash).first { ghosts[$0].hash == hash && ghosts[$0].left >= 0 }
        guard let found else { return nil }
        let ghost = ghosts[found]
        ghosts[found] = Ghost()
        return age(ghost) <= lifetime(ghost) ? (ghost.queue, age(ghost)) : nil
    }

    /// All slots are freed, and the clocks restart.
    mutating func removeAll() { self = GhostTable() }

    /// Share evicted from the queue since the ghost's own eviction.
    private func age(_ ghost: Ghost) -> Double { (ghost.queue == .small ? clocks.small : clocks.main) - ghost.left }

    private func lifetime(_ ghost: Ghost) -> Double {
        ghost.queue == .small ? GhostTable.lifetimes.small : GhostTable.lifetimes.main
    }

    /// Indices of the slots in which a hash may be.
    private func bucket(_ hash: UInt64) -> Range<Int> {
        guard !ghosts.isEmpty else { return 0..<0 }
        // Avoids the bits that select the shard and the slot.
        let start = Int(truncatingIfNeeded: hash >> 20) & (ghosts.count / GhostTable.ways - 1) * GhostTable.ways
        return start..<(start + GhostTable.ways)
    }

    /// Replaces the oldest ghost of the bucket, or a free slot, which counts as the oldest.
    private mutating func insert(_ ghost: Ghost) {
        let oldest = bucket(ghost.hash).max { age(ghosts[$0]) < age(ghosts[$1]) }
        if let oldest { ghosts[oldest] = ghost }
    }

    /// Enlarges the table; ghosts that are still valid move to their new buckets.
    private mutating func grow(to entries: Int) {
        var size = max(64, ghosts.count)
        while size < entries { size *= 2 }
        let old = ghosts
        ghosts = Array(repeating: Ghost(), count: size)
        for ghost in old where ghost.left >= 0 && age(ghost) <= lifetime(ghost) { insert(ghost) }
    }
}
