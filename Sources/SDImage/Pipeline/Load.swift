/// One load of an image that memory does not have: caches, loader, decode, store. Equal requests share one.
///
/// `start` looks in the caches and joins a transfer; `resume` continues with the response on a worker. In between, the load is a
/// record in a table and holds no task.
/// Made by `ImageManager.start`, which has looked in memory. Its tasks are waiters in `ImageManager.inFlight`.
/// `state` is its lock, and `updates` another one; neither is held while a stage, a task or the host runs.
final class Load: LoadWork {
    /// A load that waits for a response.
    private struct Wait {
        /// The loader that was chosen for the URL.
        let loader: any ImageLoader
        /// The cached copy that the request revalidates; nil for a plain request.
        let candidate: RevalidationStage.Candidate?
        /// Partial images of the body; nil for requests that want none.
        let subscription: ProgressiveSubscription?
        /// Time at which the wait began, monotonic nanoseconds.
        let began = MonotonicClock.now
    }

    private struct State {
        /// The running part of the load, the number of parts that were started, and the number of the last one that ended.
        /// A part is one `Task`; see `run`.
        var work: Task<Void, Never>?
        var parts: UInt32 = 0
        var endedPart: UInt32 = 0
        /// The wait for a response. Taken by the first of the events that end it: response, early thumbnail or end of
        /// the load.
        var wait: Wait?
        /// The transfer that was joined, to be left at the end.
        var transfer: SharedTransfer?
        var isFinished = false
        /// Numbers of tasks of each priority, from low to high.
        var priorities: InlineArray<3, Int32> = [0, 0, 0]
    }

    let context: LoadContext
    /// State that the tasks receive while the load runs.
    let updates = Lock<LoadUpdates?>(nil)
    /// Restores `LoadKey` for the look-ups in `inFlight`.
    private let mayShare: Bool
    /// Set for a blocking call that waits for the caches.
    private let lookup: BlockingLookup?
    private let state = Lock(State())

    init(_ key: LoadKey, _ lookup: BlockingLookup?) {
        context = key.context
        mayShare = key.mayShare
        self.lookup = lookup
    }

    private var key: LoadKey { LoadKey(context: context, mayShare: mayShare) }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    // MARK: stages

    /// Starts the load: on the calling thread if it queries no cache and its loader is quick; on a worker if it queries a disk.
    /// That worker also decodes the image, unless other work waits.
    func start() {
        let need = CacheStage(context: context).need
        // Only a load that needs no cache and no suspension can start here without delaying its caller.
        if context.policy == .ignore, context.memoryImage == nil, need == .none, startHere() { return }
        context.enterTransferOrder()
        // Cancelled before it had a position to leave, such as by the callback for a cached image.
        guard !isFinished else { return context.leaveTransferOrder() }
        run(on: need == .disk ? context.engine.lane(.high) : context.engine.executor) { load in
            load.context.addTime(since: load.context.started) { $0.queued += $1 }
            await load.lookUp()
        }
    }

    /// Joins a transfer on the calling thread; false when that might block.
    private func startHere() -> Bool {
        let request = context.request
        guard let loader = context.loader, loader.isQuick, let chosen = try? loader.chosen(for: request),
            !chosen.prepares(request)
        else { return false }
        do throws(ImageError) {
            try context.validate()
            // The blocking caller must not wait for a look-up that this load skips.
            lookup?.miss()
            try FetchStage(context: context).checked(request, for: chosen)
            let lease = LeaseRequest(context, chosen, request, newerThan: 0)
            try beginWait(for: chosen, nil)
            context.startNext { [self] in FetchStage(context: context).join(self, request, chosen, lease) }
        } catch { run(on: context.engine.executor) { $0.finish(.failure(error)) } }
        return true
    }

    /// Looks in the caches, and fetches what they do not have.
    private func lookUp() async {
        guard context.policy == .ignore else { return await lookUpFresh() }
        do throws(ImageError) {
            if let found = try await CacheStage(context: context).lookUp() { return finish(.success(found)) }
            try await fetch()
        } catch { finish(.failure(error)) }
    }

