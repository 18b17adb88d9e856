/// Changes of a disk cache that wait for a shared transaction, and the commits that write them (docs/decisions.md, "Stores are
/// committed together").
/// Part of `DiskCache`. Commits run on the disk thread, or on the thread of a blocking call.
final class CommitQueue: Sendable {
    typealias Completion = PendingChanges.Completion

    /// Guarded by `state`, which is not held during a commit.
    private struct State {
        var pending = PendingChanges()
        /// A commit on the disk thread is pending: submitted for its next turn, or scheduled by a timer.
        var isSubmitted = false
        var isScheduled = false
        var isClosed = false
    }

    /// `now`: with the next turn of the disk thread. `later`: after `commitDelay`.
    private enum NextStep { case none, now, later }

    private let opener: CacheOpener
    private let inlineEntryLimit: Int
    private let clock: CacheClock
    private let trimmer: Trimmer
    private let counters: DiskCacheCounters
    private let lease: EngineLease
    private let state = Lock(State())
    /// Held by the thread that commits.
    private let committing = Lock(())

    /// Nanoseconds that a change may wait for others.
    private static let commitDelay: UInt64 = 5_000_000
    /// Pending changes from which they are committed without delay.
    private static let fullCount = 64
    /// Limits of one transaction. Changes of a long burst share the pages of the index that each of them changes; SQLite keeps
    /// about as many bytes of changed pages in memory.
    private static let batchCount = 256
    private static let batchBytes = 2 << 20
    /// Pending bytes from which stores are committed without delay.
    private static let fullBytes = 32 << 20
    /// Pending bytes above which stores are dropped, because the disk is too slow.
    private static let pendingLimit = 128 << 20

    /// `inlineEntryLimit`: the largest entry, in bytes, stored inside the database. `trimmer` runs after transactions that
    /// exceed the size limit.
    init(
        _ opener: CacheOpener, inlineEntryLimit: Int, clock: CacheClock, trimmer: Trimmer, counters: DiskCacheCounters,
        lease: EngineLease
    ) {
        self.opener = opener
        self.inlineEntryLimit = inlineEntryLimit
        self.clock = clock
        self.trimmer = trimmer
        self.counters = counters
        self.lease = lease
    }

    /// Bytes of the stores that are not committed yet.
    var pendingBytes: Int { state.withLock { $0.pending.bytes } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Effect of the pending changes on a query.
    /// A pending change hides the row of its key.
    func lookUp(for key: CacheKey) -> PendingChanges.Finding { state.withLock { $0.pending.lookUp(for: key) } }

    /// Refuses changes from now on; accepted ones can still be committed. False when it was closed before.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
    }

    // MARK: Accepting changes

    /// Makes a change with the next shared transaction, at most 5 ms later. Queries see it immediately. `completion` runs once,
    /// after the commit, on the disk thread or on that of a blocking call.
    func enqueue(_ change: PendingChanges.Change, completion: Completion?) {
        enqueue(change, isAwaited: false, completion)
    }

    /// Makes a change; returns when it is committed.
    /// Fails with the error of its transaction.
    func perform(_ change: PendingChanges.Change) async throws(ImageError) {
        let result: Result<Void, ImageError> = await suspended { resume in
            enqueue(change, isAwaited: true) { resume($0) }
        }
        try result.get()
    }

    /// Makes a change and commits on the calling thread; blocks.
    func performNow(_ change: PendingChanges.Change) throws(ImageError) {
        let outcome = Monitor<Result<Void, ImageError>?>(nil)
        let refusal = accept(change) { result in
            outcome.withLock { $0 = result }
            outcome.signal()
        }
        if let refusal { throw refusal }
        commitAll()
        // Another thread may have included the change in its own transaction.
        let result: Result<Void, ImageError>? = outcome.wait { result, _ in result }
        try result?.get()
    }

    /// `isAwaited`: a caller waits, so the commit is not delayed.
    private func enqueue(_ change: PendingChanges.Change, isAwaited: Bool, _ completion: Completion?) {
        if let refusal = accept(change, completion) {
            completion?(.failure(refusal))
            return
        }
        switch state.withLock({ CommitQueue.schedule(&$0, isAwaited: isAwaited) }) {
        case .none: break
        case .now: lease.engine.disk.submit { [self] in commitStep() }
        case .later:
            lease.engine.disk.schedule(at: MonotonicClock.now &+ CommitQueue.commitDelay) { [weak self] in self?.commitStep() }
        }
    }

