/// A job that an idle worker took on for a thread that could do it itself.
package final class Assistance: Sendable {
    private enum Stage {
        case waiting(@Sendable () -> Void)
        case running, ended, withdrawn
    }

    private let stage: Monitor<Stage>

    init(_ body: @escaping @Sendable () -> Void) { stage = Monitor(.waiting(body)) }

    /// For the worker.
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

    /// Keeps the job from beginning; false when it has begun.
    @discardableResult
    package func withdraw() -> Bool {
        // What the job holds is let go of outside the lock.
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

    /// Returns when the job has ended. One that has not begun is withdrawn: nobody waits for a worker to be free.
    package func wait() {
        guard !withdraw() else { return }
        stage.wait { stage, _ -> Void? in
            if case .ended = stage { () } else { nil }
        }
    }
}