    /// The same if a cached image must be fresh, or is revalidated.
    private func lookUpFresh() async {
        var candidate: RevalidationStage.Candidate?
        do throws(ImageError) {
            switch try await RevalidationStage(context: context).lookUp() {
            case .found(let outcome): finish(.success(outcome))
            case .missing: try await fetch()
            case .stale(let stale, let origin, let shown):
                // Kept for `fail`: a failed fetch may still be answered with the stale image.
                candidate = stale
                if let shown { deliver(cached: shown) }
                try await fetch(stale.request, from: origin, about: stale, isLeased: true)
            }
        } catch { await fail(error, candidate) }
    }

    /// Fetches the request itself, if a loader may be used.
    /// Without a loader, or under `cacheOnly`, the load succeeds without an image.
    private func fetch() async throws(ImageError) {
        guard context.request.sourcePolicy != .cacheOnly, let loader = context.loader else {
            return finish(.success(LoadOutcome()))
        }
        try await fetch(context.request, from: try loader.chosen(for: context.request), about: nil, isLeased: true)
    }

    /// Fetches the request or its conditional form. `isLeased`: a lease of a shared cache may replace the transfer.
    private func fetch(
        _ request: ImageRequest, from loader: any ImageLoader, about candidate: RevalidationStage.Candidate?, isLeased: Bool
    ) async throws(ImageError) {
        // A blocking caller waits for the caches only.
        lookup?.miss()
        let sent = try await FetchStage(context: context).prepared(request, for: loader)
        let lease = isLeased ? LeaseRequest(context, loader, sent, newerThan: candidate?.date ?? 0) : nil
        // The wait exists before the load is visible to transfers, which may finish at once.
        try beginWait(for: loader, candidate)
        // Joins the transfer when it is its turn.
        context.startInOrder { [self] in FetchStage(context: context).join(self, sent, loader, lease) }
    }

    /// Waits for a response, with which `transferFinished` continues the load.
    /// Throws `cancelled` if the load has ended meanwhile, so that no transfer is joined.
    private func beginWait(for loader: any ImageLoader, _ candidate: RevalidationStage.Candidate?) throws(ImageError) {
        let subscription = context.readsGrowingBody(revalidating: candidate != nil) ? ProgressiveSubscription(self) : nil
        let isFinished = state.withLock { state in
            if !state.isFinished { state.wait = Wait(loader: loader, candidate: candidate, subscription: subscription) }
            return state.isFinished
        }
        if isFinished { throw .cancelled }
    }

    /// Continues the load on a worker. Has an effect once for each transfer.
    /// Called by `SharedTransfer`, on any thread.
    func transferFinished(_ outcome: Result<FetchResult, ImageError>) {
        guard let wait = takeWait() else { return }
        run(on: context.engine.lane(context.priority)) { load in await load.resume(outcome, wait) }
    }

    /// Exactly one caller gets the wait, and continues or ends the load.
    private func takeWait() -> Wait? {
        state.withLock { state in
            defer { state.wait = nil }
            return state.wait
        }
    }

    /// Decodes, transforms and stores a response, and finishes the load.
    /// Runs on a worker. Errors take the same path as those of the look-up.
    private func resume(_ fetched: Result<FetchResult, ImageError>, _ wait: Wait) async {
        context.addTime(since: wait.began) { $0.load += $1 }
        // Must precede the decode: partial images would otherwise compete with it and arrive after it.
        let partial = wait.subscription?.end()
        do throws(ImageError) {
            if isFinished { throw .cancelled }
            let loaded = try fetched.get()
            // Set before anything is stored: data of an untrusted connection enters no cache.
            if loaded.data.isUntrusted { context.isUntrusted.store(true, ordering: .releasing) }
            if let outcome = try await outcome(of: loaded, wait, after: partial) { finish(.success(outcome)) }
        } catch {
            // Only a failed transfer counts as a failure of the URL; `outcome` remembers errors of decoding.
            if case .failure = fetched {
                partial?.cancelUnlessShared()
                context.remember(error, of: wait.loader)
            }
            await fail(error, wait.candidate)
        }
    }

