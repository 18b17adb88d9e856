import CSystem
import Glibc
import SDImage

/// The worker processes: started on demand, reused, at most one for each processor, ended when idle for a while and with the
/// last engine.
package final class DecoderPool: Sendable {
    package static let shared = DecoderPool()

    /// Nanoseconds after which an idle worker is ended.
    private static let idleLimit: UInt64 = 30_000_000_000
    /// Nanoseconds between two checks of a cancellation while all workers are busy.
    private static let pollInterval: UInt64 = 10_000_000

    private struct Idle {
        let process: DecoderProcess
        let since: UInt64
    }

    private struct State {
        /// The process whose workers these are.
        var owner = getpid()
        /// Least recently used first.
        var idle: [Idle] = []
        /// Workers that run or are being started.
        var count = 0
        /// The modules needed so far, which every new worker opens.
        var modules: Set<CoderName> = []
        /// Those of them that needed a library for rare images.
        var complete: Set<CoderName> = []
        /// True while a thread ends idle workers.
        var isWatched = false
        var statistics = DecoderStatistics()

        /// In a forked child, forgets the workers of the parent.
        mutating func adopt() {
            guard owner != getpid() else { return }
            self = State()
        }
    }

    private enum Step {
        case use(DecoderProcess)
        case start(Set<CoderName>, insteadOf: DecoderProcess?)
        case fail(ImageError)
    }

    /// Ends idle workers with the engine.
    private final class Shutdown: EngineService {
        func stop() { DecoderPool.shared.endIdle() }
    }

    private let state = Monitor(State())
    private let limit = LibraryThread.availableProcessors

    private init() {
        ForkHandlers.hold(lock: { [state] in state.lock() }, unlock: { [state] in state.unlock() })
    }

    package var statistics: DecoderStatistics {
        state.withLock { state in
            state.adopt()
            state.statistics.running = state.count
            return state.statistics
        }
    }

    func count(_ change: (inout DecoderStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

    // MARK: Use of a worker

    /// A worker for the caller alone, which has opened the module of a coder. `isFresh`: it has decoded no other image.
    func acquire(_ coder: CoderName, isFresh: Bool, _ stop: CancellationToken) throws(ImageError) -> DecoderProcess {
        guard let program = DecoderProgram.path else {
            throw ImageError(.unsupported, "decoder process: sdimage-decoder is not installed")
        }
        while true {
            switch nextStep(coder, isFresh, stop) {
            case .fail(let error): throw error
            case .use(let process):
                if process.isUsable { return process }
                discard(process)
            case .start(let modules, let old):
                old?.end()
                return try start(program, modules)
            }
        }
    }

    private func nextStep(_ coder: CoderName, _ isFresh: Bool, _ stop: CancellationToken) -> Step {
        let step = state.wait { state, wakeAt -> Step? in
            state.adopt()
            do throws(ImageError) { try stop.check() } catch { return .fail(error) }
            let coder = state.complete.contains(coder) ? coder.complete : coder
            if coder.isComplete { state.modules.remove(CoderName(name: coder.name, path: coder.path)) }
            if !coder.path.isEmpty { state.modules.insert(coder) }
            let isUsable = { (idle: Idle) in coder.path.isEmpty || idle.process.modules.contains(coder) }
            if !isFresh, let index = state.idle.lastIndex(where: isUsable) {
                return .use(state.idle.remove(at: index).process)
            }
            if state.count < self.limit {
                state.count += 1
                return .start(state.modules, insteadOf: nil)
            }
            if !state.idle.isEmpty { return .start(state.modules, insteadOf: state.idle.removeFirst().process) }
            wakeAt = MonotonicClock.now &+ DecoderPool.pollInterval
            return nil
        }
        return step ?? .fail(.cancelled)
    }

    private func start(_ program: String, _ modules: Set<CoderName>) throws(ImageError) -> DecoderProcess {
        do throws(ImageError) {
            let process = try DecoderProcess(program: program, modules: modules)
            count { $0.started += 1 }
            watch()
            return process
        } catch {
            forgetOne()
            throw error
        }
    }

    /// From now on, has workers open all libraries of a coder.
    func complete(_ coder: CoderName) { state.withLock { _ = $0.complete.insert(coder) } }

    /// This worker, when it is idle; nil if it has ended.
    func acquire(_ process: DecoderProcess, _ stop: CancellationToken) throws(ImageError) -> DecoderProcess? {
        var failure: ImageError?
        let found = state.wait { state, wakeAt -> Bool? in
            state.adopt()
            guard !process.isOver else { return false }
            if let index = state.idle.firstIndex(where: { $0.process === process }) {
                state.idle.remove(at: index)
                return true
            }
            do throws(ImageError) { try stop.check() } catch {
                failure = error
                return false
            }
            wakeAt = MonotonicClock.now &+ DecoderPool.pollInterval
            return nil
        }
        if let failure { throw failure }
        guard found == true else { return nil }
        if process.isUsable { return process }
        discard(process)
        return nil
    }

    /// Returns a worker after a call.
    func release(_ process: DecoderProcess) {
        state.withLock { state in
            // Between a fork and this call, the child may have forgotten the worker.
            guard process.isOfThisProcess else { return }
            state.idle.append(Idle(process: process, since: MonotonicClock.now))
        }
        state.broadcast()
    }

    /// Ends a worker that the caller acquired; returns the signal that had killed it, or 0.
    @discardableResult func discard(_ process: DecoderProcess) -> Int32 {
        let end = process.end()
        forgetOne()
        return end.signal
    }

    private func forgetOne() {
        state.withLock { state in state.count = max(0, state.count - 1) }
        state.broadcast()
    }

    // MARK: End of idle workers

    package func endIdle() { end(state.withLock { take(&$0) { _ in true } }) }

    private func take(_ state: inout State, where isOver: (Idle) -> Bool) -> [DecoderProcess] {
        let over = state.idle.filter(isOver)
        state.idle.removeAll(where: isOver)
        return over.map(\.process)
    }

    private func end(_ processes: [DecoderProcess]) {
        for process in processes { discard(process) }
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
        } catch { state.withLock { $0.isWatched = false } }
    }

    private func endIdleInTime() {
        while true {
            let over = state.wait { state, wakeAt -> [DecoderProcess]? in
                let now = MonotonicClock.now
                let over = take(&state) { $0.since &+ DecoderPool.idleLimit <= now }
                if !over.isEmpty { return over }
                if state.count == 0 {
                    state.isWatched = false
                    return []
                }
                wakeAt = state.idle.map { $0.since &+ DecoderPool.idleLimit }.min() ?? .max
                return nil
            }
            guard let over, !over.isEmpty else { return }
            end(over)
        }
    }
}
