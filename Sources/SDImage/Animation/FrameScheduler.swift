/// Pools with a frame to make, in the order of their deadlines, and the lead time for making it. Pure; guarded by the lock of
/// the budget.
struct FrameScheduler {
    /// A pool occurs once: it is busy until its frame is made.
    private var due: [(pool: FramePool, deadline: UInt64)] = []
    /// Cost of one frame for each playing pool, in nanoseconds of one worker.
    /// The minimum applies to each.
    private var roundCost: UInt64 = 0

    private static let shortestLead: UInt64 = 20_000_000
    /// Minimum cost of a frame in nanoseconds, also assumed before the first frame is made.
    private static let leastCost: UInt64 = 500_000

    /// Lead time for making a frame when memory is short, in nanoseconds, besides the time that the frame takes itself: if all
    /// frames are due at the same time, the last one is still made in time.
    var lead: UInt64 {
        // The share of one worker, with a quarter more for safety.
        FrameScheduler.shortestLead &+ roundCost / UInt64(LibraryThread.availableProcessors) &* 5 / 4
    }

    mutating func add(_ pool: FramePool, deadline: UInt64) { due.append((pool, deadline)) }

    /// Removes and returns the pool whose frame is due first. The caller releases it outside the lock, because it may be the last
    /// reference.
    mutating func popMostUrgent() -> FramePool? {
        // The list is short, as it has at most one entry for each pool.
        let first = due.indices.min { due[$0].deadline < due[$1].deadline }
        return first.map { due.remove(at: $0).pool }
    }

    /// Sets the costs of the playing pools.
    mutating func setCosts(_ costs: [UInt64]) { roundCost = costs.reduce(0) { $0 &+ max($1, FrameScheduler.leastCost) } }

    /// Replaces the cost of one pool; corrected when all costs are set next.
    mutating func changeCost(from old: UInt64, to new: UInt64) {
        let (old, new) = (max(old, FrameScheduler.leastCost), max(new, FrameScheduler.leastCost))
        roundCost = roundCost &+ new &- min(old, roundCost)
    }
}
