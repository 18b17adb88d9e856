import CSystem
import Glibc
import SDImage

/// The worker processes: started on demand, reused, at most one for each processor, ended when idle for a while and with the
/// last engine. Any thread may use it; its lock is not held while a worker is started, ended or called.
///
/// A worker that works is in no list: the caller of `acquire` owns it, and passes it to exactly one of `release`, `discard` and
/// `kill`.
package final class DecoderPool: Sendable {
    package static let shared = DecoderPool()

    /// Nanoseconds after which an idle worker is ended.
    private static let idleLimit: UInt64 = 30_000_000_000
    /// Nanoseconds after which an idle worker returns unused memory to the system.
    private static let trimDelay: UInt64 = 500_000_000
    /// Nanoseconds between two checks of a cancellation while others use the workers.
    static let pollInterval: UInt64 = 10_000_000

    /// A worker without a call, and the time since when, in monotonic nanoseconds.
    private struct Idle {
        let process: DecoderProcess
        let since: UInt64
        var isTrimmed = false
    }

    private struct State {
        /// The process whose workers these are.
        var owner = getpid()
        /// Least recently used first.
        var idle: [Idle] = []
        /// The decodes that wait for a worker.
        var queue = WorkerQueue()
        /// Killed workers that have not been waited for.
        var killed: [DecoderProcess] = []
        /// Number of workers that `endIdle` or the thread of idle workers is waiting for.
        var ending = 0
        /// Workers that run or are being started.
        var count = 0
        /// The modules needed so far, which every new worker opens.
        var modules: Set<CoderName> = []
        /// Those of them that needed a library for rare images.
        var complete: Set<CoderName> = []
        /// True while a thread ends idle workers.
        var isWatched = false
        /// The time at which that thread looks next.
        var nextCheck = UInt64.max
        var statistics = DecoderStatistics()

        /// In a forked child, forgets the workers of the parent.
        mutating func adopt() {
            guard owner != getpid() else { return }
            self = State()
        }
    }

    /// The way to get a worker: an idle one, or a new one, perhaps after the end of an idle one.
    private enum Step {
        case use(DecoderProcess)
        case start(insteadOf: DecoderProcess?)
    }

    /// Ends idle workers with the engine.
    private final class Shutdown: EngineService {
        func stop() { DecoderPool.shared.endIdle() }
    }

    private let state = Monitor(State())
    /// Maximum number of workers.
    private let limit = LibraryThread.availableProcessors

    private init() {
        ForkHandlers.hold(lock: { [state] in state.lock() }, unlock: { [state] in state.unlock() })
        let descriptors = DecoderProcess.descriptors
        ForkHandlers.hold(lock: { descriptors.lock() }, unlock: { descriptors.unlock() })
    }

    package var statistics: DecoderStatistics {
        state.withLock { state in
            state.adopt()
            state.statistics.running = state.count
            state.statistics.waiting = state.queue.count
            return state.statistics
        }
    }

    /// Changes the statistics.
    func count(_ change: (inout DecoderStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

    // MARK: Use of a worker

    /// A worker for the caller alone, which has opened the module of a coder. `isFresh`: it has decoded no other image.
    func acquire(_ coder: CoderName, isFresh: Bool, _ stop: CancellationToken) throws(ImageError) -> DecoderProcess {
        guard let program = DecoderProgram.path else {
            throw ImageError(.unsupported, "decoder process: sdimage-decoder is not installed")
        }
        let (step, modules) = try nextStep(coder, isFresh, stop)
        // Opening the libraries of all coders takes long on a busy machine, and is no work on this image.
        let began = MonotonicClock.now
        defer { stop.extend(nanoseconds: MonotonicClock.now &- began) }
        switch step {
        case .use(let process):
            if process.isUsable { return process }
            // Replaced, because the decode has left the queue.
            process.end()
        case .start(let old): old?.end()
        }
        return try start(program, modules)
    }

    /// Waits until a worker may be used or started. Returns the modules that a new one must open.
    private func nextStep(
        _ coder: CoderName, _ isFresh: Bool, _ stop: CancellationToken
    ) throws(ImageError) -> (Step, Set<CoderName>) {
        try inOrder(stop, wanted: nil) { state, number in
            let coder = state.complete.contains(coder) ? coder.complete : coder
            if coder.isComplete { state.modules.remove(CoderName(name: coder.name, path: coder.path)) }
            if !coder.path.isEmpty { state.modules.insert(coder) }
            let queue = state.queue
            let isFree = { (idle: Idle) in queue.mayTake(ObjectIdentifier(idle.process), number) }
            let isUsable = { (idle: Idle) in coder.path.isEmpty || idle.process.modules.contains(coder) }
            // The most recently used one, so that the others reach `idleLimit`.
            if !isFresh, let index = state.idle.lastIndex(where: { isFree($0) && isUsable($0) }) {
                return (.use(state.idle.remove(at: index).process), state.modules)
            }
            if state.count < self.limit, queue.mayTake(nil, number) {
                state.count += 1
                return (.start(insteadOf: nil), state.modules)
            }
            // No further worker may be started: a new one replaces the one that was idle longest.
            guard let index = state.idle.firstIndex(where: isFree) else { return nil }
            return (.start(insteadOf: state.idle.remove(at: index).process), state.modules)
        }
    }

    /// Waits in the queue until `body` returns a value. The time of waiting does not count as work: other images spend it.
    private func inOrder<R>(
        _ stop: CancellationToken, wanted: DecoderProcess?, _ body: (inout State, UInt64) -> R?
    ) throws(ImageError) -> R {
        try stop.check()
        let start = MonotonicClock.now
        var number: UInt64?
        let result = state.wait { state, wakeAt -> Result<R, ImageError>? in
            state.adopt()
            let own = number ?? state.queue.enter(stop, wanted: wanted.map { ObjectIdentifier($0) })
            number = own
            let result: Result<R, ImageError>? =
                stop.isCancelled ? .failure(.cancelled) : body(&state, own).map { .success($0) }
            // Also the time of the next look at the priorities.
            wakeAt = MonotonicClock.now &+ DecoderPool.pollInterval
            if result != nil { state.queue.leave(own) }
            return result
        }
        // Others may have waited for this decode, which was before them.
        wakeWaiting()
        stop.extend(nanoseconds: MonotonicClock.now &- start)
        guard let result else { throw .cancelled }
        return try result.get()
    }

    /// Has waiting threads look at the queue again.
    private func wakeWaiting() {
        if state.withLock({ !$0.queue.isEmpty }) { state.broadcast() }
    }

    /// Starts a worker, which was counted before; removes it from the count if that fails.
    private func start(_ program: String, _ modules: Set<CoderName>) throws(ImageError) -> DecoderProcess {
        do throws(ImageError) {
            let process = try DecoderPool.process(program, modules)
            count { $0.started += 1 }
            watch()
            return process
        } catch {
            forgetOne()
            throw error
        }
    }

    /// A new worker. One that is killed while it starts, for example for want of memory, is replaced once.
    private static func process(_ program: String, _ modules: Set<CoderName>) throws(ImageError) -> DecoderProcess {
        do throws(ImageError) { return try DecoderProcess(program: program, modules: modules) } catch {
            guard error.cause?.status == .decoderCrashed else { throw error }
            return try DecoderProcess(program: program, modules: modules)
        }
    }

    /// From now on, has workers open all libraries of a coder.
    func complete(_ coder: CoderName) { state.withLock { _ = $0.complete.insert(coder) } }

    /// This worker, when it is idle; nil if it has ended.
    func acquire(_ process: DecoderProcess, _ stop: CancellationToken) throws(ImageError) -> DecoderProcess? {
        let isAcquired = try inOrder(stop, wanted: process) { state, number -> Bool? in
            guard !process.isOver else { return false }
            guard let index = state.idle.firstIndex(where: { $0.process === process }),
                state.queue.mayTake(ObjectIdentifier(process), number)
            else { return nil }
            state.idle.remove(at: index)
            return true
        }
        guard isAcquired else { return nil }
        if process.isUsable { return process }
        // Like the wait, the end of a worker is no work on this image.
        let start = MonotonicClock.now
        discard(process)
        stop.extend(nanoseconds: MonotonicClock.now &- start)
        return nil
    }

    /// Returns a worker after a call.
    func release(_ process: DecoderProcess) {
        let isAwaited = state.withLock { state in
            // Between a fork and this call, the child may have forgotten the worker.
            guard process.isOfThisProcess else { return false }
            let now = MonotonicClock.now
            state.idle.append(Idle(process: process, since: now))
            // Wakes the thread that trims idle workers at most once in the time of its delay.
            return !state.queue.isEmpty || state.isWatched && state.nextCheck > now &+ DecoderPool.trimDelay
        }
        if isAwaited { state.broadcast() }
    }

    /// Ends a worker that the caller acquired; returns the signal that had killed it, or 0.
    @discardableResult func discard(_ process: DecoderProcess) -> Int32 {
        let end = process.end()
        forgetOne()
        return end.signal
    }

    /// Kills a worker that the caller acquired, and counts it. Another thread waits for its end: the kernel takes 0.1 s to free
    /// gigabytes of memory or thousands of threads.
    func kill(_ process: DecoderProcess, _ change: (inout DecoderStatistics) -> Void) {
        process.kill()
        let isWatched = state.withLock { state in
            change(&state.statistics)
            if state.isWatched { state.killed.append(process) }
            return state.isWatched
        }
        if isWatched { state.broadcast() } else { discard(process) }
    }

    /// Removes a worker that has ended from the count, which makes room for another.
    private func forgetOne() {
        state.withLock { state in state.count = max(0, state.count - 1) }
        state.broadcast()
    }

    // MARK: End of idle workers

    /// Returns when the idle workers and those killed before are no processes any more.
    package func endIdle() {
        end(
            state.withLock { state in
                state.adopt()
                return take(&state) { _ in true }
            })
        _ = state.wait { state, _ in state.ending == 0 ? true : nil }
    }

    /// Removes the idle workers that are to end, and all killed ones. The caller ends them outside the lock.
    private func take(_ state: inout State, where isOver: (Idle) -> Bool) -> [DecoderProcess] {
        let over = state.idle.filter(isOver).map(\.process) + state.killed
        state.idle.removeAll(where: isOver)
        state.killed = []
        state.ending += over.count
        return over
    }

    /// Ends workers that `take` returned; blocks until they are no processes any more.
    private func end(_ processes: [DecoderProcess]) {
        for process in processes {
            discard(process)
            state.withLock { $0.ending = max(0, $0.ending - 1) }
        }
        state.broadcast()
    }

    /// Starts the thread that ends idle workers, unless it runs. Without it, they run until the next use.
    private func watch() {
        _ = try? Engine.current?.service { () throws(ImageError) in Shutdown() }
        let isWatched = state.withLock { state in
            defer { state.isWatched = true }
            return state.isWatched
        }
        guard !isWatched else { return }
        do throws(ImageError) {
            pthread_detach(try LibraryThread.start("sdimage-idle", stackBytes: 256 << 10) { self.endIdleInTime() })
        } catch {
            // Another thread may have left a killed worker to that thread.
            end(
                state.withLock { state in
                    state.isWatched = false
                    return take(&state) { _ in false }
                })
        }
    }

    /// Work of the thread of idle workers outside the lock.
    private struct Removal {
        var over: [DecoderProcess] = []
        var arenas: [RemoteArena] = []
        /// The time of the next change.
        var next = UInt64.max
    }

    /// Has workers that have been idle for a moment return memory.
    private static func trim(_ state: inout State, _ now: UInt64) -> Removal {
        var removal = Removal()
        // A busy worker will be idle; its release need not wake this thread then.
        if state.idle.count < state.count { removal.next = now &+ trimDelay }
        for index in state.idle.indices {
            if !state.idle[index].isTrimmed, state.idle[index].since &+ trimDelay <= now {
                if let arena = state.idle[index].process.trim() { removal.arenas.append(arena) }
                state.idle[index].isTrimmed = true
            }
            let delay = state.idle[index].isTrimmed ? idleLimit : trimDelay
            removal.next = min(removal.next, state.idle[index].since &+ delay)
        }
        return removal
    }

    /// Runs on the thread `sdimage-idle`, which ends when there is no worker.
    private func endIdleInTime() {
        while true {
            let removal = state.wait { state, wakeAt -> Removal? in
                let now = MonotonicClock.now
                let over = take(&state) { $0.since &+ DecoderPool.idleLimit <= now }
                if !over.isEmpty { return Removal(over: over) }
                if state.count == 0 {
                    state.isWatched = false
                    return Removal()
                }
                let removal = DecoderPool.trim(&state, now)
                (wakeAt, state.nextCheck) = (removal.next, removal.next)
                return removal.arenas.isEmpty ? nil : removal
            }
            guard let removal, !removal.over.isEmpty || !removal.arenas.isEmpty else { return }
            // Unmapping an arena takes time, too.
            withExtendedLifetime(removal.arenas) {}
            if !removal.over.isEmpty { end(removal.over) }
        }
    }
}
