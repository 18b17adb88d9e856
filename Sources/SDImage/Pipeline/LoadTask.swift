import Glibc
import Synchronization

/// Callbacks of a load, called through its dispatcher, in order and serialized.
/// An adapter of the C interface, or a part of the library, such as a prefetcher.
package protocol LoadHandler: AnyObject, Sendable {
    /// False when `progress` has no effect; no progress is queued then.
    var wantsProgress: Bool { get }
    func result(_ task: LoadTask, _ result: ImageResult)
    func progress(_ task: LoadTask, received: Int64, expected: Int64)
}

/// One delivery taken as an object instead of a callback.
/// For programs that poll a queue; see `PollableDispatcher.nextEvent`.
package final class LoadEvent: Sendable {
    package let task: LoadTask
    /// nil for progress.
    package let result: ImageResult?
    package let received: Int64
    package let expected: Int64
    /// The host's object, which the token may point to.
    private let owner: (any Sendable & AnyObject)?

    fileprivate init(
        task: LoadTask, result: ImageResult?, received: Int64 = 0, expected: Int64 = 0, owner: (any Sendable & AnyObject)?
    ) {
        self.task = task
        self.result = result
        self.received = received
        self.expected = expected
        self.owner = owner
    }
}

/// The work that tasks wait for.
/// Implemented by `Load`, and by `LoaderFetch` for a fetch without a manager.
protocol LoadWork: AnyObject, Sendable {
    /// Removes a cancelled task, which had the given priority.
    func leave(_ task: LoadTask, _ priority: LoadPriority)
    /// Counts the priority of a task that joined, left or changed its own.
    func changePriority(from old: LoadPriority?, to new: LoadPriority?)
}