    /// The way in which a new change is committed. Called under the lock.
    private static func schedule(_ state: inout State, isAwaited: Bool) -> NextStep {
        let isFull = state.pending.count >= fullCount || state.pending.bytes >= fullBytes
        if isAwaited || isFull {
            defer { state.isSubmitted = true }
            return state.isSubmitted ? .none : .now
        }
        defer { state.isScheduled = true }
        // A commit that is submitted includes the change in any case.
        return state.isScheduled || state.isSubmitted ? .none : .later
    }

    /// Appends a change to the pending ones; returns an error when it is refused.
    private func accept(_ change: PendingChanges.Change, _ completion: Completion?) -> ImageError? {
        if Engine.isForked { return .forked }
        let (isClosed, isAccepted) = state.withLock { state in
            if state.isClosed { return (true, false) }
            // Removals take little memory, and are accepted above the limit, too.
            if case .store = change, state.pending.bytes > CommitQueue.pendingLimit { return (false, false) }
            state.pending.append(change, completion)
            return (false, true)
        }
        if isClosed { return .shutdown }
        if isAccepted { return nil }
        let refusal = ImageError(.busy, "disk cache: pending stores exceed the limit of \(CommitQueue.pendingLimit) bytes")
        counters.countStore(.failure(refusal))
        CommitQueue.log(refusal)
        return refusal
    }

    // MARK: Committing

    /// Commits all pending changes. On return, every change accepted before is committed or refused.
    /// Ends when the queue is empty; changes that are accepted meanwhile are committed, too.
    func commitAll() { while commitBatch() {} }

    /// Commits pending changes between two slices of a trim.
    var interlude: Trimmer.Interlude { { [weak self] in self?.commitAll() } }

    /// Commits one transaction on the disk thread, then yields to other work of that thread.
    private func commitStep() {
        // Changes from now on need another commit.
        state.withLock { state in
            state.isSubmitted = false
            state.isScheduled = false
        }
        guard commitBatch() else { return }
        let mustSubmit = state.withLock { state in
            defer { state.isSubmitted = true }
            return !state.isSubmitted
        }
        if mustSubmit { lease.engine.disk.submit { [self] in commitStep() } }
    }

    /// Commits one transaction; false when nothing was pending.
    private func commitBatch() -> Bool {
        // One transaction at a time, in the order of acceptance: a later change must not be committed first.
        var dropped: ImageError?
        let batch = committing.withLock { _ -> [(Completion?, Result<Void, ImageError>)] in
            let batch = state.withLock {
                $0.pending.next(limit: CommitQueue.batchCount, bytes: CommitQueue.batchBytes)
            }
            guard !batch.isEmpty else { return [] }
            let (results, isOpen) = commit(batch)
            // Counted first: statistics without pending bytes include all stores.
            for (operation, result) in zip(batch, results) {
                guard case .store = operation.change else { continue }
                counters.countStore(result)
                // The opener logs why the folder cannot be opened, once.
                if isOpen, case .failure(let error) = result { dropped = error }
            }
            // Only now may queries look at the rows.
            state.withLock { $0.pending.finish(batch) }
            return zip(batch, results).map { ($0.completion, $1) }
        }
        // Outside both locks, because a completion may call the cache.
        if let dropped { CommitQueue.log(dropped) }
        for (completion, result) in batch { completion?(result) }
        return !batch.isEmpty
    }

    /// On the callback thread: stores are refused while locks are held (`PendingStores.perform`).
    private static func log(_ error: ImageError) {
        Engine.callLater { Log.write(.error, "cache: store dropped: \(error.message.string)") }
    }

    /// The result of each change. An error of the transaction is that of all of them.
    /// `isOpen`: false if the folder could not be opened.
    private func commit(_ batch: [PendingChanges.Operation]) -> (results: [Result<Void, ImageError>], isOpen: Bool) {
        var isOpen = false
        do throws(ImageError) {
            var site = try opener.site()
            // A removed folder is created again, rather than written to without effect.
            if opener.closeIfGone(site) { site = try opener.site() }
            isOpen = true
            if case .removeAll? = batch.first?.change {
                try site.removeAll()
                trimmer.schedule(interlude)
                return ([.success(())], isOpen)
            }
            var transaction = CommitTransaction(in: site, clock: clock, inlineEntryLimit: inlineEntryLimit)
            let results = try transaction.commit(batch)
            trimmer.trimIfOver(site, interlude)
            return (results, isOpen)
        } catch { return (batch.map { _ in .failure(error) }, isOpen) }
    }
}
