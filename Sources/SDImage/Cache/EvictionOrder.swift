/// Chooses the next image to evict from a full memory cache. Used under one lock, by the storing thread.
///
/// The cache owns the entries; an order only links them. Look-ups count uses in the entry alone.
/// Implemented by `AdaptiveOrder` and `LeastRecentlyUsedOrder`.
protocol EvictionOrder: AnyObject {
    /// True when look-ups record the time of each use; otherwise they only count uses.
    static var needsTimes: Bool { get }
    /// Inserts a new entry, or one that was removed to change its cost.
    func insert(_ entry: MemoryEntry.Pointer)
    /// Removes an entry that is in the order.
    func remove(_ entry: MemoryEntry.Pointer)
    /// Removes and returns the entry to evict; nil when there is none.
    func popNext() -> MemoryEntry.Pointer?
    /// Removes all entries; returns them as a chain linked by `older`.
    func removeAll() -> MemoryEntry.Pointer?
    /// Sets the limits, which determine the weight of the costs; 0 = unlimited.
    func setLimits(bytes: Int, count: Int)
    /// Misses of recently evicted images.
    var ghostHits: Int { get }
}

/// Eviction policy of a memory cache.
/// Raw values are those of the C interface.
package enum EvictionPolicy: UInt32, Sendable {
    /// Images used once pass through, images used again stay. The shares of both queues follow the requests.
    case adaptive = 0
    /// Evicts exactly the least recently used image.
    case leastRecentlyUsed = 1
}
