/// Notified when a counter has changed.
package protocol ProgressObserver: AnyObject, Sendable {
    func changed(_ counter: ProgressCounter)
}

/// Units completed of a total; may be shared by several targets.
package final class ProgressCounter: Sendable {
    private struct State {
        var completed: Int64 = 0
        var total: Int64 = 0
        var observer: (any ProgressObserver)?
    }

    private let state = Lock(State())

    package init() {}

    package var completed: Int64 { state.withLock { $0.completed } }
    package var total: Int64 { state.withLock { $0.total } }

    package var fraction: Double {
        let (completed, total) = state.withLock { ($0.completed, $0.total) }
        return ProgressCounter.fraction(completed, of: total)
    }

    /// Completed share, 0 to 1; 0 while the total is unknown.
    static func fraction(_ completed: Int64, of total: Int64) -> Double {
        total > 0 ? min(1, max(0, Double(completed) / Double(total))) : 0
    }

    package func set(completed: Int64, total: Int64) { change { _, _ in (completed, total) } }

    /// Marks a successful load as complete, even if nothing was transferred.
    func fill() {
        change { completed, total in
            if total > 0 { return (total, total) }
            return completed > 0 ? (completed, completed) : (1, 1)
        }
    }

    package func setObserver(_ observer: (any ProgressObserver)?) {
        let before = state.withLock { state in
            defer { state.observer = observer }
            return state.observer
        }
        withExtendedLifetime(before) {}
    }

    private func change(_ body: (Int64, Int64) -> (Int64, Int64)) {
        let observer = state.withLock { state -> (any ProgressObserver)? in
            let (completed, total) = body(state.completed, state.total)
            guard completed != state.completed || total != state.total else { return nil }
            state.completed = completed
            state.total = total
            return state.observer
        }
        observer?.changed(self)
    }
}
