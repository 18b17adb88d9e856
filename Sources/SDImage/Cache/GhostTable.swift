/// Which entries left a memory cache not long ago, by the hash of their keys; a wrong answer costs nothing but a place.
///
/// Time is what left since, as a share of the cache's capacity, and runs for each queue apart. Buckets of four: the oldest
/// of a bucket makes room.
struct GhostTable {
    /// The queue that an entry left.
    enum Queue: Int {
        case small = 0
        case main = 1
    }

    private struct Ghost {
        var hash: UInt64 = 0
        var queue = Queue.small
        /// No time: a free place.
        var left = -Double.infinity
    }

    private static let ways = 4
    /// For how long a ghost is remembered; the main queue's matter less.
    private static let lifetimes = (small: 0.75, main: 0.5)

    private var ghosts: [Ghost] = []
    private var clocks = (small: 0.0, main: 0.0)

    /// Remembers an entry that took `share` of the capacity; `entries` are those that the cache holds.
    mutating func add(_ hash: UInt64, from queue: Queue, share: Double, entries: Int) {
        if ghosts.count < entries || ghosts.isEmpty { grow(to: entries) }
        switch queue {
        case .small: clocks.small += share
        case .main: clocks.main += share
        }
        place(Ghost(hash: hash, queue: queue, left: queue == .small ? clocks.small : clocks.main))
    }

    /// Forgets an entry and says which queue it left and what has left that queue since; nil when it is not known.
    mutating func take(_ hash: UInt64) -> (queue: Queue, age: Double)? {
        let found = bucket(hash).first { ghosts[$0].hash == hash && ghosts[$0].left >= 0 }
        guard let found else { return nil }
        let ghost = ghosts[found]
        ghosts[found] = Ghost()
        return age(ghost) <= lifetime(ghost) ? (ghost.queue, age(ghost)) : nil
    }

    mutating func removeAll() { self = GhostTable() }

    private func age(_ ghost: Ghost) -> Double { (ghost.queue == .small ? clocks.small : clocks.main) - ghost.left }

    private func lifetime(_ ghost: Ghost) -> Double {
        ghost.queue == .small ? GhostTable.lifetimes.small : GhostTable.lifetimes.main
    }

    private func bucket(_ hash: UInt64) -> Range<Int> {
        guard !ghosts.isEmpty else { return 0..<0 }
        // Not the bits that choose the shard or the slot.
        let start = Int(truncatingIfNeeded: hash >> 20) & (ghosts.count / GhostTable.ways - 1) * GhostTable.ways
        return start..<(start + GhostTable.ways)
    }

    private mutating func place(_ ghost: Ghost) {
        let oldest = bucket(ghost.hash).max { age(ghosts[$0]) < age(ghosts[$1]) }
        if let oldest { ghosts[oldest] = ghost }
    }

    private mutating func grow(to entries: Int) {
        var size = max(64, ghosts.count)
        while size < entries { size *= 2 }
        let old = ghosts
        ghosts = Array(repeating: Ghost(), count: size)
        for ghost in old where ghost.left >= 0 && age(ghost) <= lifetime(ghost) { place(ghost) }
    }
}
