/// Frames held by all animations of the process, under one limit (docs/decisions.md, "One frame budget").
///
/// Each playing pool may hold the frame it shows next. The rest is shared equally among the pools that need more (`FrameShares`).
/// Canvases kept for seeking use the remainder. One lock guards all state and is held for some hundred nanoseconds. Frames are
/// made and players notified outside the lock.
package final class FrameBudget: Sendable {
    /// The budget of the process.
    package static let shared = FrameBudget(limit: 64 << 20)

    package struct Statistics: Sendable {
        package var limit = 0
        package var pools = 0
        package var frames = 0
        package var bytes = 0
        package var canvasBytes = 0
        package var hits = 0
        package var misses = 0
        package var decodes = 0
        package var evictions = 0
    }

    private struct State {
        var limit: Int
        var pools: [FrameIdentity: WeakPool] = [:]
        var tables: [UInt64: PoolTable] = [:]
        var canvases = CanvasCacheRegistry()
        /// Pools with a frame to make.
        var due: [(pool: FramePool, deadline: UInt64)] = []
        var nextID: UInt64 = 1
        var heldBytes = 0
        /// Bytes of visible frames and of canvases being drawn on, which cannot be evicted.
        var shownBytes = 0
        var areSharesStale = false
        var isShort = false
        /// Cost of one frame for each playing pool, in nanoseconds of one worker.
        var roundCost: UInt64 = 0
        var statistics = Statistics()
    }

    private struct WeakPool {
        let id: UInt64
        weak var pool: FramePool?
    }

    private let state: Monitor<State>

    /// `limit` is in bytes.
    package init(limit: Int) { state = Monitor(State(limit: max(limit, 0))) }

    package var limit: Int { state.withLock { $0.limit } }

    /// True when visible and next frames would exceed the limit as images. Frames are then held as indices if possible.
    package var isShort: Bool { state.withLock { $0.isShort } }

    /// Takes effect immediately.
    package func setLimit(_ limit: Int) {
        withExtendedLifetime(
            state.withLock { state in
                state.limit = max(limit, 0)
                state.areSharesStale = true
                share(&state)
                return makeRoom(&state)
            }
        ) {}
    }

    package var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.limit = state.limit
            statistics.pools = state.tables.count
            statistics.frames = state.tables.values.reduce(0) { $0 + $1.frames.count }
            statistics.bytes = state.heldBytes
            statistics.canvasBytes = state.canvases.bytes
            return statistics
        }
    }

    /// Releases everything except the frames shown next.
    package func empty() {
        withExtendedLifetime(
            state.withLock { state -> [any Sendable] in
                var taken: [any Sendable] = state.canvases.takeAll()
                for id in state.tables.keys { taken += change(&state, id) { $0.takeAll(butNext: true) } }
                return taken
            }
        ) {}
    }

    package func lockForFork() { state.lock() }
    package func unlockAfterFork() { state.unlock() }

    // MARK: Pools

    /// The pool of these frames, shared by all their players.
    package func pool(for source: FrameSource, lease: EngineLease) -> FramePool {
        state.withLock { state in
            if let pool = state.pools[source.identity]?.pool { return pool }
            let pool = FramePool(source, budget: self, id: state.nextID, lease: lease)
            state.nextID += 1
            state.pools[source.identity] = WeakPool(id: pool.id, pool: pool)
            state.tables[pool.id] = PoolTable(of: ObjectIdentifier(source.frames.root))
            return pool
        }
    }

    func newPlayer() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID - 1
        }
    }

    /// Removes a pool after its last player was freed.
    func remove(_ id: UInt64, _ identity: FrameIdentity) {
        withExtendedLifetime(
            state.withLock { state -> PoolTable? in
                // Another pool of the same frames may have been created meanwhile.
                if state.pools[identity]?.id == id { state.pools[identity] = nil }
                let table = state.tables.removeValue(forKey: id)
                state.heldBytes -= table?.bytes ?? 0
                state.areSharesStale = true
                return table
            }
        ) {}
    }

    func look(_ id: UInt64, _ index: Int, counts: Bool) -> PoolTable.Holding {
        state.withLock { state in
            guard let holding = state.tables[id]?.look(index) else { return .absent }
            if counts { if case .absent = holding { state.statistics.misses += 1 } else { state.statistics.hits += 1 } }
            return holding
        }
    }

    func count(_ id: UInt64) -> Int { state.withLock { $0.tables[id]?.frames.count ?? 0 } }

    func empty(_ id: UInt64) {
        withExtendedLifetime(state.withLock { state in change(&state, id) { $0.takeAll(butNext: false) } }) {}
    }

    /// Next action of a pool.
    enum Order { case nothing, frame, rest }

    /// Sets the demand of a player; nil when it was freed. `poster`: the first frame, stored before it would be made and kept if
    /// it is needed.
    func want(_ pool: FramePool, _ player: UInt64, _ want: FrameDemand?, _ poster: CachedFrame? = nil) -> Order {
        let (order, taken) = state.withLock { state -> (Order, [any Sendable]) in
            guard let root = state.tables[pool.id]?.root else { return (.nothing, []) }
            let before = state.tables[pool.id]?.setDemand(want, of: player) ?? nil
            if before?.claim != want?.claim { state.areSharesStale = true }
            share(&state)
            var taken = change(&state, pool.id) { $0.takeSurplus() }
            if let poster, state.tables[pool.id]?.frames[0] == nil { taken += store(&state, pool.id, 0, .success(poster)) }
            if schedule(&state, pool) { return (.frame, taken) }
            let isOver = want?.isPlaying != true && (before?.isPlaying == true || want == nil)
            return (isOver && !isPlayed(state, root) ? .rest : .nothing, taken)
        }
        withExtendedLifetime(taken) {}
        return order
    }

    /// True when a player plays these frames, transformed or not.
    private func isPlayed(_ state: State, _ root: ObjectIdentifier) -> Bool {
        state.tables.values.contains { $0.root == root && $0.isActive }
    }

    /// Sets the listener notified when a frame arrives.
    func listen(_ id: UInt64, _ player: UInt64, _ listener: (any FrameListener)?) {
        state.withLock { $0.tables[id]?.setListener(listener, of: player) }
    }

    // MARK: Making frames

    /// The most urgent frame to make; its pool stays busy until `finish`.
    func nextJob() -> (pool: FramePool, index: Int, stop: StopSignal)? {
        var idle: [FramePool] = []
        return state.withLock { state in
            while let place = FrameBudget.mostUrgent(state.due.map(\.deadline)) {
                let pool = state.due.remove(at: place).pool
                // The demand may have changed since the frame was scheduled.
                if let target = state.tables[pool.id]?.target(now: MonotonicClock.now, lead: lead(state)) {
                    state.statistics.decodes += 1
                    return (pool, target.index, state.tables[pool.id]?.beginMaking() ?? StopSignal())
                }
                state.tables[pool.id]?.isBusy = false
                // The last reference must be released outside the lock.
                idle.append(pool)
            }
            return nil
        }
    }

    private static func mostUrgent(_ deadlines: [UInt64]) -> Int? {
        deadlines.indices.min { deadlines[$0] < deadlines[$1] }
    }

    /// Handles a frame that was made or has failed; `cost` is in nanoseconds. Returns the pool's next action and the listeners.
    func finish(
        _ pool: FramePool, _ index: Int, _ result: Result<CachedFrame, ImageError>, cost: UInt64
    ) -> (order: Order, listeners: [any FrameListener]) {
        let (order, listeners, taken) = state.withLock { state -> (Order, [any FrameListener], [any Sendable]) in
            // An abandoned frame is not a failure: it is made again for a player that has joined since.
            let isAbandoned = state.tables[pool.id]?.finishMaking() == true
            let taken = isAbandoned ? [] : store(&state, pool.id, index, result)
            let before = state.tables[pool.id]?.cost ?? 0
            state.tables[pool.id]?.count(cost: cost)
            // Corrected when the shares are computed next.
            let (old, new) = (max(before, FrameBudget.leastCost), max(state.tables[pool.id]?.cost ?? 0, FrameBudget.leastCost))
            state.roundCost = state.roundCost &+ new &- min(old, state.roundCost)
            state.tables[pool.id]?.isBusy = false
            let listeners = state.tables[pool.id]?.currentListeners ?? []
            if schedule(&state, pool) { return (.frame, listeners, taken) }
            // The players may have paused meanwhile.
            let root = state.tables[pool.id]?.root
            let isOver = state.tables[pool.id]?.isActive != true && root.map { !isPlayed(state, $0) } ?? true
            return (isOver ? .rest : .nothing, listeners, taken)
        }
        withExtendedLifetime(taken) {}
        return (order, listeners)
    }

    /// Stores the result for a frame that was made elsewhere.
    func insert(_ id: UInt64, _ index: Int, _ result: Result<CachedFrame, ImageError>) {
        withExtendedLifetime(
            state.withLock { state in
                state.statistics.decodes += 1
                return store(&state, id, index, result)
            }
        ) {}
    }

    private func store(
        _ state: inout State, _ id: UInt64, _ index: Int, _ result: Result<CachedFrame, ImageError>
    ) -> [any Sendable] {
        guard state.tables[id] != nil else { return [] }
        var isNews = false
        let taken = change(&state, id) { table in
            switch result {
            case .success(let frame): return table.insert(frame, at: index, isNews: &isNews)
            case .failure(let error): table.fail(index, isLasting: error.isLasting)
            }
            return []
        }
        if isNews { state.areSharesStale = true }
        share(&state)
        return taken + change(&state, id) { $0.takeSurplus() } + makeRoom(&state)
    }

    /// True when a worker is to be sent for a frame.
    private func schedule(_ state: inout State, _ pool: FramePool) -> Bool {
        guard let table = state.tables[pool.id], !table.isBusy,
            let target = table.target(now: MonotonicClock.now, lead: lead(state))
        else {
            return false
        }
        state.tables[pool.id]?.isBusy = true
        state.due.append((pool, target.deadline))
        return true
    }

    /// Lead time for making a frame when memory is short, in nanoseconds: if all frames are due at the same time, the last one is
    /// still made in time.
    private func lead(_ state: State) -> UInt64 {
        FrameBudget.shortestLead &+ state.roundCost / UInt64(LibraryThread.availableProcessors) &* 5 / 4
    }

    private static let shortestLead: UInt64 = 20_000_000
    /// Minimum cost of a frame in nanoseconds, also assumed before the first frame is made.
    private static let leastCost: UInt64 = 500_000

    // MARK: Sharing

    /// Modifies a table and updates the total.
    private func change(_ state: inout State, _ id: UInt64, _ body: (inout PoolTable) -> [CachedFrame]) -> [any Sendable] {
        guard let before = state.tables[id]?.bytes else { return [] }
        let taken = body(&state.tables[id, default: PoolTable(of: ObjectIdentifier(self))])
        state.heldBytes += (state.tables[id]?.bytes ?? 0) - before
        state.statistics.evictions += taken.count
        return taken
    }

    private func share(_ state: inout State) {
        guard state.areSharesStale else { return }
        state.areSharesStale = false
        let active = state.tables.keys.filter { state.tables[$0]?.isActive == true }
        let tables = active.compactMap { state.tables[$0] }
        // Visible frames use memory too, and so do the canvases that the next frames are drawn on.
        state.shownBytes = tables.reduce(0) { $0 + $1.frameBytes * $1.shownFrames + $1.canvasBytes }
        let all = tables.reduce(0) { $0 + $1.pictureBytes * ($1.shownFrames + 1) + $1.canvasPictureBytes }
        state.isShort = all > state.limit
        state.roundCost = tables.reduce(0) { $0 &+ max($1.cost, FrameBudget.leastCost) }
        let shares = FrameShares.divide(state.limit - state.shownBytes, among: tables.map(\.demandedBytes))
        for (id, share) in zip(active, shares) {
            let bytes = state.tables[id]?.frameBytes ?? 1
            state.tables[id]?.allowed = max(1, share / bytes)
        }
    }

    private func isFull(_ state: State) -> Bool { state.heldBytes + state.canvases.bytes + state.shownBytes > state.limit }

    /// Evicts canvases kept for seeking first, then frames of pools that do not play, then frames beyond the shares.
    private func makeRoom(_ state: inout State) -> [any Sendable] {
        guard isFull(state) else { return [] }
        var taken: [any Sendable] = []
        while isFull(state), let oldest = state.canvases.takeOldest() { taken += oldest as [any Sendable] }
        for id in state.tables.keys where isFull(state) && state.tables[id]?.isActive == false {
            taken += change(&state, id) { $0.takeAll(butNext: false) }
        }
        share(&state)
        for id in state.tables.keys where isFull(state) { taken += change(&state, id) { $0.takeSurplus() } }
        return taken
    }

    // MARK: Canvases for seeking

    /// Registers an animation that keeps canvases.
    func addCanvasCache() -> UInt64 { state.withLock { $0.canvases.add() } }

    func removeCanvasCache(_ id: UInt64) { withExtendedLifetime(state.withLock { $0.canvases.remove(id) }) {} }

    func canvasTable(_ id: UInt64) -> CanvasCacheTable { state.withLock { $0.canvases.table(id) } }

    func canvas(_ id: UInt64, _ index: Int) -> CachedCanvas? { state.withLock { $0.canvases.lookUp(index, of: id) } }

    /// Keeps a canvas if there is room for it beside all frames; false otherwise.
    func keep(_ canvas: CachedCanvas, _ id: UInt64, _ index: Int) -> Bool {
        let (isKept, replaced) = state.withLock { state -> (Bool, CachedCanvas?) in
            let growth = state.canvases.growth(canvas, of: id)
            guard state.heldBytes + state.shownBytes + state.canvases.bytes + growth <= state.limit else { return (false, nil) }
            return (true, state.canvases.put(canvas, at: index, of: id))
        }
        withExtendedLifetime(replaced) {}
        return isKept
    }

    func takeCanvas(_ id: UInt64, _ index: Int) -> CachedCanvas? { state.withLock { $0.canvases.take(index, of: id) } }

    /// Releases the canvases of all frames except those at some indices. Spare canvases stay.
    func keepOnly(_ indices: Set<Int>, _ id: UInt64) {
        withExtendedLifetime(state.withLock { $0.canvases.takeAll(of: id, except: indices) }) {}
    }
}
