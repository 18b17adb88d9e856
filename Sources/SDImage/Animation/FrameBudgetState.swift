/// State of a frame budget: the parts that one lock guards, and the operations that concern several of them.
///
/// Operations return the frames and canvases that they remove, because the caller frees them outside the lock.
/// All functions run under that lock; none calls the host, makes frames or frees pixels.
struct FrameBudgetState {
    /// Any objects that hold pixels, to be freed by the caller.
    typealias Removed = [any Sendable]

    var pools = FramePoolRegistry()
    var canvases = CanvasCacheRegistry()
    var accounting: FrameAccounting
    private var scheduler = FrameScheduler()

    init(limit: Int) { accounting = FrameAccounting(limit: limit) }

    var statistics: FrameBudget.Statistics { accounting.statistics(pools, canvases) }

    /// A smaller limit evicts at once.
    mutating func setLimit(_ limit: Int) -> Removed {
        accounting.setLimit(limit)
        share()
        return makeRoom()
    }

    /// Removes everything except the frames shown next.
    mutating func takeAll() -> Removed {
        var taken: Removed = canvases.takeAll()
        for id in pools.ids { taken += evict(id) { $0.takeAll(butNext: true) } }
        return taken
    }

    // MARK: Pools

    /// The table holds the frames of the pool, for the caller to free.
    mutating func removePool(_ id: UInt64, _ identity: FrameIdentity) -> PoolTable? {
        accounting.invalidateShares()
        return pools.remove(id, identity)
    }

    mutating func lookUp(_ id: UInt64, _ index: Int, counts: Bool) -> PoolTable.Holding {
        guard let holding = pools.update(id, { $0.look(index) }) else { return .absent }
        // Failures count as hits, because nothing is to be made.
        guard counts else { return holding }
        if case .absent = holding { accounting.countLookUp(isHit: false) } else { accounting.countLookUp(isHit: true) }
        return holding
    }

    /// Sets the demand of a player; nil when it was freed. `poster`: the first frame, stored if the pool lacks it.
    mutating func setDemand(
        _ demand: FrameDemand?, of player: UInt64, in pool: FramePool, poster: CachedFrame?
    ) -> (FrameBudget.Order, Removed) {
        guard let root = pools[pool.id]?.root else { return (.nothing, []) }
        let before = pools.update(pool.id) { $0.setDemand(demand, of: player) } ?? nil
        // Shares depend on part of a demand only; a demand after each frame leaves them valid.
        if before?.claim != demand?.claim { accounting.invalidateShares() }
        share()
        var taken = evict(pool.id) { $0.takeSurplus() }
        if let poster, pools[pool.id]?.frames[0] == nil { taken += store(.success(poster), at: 0, in: pool.id) }
        let order = order(pool)
        guard case .nothing = order else { return (order, taken) }
        // A player has stopped playing or was freed: with the last one, the provider may rest.
        let isOver = demand?.isPlaying != true && (before?.isPlaying == true || demand == nil)
        return (isOver && !pools.isPlayed(root) ? .rest : .nothing, taken)
    }

    // MARK: Making frames

    /// The next action of a pool: to send a worker for a frame, or to look again later.
    /// A busy pool is not sent twice: it looks for its next frame when it has finished.
    private mutating func order(_ pool: FramePool) -> FrameBudget.Order {
        guard let table = pools[pool.id], !table.isBusy else { return .nothing }
        if let target = table.target(now: MonotonicClock.now, lead: scheduler.lead) {
            pools.update(pool.id) { $0.isBusy = true }
            scheduler.add(pool, deadline: target.deadline)
            return .frame
        }
        guard let time = table.targetTime(lead: scheduler.lead), time < table.alarm else { return .nothing }
        pools.update(pool.id) { $0.alarm = time }
        return .later(time)
    }

    /// Looks again for the next frame of a pool. `time`: of the timer that has fired; nil for none.
    mutating func lookAgain(_ pool: FramePool, _ time: UInt64?) -> FrameBudget.Order {
        pools.update(pool.id) { table in
            // An earlier timer may have taken its place.
            guard table.alarm == time else { return }
            table.alarm = .max
        }
        return order(pool)
    }

