/// Job that an idle worker runs to help a thread that could run it itself.
/// Made by `WorkPool.assist`. The owner does the work itself if no worker comes in time.
package final class Assistance: Sendable {
    private enum Stage {
        case waiting(@Sendable () -> Void)
        case running, ended, withdrawn
    }

    /// The waiting thread is the one that asked for help; the lock is not held while the job runs.
    private let stage: Monitor<Stage>

    init(_ body: @escaping @Sendable () -> Void) { stage = Monitor(.waiting(body)) }

    /// Runs the job unless it was withdrawn. Called by the worker.
    func run() {
        let body = stage.withLock { stage -> (@Sendable () -> Void)? in
            guard case .waiting(let body) = stage else { return nil }
            stage = .running
            return body
        }
        guard let body else { return }
        body()
        stage.withLock { $0 = .ended }
        stage.broadcast()
    }

    /// Prevents a start of the job; false if it has started.
    /// Called by the thread that asked for help when the work is done. A withdrawn job is never called.
    @discardableResult
    package func cancel() -> Bool {
        // The closure of the job is released outside the lock.
        let before = stage.withLock { stage -> Stage in
            let before = stage
            if case .waiting = stage { stage = .withdrawn }
            return before
        }
        switch before {
        case .waiting, .withdrawn: return true
        case .running, .ended: return false
        }
    }

    /// Blocks until a started job has ended. Withdraws a job that has not started instead of waiting for a free worker.
    /// Called before the memory of the job is freed.
    package func wait() {
        guard !cancel() else { return }
        stage.wait { stage, _ -> Void? in
            if case .ended = stage { () } else { nil }
        }
    }
}
