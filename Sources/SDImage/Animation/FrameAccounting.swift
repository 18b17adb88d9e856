/// The limit of a budget, its division among the playing pools, and its statistics. Pure; guarded by the lock of the budget.
/// All sizes are in bytes. Changes of demands only mark the shares as stale; they are computed on the next use.
struct FrameAccounting {
    /// Never negative.
    private(set) var limit: Int
    /// Bytes of visible frames and of canvases being drawn on, which cannot be evicted.
    private(set) var shownBytes = 0
    /// True when visible and next frames would exceed the limit as images.
    /// Players and compositors then hold indices instead of pixels.
    private(set) var isShort = false
    /// True when a demand, a size or the limit has changed since the shares were computed.
    private(set) var areSharesStale = false
    /// Counters only; the rest is filled in when asked.
    private var counts = FrameBudget.Statistics()

    init(limit: Int) { self.limit = max(limit, 0) }

    mutating func setLimit(_ limit: Int) {
        self.limit = max(limit, 0)
        areSharesStale = true
    }

    mutating func invalidateShares() { areSharesStale = true }

    /// Computes the share of each playing pool in bytes, in their order.
    /// Each playing pool holds at least one frame, whatever its share.
    mutating func shares(of tables: [PoolTable]) -> [Int] {
        areSharesStale = false
        // Visible frames use memory too, and so do the canvases that the next frames are drawn on.
        shownBytes = tables.reduce(0) { $0 + $1.frameBytes * $1.shownFrames + $1.canvasBytes }
        // All frames as images, the visible and the next ones: the form in which they are shown.
        let all = tables.reduce(0) { $0 + $1.imageBytes * ($1.shownFrames + 1) + $1.canvasImageBytes }
        isShort = all > limit
        // The visible frames are subtracted first, because they cannot be evicted.
        return FrameShares.divide(limit - shownBytes, among: tables.map(\.demandedBytes))
    }

    /// True when this many bytes of frames and canvases, besides those that are visible, fit the limit.
    func fits(_ bytes: Int) -> Bool { bytes + shownBytes <= limit }

    // MARK: Statistics

    /// The counters of look-ups concern due frames only.
    mutating func countLookUp(isHit: Bool) { if isHit { counts.hits += 1 } else { counts.misses += 1 } }
    mutating func countDecode() { counts.decodes += 1 }
    mutating func countEvictions(_ count: Int) { counts.evictions += count }

    func statistics(_ pools: FramePoolRegistry, _ canvases: CanvasCacheRegistry) -> FrameBudget.Statistics {
        var statistics = counts
        statistics.limit = limit
        statistics.pools = pools.count
        statistics.frames = pools.frameCount
        statistics.bytes = pools.bytes
        statistics.canvasBytes = canvases.bytes
        return statistics
    }
}
