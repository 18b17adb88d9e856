import Glibc

/// What a host wants to hear of a load; called through the load's dispatcher, in order, never two at once.
package protocol LoadHandler: AnyObject, Sendable {
    /// Whether `progress` does anything: without, none is queued.
    var wantsProgress: Bool { get }
    func result(_ task: LoadTask, _ result: ImageResult)
    func progress(_ task: LoadTask, received: Int64, expected: Int64)
}

/// One delivery taken as an object instead of a callback.
package final class LoadEvent: Sendable {
    package let task: LoadTask
    /// nil for progress.
    package let result: ImageResult?
    package let received: Int64
    package let expected: Int64

    fileprivate init(task: LoadTask, result: ImageResult?, received: Int64 = 0, expected: Int64 = 0) {
        self.task = task
        self.result = result
        self.received = received
        self.expected = expected
    }
}

/// A load under way: its state, its queue of deliveries, and the promise that exactly one of them is final.
package final class LoadTask: Sendable {
    private enum Item {
        case result(ImageResult)
        case progress

        /// Worth nothing once something better is known.
        var isPassing: Bool {
            switch self {
            case .progress: true
            case .result(let result): result.kind == .partial
            }
        }
    }

    private struct State {
        var pending: [Item] = []
        /// The thread that is calling back.
        var deliverer: pthread_t?
        var result: ImageResult?
        var isFinalDelivered = false
        var received: Int64 = 0
        var expected: Int64 = -1
        var work: Task<Void, Never>?
        var handler: (any LoadHandler)?
        /// Told once the final result is delivered.
        var whenDelivered: (@Sendable () -> Void)?
        var lease: EngineLease?
        /// What the host lent for the length of the load.
        var owner: (any Sendable & AnyObject)?
    }

    /// The URL as asked for, without user and password.
    package let url: CString
    /// The host's own pointer, by which it knows the load again.
    package let token: UInt
    package let started = MonotonicClock.now
    private let dispatcher: any Dispatcher
    private let hasHandler: Bool
    private let wantsProgress: Bool
    private let monitor: Monitor<State>

    package init(
        url: CString, token: UInt, dispatcher: any Dispatcher, handler: (any LoadHandler)?, owner: (any Sendable & AnyObject)?,
        lease: EngineLease
    ) {
        self.url = url
        self.token = token
        self.dispatcher = dispatcher.target
        hasHandler = handler != nil
        wantsProgress = handler?.wantsProgress ?? dispatcher.takesEvents
        var state = State()
        state.handler = handler
        state.lease = lease
        state.owner = owner
        monitor = Monitor(state)
    }

    package var result: ImageResult? { monitor.withLock { $0.result } }
    package var isFinished: Bool { result != nil }
    package var isDelivered: Bool { monitor.withLock { $0.isFinalDelivered } }
    package var progress: (received: Int64, expected: Int64) { monitor.withLock { ($0.received, $0.expected) } }

    /// Remembers the running work, to be cancelled with the load.
    package func attach(_ work: Task<Void, Never>) {
        let isFinished = monitor.withLock { state -> Bool in
            guard state.result == nil else { return true }
            state.work = work
            return false
        }
        if isFinished { work.cancel() }
    }

    /// Calls `body` once the last callback has returned, here when it has.
    package func whenDelivered(_ body: @escaping @Sendable () -> Void) {
        let isDelivered = monitor.withLock { state -> Bool in
            if !state.isFinalDelivered { state.whenDelivered = body }
            return state.isFinalDelivered
        }
        if isDelivered { body() }
    }

    /// Ends the load with `error` now; what its work brings later is ignored.
    package func cancel(_ error: ImageError = .cancelled) {
        let (isFirst, work) = conclude(ImageResult(kind: .final, error: error.about(url: url), url: url))
        if isFirst {
            schedule(inline: true)
        } else if hasHandler, dispatcher.isCurrent {
            // A result was on its way to this thread already.
            deliverPending()
        }
        work?.cancel()
    }

    /// Delivers the final result; false when there was one before. `inline`: on the dispatcher's own thread it is
    /// delivered before this returns.
    @discardableResult
    package func finish(_ result: ImageResult, inline: Bool = false) -> Bool {
        let isFirst = conclude(result).isFirst
        if isFirst { schedule(inline: inline) }
        return isFirst
    }

    /// Sets the final result unless there is one, and gives the work that is no longer needed. Both in one step: work
    /// attached in between would never be cancelled.
    private func conclude(_ result: ImageResult) -> (isFirst: Bool, work: Task<Void, Never>?) {
        let (isFirst, work, passed) = monitor.withLock { state -> (Bool, Task<Void, Never>?, [Item]) in
            guard state.result == nil else { return (false, nil, []) }
            state.result = result
            // Progress, or a part of a picture, would be noise beside the final result. Let go of outside the lock.
            let passed = state.pending.filter(\.isPassing)
            state.pending.removeAll(where: \.isPassing)
            state.pending.append(.result(result))
            defer { state.work = nil }
            return (true, state.work, passed)
        }
        withExtendedLifetime(passed) {}
        if isFirst { monitor.broadcast() }
        return (isFirst, work)
    }

    /// Notes how far the transfer is; only the latest numbers are delivered.
    package func report(received: Int64, expected: Int64) {
        let isNew = monitor.withLock { state -> Bool in
            state.received = received
            state.expected = expected
            guard state.result == nil, wantsProgress else { return false }
            if case .progress = state.pending.last { return false }
            state.pending.append(.progress)
            return true
        }
        if isNew { schedule(inline: false) }
    }

    /// Delivers a picture that another one follows; nothing after the final result.
    package func deliver(_ cached: ImageResult, inline: Bool = false) {
        let isTaken = monitor.withLock { state -> Bool in
            guard state.result == nil, hasHandler || dispatcher.takesEvents else { return false }
            state.pending.append(.result(cached))
            return true
        }
        if isTaken { schedule(inline: inline) }
    }

    /// Delivers a part of the picture, in place of one that nobody has taken yet; nothing after the final result.
    package func show(_ partial: ImageResult) {
        let (isNew, old) = monitor.withLock { state -> (Bool, Item?) in
            guard state.result == nil, hasHandler || dispatcher.takesEvents else { return (false, nil) }
            let place = state.pending.firstIndex { if case .result(let waiting) = $0 { waiting.kind == .partial } else { false } }
            guard let place else {
                state.pending.append(.result(partial))
                return (true, nil)
            }
            let old = state.pending[place]
            state.pending[place] = .result(partial)
            return (false, old)
        }
        withExtendedLifetime(old) {}
        if isNew { schedule(inline: false) }
    }

    /// Waits until the final result is known; false when `deadline` passed first.
    package func waitForResult(deadline: UInt64) -> Bool {
        monitor.wait(deadline: deadline) { state, _ in state.result == nil ? nil : true } ?? false
    }

    /// Waits until the last callback has returned; false when `deadline` passed first.
    package func waitForDelivery(deadline: UInt64) -> Bool {
        monitor.wait(deadline: deadline) { state, _ in state.isFinalDelivered ? true : nil } ?? false
    }

    /// Whether a memory hit is delivered before the starting call returns.
    package var deliversInline: Bool { hasHandler && dispatcher.isCurrent }

    /// Whether the last callback cannot come before this thread has returned to whoever called it: it is calling back
    /// now, or has to take what is queued.
    package var isWaitingFutile: Bool {
        if let deliverer = monitor.withLock({ $0.deliverer }) { return deliverer == pthread_self() }
        return dispatcher.isWaitingFutile
    }

    private func schedule(inline: Bool) {
        guard hasHandler || dispatcher.takesEvents else { return dropPending() }
        if inline, hasHandler, dispatcher.isCurrent { deliverPending() } else { dispatcher.post(self) }
    }
}

