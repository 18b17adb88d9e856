/// The frames of one animation that are held for all who play it. Gone with its last player.
package final class FramePool: Sendable {
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

    deinit { budget.remove(id, identity) }

    /// `counts`: it is due, for the statistics.
    package func look(_ index: Int, counts: Bool = false) -> PoolTable.Holding { budget.look(id, index, counts: counts) }
    /// Frames that are held.
    package var count: Int { budget.count(id) }
    package func empty() { budget.empty(id) }
    /// See `FrameBudget`.
    package var isShort: Bool { budget.isShort }

    /// Says what a player needs, and has missing frames made; one at a time. nil when the player is gone.
    /// `poster`: the first frame, where it is there already.
    package func want(_ want: FrameDemand?, by player: UInt64, poster: CachedFrame? = nil) {
        follow(budget.want(self, player, want, poster))
    }

    private func follow(_ order: FrameBudget.Order) {
        switch order {
        case .nothing: break
        case .frame: send()
        case .rest: frames.rest()
        }
    }

    /// Has somebody told of frames that arrive, nobody for nil.
    package func tell(_ listener: (any FrameListener)?, by player: UInt64) { budget.listen(id, player, listener) }

    /// A frame made by the calling thread.
    package func make(_ index: Int) throws(ImageError) -> CachedFrame {
        do throws(ImageError) {
            let frame = try draw(index, StopSignal())
            budget.insert(id, index, .success(frame))
            return frame
        } catch {
            budget.insert(id, index, .failure(error))
            throw error
        }
    }

    private func draw(_ index: Int, _ stop: StopSignal) throws(ImageError) -> CachedFrame {
        stop.allow(nanoseconds: CallTimeLimits.frame)
        return try Engine.helped { () throws(ImageError) in try frames.keptFrame(at: index, stop: stop) }
    }

    /// A worker makes whichever frame is the most urgent then, of this pool or another.
    private func send() {
        let budget = budget
        lease.engine.work.submit(.high) {
            guard let (pool, index, stop) = budget.nextJob() else { return }
            pool.serve(index, stop)
        }
    }

    private func serve(_ index: Int, _ stop: StopSignal) {
        let began = MonotonicClock.now
        let result: Result<CachedFrame, ImageError>
        do throws(ImageError) { result = .success(try draw(index, stop)) } catch { result = .failure(error) }
        let (order, listeners) = budget.finish(self, index, result, cost: MonotonicClock.now &- began)
        for listener in listeners { listener.frameArrived() }
        follow(order)
    }
}
