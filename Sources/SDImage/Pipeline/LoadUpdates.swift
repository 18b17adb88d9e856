/// The progress of a load, for tasks that join it late. An object, because few of many waiting loads have one.
/// A member is set before the tasks are notified, so that a task that joins meanwhile gets it twice rather than
/// never.
final class LoadUpdates: @unchecked Sendable {
    // Unchecked: used under the lock of the load.
    var progress: (received: Int64, expected: Int64)?
    var head: ReceivedHead?
    /// The cached image that is being revalidated.
    var cached: LoadOutcome?
    /// The latest partial image.
    var partial: (image: Image, source: ImageSource)?
    /// The latest preview, and whether a worker is preparing one.
    var preview: Image?
    var isPreparing = false
    /// Ends the preparation of a preview.
    var stop: CancellationToken?
}

/// Deliveries to the tasks of a load.
/// Called on workers and on threads of loaders. The list of tasks is copied before the first one is notified.
extension Load {
    /// Gives a task that joined late what the others have received so far.
    /// In this order: head, progress, cached image, partial image.
    func update(_ task: LoadTask) {
        let (progress, head, cached, partial) = updates.withLock { ($0?.progress, $0?.head, $0?.cached, $0?.partial) }
        if let head { task.note(head) }
        if let progress { task.report(received: progress.received, expected: progress.expected) }
        if let cached { task.deliver(result(cached, .cached, for: task)) }
        if let partial {
            let outcome = LoadOutcome(image: partial.image, source: partial.source)
            task.show(result(outcome, .partial, for: task), isEarlier: true)
        }
    }

    /// Calls `body` under the lock of `updates`, with the record, which is made on the first call.
    private func change<R: Sendable>(_ body: (LoadUpdates) -> R) -> R {
        updates.withLock { updates in
            let changed = updates ?? LoadUpdates()
            updates = changed
            return body(changed)
        }
    }

    /// `received`: bytes of the body so far. `expected`: its length; -1 if it is unknown.
    func didReceive(_ received: Int64, _ expected: Int64) {
        change { $0.progress = (received, expected) }
        for task in tasks { task.report(received: received, expected: expected) }
    }

    /// The head of a retry replaces that of an earlier try.
    func didRespond(_ head: ReceivedHead) {
        let old = change { updates in
            defer { updates.head = head }
            return updates.head
        }
        withExtendedLifetime(old) {}
        for task in tasks { task.note(head) }
    }

    /// Delivers the cached image, which is being revalidated.
    func deliver(cached outcome: LoadOutcome) {
        change { $0.cached = outcome }
        for task in tasks { task.deliver(result(outcome, .cached, for: task)) }
    }

    /// Delivers a partial image.
    func show(_ image: Image, of source: ImageSource) {
        let old = change { updates in
            defer { updates.partial = (image, source) }
            return updates.partial
        }
        withExtendedLifetime(old) {}
        let outcome = LoadOutcome(image: image, source: source)
        for task in tasks { task.show(result(outcome, .partial, for: task)) }
    }

    /// Times are those of the load, except for the total, which is that of the task.
    func result(_ outcome: LoadOutcome, _ kind: DeliveryKind, for task: LoadTask) -> ImageResult {
        var timings = kind == .final ? context.timings : StageTimings()
        if kind != .cached { timings.total = MonotonicClock.now - task.started }
        return ImageResult(
            kind: kind, image: outcome.image, data: outcome.data, error: outcome.error?.about(url: task.url),
            source: outcome.source, isChanged: outcome.isChanged, isStale: outcome.isStale, freshness: outcome.rule,
            url: task.url, cacheKey: context.keys.printed, timings: timings,
            transactions: outcome.error?.transactions ?? outcome.transactions, response: kind == .final ? task.response : nil)
    }

    /// The final result, which may be an error.
    func result(_ outcome: Result<LoadOutcome, ImageError>, for task: LoadTask) -> ImageResult {
        switch outcome {
        case .success(let outcome): return result(outcome, .final, for: task)
        case .failure(let error):
            Log.write(.info, "load: failed: \(error.message.string) (\(error.status.name)) \(context.urlForLog)")
            return result(LoadOutcome(error: error), .final, for: task)
        }
    }

    // MARK: previews

    /// Delivers a preview from the loader, prepared on a worker. If several arrive meanwhile, only the latest is delivered.
    /// Previews are decoded images of the host, such as an embedded thumbnail; the loader may send any number of
    /// them.
    func didPreview(_ image: Image) {
        let (old, isPreparing) = change { updates -> (Image?, Bool) in
            defer { (updates.preview, updates.isPreparing) = (image, true) }
            return (updates.preview, updates.isPreparing)
        }
        withExtendedLifetime(old) {}
        if isPreparing { return }
        context.engine.work.submit(context.priority) { [self] in
            while let next = nextPreview() { prepare(next) }
        }
    }

    /// nil ends the loop, and the next preview starts another one.
    private func nextPreview() -> Image? {
        change { updates in
            defer { (updates.preview, updates.isPreparing) = (nil, updates.preview != nil) }
            return updates.preview
        }
    }

    /// Fits and transforms a preview as the request specifies, and delivers it.
    private func prepare(_ preview: Image) {
        let (request, stop) = (context.request, CancellationToken(priority: context.priority))
        stop.allow(nanoseconds: request.decodeOptions.limits.workNanoseconds)
        change { $0.stop = stop }
        // The final image follows in any case. A load that ends from now on stops the preview.
        guard !isFinished, let fitted = try? context.registry.fit(preview.still, options: request.decodeOptions, stop: stop),
            let image = try? context.keys.transformed(fitted, request, stop)
        else { return }
        show(image, of: .loader)
    }

    /// Ends the preparation of previews.
    /// Called when the load ends.
    func stopPreview() {
        updates.withLock { $0?.stop }?.cancel()
    }
}
