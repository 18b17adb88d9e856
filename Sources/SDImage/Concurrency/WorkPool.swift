import Glibc

/// Bounded set of threads for work that computes or blocks: codecs and kernels, or hooks of the host.
///
/// A priority queue: high before normal before low, each in order. Low-priority work, which no caller waits for, leaves one
/// thread free. Threads start as work arrives.
package final class WorkPool: Sendable {
    private struct State {
        var lanes: [FIFO<@Sendable () -> Void>] = [FIFO(), FIFO(), FIFO()]
        /// Jobs of `assist`; an idle worker is on its way to each.
        var assistances: FIFO<Assistance> = FIFO()
        var threads: [pthread_t] = []
        var idle = 0
        var runningLow = 0
        /// Number of threads outside the pool that compute like its workers.
        var guests = 0
        var isStopping = false

        var queued: Int { assistances.count + lanes[0].count + lanes[1].count + lanes[2].count }
    }

    private let name: String
    private let limit: Int
    private let monitor = Monitor(State())

    package init(name: String, threads limit: Int) {
        self.name = name
        self.limit = max(1, limit)
    }

    package func submit(_ priority: LoadPriority, _ body: @escaping @Sendable () -> Void) {
        let accepted = monitor.withLock { state -> Bool in
            guard !state.isStopping else { return false }
            if state.queued >= state.idle, state.threads.count < limit, let thread = start() { state.threads.append(thread) }
            // Queued only if a thread will run it: work that runs here must not run there too.
            if !state.threads.isEmpty { state.lanes[WorkPool.lane(priority)].append(body) }
            return !state.threads.isEmpty
        }
        // The pool is stopped, or not even one thread could start: running it here is better than never.
        if accepted { monitor.signal() } else { body() }
    }

    /// True if queued work precedes work of this priority.
    package func hasWork(before priority: LoadPriority) -> Bool {
        monitor.withLock { state in
            state.assistances.count > 0 || (0...WorkPool.lane(priority)).contains { state.lanes[$0].count > 0 }
        }
    }

    /// Runs `body` on a worker and returns its result; runs it directly if the caller is a worker.
    package func run<R: Sendable>(
        _ priority: LoadPriority, _ body: @escaping @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        if LibraryThread.isOwned(by: self) { return try body() }
        let result: Result<R, ImageError> = await suspended { resume in
            submit(priority) {
                do throws(ImageError) { resume(.success(try body())) } catch { resume(.failure(error)) }
            }
        }
        return try result.get()
    }

    /// The workers of the running engine, for `assist`; nil if none is idle, or other processes keep all processors busy. A second
    /// thread would then gain nothing, and work that it does twice is lost.
    package static func idle() -> WorkPool? {
        guard let pool = Engine.current?.work, pool.monitor.withLock({ pool.canAssist($0) }), RunQueue.hasIdleProcessor else {
            return nil
        }
        return pool
    }

    /// Number of jobs that wait for a worker.
    package var queuedJobs: Int { monitor.withLock { $0.queued } }

    private func canAssist(_ state: borrowing State) -> Bool {
        !state.isStopping && state.queued == 0 && state.threads.count - state.idle + state.guests < limit
    }

    /// Has a worker help the calling thread, which computes too and does not wait for a free worker. Returns nil unless all hold:
    /// - nothing is queued;
    /// - a worker is idle or can be started;
    /// - fewer threads compute, the caller included, than the pool may have.
    ///
    /// The job runs before all work that is submitted later, so it should be short.
    package func assist(_ body: @escaping @Sendable () -> Void) -> Assistance? {
        let assistance = Assistance(body)
        let accepted = monitor.withLock { state -> Bool in
            guard canAssist(state) else { return false }
            if state.idle == 0 {
                guard state.threads.count < limit, let thread = start() else { return false }
                state.threads.append(thread)
            }
            state.assistances.append(assistance)
            return true
        }
        guard accepted else { return nil }
        monitor.signal()
        return assistance
    }

    /// Runs `body` on the calling thread, which `assist` counts as a busy worker meanwhile.
    package func counting<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        let isGuest = monitor.withLock { state -> Bool in
            guard !state.threads.contains(pthread_self()) else { return false }
            state.guests += 1
            return true
        }
        // The lock may be held forever in the child of a fork, which `body` may have made.
        defer { if isGuest, !Engine.isForked { monitor.withLock { $0.guests -= 1 } } }
        return try body()
    }

    /// Runs all queued work, then ends the threads. Must not be called on one of them.
    package func stop() {
        let threads = monitor.withLock { state in
            state.isStopping = true
            return state.threads
        }
        monitor.broadcast()
        for thread in threads { _ = pthread_join(thread, nil) }
    }

    private static func lane(_ priority: LoadPriority) -> Int {
        switch priority {
        case .high: 0
        case .normal: 1
        case .low: 2
        }
    }

    private func start() -> pthread_t? {
        do throws(ImageError) { return try LibraryThread.start(name, of: self) { [self] in loop() } } catch { return nil }
    }

    private func loop() {
        while let (body, isLow) = next() {
            body()
            if isLow {
                monitor.withLock { $0.runningLow -= 1 }
                monitor.signal()
            }
        }
    }

    private func next() -> (@Sendable () -> Void, Bool)? {
        var isWaiting = false
        return monitor.wait { state, _ -> (@Sendable () -> Void, Bool)?? in
            if isWaiting { state.idle -= 1 }
            isWaiting = false
            if let assistance = state.assistances.popFirst() { return ({ assistance.run() }, false) }
            if let body = state.lanes[0].popFirst() ?? state.lanes[1].popFirst() { return (body, false) }
            if state.runningLow < max(1, limit - 1) || state.isStopping, let body = state.lanes[2].popFirst() {
                state.runningLow += 1
                return (body, true)
            }
            if state.isStopping { return .some(nil) }
            state.idle += 1
            isWaiting = true
            return nil
        } ?? nil
    }
}
