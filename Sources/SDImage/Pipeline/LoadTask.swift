import Glibc

/// Callbacks of a load, called through its dispatcher, in order and serialized.
package protocol LoadHandler: AnyObject, Sendable {
    /// False when `progress` has no effect; no progress is queued then.
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
        var head: ReceivedHead?
        var work: (any Cancellable)?
        /// Of a picture that is prepared to be shown before the final one.
        var partial: StopSignal?
        var handler: (any LoadHandler)?
        /// Told once the final result is delivered.
        var whenDelivered: (@Sendable () -> Void)?
        var lease: EngineLease?
        /// The host's object that is held until the load has ended.
        var owner: (any Sendable & AnyObject)?
        /// Counts changes for threads that wait; nil until one does, because there are many loads and few are waited for.
        var sleepers: Monitor<UInt64>?
    }

    /// The URL as asked for, without user and password.
    package let url: CString
    /// The host's own pointer, by which it knows the load again.
    package let token: UInt
    /// 0 for a load that ended as it began.
    package let started: UInt64
    private let dispatcher: any Dispatcher
    private let hasHandler: Bool
    private let wantsProgress: Bool
    private let observers: LoadObservers
    private let state: Lock<State>

    package init(
        url: CString, token: UInt, dispatcher: any Dispatcher, handler: (any LoadHandler)?, owner: (any Sendable & AnyObject)?,
        observers: LoadObservers, lease: EngineLease
    ) {
        self.url = url
        self.observers = observers
        self.token = token
        self.dispatcher = dispatcher.target
        hasHandler = handler != nil
        wantsProgress = handler?.wantsProgress ?? dispatcher.takesEvents
        started = MonotonicClock.now
        var state = State()
        state.handler = handler
        state.lease = lease
        state.owner = owner
        self.state = Lock(state)
    }

    /// A load that ended as it began. `isHandled`: whoever made it is calling back, and says with `foundDelivered` when he is
    /// done.
    init(found result: ImageResult, token: UInt, dispatcher: any Dispatcher, observers: LoadObservers, isHandled: Bool) {
        url = result.url
        self.observers = observers
        self.token = token
        self.dispatcher = dispatcher.target
        hasHandler = isHandled
        wantsProgress = false
        started = 0
        var state = State()
        state.result = result
        state.isFinalDelivered = !isHandled
        state.deliverer = isHandled ? pthread_self() : nil
        self.state = Lock(state)
    }

    /// The callback of a load that ended as it began has returned.
    package func foundDelivered() {
        let hasSleepers = withLock { state in
            state.isFinalDelivered = true
            state.deliverer = nil
            return state.sleepers != nil
        }
        if hasSleepers { wake() }
    }

    @inline(__always)
    private func withLock<R>(_ body: (inout sending State) -> sending R) -> sending R { state.withLock(body) }

    /// Wakes waiting threads after a change.
    private func wake() {
        guard let sleepers = withLock({ $0.sleepers }) else { return }
        sleepers.withLock { $0 &+= 1 }
        sleepers.broadcast()
    }

    /// Sleeps until the state is as wanted; false when `deadline` passed first.
    private func wait(deadline: UInt64, until isTrue: (State) -> Bool) -> Bool {
        while true {
            let (isAsWanted, bell, seen) = withLock { state in
                let bell = state.sleepers ?? Monitor(0)
                state.sleepers = bell
                // Read before the lock is given back: every later change counts further.
                return (isTrue(state), bell, bell.withLock { $0 })
            }
            if isAsWanted { return true }
            let hasChanged = bell.wait(deadline: deadline) { count, _ in count == seen ? nil : true }
            if hasChanged == nil { return withLock { isTrue($0) } }
        }
    }

    package var result: ImageResult? { withLock { $0.result } }
    package var isFinished: Bool { result != nil }
    package var isDelivered: Bool { withLock { $0.isFinalDelivered } }
    package var progress: (received: Int64, expected: Int64) { withLock { ($0.received, $0.expected) } }

    /// The head of the response so far; nil before it arrives.
    package var response: ReceivedHead? { withLock { $0.head } }

    /// Remembers an answer, in place of one before.
    package func note(_ head: ReceivedHead) {
        let old = withLock { state in
            defer { state.head = head }
            return state.head
        }
        withExtendedLifetime(old) {}
    }

    /// Remembers what is under way, to be cancelled with the load; in place of what was before. `isFirst`: what came of it may
    /// be under way already, and stays.
    package func attach(_ work: any Cancellable, isFirst: Bool = false) {
        let (isFinished, old) = withLock { state -> (Bool, (any Cancellable)?) in
            guard state.result == nil else { return (true, nil) }
            if isFirst, state.work != nil { return (false, nil) }
            defer { state.work = work }
            return (false, state.work)
        }
        withExtendedLifetime(old) {}
        if isFinished { work.cancel() }
    }

    /// Remembers the work on a picture that is shown before the final one, to be cancelled when the load ends. False when it has.
    func attachPartial(_ stop: StopSignal) -> Bool {
        withLock { state in
            guard state.result == nil else { return false }
            state.partial = stop
            return true
        }
    }

    /// Calls `body` once the last callback has returned, here when it has.
    package func whenDelivered(_ body: @escaping @Sendable () -> Void) {
        let isDelivered = withLock { state -> Bool in
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
            dispatcher.deliver(self)
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
    private func conclude(_ result: ImageResult) -> (isFirst: Bool, work: (any Cancellable)?) {
        let (isFirst, work, partial, passed) = withLock { state -> (Bool, (any Cancellable)?, StopSignal?, [Item]) in
            guard state.result == nil else { return (false, nil, nil, []) }
            state.result = result
            // Progress, or a part of a picture, would be noise beside the final result. Let go of outside the lock.
            let passed = state.pending.filter(\.isPassing)
            state.pending.removeAll(where: \.isPassing)
            state.pending.append(.result(result))
            defer { (state.work, state.partial) = (nil, nil) }
            return (true, state.work, state.partial, passed)
        }
        withExtendedLifetime(passed) {}
        partial?.cancel()
        if isFirst {
            wake()
            observers.loadEnded(result)
        }
        return (isFirst, work)
    }

    /// Notes how far the transfer is; only the latest numbers are delivered.
    package func report(received: Int64, expected: Int64) {
        let isNew = withLock { state -> Bool in
            state.received = received
            state.expected = expected
            guard state.result == nil, wantsProgress else { return false }
            if case .progress = state.pending.last { return false }
            state.pending.append(.progress)
            return true
        }
        if isNew { dispatcher.postProgress(self) }
    }

    /// Delivers a picture that another one follows; nothing after the final result.
    package func deliver(_ cached: ImageResult, inline: Bool = false) {
        let isTaken = withLock { state -> Bool in
            guard state.result == nil, hasHandler || dispatcher.takesEvents else { return false }
            state.pending.append(.result(cached))
            return true
        }
        if isTaken { schedule(inline: inline) }
    }

    /// Delivers a part of the picture, in place of one that nobody has taken yet; nothing after the final result.
    package func show(_ partial: ImageResult) {
        let (isNew, old) = withLock { state -> (Bool, Item?) in
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
        wait(deadline: deadline) { $0.result != nil }
    }

    /// Waits until the last callback has returned; false when `deadline` passed first.
    package func waitForDelivery(deadline: UInt64) -> Bool {
        wait(deadline: deadline) { $0.isFinalDelivered }
    }

    /// Whether a memory hit is delivered before the starting call returns.
    package var deliversInline: Bool { hasHandler && dispatcher.isCurrent }

    /// Whether the last callback cannot come before this thread has returned to whoever called it: it is calling back
    /// now, or has to take what is queued.
    package var isWaitingFutile: Bool {
        if let deliverer = withLock({ $0.deliverer }) { return deliverer == pthread_self() }
        return dispatcher.isWaitingFutile
    }

    private func schedule(inline: Bool) {
        guard hasHandler || dispatcher.takesEvents else { return dropPending() }
        if inline, hasHandler, dispatcher.isCurrent { dispatcher.deliver(self) } else { dispatcher.post(self) }
    }
}

/// Taking deliveries: the side of the dispatchers.
extension LoadTask: Delivery {
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
        let taken = withLock { state -> (Item, Int64, Int64)? in
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

    package var hasPending: Bool { withLock { !$0.pending.isEmpty } }

    /// Discards pending deliveries because no thread can take them any more.
    package func dropPending() {
        for item in withLock({ state in
            defer { state.pending = [] }
            return state.pending
        }) { delivered(item) }
    }

    private func takeForDelivery(isFirst: Bool) -> (Item, (any LoadHandler)?)? {
        withLock { state in
            if isFirst, state.deliverer != nil { return nil }
            state.deliverer = state.pending.isEmpty ? nil : pthread_self()
            return state.pending.isEmpty ? nil : (state.pending.removeFirst(), state.handler)
        }
    }

    /// After the final delivery the handler is let go, outside the lock: its destructor may call anything.
    private func delivered(_ item: Item) {
        guard case .result(let result) = item, result.kind == .final else { return }
        let released = withLock { state in
            state.isFinalDelivered = true
            defer {
                state.handler = nil
                state.owner = nil
                state.lease = nil
                state.whenDelivered = nil
            }
            return (state.handler, state.owner, state.lease, state.whenDelivered)
        }
        wake()
        released.3?()
        withExtendedLifetime(released) {}
    }
}

extension PollableDispatcher {
    /// The next delivery of a load as an object, or nil when nothing is queued.
    package func nextEvent() -> LoadEvent? { next { ($0 as? LoadTask)?.takePending() } }
}