    /// The outcome of a response; nil when another one has been requested.
    private func outcome(of loaded: FetchResult, _ wait: Wait, after partial: ProgressiveDecode?)
        async throws(ImageError) -> LoadOutcome?
    {
        // A conditional request gets a verdict first: 304 keeps the cached image, another response replaces it.
        let revalidation = RevalidationStage(context: context)
        if let candidate = wait.candidate {
            switch try await revalidation.verdict(loaded, about: candidate, wait.loader) {
            case .valid(let outcome): return outcome
            case .replaced: break
            case .mismatched(let candidate):
                try await refetch(wait.loader, about: candidate)
                return nil
            }
        }
        // Decoding precedes storing, so that bytes that are not an image never enter a cache.
        let image: Image
        do throws(ImageError) {
            image = try await decode(loaded, after: partial)
        } catch {
            if let entry = loaded.sharedEntry, error.meansUnreadable {
                // The entry of another process is not an image.
                if context.request.coder == nil { context.diskOfOriginals?.dropDamaged(entry, for: context.keys.original) }
                try await refetch(wait.loader, about: wait.candidate)
                return nil
            }
            // Other coders may read bytes that the request's own coder refuses.
            if context.request.coder == nil { context.remember(error, of: wait.loader) }
            throw error.after(loaded.data.transactions)
        }
        // The URL has proved to work, which matters if the request ignored an earlier failure.
        context.forgetFailures()
        let isStored = try await StoreStage(context: context).store(image, loaded)
        var outcome = LoadOutcome(
            image: image, data: image.isPlain && !loaded.data.isImage ? loaded.data.bytes : nil,
            source: loaded.data.source, rule: isStored ? .none : .noStore, transactions: loaded.data.transactions)
        // A refresh reports an image that differs from the one shown before.
        outcome.isChanged = context.policy == .refresh
        if let candidate = wait.candidate, isStored {
            outcome.rule = revalidation.rule(loaded, replacing: candidate, wait.loader)
        }
        return outcome
    }

    /// Releases the bytes from the backlog in any case, so that waiting transfers may start.
    private func decode(_ loaded: FetchResult, after partial: ProgressiveDecode?) async throws(ImageError) -> Image {
        defer { loaded.leaveBacklog() }
        // The status 304 without a conditional request of this load has no body to decode.
        if loaded.data.isUnmodified {
            throw .unmodified()
        }
        let image = try await DecodeStage(context: context).image(of: loaded.data, from: loaded.decodeOrigin, after: partial)
        if isFinished { throw .cancelled }
        return loaded.sharedEntry.map { image.with(extendedData: $0.extendedData) } ?? image
    }

    /// Requests the complete response from the origin.
    /// Without a lease: the shared cache has no usable response.
    private func refetch(_ loader: any ImageLoader, about candidate: RevalidationStage.Candidate?) async throws(ImageError) {
        leaveTransfer()
        try await fetch(context.request, from: loader, about: candidate, isLeased: false)
    }

    /// Finishes the load with an early thumbnail, which needs no further bytes. The incomplete bytes are never stored.
    /// Called by `ProgressiveSubscription` on a worker. Does nothing if the complete response came first.
    func finishEarly(_ image: Image, of source: ImageSource) {
        guard let wait = takeWait() else { return }
        context.addTime(since: wait.began) { $0.load += $1 }
        wait.subscription?.end()?.cancelUnlessShared()
        StoreStage(context: context).storeInMemory(image)
        finish(.success(LoadOutcome(image: image, source: source, isChanged: context.policy == .refresh)))
    }

    /// Finishes the load, which has joined a transfer, with an image that another load has stored in memory. On a worker: the
    /// calling thread starts transfers, and no other thread does meanwhile.
    func finish(inMemory image: Image) {
        leaveTransfer()
        run(on: context.engine.executor) { $0.finish(.success(LoadOutcome(image: image, source: .memory))) }
    }

    /// Finishes the load with an error, or with the cached image that could not be revalidated.
    /// A cancelled load has no result to replace.
    private func fail(_ error: ImageError, _ candidate: RevalidationStage.Candidate?) async {
        guard let candidate, error.status != .cancelled else { return finish(.failure(error)) }
        do throws(ImageError) {
            finish(.success(try await RevalidationStage(context: context).outcome(of: error, candidate)))
        } catch { finish(.failure(error)) }
    }

    /// Delivers the outcome to all tasks. Does nothing if the load has ended.
    private func finish(_ outcome: Result<LoadOutcome, ImageError>) {
        // Closed first: a task that is cancelled from now on finds nothing to cancel.
        guard close() else { return }
        if case .success(let outcome) = outcome, outcome.image != nil, context.mayFillCaches {
            context.manager.noteSize(context.request, context.keys)
        }
        // The load leaves the table, so that later equal requests start another one.
        for task in context.manager.inFlight.finish(key, self) {
            let result = result(outcome, for: task)
            // The blocking caller delivers the result itself; if it has stopped waiting, the task does.
            if lookup?.finish(result) != true { task.finish(result) }
        }
        if context.isRevalidation { context.manager.revalidated(context.keys) }
    }