    /// The most urgent frame to make; its pool stays busy until `finish`. `idle` receives pools that need no frame now.
    mutating func nextJob(idle: inout [FramePool]) -> (pool: FramePool, index: Int, stop: CancellationToken)? {
        // The job is not bound to the pool that submitted it: the most urgent frame comes first.
        while let pool = scheduler.popMostUrgent() {
            // The demand may have changed since the frame was scheduled.
            if let target = pools[pool.id]?.target(now: MonotonicClock.now, lead: scheduler.lead) {
                accounting.countDecode()
                let stop = pools.update(pool.id) { $0.beginMaking() } ?? CancellationToken(priority: FramePool.priority)
                return (pool, target.index, stop)
            }
            // The demand was met or withdrawn meanwhile, or is for a later time.
            pools.update(pool.id) { $0.isBusy = false }
            idle.append(pool)
        }
        return nil
    }

    /// Handles a frame that was made or has failed; `cost` is in nanoseconds.
    mutating func finish(
        _ result: Result<CachedFrame, ImageError>, at index: Int, in pool: FramePool, cost: UInt64
    ) -> (FrameBudget.Order, [any FrameListener], Removed) {
        // An abandoned frame is not a failure: it is made again for a player that has joined since.
        let isAbandoned = pools.update(pool.id) { $0.finishMaking() } == true
        let taken = isAbandoned ? [] : store(result, at: index, in: pool.id)
        let before = pools[pool.id]?.cost ?? 0
        pools.update(pool.id) { table in
            table.count(cost: cost)
            table.isBusy = false
        }
        let table = pools[pool.id]
        // The lead time follows the cost without a new division of the shares.
        scheduler.changeCost(from: before, to: table?.cost ?? 0)
        let listeners = table?.currentListeners ?? []
        let order = order(pool)
        guard case .nothing = order else { return (order, listeners, taken) }
        // The players may have paused meanwhile.
        let isOver = table?.isActive != true && table.map { !pools.isPlayed($0.root) } ?? true
        return (isOver ? .rest : .nothing, listeners, taken)
    }

    /// Stores the result for a frame that was made elsewhere.
    mutating func insert(_ result: Result<CachedFrame, ImageError>, at index: Int, in id: UInt64) -> Removed {
        // Counted as a decode, like the frames that workers make.
        accounting.countDecode()
        return store(result, at: index, in: id)
    }

    /// Stores a frame or remembers its failure, and then removes what exceeds the shares and the limit.
    private mutating func store(_ result: Result<CachedFrame, ImageError>, at index: Int, in id: UInt64) -> Removed {
        guard pools[id] != nil else { return [] }
        var isNews = false
        let taken = evict(id) { table in
            switch result {
            case .success(let frame): return table.insert(frame, at: index, isNews: &isNews)
            case .failure(let error): table.fail(index, isLasting: error.isLasting)
            }
            return []
        }
        // A new size of frames changes all shares.
        if isNews { accounting.invalidateShares() }
        share()
        return taken + evict(id) { $0.takeSurplus() } + makeRoom()
    }

    // MARK: Canvases

    /// Keeps a canvas if there is room for it beside all frames; returns the previous one at that index.
    mutating func keep(_ canvas: CachedCanvas, at index: Int, of id: UInt64) -> (isCached: Bool, replaced: CachedCanvas?) {
        guard accounting.fits(heldBytes + canvases.growth(canvas, of: id)) else { return (false, nil) }
        return (true, canvases.put(canvas, at: index, of: id))
    }

    // MARK: Memory

    private var heldBytes: Int { pools.bytes + canvases.bytes }
    private var isFull: Bool { !accounting.fits(heldBytes) }

    /// Removes frames of a pool and counts them.
    mutating func evict(_ id: UInt64, _ body: (inout PoolTable) -> [CachedFrame]) -> Removed {
        let taken = pools.update(id, body) ?? []
        accounting.countEvictions(taken.count)
        return taken
    }

    /// Divides the limit again if something has changed.
    private mutating func share() {
        guard accounting.areSharesStale else { return }
        let ids = pools.activeIDs
        let tables = ids.compactMap { pools[$0] }
        scheduler.setCosts(tables.map(\.cost))
        for (id, share) in zip(ids, accounting.shares(of: tables)) {
            // At least one frame: without the next frame an animation could not go on.
            pools.update(id) { $0.allowed = max(1, share / $0.frameBytes) }
        }
    }

    /// Evicts canvases kept for seeking first, then frames of pools that do not play, then frames beyond the shares.
    /// Pools that play lose frames last.
    private mutating func makeRoom() -> Removed {
        guard isFull else { return [] }
        var taken: Removed = []
        while isFull, let oldest = canvases.takeOldest() { taken += oldest as Removed }
        for id in pools.ids where isFull && pools[id]?.isActive == false { taken += evict(id) { $0.takeAll(butNext: false) } }
        share()
        for id in pools.ids where isFull { taken += evict(id) { $0.takeSurplus() } }
        return taken
    }
}