/// A load under way: its state, its queue of deliveries, and the guarantee that exactly one of them is final.
package final class LoadTask: Sendable {
    private enum Item {
        case result(ImageResult)
        case progress

        /// True for a delivery that becomes worthless once a better one exists.
        var isPassing: Bool {
            switch self {
            case .progress: true
            case .result(let result): result.kind == .partial
            }
        }

        var isFinal: Bool { if case .result(let result) = self { result.kind == .final } else { false } }
    }

    /// Guarded by `LoadTask.state`.
    private struct State {
        /// Pending deliveries, and the thread that is delivering.
        var deliveries = DeliveryQueue<Item>()
        /// The final result, from the moment at which it is known.
        var result: ImageResult?
        var isFinalDelivered = false
        /// True after the first partial image.
        var hasPartial = false
        /// Bytes of the body so far; `expected` is -1 if the length is unknown.
        var received: Int64 = 0
        var expected: Int64 = -1
        var head: ReceivedHead?
        /// The load that the task waits for.
        var load: (any LoadWork)?
        var handler: (any LoadHandler)?
        /// The loads of the manager, which hold the task until the final result is delivered.
        var loads: ImageManager.Loads?
        /// Keeps the threads of the library running until the last callback has returned.
        var lease: EngineLease?
        /// The host's object, retained until the load has ended. Events retain it, too.
        var owner: (any Sendable & AnyObject)?
    }

    /// The requested URL, without user and password.
    package let url: CString
    /// The host's own pointer, which identifies the load.
    package let token: UInt
    /// 0 for a load that finished at its start.
    package let started: UInt64
    // nil for a load that finished at its start, which has nothing left to deliver: threads that find images in memory would
    // contend for the reference counts of both.
    private let dispatcher: (any Dispatcher)?
    private let observers: LoadObservers?
    /// Constant: `State.handler` is released after the last callback, but later calls must know that there was one.
    private let hasHandler: Bool
    private let wantsProgress: Bool
    private let currentPriority: Atomic<Int32>
    private let state: Lock<State>
    /// Signalled when the result is known, and when it is delivered.
    /// Waiters are `waitForResult` and `waitForDelivery`.
    private let changed = Condition()

    package init(
        url: CString, token: UInt, dispatcher: any Dispatcher, priority: LoadPriority, handler: (any LoadHandler)?,
        owner: (any Sendable & AnyObject)?, observers: LoadObservers, lease: EngineLease
    ) {
        self.url = url
        currentPriority = Atomic(priority.rawValue)
        self.observers = observers
        self.token = token
        self.dispatcher = dispatcher.target
        hasHandler = handler != nil
        wantsProgress = handler?.wantsProgress ?? dispatcher.takesEvents
        started = MonotonicClock.now
        state = Lock(State(handler: handler, lease: lease, owner: owner))
    }

    /// A load that finished at its start. `isHandled`: the caller runs the callback itself, and reports its end with
    /// `foundDelivered`.
    init(found result: ImageResult, token: UInt, priority: LoadPriority, isHandled: Bool) {
        url = result.url
        currentPriority = Atomic(priority.rawValue)
        observers = nil
        self.token = token
        dispatcher = nil
        hasHandler = isHandled
        wantsProgress = false
        started = 0
        var state = State()
        state.result = result
        state.isFinalDelivered = !isHandled
        state.deliveries.deliverer = isHandled ? pthread_self() : nil
        self.state = Lock(state)
    }

    /// Notes that the callback of a load that finished at its start has returned.
    package func foundDelivered() {
        withLock { state in
            state.isFinalDelivered = true
            state.deliveries.deliverer = nil
        }
        changed.broadcast()
    }

    @inline(__always)
    private func withLock<R>(_ body: (inout sending State) -> sending R) -> sending R { state.withLock(body) }

    package var result: ImageResult? { withLock { $0.result } }
    package var isFinished: Bool { result != nil }
    package var isDelivered: Bool { withLock { $0.isFinalDelivered } }
    package var progress: (received: Int64, expected: Int64) { withLock { ($0.received, $0.expected) } }

    /// The head of the response so far; nil before it arrives.
    package var response: ReceivedHead? { withLock { $0.head } }

    /// Records the head of a response, in place of an earlier one.
    package func note(_ head: ReceivedHead) {
        let old = withLock { state in
            defer { state.head = head }
            return state.head
        }
        withExtendedLifetime(old) {}
    }

    /// Remembers the load, to leave it on cancellation.
    /// A task that has a result already leaves it at once.
    func attach(_ load: any LoadWork) {
        let isFinished = withLock { state in
            if state.result == nil { state.load = load }
            return state.result != nil
        }
        if isFinished { load.leave(self, priority) }
    }

    /// Priority of the load; while it is queued, a change has an effect.
    package var priority: LoadPriority { LoadPriority(rawValue: currentPriority.load(ordering: .relaxed)) ?? .normal }

    /// Passes the change on to the load, which has the highest priority of its tasks.
    package func setPriority(_ priority: LoadPriority) {
        // One lock for both: the load counts each change once.
        let (old, load) = withLock { state -> (LoadPriority, (any LoadWork)?) in
            let old = self.priority
            currentPriority.store(priority.rawValue, ordering: .relaxed)
            // A load no longer counts a task that has a result.
            return (old, state.result == nil ? state.load : nil)
        }
        load?.changePriority(from: old, to: priority)
    }

    /// Remembers the loads that hold the task, to leave them once the last callback has returned; immediately if it has.
    func attach(_ loads: ImageManager.Loads) {
        let isDelivered = withLock { state -> Bool in
            if !state.isFinalDelivered { state.loads = loads }
            return state.isFinalDelivered
        }
        if isDelivered { loads.remove(self) }
    }

    /// Ends the load with `error` now; later results of its work are ignored. `replacesResult`: a result that is not yet delivered
    /// is replaced.
    package func cancel(_ error: ImageError = .cancelled, replacesResult: Bool = false) {
        var timings = StageTimings()
        timings.total = started == 0 ? 0 : MonotonicClock.now - started
        let result = ImageResult(kind: .final, error: error.about(url: url), url: url, timings: timings)
        let (isFirst, load, priority) = conclude(result, replacesResult: replacesResult)
        if isFirst {
            schedule(inline: true)
        } else if hasHandler, let dispatcher, dispatcher.isCurrent {
            // A result was already queued for this thread.
            dispatcher.deliver(self)
        }
        load?.leave(self, priority)
    }

    /// Delivers the final result; false if there was one before. `inline`: on the dispatcher's own thread it is delivered
    /// before this returns.
    @discardableResult
    package func finish(_ result: ImageResult, inline: Bool = false) -> Bool {
        let isFirst = conclude(result).isFirst
        if isFirst { schedule(inline: inline) }
        return isFirst
    }

    /// Sets the final result unless there is one, and returns the load that is no longer needed. Both in one step: a load
    /// attached in between would never be left. `replacesResult`: takes the place of a result that is not yet delivered.
    private func conclude(_ result: ImageResult, replacesResult: Bool = false)
        -> (isFirst: Bool, load: (any LoadWork)?, priority: LoadPriority)
    {
        let (isFirst, load, priority, passed) = withLock { state -> (Bool, (any LoadWork)?, LoadPriority, [Item]) in
            if let earlier = state.result {
                guard replacesResult, !state.isFinalDelivered else { return (false, nil, self.priority, []) }
                state.result = result
                let pending = state.deliveries.items.replaceFirst(with: .result(result), where: \.isFinal)
                return (false, nil, self.priority, [.result(earlier)] + (pending.map { [$0] } ?? []))
            }
            state.result = result
            // Progress and partial images are useless beside the final result. Released outside the lock.
            let passed = state.deliveries.items.removeAll(where: \.isPassing)
            state.deliveries.items.append(.result(result))
            defer { state.load = nil }
            return (true, state.load, self.priority, passed)
        }
        withExtendedLifetime(passed) {}
        if isFirst {
            changed.broadcast()
            observers?.loadEnded(result)
        }
        return (isFirst, load, priority)
    }

    /// Records the progress of the transfer; only the latest numbers are delivered.
    package func report(received: Int64, expected: Int64) {
        let isNew = withLock { state -> Bool in
            state.received = received
            state.expected = expected
            guard state.result == nil, wantsProgress else { return false }
            if case .progress = state.deliveries.items.last { return false }
            state.deliveries.items.append(.progress)
            return true
        }
        if isNew { dispatcher?.postProgress(self) }
    }

    /// Delivers an image that another one follows; does nothing after the final result.
    package func deliver(_ cached: ImageResult, inline: Bool = false) {
        let isTaken = withLock { state -> Bool in
            guard state.result == nil, hasHandler || takesEvents else { return false }
            state.deliveries.items.append(.result(cached))
            return true
        }
        if isTaken { schedule(inline: inline) }
    }

    /// Delivers a partial image, in place of one that is still pending; does nothing after the final result.
    /// `isEarlier`: from before the task joined; any that the task has received since is newer.
    package func show(_ partial: ImageResult, isEarlier: Bool = false) {
        let (isNew, old) = withLock { state -> (Bool, Item?) in
            guard state.result == nil, hasHandler || takesEvents, !(isEarlier && state.hasPartial) else { return (false, nil) }
            state.hasPartial = true
            let old = state.deliveries.items.replaceFirst(with: .result(partial)) {
                if case .result(let waiting) = $0 { waiting.kind == .partial } else { false }
            }
            if old == nil { state.deliveries.items.append(.result(partial)) }
            return (old == nil, old)
        }
        withExtendedLifetime(old) {}
        if isNew { schedule(inline: false) }
    }

    /// Waits until the final result is known; false when `deadline` passed first.
    package func waitForResult(deadline: UInt64) -> Bool {
        state.wait(on: changed, deadline: deadline) { $0.result != nil }
    }

    /// Waits until the last callback has returned; false when `deadline` passed first.
    package func waitForDelivery(deadline: UInt64) -> Bool {
        state.wait(on: changed, deadline: deadline) { $0.isFinalDelivered }
    }

    /// True if a memory hit is delivered before the starting call returns.
    package var deliversInline: Bool { hasHandler && dispatcher?.isCurrent == true }

    /// True if the last callback cannot come before this thread has returned to its caller: the thread is running a callback
    /// now, or must take the queued deliveries itself.
    package var isWaitingFutile: Bool {
        if let deliverer = withLock({ $0.deliveries.deliverer }) { return deliverer == pthread_self() }
        return dispatcher?.isWaitingFutile == true
    }

    /// True if the program takes the last callback from a queue itself, perhaps on this thread.
    package var isTakenByTheProgram: Bool { takesEvents || isWaitingFutile }

    private var takesEvents: Bool { dispatcher?.takesEvents == true }

    /// Passes pending deliveries to the dispatcher; drops them if no callback and no queue would take them.
    private func schedule(inline: Bool) {
        guard let dispatcher, hasHandler || dispatcher.takesEvents else { return dropPending() }
        if inline, hasHandler, dispatcher.isCurrent { dispatcher.deliver(self) } else { dispatcher.post(self) }
    }
}