/// Taking deliveries: the side of the dispatchers.
extension LoadTask {
    /// Calls back for everything pending; returns how many that were. While another thread is delivering it does nothing:
    /// that one goes on until nothing is pending, so calls never overlap.
    @discardableResult
    package func deliverPending() -> Int {
        var count = 0
        var next = takeForDelivery(isFirst: true)
        while let (item, handler) = next {
            switch item {
            case .result(let result): handler?.result(self, result)
            case .progress:
                let (received, expected) = progress
                handler?.progress(self, received: received, expected: expected)
            }
            count += 1
            delivered(item)
            next = takeForDelivery(isFirst: false)
        }
        return count
    }

    /// Takes one pending delivery as an event.
    package func takePending() -> LoadEvent? {
        let taken = monitor.withLock { state -> (Item, Int64, Int64)? in
            guard state.deliverer == nil, !state.pending.isEmpty else { return nil }
            return (state.pending.removeFirst(), state.received, state.expected)
        }
        guard let (item, received, expected) = taken else { return nil }
        delivered(item)
        switch item {
        case .result(let result): return LoadEvent(task: self, result: result)
        case .progress: return LoadEvent(task: self, result: nil, received: received, expected: expected)
        }
    }

    package var hasPending: Bool { monitor.withLock { !$0.pending.isEmpty } }

    /// Nobody is there to take them.
    package func dropPending() {
        for item in monitor.withLock({ state in
            defer { state.pending = [] }
            return state.pending
        }) { delivered(item) }
    }

    private func takeForDelivery(isFirst: Bool) -> (Item, (any LoadHandler)?)? {
        monitor.withLock { state in
            if isFirst, state.deliverer != nil { return nil }
            state.deliverer = state.pending.isEmpty ? nil : pthread_self()
            return state.pending.isEmpty ? nil : (state.pending.removeFirst(), state.handler)
        }
    }

    /// After the final delivery the handler is let go, outside the lock: its destructor may call anything.
    private func delivered(_ item: Item) {
        guard case .result(let result) = item, result.kind == .final else { return }
        let released = monitor.withLock { state in
            state.isFinalDelivered = true
            defer {
                state.handler = nil
                state.owner = nil
                state.lease = nil
                state.whenDelivered = nil
            }
            return (state.handler, state.owner, state.lease, state.whenDelivered)
        }
        monitor.broadcast()
        released.3?()
        withExtendedLifetime(released) {}
    }
}
