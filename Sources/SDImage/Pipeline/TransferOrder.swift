/// Starts the transfers of loads in the order in which the loads were started, although their look-ups in caches end in any
/// order. A look-up that takes long delays others only for a moment.
/// One for each priority, in `ImageManager`. Starts are called one after the other, outside the lock.
final class TransferOrder: Sendable {
    /// The position of one load, from its start to the start of its transfer.
    private enum Slot {
        /// The load has not finished its look-up.
        case pending(since: UInt64)
        case ready(@Sendable () -> Void)
        /// The load needs no transfer, or has started it.
        case gone
    }

    /// Guarded by `state`. The number of a slot is `first` plus its index.
    private struct State {
        /// Number of the first slot.
        var first: UInt64 = 1
        var slots = FIFO<Slot>()
        /// Starts that are due, in order, and whether a thread is calling them.
        var due = FIFO<@Sendable () -> Void>()
        var isStarting = false
        var hasTimer = false
    }

    /// Nanoseconds after which later loads pass one whose look-up has not ended.
    private let longestWait = CallTimeLimits.lookUp
    private let executor: WorkerThread
    private let state = Lock(State())

    init(_ executor: WorkerThread) { self.executor = executor }

    /// The number of a load that starts now.
    func enter() -> UInt64 {
        state.withLock { state in
            state.slots.append(.pending(since: MonotonicClock.now))
            return state.first + UInt64(state.slots.count) - 1
        }
    }

    /// The same for a load that starts its transfer now: calls `start` when all earlier loads have started theirs, or need none.
    func start(_ start: @escaping @Sendable () -> Void) {
        let isNext = state.withLock { state in
            guard state.slots.isEmpty, state.due.isEmpty, !state.isStarting else {
                state.slots.append(.ready(start))
                return false
            }
            // Nothing precedes this start: the caller makes it without a change of threads.
            state.isStarting = true
            return true
        }
        if isNext { call(start) } else { advance() }
    }

    /// Calls `start` when all earlier loads have started their transfer, or need none.
    func start(_ number: UInt64, _ start: @escaping @Sendable () -> Void) { set(number, .ready(start)) }

    /// Notes that a load needs no transfer.
    func leave(_ number: UInt64) { set(number, .gone) }

    /// Replaces a slot, and starts what is due.
    private func set(_ number: UInt64, _ slot: Slot) {
        state.withLock { state in
            guard number >= state.first else {
                // Passed by later loads.
                if case .ready(let start) = slot { state.due.append(start) }
                return
            }
            state.slots.replace(at: Int(number - state.first), with: slot)
        }
        advance()
    }

    /// Calls the next start that is due, unless a thread is calling one, and sets the timer.
    private func advance() {
        let (next, timer) = state.withLock { state -> ((@Sendable () -> Void)?, UInt64?) in
            let timer = moveDue(&state)
            guard !state.isStarting, let next = state.due.popFirst() else { return (nil, timer) }
            state.isStarting = true
            return (next, timer)
        }
        if let timer {
            executor.schedule(at: timer) { [weak self] in
                self?.state.withLock { $0.hasTimer = false }
                self?.advance()
            }
        }
        if let next { call(next) }
    }

    /// Calls a start, while `isStarting` is true.
    private func call(_ start: @Sendable () -> Void) {
        start()
        let hasMore = state.withLock { state in
            state.isStarting = !state.due.isEmpty
            return state.isStarting
        }
        // Not on this thread, which may be a caller's: the starts of other loads may call code of the host.
        if hasMore { executor.submit { [self] in startDue() } }
    }

    /// Runs on the asynchronous thread, until nothing is due.
    private func startDue() {
        while let next = state.withLock({ state -> (@Sendable () -> Void)? in
            let next = state.due.popFirst()
            state.isStarting = next != nil
            return next
        }) { next() }
    }

    /// Moves the slots that are ready. Returns the time at which the first one has waited long enough, if a timer is needed.
    /// Called under the lock.
    private func moveDue(_ state: inout State) -> UInt64? {
        while let slot = state.slots.first {
            switch slot {
            case .gone: break
            case .ready(let start): state.due.append(start)
            case .pending(let since):
                let end = since + longestWait
                // A slot without successors delays no load, so it may stay as long as it needs.
                guard state.slots.count > 1, MonotonicClock.now >= end else {
                    guard state.slots.count > 1, !state.hasTimer else { return nil }
                    state.hasTimer = true
                    return end
                }
            }
            _ = state.slots.popFirst()
            state.first += 1
        }
        return nil
    }
}
