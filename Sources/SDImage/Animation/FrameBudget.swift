/// Frames held by all animations of the process, under one limit (docs/decisions.md, "One frame budget").
///
/// Each playing pool may hold the frame it shows next. The rest is shared equally among the pools that need more (`FrameShares`).
/// Canvases kept for seeking use the remainder. One lock guards all state and is held for some hundred nanoseconds. Frames are
/// made and freed, and players notified, outside the lock.
/// Players reach it through `FramePool`, compositors through `CanvasCache`, and the C interface sets its limit.
package final class FrameBudget: Sendable {
    /// The budget of the process.
    package static let shared = FrameBudget(limit: 64 << 20)

    package struct Statistics: Sendable {
        /// In bytes.
        package var limit = 0
        /// Animations with a player.
        package var pools = 0
        package var frames = 0
        /// Bytes of the frames.
        package var bytes = 0
        package var canvasBytes = 0
        /// Due frames that were held, or are known to fail.
        package var hits = 0
        /// Due frames that were not held.
        package var misses = 0
        /// Frames made, by workers and by players.
        package var decodes = 0
        /// Frames removed for lack of memory or on request.
        package var evictions = 0
    }

    /// Next action of a pool.
    /// `later`: it is too early for the next frame, and the pool looks again at a time in monotonic nanoseconds. `rest`: no
    /// player needs the provider, so it may free its decoder.
    enum Order { case nothing, frame, later(UInt64), rest }

    private let state: Monitor<FrameBudgetState>

    /// `limit` is in bytes.
    package init(limit: Int) { state = Monitor(FrameBudgetState(limit: limit)) }

    package var limit: Int { state.withLock { $0.accounting.limit } }

    /// True when visible and next frames would exceed the limit as images. Frames are then held as indices if possible.
    package var isShort: Bool { state.withLock { $0.accounting.isShort } }

    /// Takes effect immediately.
    /// Removed frames are freed after the lock was released.
    package func setLimit(_ limit: Int) { withExtendedLifetime(state.withLock { $0.setLimit(limit) }) {} }

    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// Releases everything except the frames shown next.
    /// Called on memory pressure.
    package func empty() { withExtendedLifetime(state.withLock { $0.takeAll() }) {} }

    package func lockForFork() { state.lock() }
    package func unlockAfterFork() { state.unlock() }

    // MARK: Pools

    /// The pool of these frames, shared by all their players.
    /// Makes the pool on the first call. The lease keeps the engine running while the pool exists.
    package func pool(for source: FrameSource, lease: EngineLease) -> FramePool {
        state.withLock { state in
            if let pool = state.pools.pool(of: source.identity) { return pool }
            let pool = FramePool(source, budget: self, id: state.pools.makeID(), lease: lease)
            // By the root the budget finds out if another pool still needs the provider.
            state.pools.add(pool, root: ObjectIdentifier(source.frames.root))
            return pool
        }
    }

    /// Pools and players share one sequence of numbers.
    func newPlayer() -> UInt64 { state.withLock { $0.pools.makeID() } }

    /// Removes a pool after its last player was freed.
    func remove(_ id: UInt64, _ identity: FrameIdentity) {
        withExtendedLifetime(state.withLock { $0.removePool(id, identity) }) {}
    }

    /// `counts`: the frame is due, and the look-up counts in the statistics.
    func lookUp(_ id: UInt64, _ index: Int, counts: Bool) -> PoolTable.Holding {
        state.withLock { $0.lookUp(id, index, counts: counts) }
    }

    /// Number of frames held in a pool.
    func count(_ id: UInt64) -> Int { state.withLock { $0.pools[id]?.frames.count ?? 0 } }

    /// Removes all frames of a pool, also those needed next.
    func empty(_ id: UInt64) {
        withExtendedLifetime(state.withLock { state in state.evict(id) { $0.takeAll(butNext: false) } }) {}
    }

    /// Sets the demand of a player; nil when it was freed. `poster`: the first frame, stored before it would be made and kept if
    /// it is needed.
    func setDemand(_ demand: FrameDemand?, of player: UInt64, in pool: FramePool, poster: CachedFrame? = nil) -> Order {
        let (order, taken) = state.withLock { $0.setDemand(demand, of: player, in: pool, poster: poster) }
        withExtendedLifetime(taken) {}
        return order
    }

    /// Sets the listener notified when a frame arrives.
    func setListener(_ listener: (any FrameListener)?, of player: UInt64, in id: UInt64) {
        state.withLock { state in
            state.pools.update(id) { $0.setListener(listener, of: player) }
            return
        }
    }

    // MARK: Making frames

    /// The most urgent frame to make; its pool stays busy until `finish`.
    /// nil if all demands are met.
    func nextJob() -> (pool: FramePool, index: Int, stop: CancellationToken)? {
        // The last reference to a pool must be released outside the lock.
        var idle: [FramePool] = []
        let job = state.withLock { $0.nextJob(idle: &idle) }
        for pool in idle { pool.lookAgain(nil) }
        return job
    }

    /// Looks again for the next frame of a pool. `time`: of the timer that has fired; nil for none.
    func lookAgain(_ pool: FramePool, _ time: UInt64?) -> Order { state.withLock { $0.lookAgain(pool, time) } }

    /// Handles a frame that was made or has failed; `cost` is in nanoseconds. Returns the pool's next action and the listeners.
    func finish(
        _ pool: FramePool, _ index: Int, _ result: Result<CachedFrame, ImageError>, cost: UInt64
    ) -> (order: Order, listeners: [any FrameListener]) {
        let (order, listeners, taken) = state.withLock { $0.finish(result, at: index, in: pool, cost: cost) }
        withExtendedLifetime(taken) {}
        return (order, listeners)
    }

    /// Stores the result for a frame that was made elsewhere.
    /// Called by players that make their frames themselves.
    func insert(_ id: UInt64, _ index: Int, _ result: Result<CachedFrame, ImageError>) {
        withExtendedLifetime(state.withLock { $0.insert(result, at: index, in: id) }) {}
    }

    // MARK: Canvases for seeking

    /// Registers an animation that keeps canvases.
    /// Called by `CanvasCache`.
    func addCanvasCache() -> UInt64 { state.withLock { $0.canvases.add() } }

    func removeCanvasCache(_ id: UInt64) { withExtendedLifetime(state.withLock { $0.canvases.remove(id) }) {} }

    func canvasTable(_ id: UInt64) -> CanvasCacheTable { state.withLock { $0.canvases.table(id) } }

    func canvas(_ id: UInt64, _ index: Int) -> CachedCanvas? { state.withLock { $0.canvases.lookUp(index, of: id) } }

    /// Keeps a canvas if there is room for it beside all frames; false otherwise.
    func keep(_ canvas: CachedCanvas, _ id: UInt64, _ index: Int) -> Bool {
        let (isCached, replaced) = state.withLock { $0.keep(canvas, at: index, of: id) }
        withExtendedLifetime(replaced) {}
        return isCached
    }

    func takeCanvas(_ id: UInt64, _ index: Int) -> CachedCanvas? { state.withLock { $0.canvases.take(index, of: id) } }

    /// Releases the canvases of all frames except those at some indices. Spare canvases stay.
    func keepOnly(_ indices: Set<Int>, _ id: UInt64) {
        withExtendedLifetime(state.withLock { $0.canvases.takeAll(of: id, except: indices) }) {}
    }
}
