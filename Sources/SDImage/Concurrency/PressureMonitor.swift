/// Looks for memory pressure now and then, and answers when it begins and while it lasts.
///
/// A timer on the engine's own executor: it starts no engine, and ends with it. It runs only while it is on.
package final class PressureMonitor: EngineService {
    private let executor: WorkerThread
    private let pressure: MemoryPressure
    private let interval: UInt64
    private let respond: @Sendable () -> Void
    private let state = Lock(State())

    private struct State {
        var isOn = false
        /// A timer runs; switched off and on again there is still one.
        var isScheduled = false
        /// Looks to leave out after an answer, so that what was loaded since is not thrown away at once.
        var pause = 0
    }

    /// Looks after an answer during which it is not given again.
    private static let pauseAfterAnswer = 10

    package init(
        executor: WorkerThread, pressure: MemoryPressure = MemoryPressure(), interval: UInt64 = 1_000_000_000,
        respond: @escaping @Sendable () -> Void
    ) {
        self.executor = executor
        self.pressure = pressure
        self.interval = interval
        self.respond = respond
    }

    package func setOn(_ isOn: Bool) {
        let starts = state.withLock { state -> Bool in
            state.isOn = isOn
            defer { if isOn { state.isScheduled = true } }
            return isOn && !state.isScheduled
        }
        if starts { schedule() }
    }

    package func stop() { setOn(false) }

    private func schedule() {
        executor.schedule(at: MonotonicClock.now + interval) { [weak self] in self?.look() }
    }

    private func look() {
        let isDue = state.withLock { state -> Bool? in
            guard state.isOn else {
                state.isScheduled = false
                return nil
            }
            state.pause = max(0, state.pause - 1)
            return state.pause == 0
        }
        guard let isDue else { return }
        if isDue, pressure.isHigh {
            state.withLock { $0.pause = PressureMonitor.pauseAfterAnswer }
            respond()
        }
        schedule()
    }
}
