import Glibc

/// Bounded set of threads for work that computes or blocks: codecs and kernels, or hooks of the host.
///
/// A priority queue: high before normal before low, each in order. Low-priority work, which no caller waits for, leaves one
/// thread free. Threads start as work arrives.
/// Priorities order the queue; a running job is not interrupted.
package final class WorkPool: Sendable {
    /// Guarded by `monitor`.
    private struct State {
        /// Waiting jobs by `lane`: high, normal, low.
        var lanes: [FIFO<@Sendable () -> Void>] = [FIFO(), FIFO(), FIFO()]
        /// Jobs of `assist`; an idle worker is on its way to each.
        var assistances: FIFO<Assistance> = FIFO()
        /// Never decreases: idle threads wait for work.
        var threads: [pthread_t] = []
        /// Number of threads that wait for a job.
        var idle = 0
        /// Number of threads that run jobs of low priority.
        var runningLow = 0
        /// Number of threads outside the pool that compute like its workers.
        var guests = 0
        var isStopping = false

        var queued: Int { assistances.count + lanes[0].count + lanes[1].count + lanes[2].count }
    }

    private let name: String
    /// Maximum number of threads.
    private let limit: Int
    private let monitor = Monitor(State())

    package init(name: String, threads limit: Int) {
        self.name = name
        self.limit = max(1, limit)
    }

    /// Adds a job. Never fails: without a thread the job runs on the caller before this returns.
    package func submit(_ priority: LoadPriority, _ body: @escaping @Sendable () -> Void) {
        let accepted = monitor.withLock { state -> Bool in
            guard !state.isStopping else { return false }
            // A further thread is needed only if the queued jobs occupy all idle ones.
            if state.queued >= state.idle, state.threads.count < limit, let thread = start() { state.threads.append(thread) }
            // Queued only if a thread will run it: work that runs here must not run there too.
            if !state.threads.isEmpty { state.lanes[WorkPool.lane(priority)].append(body) }
            return !state.threads.isEmpty
        }
        // The pool is stopped, or not even one thread could start: running it here is better than never.
        if accepted { monitor.signal() } else { body() }
    }

    /// True if queued work precedes work of this priority.
    /// Work of the same priority precedes it, too, because it was queued earlier.
    package func hasWork(before priority: LoadPriority) -> Bool {
        monitor.withLock { state in
            state.assistances.count > 0 || (0...WorkPool.lane(priority)).contains { state.lanes[$0].count > 0 }
        }
    }

    /// Runs `body` on a worker and returns its result; runs it directly if the caller is a worker.
    /// The task is suspended meanwhile. A cancellation of the task does not end the job.
    package func run<R: Sendable>(
        _ priority: LoadPriority, _ body: @escaping @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        // The calling worker is free for the job: queueing it would only delay it.
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

    /// Called under the lock.
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
            // If no thread is idle, a new one takes the job.
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
    /// For threads of programs that compute with the library's kernels.
    package func counting<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        let isGuest = monitor.withLock { state -> Bool in
            // A worker is counted already.
            guard !state.threads.contains(pthread_self()) else { return false }
            state.guests += 1
            return true
        }
        // The lock may be held forever in the child of a fork, which `body` may have made.
        defer { if isGuest, !Engine.isForked { monitor.withLock { $0.guests -= 1 } } }
        return try body()
    }

    /// Runs all queued work, then ends the threads. Must not be called on one of them.
    /// Low-priority work runs on all threads then.
    package func stop() {
        let threads = monitor.withLock { state in
            state.isStopping = true
            return state.threads
        }
        monitor.broadcast()
        for thread in threads { _ = pthread_join(thread, nil) }
    }

    /// Index of the queue.
    private static func lane(_ priority: LoadPriority) -> Int {
        switch priority {
        case .high: 0
        case .normal: 1
        case .low: 2
        }
    }

    /// nil if no thread can be started. Called under the lock.
    private func start() -> pthread_t? {
        do throws(ImageError) { return try LibraryThread.start(name, of: self) { [self] in loop() } } catch { return nil }
    }

    /// Runs on each thread of the pool until `stop`.
    private func loop() {
        while let (body, isLow) = next() {
            body()
            if isLow {
                monitor.withLock { $0.runningLow -= 1 }
                // A thread may be waiting because of the limit of low-priority jobs.
                monitor.signal()
            }
        }
    }

    /// The next job, and true for one of low priority; nil ends the thread. Waits without a job.
    private func next() -> (@Sendable () -> Void, Bool)? {
        var isWaiting = false
        return monitor.wait { state, _ -> (@Sendable () -> Void, Bool)?? in
            // The closure runs again after each wake-up.
            if isWaiting { state.idle -= 1 }
            isWaiting = false
            // First: the thread that asked computes the same work now, and finishes it alone otherwise.
            if let assistance = state.assistances.popFirst() { return ({ assistance.run() }, false) }
            if let body = state.lanes[0].popFirst() ?? state.lanes[1].popFirst() { return (body, false) }
            // One thread stays free for work that a caller waits for.
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