    // MARK: cancellation

    /// Removes a cancelled task, which had the given priority; the last one cancels the load.
    func leave(_ task: LoadTask, _ priority: LoadPriority) {
        guard context.manager.inFlight.leave(task, key, self) else { return changePriority(from: priority, to: nil) }
        // The load has no task left, so a blocking call must not wait for its result.
        lookup?.miss()
        // Read before `close`, which releases it.
        let work = state.withLock { $0.work }
        // The load finished meanwhile, and its tasks were served.
        guard close() else { return }
        work?.cancel()
        if context.isRevalidation { context.manager.revalidated(context.keys) }
    }

    /// Ends the load, and leaves its transfer. False when it has ended before.
    /// The first caller gets true and has the sole right to deliver an outcome.
    private func close() -> Bool {
        let ended = state.withLock { state -> State? in
            guard !state.isFinished else { return nil }
            defer { (state.isFinished, state.work, state.wait, state.transfer) = (true, nil, nil, nil) }
            return state
        }
        guard let ended else { return false }
        // Everything below may call the host or release its objects, so the lock is not held.
        ended.wait?.subscription?.end()?.cancelUnlessShared()
        ended.transfer?.leave(self)
        context.leaveTransferOrder()
        stopPreview()
        return true
    }

    /// Runs a part of the load as a task, which is cancelled with the load.
    /// The number of the part distinguishes the task of an earlier part from that of a later one.
    private func run(on executor: any TaskExecutor, _ body: @escaping @Sendable (Load) async -> Void) {
        let part = state.withLock { state in
            state.parts += 1
            return state.parts
        }
        let work = Task(executorPreference: executor) { [self] in
            await body(self)
            ended(part)
        }
        let isFinished = state.withLock { state in
            // The part may have ended by now, and a later one may be running.
            if !state.isFinished, state.parts == part, state.endedPart != part { state.work = work }
            return state.isFinished
        }
        if isFinished { work.cancel() }
    }

    /// Releases the task of a part: a load that waits for a response holds none.
    /// Ignores a part that is not the latest: its task was released by its successor.
    private func ended(_ part: UInt32) {
        let work = state.withLock { state -> Task<Void, Never>? in
            state.endedPart = max(state.endedPart, part)
            guard state.parts == part else { return nil }
            defer { state.work = nil }
            return state.work
        }
        withExtendedLifetime(work) {}
    }

    // MARK: transfer

    /// Remembers the transfer that the load has joined, to leave it at its end. False when the load has ended.
    func attach(_ transfer: SharedTransfer) -> Bool {
        state.withLock { state in
            if !state.isFinished { state.transfer = transfer }
            return !state.isFinished
        }
    }

    /// The load continues without a transfer, or joins another one.
    private func leaveTransfer() {
        let transfer = state.withLock { state in
            defer { state.transfer = nil }
            return state.transfer
        }
        transfer?.leave(self)
    }

    /// The body of the response has begun to arrive, or restarts.
    /// Called on the thread of the loader, and for a load that joins late on the thread that joins it.
    func bodyArrives(_ body: GrowingBody) { state.withLock { $0.wait?.subscription }?.subscribe(to: body) }

    // MARK: priority

    /// The tasks that wait for the load at this moment.
    var tasks: Coalescer<LoadKey, Load, LoadTask>.Waiters { context.manager.inFlight.waiters(key, self) }

    /// Counts the priority of a task that joined, left or changed its own, and gives the load the highest one.
    func changePriority(from old: LoadPriority?, to new: LoadPriority?) {
        let isChanged = state.withLock { state in
            if let old { state.priorities[Int(old.rawValue + 1)] -= 1 }
            if let new { state.priorities[Int(new.rawValue + 1)] += 1 }
            // Priorities are counted, not compared: the highest one must be found when a task leaves.
            guard let highest = state.priorities.indices.last(where: { state.priorities[$0] > 0 }),
                let priority = LoadPriority(rawValue: Int32(highest) - 1), priority != context.priority
            else { return false }
            context.priority = priority
            return true
        }
        guard isChanged else { return }
        context.raiseDecode()
        // Read after the priority was set: a load that gets its transfer meanwhile compares the priorities.
        state.withLock { $0.transfer }?.updatePriority()
    }
}
