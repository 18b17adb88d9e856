/// Checks periodically for memory pressure, and calls `respond` when it begins and repeatedly while it lasts.
///
/// Uses a timer on the engine's executor: it does not start an engine, and ends with it. The timer runs only while it is on.
/// One for each engine, as a service; `respond` empties caches.
package final class PressureMonitor: EngineService {
    private let executor: WorkerThread
    private let pressure: MemoryPressure
    /// Nanoseconds between two checks.
    private let interval: UInt64
    /// Called on the asynchronous thread.
    private let respond: @Sendable () -> Void
    private let state = Lock(State())

    private struct State {
        var isOn = false
        /// True while a timer runs; there is one at most, also after it was switched off and on again.
        var isScheduled = false
        /// Remaining checks without a response, so that images loaded since the last one are not discarded immediately.
        var pause = 0
    }

    /// Number of checks from one response to the next.
    /// Ten seconds with the standard interval.
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

    /// Starts or ends the checks. Off takes effect at the next check at the latest.
    package func setOn(_ isOn: Bool) {
        let starts = state.withLock { state -> Bool in
            state.isOn = isOn
            // The running timer ends itself; a second one would double the rate.
            defer { if isOn { state.isScheduled = true } }
            return isOn && !state.isScheduled
        }
        if starts { schedule() }
    }

    /// Called by the engine before its threads end.
    package func stop() { setOn(false) }

    private func schedule() {
        executor.schedule(at: MonotonicClock.now + interval) { [weak self] in self?.look() }
    }

    /// One check; schedules the next unless the monitor is off.
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
        // The files are read without the lock.
        if isDue, pressure.isHigh {
            state.withLock { $0.pause = PressureMonitor.pauseAfterAnswer }
            respond()
        }
        schedule()
    }
}
