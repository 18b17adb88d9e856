/// Job that an idle worker runs to help a thread that could run it itself.
package final class Assistance: Sendable {
    private enum Stage {
        case waiting(@Sendable () -> Void)
        case running, ended, withdrawn
    }

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
    package func wait() {
        guard !cancel() else { return }
        stage.wait { stage, _ -> Void? in
            if case .ended = stage { () } else { nil }
        }
    }
}
