import Glibc

extension DiskCache {
    /// Stores bytes; returns when they are committed.
    package func store(_ data: CachedData, for key: CacheKey) async throws(ImageError) {
        try await wait(for: .store(key, data))
    }

    /// Removes an entry; returns when that is committed.
    package func remove(_ key: CacheKey) async throws(ImageError) { try await wait(for: .remove(key)) }

    /// Removes all entries; returns when that is committed.
    package func removeAll() async throws(ImageError) { try await wait(for: .removeAll) }

    /// Commits all changes accepted before this call.
    package func flush() async throws(ImageError) {
        try check()
        await suspended { (resume: Resumption<Void>) in
            lease.engine.disk.submit { [self] in
                commitAll()
                resume()
            }
        }
    }

    /// Stores bytes with the next shared transaction, at most 5 ms later. Queries see them immediately. `completion` runs
    /// once, after the commit, on the disk thread or on that of a blocking call.
    package func enqueueStore(_ data: CachedData, for key: CacheKey, completion: Completion? = nil) {
        enqueue(.store(key, data), isAwaited: false, completion)
    }

    package func enqueueRemove(_ key: CacheKey, completion: Completion? = nil) {
        enqueue(.remove(key), isAwaited: false, completion)
    }

    package func enqueueRemoveAll(completion: Completion? = nil) { enqueue(.removeAll, isAwaited: false, completion) }

    /// Stores bytes and commits on the calling thread; blocks.
    package func storeNow(_ data: CachedData, for key: CacheKey) throws(ImageError) { try changeNow(.store(key, data)) }

    package func removeNow(_ key: CacheKey) throws(ImageError) { try changeNow(.remove(key)) }

    package func removeAllNow() throws(ImageError) { try changeNow(.removeAll) }

    /// Commits all pending changes on the calling thread; blocks.
    package func flushNow() throws(ImageError) {
        try check()
        commitAll()
    }

    private func wait(for change: PendingChanges.Change) async throws(ImageError) {
        let result: Result<Void, ImageError> = await suspended { resume in
            enqueue(change, isAwaited: true) { resume($0) }
        }
        try result.get()
    }

    private func changeNow(_ change: PendingChanges.Change) throws(ImageError) {
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

    private func enqueue(_ change: PendingChanges.Change, isAwaited: Bool, _ completion: Completion?) {
        if let refusal = accept(change, completion) {
            completion?(.failure(refusal))
            return
        }
        enum Step { case none, now, later }
        let step = state.withLock { state -> Step in
            let isFull = state.pending.count >= DiskCache.batchCount || state.pending.bytes >= DiskCache.pendingBytes
            if isAwaited || isFull {
                defer { state.isCommitSubmitted = true }
                return state.isCommitSubmitted ? .none : .now
            }
            defer { state.isCommitScheduled = true }
            return state.isCommitScheduled || state.isCommitSubmitted ? .none : .later
        }
        switch step {
        case .none: break
        case .now: lease.engine.disk.submit { [self] in commitStep() }
        case .later:
            lease.engine.disk.schedule(at: MonotonicClock.now &+ DiskCache.commitDelay) { [weak self] in self?.commitStep() }
        }
    }

    /// Appends a change to the pending ones; returns an error when it is refused.
    private func accept(_ change: PendingChanges.Change, _ completion: Completion?) -> ImageError? {
        if Engine.isForked { return .forked }
        let refusal = state.withLock { state -> ImageError? in
            if state.isClosed { return .shutdown }
            if case .store = change, state.pending.bytes > DiskCache.pendingLimit {
                return ImageError(.busy, "too many bytes wait to be stored")
            }
            state.pending.append(change, completion)
            return nil
        }
        if let refusal, refusal.status == .busy { counters.countStore(.failure(refusal)) }
        return refusal
    }
}
