import Synchronization

/// Fetching: the part of a load that obtains bytes from a loader.
extension LoadPipeline {
    /// True if the load does nothing with the bytes before all have arrived, and the request is sent without a hook that may
    /// change it. Never true for a background revalidation, which depends on freshness.
    func waitsIdly(for loader: any ImageLoader) -> Bool {
        policy == .ignore && !request.isProgressive && !request.endsEarly && !loader.prepares(request)
    }

    /// Waits for a transfer without holding a task: thousands of loads may wait, at little more than the size of their requests.
    func wait(for loader: any ImageLoader, _ timings: StageTimings) {
        let start = MonotonicClock.now
        let waiter = manager.fetches.waiter(progress(nil))
        task.attach(waiter)
        do throws(ImageError) {
            try validate()
            try admit(request)
            try refuseFailed(loader, request)
        } catch {
            return task.attach(Task(executorPreference: engine.executor) { self.end(.failure(error), timings) })
        }
        share(waiter, loader, request, LeaseRequest(self, loader, newerThan: 0)) { [self] outcome in
            // The load was cancelled meanwhile.
            if task.isFinished { return }
            task.attach(
                Task(executorPreference: engine.lane(request.priority)) {
                    var timings = timings
                    timings.load = MonotonicClock.now - start
                    await self.arrived(outcome, loader, timings)
                })
        }
    }

    /// Fetches `request` from the loader: the load's own request, or its conditional form.
    func fetch(
        _ loader: any ImageLoader, _ request: ImageRequest, subscription: ProgressiveSubscription? = nil,
        leasing: LeaseRequest? = nil,
        _ timings: inout StageTimings
    ) async throws(ImageError) -> FetchResult {
        try admit(request)
        let start = MonotonicClock.now
        defer { timings.load = MonotonicClock.now - start }
        do throws(ImageError) {
            guard let subscription, request.endsEarly else { return try await transfer(loader, request, subscription, leasing) }
            return try await subscription.wait(
                for: Task(executorPreference: engine.executor) { [self] in
                    await outcome(loader, request, subscription, leasing)
                })
        } catch {
            remember(error, of: loader)
            throw error
        }
    }

    private func outcome(
        _ loader: any ImageLoader, _ request: ImageRequest, _ subscription: ProgressiveSubscription, _ leasing: LeaseRequest?
    ) async -> Result<FetchResult, ImageError> {
        do throws(ImageError) { return .success(try await transfer(loader, request, subscription, leasing)) } catch {
            return .failure(error)
        }
    }

    /// Fetches all bytes by a transfer that equal requests share.
    private func transfer(
        _ loader: any ImageLoader, _ request: ImageRequest, _ subscription: ProgressiveSubscription?, _ leasing: LeaseRequest?
    ) async throws(ImageError) -> FetchResult {
        let request = try await loader.prepared(request)
        try refuseFailed(loader, request)
        let waiter = manager.fetches.waiter(progress(subscription))
        let outcome: Result<FetchResult, ImageError> = await withTaskCancellationHandler {
            await suspended { resume in share(waiter, loader, request, leasing) { resume($0) } }
        } onCancel: {
            waiter.cancel()
        }
        return try outcome.get()
    }

    private func progress(_ subscription: ProgressiveSubscription?) -> LoadProgress {
        LoadProgress(task.report(received:expected:), arrival: subscription?.arrival, response: task.note, picture: show)
    }

    /// Delivers a preview on a worker. If several arrive meanwhile, only the latest is delivered.
    private func show(_ standIn: Image) {
        let (old, isBusy) = standIns.withLock { state -> (Image?, Bool) in
            defer { state = (standIn, true) }
            return (state.next, state.isBusy)
        }
        withExtendedLifetime(old) {}
        if isBusy { return }
        engine.work.submit(request.priority) { [self] in
            while let next = nextStandIn() { deliver(next) }
        }
    }

    private func nextStandIn() -> Image? {
        standIns.withLock { state -> Image? in
            defer { state = (nil, state.next != nil) }
            return state.next
        }
    }

    /// Fits and transforms a preview as the request specifies, and delivers it.
    private func deliver(_ standIn: Image) {
        let stop = StopSignal()
        stop.allow(nanoseconds: request.decodeOptions.limits.workNanoseconds)
        guard task.attachPartial(stop) else { return }
        // The final image follows in any case.
        guard let fitted = try? registry.fit(standIn.still, options: request.decodeOptions, stop: stop),
            let image = try? keys.transformed(fitted, request, stop)
        else { return }
        var timings = StageTimings()
        timings.total = MonotonicClock.now - task.started
        task.show(
            ImageResult(kind: .partial, image: image, source: .loader, url: task.url, cacheKey: keys.text, timings: timings))
    }

    /// Joins the transfer under way, or starts one.
    private func share(
        _ waiter: Coalescer<FetchKey, FetchResult>.Waiter, _ loader: any ImageLoader, _ request: ImageRequest,
        _ leasing: LeaseRequest?,
        _ completion: @escaping @Sendable (Result<FetchResult, ImageError>) -> Void
    ) {
        noteSent(request)
        let sharing = loader.sharingKey(request)
        let key = FetchKey(
            loader: ObjectIdentifier(loader), url: sharing ?? [], alone: sharing == nil ? ObjectIdentifier(self) : nil,
            maxBodyBytes: request.maxBodyBytes, timeout: request.timeoutMilliseconds,
            acceptsInvalidCertificates: request.acceptsInvalidCertificates, handlesCookies: request.handlesCookies,
            leasing: leasing?.identity)
        manager.fetches.join(
            waiter, for: key,
            joined: { if let sharing { loader.raisePriority(sharing, to: request.priority) } },
            shared: { $0.noteShared() },
            start: { [engine] progress, done in
                if let leasing { return obtain(loader, request, leasing, progress, done) }
                return loader.begin(request, progress: progress, on: engine.executor) { outcome in
                    done(outcome.map { FetchResult($0.noted(request, loader), engine.backlog) })
                }
            }, completion: completion)
    }
}
