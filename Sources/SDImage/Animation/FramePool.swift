/// The frames of one animation, held for all its players. Freed with the last player.
/// Players hold it strongly, and the budget weakly. The frames themselves are in the budget, under its lock.
package final class FramePool: Sendable {
    /// Priority of the frames of players: on workers, and where they wait for a decoder process.
    static let priority = LoadPriority.high

    /// Identifies the table of the pool in the budget.
    let id: UInt64
    let identity: FrameIdentity
    private let frames: any FrameProvider
    private let budget: FrameBudget
    private let lease: EngineLease

    init(_ source: FrameSource, budget: FrameBudget, id: UInt64, lease: EngineLease) {
        self.id = id
        self.budget = budget
        self.lease = lease
        frames = source.frames
        identity = source.identity
    }

    // The budget drops the table; a new pool of the same frames may exist already.
    deinit { budget.remove(id, identity) }

    /// `counts`: the frame is due, and the look-up counts in the statistics.
    package func look(_ index: Int, counts: Bool = false) -> PoolTable.Holding { budget.lookUp(id, index, counts: counts) }
    /// Number of held frames.
    package var count: Int { budget.count(id) }
    package func empty() { budget.empty(id) }
    /// See `FrameBudget`.
    package var isShort: Bool { budget.isShort }

    /// Sets the demand of a player and has missing frames made, one at a time; nil when the player was freed. `poster`: the first
    /// frame, if it is already available.
    package func demand(_ demand: FrameDemand?, by player: UInt64, poster: CachedFrame? = nil) {
        follow(budget.setDemand(demand, of: player, in: self, poster: poster))
    }

    /// Acts outside the lock of the budget.
    private func follow(_ order: FrameBudget.Order) {
        switch order {
        case .nothing: break
        case .frame: send()
        // Weak, so that a pending timer does not keep the frames.
        case .later(let time): lease.engine.executor.schedule(at: time) { [weak self] in self?.lookAgain(time) }
        case .rest: frames.rest()
        }
    }

    /// `time`: of the timer that has fired; nil: the demand has changed before its frame was made.
    func lookAgain(_ time: UInt64?) { follow(budget.lookAgain(self, time)) }

    /// Sets the listener notified when a frame arrives; nil: none.
    package func setListener(_ listener: (any FrameListener)?, by player: UInt64) {
        budget.setListener(listener, of: player, in: id)
    }

    /// Makes a frame on the calling thread.
    /// Called by a player that cannot wait, and for seeking. The frame, or its failure, is stored for the others.
    package func make(_ index: Int) throws(ImageError) -> CachedFrame {
        do throws(ImageError) {
            let frame = try draw(index, CancellationToken(priority: FramePool.priority))
            budget.insert(id, index, .success(frame))
            return frame
        } catch {
            budget.insert(id, index, .failure(error))
            throw error
        }
    }

    /// Throws `timeout` if a frame takes too long.
    private func draw(_ index: Int, _ stop: CancellationToken) throws(ImageError) -> CachedFrame {
        stop.allow(nanoseconds: CallTimeLimits.frame)
        return try Engine.helped { () throws(ImageError) in try frames.cachedFrame(at: index, stop: stop) }
    }

    /// Queues a job that makes the frame that is most urgent when it runs, of this pool or another.
    private func send() {
        let budget = budget
        lease.engine.work.submit(FramePool.priority) {
            guard let (pool, index, stop) = budget.nextJob() else { return }
            pool.serve(index, stop)
        }
    }

    /// Runs on a worker, without locks.
    private func serve(_ index: Int, _ stop: CancellationToken) {
        let began = MonotonicClock.now
        let result: Result<CachedFrame, ImageError>
        do throws(ImageError) { result = .success(try draw(index, stop)) } catch { result = .failure(error) }
        let (order, listeners) = budget.finish(self, index, result, cost: MonotonicClock.now &- began)
        // Listeners run before the next job is sent, so that the frame is shown as early as possible.
        for listener in listeners { listener.frameArrived() }
        follow(order)
    }
}
