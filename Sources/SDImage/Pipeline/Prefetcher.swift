/// Callbacks for all lists of a prefetcher together.
package protocol PrefetchObserver: AnyObject, Sendable {
    /// One more image is done. The numbers are sums over the lists that are not completed.
    func fetched(url: CString, finished: Int, total: Int)
    /// The last list is completed.
    func idle(total: Int, skipped: Int)
}

/// Loads images in advance, a few at a time, with any options of a load.
/// Starts loads on the asynchronous thread of the library, and calls back through one queue. `state` is its lock.
package final class Prefetcher: Sendable {
    private struct State {
        /// Groups with URLs that were not started, oldest first.
        var waiting = FIFO<PrefetchGroup>()
        /// Groups whose completion was not reported to the host, oldest first.
        var groups: [PrefetchGroup] = []
        /// Loads under way over all groups.
        var running = 0
        var maxConcurrent = Prefetcher.standardConcurrency
        /// The standard request, which `setRequest` replaces.
        var request: ImageRequest
        var observer: (any PrefetchObserver)?
    }

    package static let standardConcurrency = 3
    /// Number of loads started in one go; then the thread can do other work.
    private static let slice = 64

    private let manager: ImageManager
    private let lease: EngineLease
    /// Serializes the callbacks of all groups.
    private let calls: CallQueue
    private let state: Lock<State>

    package init(manager: ImageManager, dispatcher: any Dispatcher, lease: EngineLease) {
        self.manager = manager
        self.lease = lease
        calls = CallQueue(on: dispatcher)
        var request = ImageRequest(url: [])
        request.priority = .low
        state = Lock(State(request: request))
    }

    /// Maximum number of concurrent loads over all groups; takes effect immediately. 0 counts as 1.
    package var maxConcurrent: Int {
        get { state.withLock { $0.maxConcurrent } }
        set {
            state.withLock { $0.maxConcurrent = max(1, newValue) }
            schedule()
        }
    }

    /// The request of groups without one of their own.
    package var request: ImageRequest { state.withLock { $0.request } }

    /// Sets the request of groups without one of their own; nil: a plain request of low priority.
    package func setRequest(_ request: ImageRequest?) {
        var standard = ImageRequest(url: [])
        standard.priority = .low
        let next = request ?? standard
        // Released outside the lock: with the last reference to a dispatcher, the calls of this prefetcher are dropped.
        let before = state.withLock { state in
            defer { state.request = next }
            return state.request
        }
        withExtendedLifetime(before) {}
    }

    /// nil removes it. The former observer is released outside the lock.
    package func setObserver(_ observer: (any PrefetchObserver)?) {
        let before = state.withLock { state in
            defer { state.observer = observer }
            return state.observer
        }
        withExtendedLifetime(before) {}
    }

    /// Starts a list; nil for an empty one, which completes immediately.
    package func start(
        _ urls: [[UInt8]], request: ImageRequest?, handler: (any PrefetchHandler)?, owner: (any Sendable & AnyObject)? = nil
    ) throws(ImageError) -> PrefetchGroup? {
        try start(urls, request: request, into: nil, handler: handler, owner: owner)
    }

    /// `array`: receives the images.
    /// Images are written before they are reported.
    func start(
        _ urls: [[UInt8]], request: ImageRequest?, into array: BatchArray?, handler: (any PrefetchHandler)?,
        owner: (any Sendable & AnyObject)?
    ) throws(ImageError) -> PrefetchGroup? {
        if Engine.isForked { throw .forked }
        try lease.engine.executor.ensureStarted()
        try calls.prepare()
        guard !urls.isEmpty else {
            // The callback comes through the queue as for any other list, not from within this call.
            calls.perform {
                handler?.completed(nil, finished: 0, skipped: 0, error: nil)
                withExtendedLifetime(owner) {}
            }
            return nil
        }
        let group = state.withLock { state in
            var request = request ?? state.request
            // A cache key or a dispatcher common to all of them would be wrong.
            request.cacheKey = nil
            // Results come here on the thread that has them; the queue of the prefetcher calls the host.
            request.dispatcher = .value(ImmediateDispatcher())
            let group = PrefetchGroup(urls, request, self, array: array, handler: handler, owner: owner)
            state.waiting.append(group)
            state.groups.append(group)
            return group
        }
        schedule()
        return group
    }

    /// Cancels every group that is under way.
    package func cancelAll() {
        for group in state.withLock({ $0.groups }) { cancel(group) }
    }

    /// Has an effect once. The completion is queued behind the results that were counted before.
    func cancel(_ group: PrefetchGroup) {
        guard let tasks = group.markCancelled() else { return }
        for task in tasks { task.cancel() }
        calls.perform { [self] in
            complete(group, .cancelled)
        } dropped: { [self] in
            drop(group)
        }
        schedule()
    }

    // MARK: loading

    /// Runs on a thread of the library: a list found in memory would keep the caller busy for long.
    private func schedule() { lease.engine.executor.submit { [self] in fill() } }

    /// Starts loads up to the limit; yields to other work after each slice.
    private func fill() {
        for _ in 0..<Prefetcher.slice {
            guard let (group, index) = takeNext() else { return }
            load(group, index)
        }
        schedule()
    }

    /// Groups are served in order: the next one starts when all URLs of the first have been started.
    private func takeNext() -> (PrefetchGroup, Int)? {
        state.withLock { state in
            while state.running < state.maxConcurrent, let group = state.waiting.first {
                let next = group.takeNext()
                // A group without further URLs leaves the queue, whether it ended or was cancelled.
                if next?.isLast != false { _ = state.waiting.popFirst() }
                guard let next else { continue }
                state.running += 1
                return (group, next.index)
            }
            return nil
        }
    }

    /// An error of the start counts as the result of that image.
    private func load(_ group: PrefetchGroup, _ index: Int) {
        var request = group.request
        request.url = group.urls[index]
        let entry = PrefetchEntry(self, group, index)
        do throws(ImageError) {
            let task = try manager.load(request, handler: entry, token: 0)
            // The group was cancelled while its load started.
            if !group.attach(task, index) { task.cancel() }
        } catch {
            let url = request.urlText.redacted
            finished(group, index, ImageResult(kind: .final, error: error.about(url: url), url: url))
        }
    }

    /// Called for each final result, on the thread that delivers it.
    fileprivate func finished(_ group: PrefetchGroup, _ index: Int, _ result: ImageResult) {
        // Writing comes before `running` decreases: it limits concurrent writes, too.
        let result = group.placed(result, at: index)
        state.withLock { $0.running -= 1 }
        if group.note(result, at: index) {
            calls.perform { [self] in
                notify(group, index, result)
            } dropped: { [self] in
                drop(group)
            }
        }
        schedule()
    }

    // MARK: notifications

    /// Reports a result, in the order of the queue, so that the numbers only increase.
    private func notify(_ group: PrefetchGroup, _ index: Int, _ result: ImageResult) {
        guard let (counts, handler) = group.notify(result) else { return }
        if let observer = state.withLock({ $0.observer }) {
            let sum = sums()
            observer.fetched(url: result.url, finished: sum.finished, total: sum.total)
        }
        handler?.fetched(group, index: index, result: result)
        handler?.progress(group, finished: counts.finished, total: group.urls.count)
        if counts.finished == group.urls.count { complete(group, nil) }
    }

    /// Reports the end of a group, and that of all groups if it was the last one.
    private func complete(_ group: PrefetchGroup, _ error: ImageError?) {
        guard !group.isCompleted else { return }
        // Computed before the group is removed, so that the sums include it.
        let sum = sums()
        let (isLast, observer) = state.withLock { state in
            state.groups.removeAll { $0 === group }
            return (state.groups.isEmpty, state.observer)
        }
        if isLast { observer?.idle(total: sum.total, skipped: sum.skipped) }
        group.complete(error)
    }

    /// Ends a group without its callbacks, which no thread can take any more. Does nothing before its loads have ended.
    private func drop(_ group: PrefetchGroup) {
        guard group.isOver else { return }
        state.withLock { $0.groups.removeAll { $0 === group } }
        group.drop()
    }

    /// Sums over groups that are not completed.
    private func sums() -> (finished: Int, skipped: Int, total: Int) {
        state.withLock { $0.groups }.reduce(into: (0, 0, 0)) { sum, group in
            let told = group.told
            sum.0 += told.finished
            sum.1 += told.skipped
            sum.2 += group.urls.count
        }
    }
}

/// One load of a group.
/// Its callbacks run on the thread that has the result (`ImmediateDispatcher`).
private final class PrefetchEntry: LoadHandler {
    let wantsProgress = false
    private let prefetcher: Prefetcher
    private let group: PrefetchGroup
    private let index: Int

    init(_ prefetcher: Prefetcher, _ group: PrefetchGroup, _ index: Int) {
        self.prefetcher = prefetcher
        self.group = group
        self.index = index
    }

    func result(_ task: LoadTask, _ result: ImageResult) {
        if result.kind == .final { prefetcher.finished(group, index, result) }
    }

    func progress(_ task: LoadTask, received: Int64, expected: Int64) {}
}