/// Functions with which dispatchers take deliveries.
extension LoadTask: Delivery {
    /// Runs the callbacks of all pending deliveries; returns the number of deliveries. Does nothing while another thread is delivering:
    /// that thread continues until nothing is pending, so calls never overlap.
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
        let taken = withLock { state -> (Item, Int64, Int64, (any Sendable & AnyObject)?)? in
            guard state.deliveries.deliverer == nil, let item = state.deliveries.items.popFirst() else { return nil }
            return (item, state.received, state.expected, state.owner)
        }
        guard let (item, received, expected, owner) = taken else { return nil }
        delivered(item)
        switch item {
        case .result(let result): return LoadEvent(task: self, result: result, owner: owner)
        case .progress:
            return LoadEvent(task: self, result: nil, received: received, expected: expected, owner: owner)
        }
    }

    package var hasPending: Bool { withLock { !$0.deliveries.items.isEmpty } }

    /// Discards pending deliveries because no thread can take them any more.
    package func dropPending() {
        for item in withLock({ $0.deliveries.drop() }) { delivered(item) }
    }

    /// The next pending delivery, and the handler unless it is dropped; nil when there is none or another thread is delivering.
    private func takeForDelivery(isFirst: Bool) -> (Item, (any LoadHandler)?)? {
        withLock { state in
            state.deliveries.next(isFirst: isFirst).map { ($0, state.deliveries.isDropping ? nil : state.handler) }
        }
    }

    /// After the final delivery the handler is released, outside the lock: its destructor may call anything.
    private func delivered(_ item: Item) {
        guard case .result(let result) = item, result.kind == .final else { return }
        let released = withLock { state in
            state.isFinalDelivered = true
            defer {
                state.handler = nil
                state.owner = nil
                state.lease = nil
                state.loads = nil
            }
            return (state.handler, state.owner, state.lease, state.loads)
        }
        changed.broadcast()
        released.3?.remove(self)
        withExtendedLifetime(released) {}
    }
}

extension PollableDispatcher {
    /// The next delivery of a load as an object, or nil when nothing is queued.
    package func nextEvent() -> LoadEvent? { next { ($0 as? LoadTask)?.takePending() } }
}
