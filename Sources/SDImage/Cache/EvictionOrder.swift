/// Which picture leaves a full memory cache next. Used under one lock, by the thread that stores.
///
/// The entries are the cache's; an order only links them. Its uses are counted by look-ups, in the entry alone.
protocol EvictionOrder: AnyObject {
    /// Whether look-ups note the time of each use, or only count them.
    static var needsTimes: Bool { get }
    /// Takes an entry in: a new one, or one that was taken out to change its cost.
    func insert(_ entry: MemoryEntry.Pointer)
    func remove(_ entry: MemoryEntry.Pointer)
    /// Takes out the entry to evict; nil when there is none.
    func popNext() -> MemoryEntry.Pointer?
    /// Takes out all, as a chain linked by `older`.
    func removeAll() -> MemoryEntry.Pointer?
    /// The limits, which give the costs their weight; 0 = unlimited.
    func setLimits(bytes: Int, count: Int)
    /// Misses of pictures that had left not long before.
    var ghostHits: Int { get }
}

/// How a memory cache chooses what leaves.
package enum EvictionPolicy: UInt32, Sendable {
    /// What comes once passes through; what comes again stays; the shares of both follow what is asked for.
    case adaptive = 0
    /// Strictly what was not used for the longest time.
    case leastRecentlyUsed = 1
}
