import Glibc

/// One library thread that runs closures in order of submission, closures at a given time, and, as an executor, the jobs of
/// Swift tasks. Starts on first use.
/// `Engine` has several: the asynchronous one, that of the disk and that of callbacks.
package final class WorkerThread: TaskExecutor, Sendable {
    /// `job`: a part of a Swift task.
    package enum Work: Sendable {
        case closure(@Sendable () -> Void)
        case job(UnownedJob)
    }

    /// Guarded by `monitor`.
    private struct State {
        var queue = FIFO<Work>()
        /// Sorted with the earliest deadline last, so that the next timer is popped from the end.
        var timers: [(deadline: UInt64, body: @Sendable () -> Void)] = []
        /// nil before the first work.
        var thread: pthread_t?
        var isStopping = false
        /// True after the last work of the thread.
        var hasEnded = false
        /// Identity of the running thread, for `isCurrent`.
        var current: pthread_t?
    }

    private let name: String
    private let monitor = Monitor(State())

    /// `name`: of the thread, at most 15 bytes on Linux.
    package init(name: String) { self.name = name }

    /// True if called on this thread.
    package var isCurrent: Bool { monitor.withLock { $0.current } == pthread_self() }

    /// Starts the thread now, so that a failure is known before work is accepted.
    package func ensureStarted() throws(ImageError) {
        try monitor.withLock { state throws(ImageError) in
            guard state.thread == nil, !state.isStopping else { return }
            state.thread = try LibraryThread.start(name) { [self] in loop() }
        }
    }

    /// Appends a closure. After `stop` it runs on the calling thread: accepted work is never lost.
    package func submit(_ body: @escaping @Sendable () -> Void) { accept(.closure(body)) }

    /// Called by the Swift runtime.
    package func enqueue(_ job: consuming ExecutorJob) { accept(.job(UnownedJob(job))) }

    /// Runs `body` on this thread at `deadline` (monotonic nanoseconds).
    package func schedule(at deadline: UInt64, _ body: @escaping @Sendable () -> Void) {
        monitor.withLock { state in
            let index = state.timers.firstIndex { $0.deadline <= deadline } ?? state.timers.count
            state.timers.insert((deadline, body), at: index)
            startIfNeeded(&state)
        }
        monitor.signal()
    }

    /// Runs all queued work, drops timers, and ends the thread. Must not be called on the thread itself.
    /// Work that is queued meanwhile runs, too.
    package func stop() {
        let (thread, timers) = monitor.withLock { state in
            state.isStopping = true
            defer { state.timers = [] }
            return (state.thread, state.timers)
        }
        withExtendedLifetime(timers) {}
        monitor.broadcast()
        if let thread { _ = pthread_join(thread, nil) }
        // Runs the work of a thread that could not be started.
        while let work = monitor.withLock({ $0.queue.popFirst() }) { run(work) }
    }

    /// Queues work, and starts the thread if needed.
    private func accept(_ work: Work) {
        // The runtime enqueues through an unowned reference: as soon as the lock is free, the job can run, release the last lease
        // and free this object while it is still being signalled.
        let keptAlive = unsafe Unmanaged.passRetained(self)
        defer { unsafe keptAlive.release() }
        let runHere = monitor.withLock { state -> Bool in
            // No thread will run it. One that was just started has not noted its identity yet.
            if state.isStopping, state.thread == nil || state.hasEnded { return true }
            state.queue.append(work)
            startIfNeeded(&state)
            return false
        }
        if runHere { run(work) } else { monitor.signal() }
    }

    /// Called under the lock.
    private func startIfNeeded(_ state: inout State) {
        guard state.thread == nil, !state.isStopping else { return }
        do throws(ImageError) {
            state.thread = try LibraryThread.start(name) { [self] in loop() }
        } catch {
            // The thread could not start: the next submission tries again, and the queue keeps its order.
        }
    }

    /// The thread's function.
    private func loop() {
        monitor.withLock { $0.current = pthread_self() }
        while let work = next() { run(work) }
    }

    /// The next work; nil ends the thread. Waits until there is work or a timer is due.
    private func next() -> Work? {
        monitor.wait { state, wakeAt -> Work?? in
            // Timers precede queued work, or a long queue would delay them.
            if let timer = state.timers.last {
                if timer.deadline <= MonotonicClock.now {
                    state.timers.removeLast()
                    return .closure(timer.body)
                }
                wakeAt = timer.deadline
            }
            if let work = state.queue.popFirst() { return work }
            guard state.isStopping else { return nil }
            state.current = nil
            state.hasEnded = true
            return .some(nil)
        } ?? nil
    }

    /// Runs on the thread, or after its end on the caller.
    private func run(_ work: Work) {
        switch work {
        case .closure(let body): body()
        case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
