/// One load into a slot of a target. Its callbacks to the host run in the target's queue of calls.
/// Made by `ImageTarget.load`; the handler of its `LoadTask`. `state` is its lock; callbacks run without it.
final class TargetLoad: LoadHandler {
    /// Reason why nothing more of the load is shown.
    /// Distinguishes the loads that leave their slot to another one.
    enum End {
        case cancelled
        /// Another load or the target's closing decides what is shown.
        case replaced
    }

    /// Guarded by `TargetLoad.state`.
    private struct State {
        /// Reason of the end; nil while the load may show images.
        var end: End?
        /// The task of the manager; nil before `start` and after the final result.
        var task: LoadTask?
        /// The handler of the caller; nil after the final result.
        var handler: (any LoadHandler)?
        /// The manager that the options name; nil after the end, because the queue of calls may hold the load for long.
        var hold: ManagerHold?
        /// The result was accepted for display: ending the load no longer changes its outcome.
        var isSettled = false
        /// The handler has received FINAL, or the load was refused.
        var isTold = false
        /// Result delivered when the transition has ended.
        var waiting: (task: LoadTask, result: ImageResult)?
        /// True between the calls that start and stop the indicator.
        var isIndicating = false
        /// True while the host draws a transition.
        var isAnimating = false
        /// True after a cached image that is being revalidated was set.
        var hasShownCached = false
        /// The image it set last.
        var shown: Image?
    }

    /// Without the manager.
    let options: TargetOptions
    /// With the dispatcher of the target, in which the deliveries of the load take their place among its other calls.
    let request: ImageRequest
    /// Constant: the task reads it when it is made.
    let wantsProgress: Bool
    private let token: UInt
    private let manager: ImageManager
    private let target: ImageTarget
    private let state: Lock<State>
    private var key: CString { options.key.text }
    private var host: any TargetHost { target.host }

    init(
        _ target: ImageTarget, _ manager: ImageManager, _ request: ImageRequest, _ options: TargetOptions,
        handler: (any LoadHandler)?, token: UInt
    ) {
        self.target = target
        self.manager = manager
        var (request, options) = (request, options)
        var state = State()
        state.handler = handler
        state.hold = options.manager
        options.manager = nil
        // Also releases the dispatcher of the request, which would stay open as long as its queue holds this load.
        request.dispatcher = .value(target.calls)
        request.options[TargetKey.optionName] = .string(options.key.text)
        self.request = request
        self.options = options
        self.token = token
        // The indicator of the host needs progress although the handler does not.
        wantsProgress = handler?.wantsProgress == true || target.host.showsProgress
        self.state = Lock(state)
    }

    var task: LoadTask? { state.withLock { $0.task } }
    /// True if nothing more may be shown.
    private var hasEnded: Bool { target.isClosed || state.withLock { $0.end != nil } }
    private var handler: (any LoadHandler)? { state.withLock { $0.handler } }

    /// The placeholder shown at the beginning.
    /// Runs on the calling thread. Cached images of the same URL precede the placeholder of the options.
    func placeholder() -> Image? {
        if !request.url.isEmpty {
            switch options.cachedPlaceholder {
            case .none: break
            case .memory: if let image = manager.relatedImage(request) { return image }
            case .memoryAndDisk:
                if let image = manager.cachedImage(request) ?? manager.relatedImage(request) { return image }
            }
        }
        return options.placeholder.image
    }

    /// Runs in the queue of calls: shows the placeholder and starts the indicator.
    func begin(_ placeholder: Image?) {
        guard !hasEnded else { return }
        if !options.showsPlaceholderOnFailure { target.show(options.key, placeholder, nil) }
        // The first callback may have ended this load.
        let isIndicating = state.withLock { state in
            state.isIndicating = state.end == nil
            return state.isIndicating
        }
        if isIndicating { host.startIndicator(key) }
    }

    /// Starts the load in the manager; nil without a URL.
    /// Runs on the calling thread.
    func start(owner: (any Sendable & AnyObject)?) throws(ImageError) -> LoadTask? {
        guard !request.url.isEmpty else {
            conclude(ImageError(.invalidURL, "target: request has no URL"))
            return nil
        }
        guard !hasEnded else { return conclude(.cancelled) }
        do throws(ImageError) {
            let task = try manager.load(request, handler: self, token: token, owner: owner)
            let (hasEnded, isSettled) = state.withLock { state in
                // The result may have been delivered before this returns.
                if !state.isTold { state.task = task }
                return (state.end != nil, state.isSettled)
            }
            // Ended meanwhile, when there was no task to cancel.
            if hasEnded { task.cancel(replacesResult: !isSettled) }
            return task
        } catch {
            // The load that replaced this one may already have sent the end to the handler: then this load counts as started.
            guard refuse() else { return conclude(.cancelled) }
            throw error
        }
    }

    /// Handles a load refused by the manager, for which the handler gets no result; false if it has already received one.
    private func refuse() -> Bool {
        let (released, wasTold) = state.withLock { state in
            defer { (state.isTold, state.handler, state.hold) = (true, nil, nil) }
            return ((state.handler, state.hold), state.isTold)
        }
        withExtendedLifetime(released) {}
        target.calls.perform { [self] in
            stopIndicator()
            target.forget(self)
        }
        return !wasTold
    }

    /// Ends the load without the manager.
    /// Makes a task that has finished with `error`. `inTurn`: delivered by the queue of calls; otherwise now.
    @discardableResult
    private func conclude(_ error: ImageError, inTurn: Bool = true) -> LoadTask {
        let url = request.urlText.redacted
        let result = ImageResult(kind: .final, error: error.about(url: url), url: url)
        let task = LoadTask(
            url: url, token: token, dispatcher: target.calls, priority: request.priority, handler: inTurn ? self : nil,
            owner: nil,
            observers: manager.observers, lease: target.lease)
        task.finish(result, inline: true)
        if !inTurn { self.result(task, result) }
        return task
    }

    /// Ends the load when it is replaced or cancelled, or when the target is closed.
    /// A result that was accepted for display stays the outcome of the task.
    func end(_ end: End) {
        let (task, isSettled, hold) = state.withLock { state in
            state.end = end
            defer { state.hold = nil }
            return (state.task, state.isSettled, state.hold)
        }
        task?.cancel(replacesResult: !isSettled)
        target.calls.perform { [self] in
            endTransition(finished: false)
            // Replaced before it began: reported now, because the replacement comes next.
            if task == nil, !state.withLock({ $0.isTold }) { conclude(.cancelled, inTurn: false) }
        }
        // May close the manager.
        withExtendedLifetime(hold) {}
    }

    // MARK: Deliveries

    /// Runs in the queue of calls.
    func progress(_ task: LoadTask, received: Int64, expected: Int64) {
        guard !hasEnded else { return }
        let fraction = expected > 0 ? min(1, max(0, Double(received) / Double(expected))) : 0
        host.updateIndicator(key, fraction: fraction)
        handler?.progress(task, received: received, expected: expected)
    }

    /// Runs in the queue of calls.
    func result(_ task: LoadTask, _ result: ImageResult) {
        switch result.kind {
        case .final: finish(task, result)
        case .cached:
            guard !hasEnded else { return }
            // Before the callback, which may end the load.
            state.withLock { $0.hasShownCached = true }
            set(result)
            handler?.result(task, result)
        case .partial:
            guard !hasEnded else { return }
            if options.isManual { handler?.result(task, result) } else { set(result) }
        }
    }

    /// Shows and delivers the final result.
    private func finish(_ task: LoadTask, _ result: ImageResult) {
        stopIndicator()
        let result = settled(task, result)
        if result.error?.status == .cancelled {
            showPlaceholderOfCancelled()
            return notify(task, result)
        }
        // The handler is called after the image is set, unless it waits for the transition.
        show(result)
        let waits = state.withLock { state in
            if state.isAnimating, options.waitsForTransition { state.waiting = (task, result) }
            return state.waiting != nil
        }
        if !waits { notify(task, result) }
    }

    /// The outcome of the load, for its task and its handler: CANCELLED if the load has ended before its image is set.
    /// Decides once; `end` no longer changes the outcome after it.
    private func settled(_ task: LoadTask, _ result: ImageResult) -> ImageResult {
        let isClosed = target.isClosed
        let isTooLate = state.withLock { state in
            state.isSettled = !isClosed && state.end == nil
            return !state.isSettled
        }
        guard isTooLate, result.error?.status != .cancelled else { return result }
        task.cancel(replacesResult: true)
        return task.result ?? result
    }

    /// Delivers the final result to the handler.
    /// The load is forgotten afterwards, or at the end of its transition.
    private func notify(_ task: LoadTask, _ result: ImageResult) {
        let (handler, hold) = state.withLock { state in
            defer { (state.isTold, state.handler, state.hold) = (true, nil, nil) }
            return (state.handler, state.hold)
        }
        handler?.result(task, result)
        withExtendedLifetime(hold) {}
        let isOver = state.withLock { state in
            state.task = nil
            return !state.isAnimating
        }
        if isOver { target.forget(self) }
    }

    /// Stops the indicator if this load started it.
    private func stopIndicator() {
        let wasIndicating = state.withLock { state in
            defer { state.isIndicating = false }
            return state.isIndicating
        }
        if wasIndicating, !target.isClosed { host.stopIndicator(key) }
    }

    // MARK: Display

    /// Sets a partial or cached image, without a transition.
    private func set(_ result: ImageResult) {
        guard let image = result.image, !options.isManual else { return }
        endOtherTransitions()
        state.withLock { $0.shown = image }
        target.show(options.key, image, result)
    }

    /// Shows the final image, or the placeholder after a failure.
    private func show(_ result: ImageResult) {
        let image: Image?
        if let loaded = result.image {
            // The same image was set by an earlier delivery.
            let isSame = state.withLock { $0.shown === loaded || $0.hasShownCached && !result.isChanged }
            if options.isManual || isSame { return }
            image = loaded
        } else {
            guard options.showsPlaceholderOnFailure else { return }
            image = options.placeholder.image
        }
        endOtherTransitions()
        state.withLock { $0.shown = image }
        if animates(result) { animate(image, result) } else { put(image, result) }
    }

    /// Shows the placeholder that is due on failure, without a transition. A replaced load leaves the slot to the next one.
    private func showPlaceholderOfCancelled() {
        guard options.showsPlaceholderOnFailure, !target.isClosed, state.withLock({ $0.end != .replaced }) else { return }
        endOtherTransitions()
        let image = options.placeholder.image
        state.withLock { $0.shown = image }
        target.show(options.key, image, nil)
    }

    /// Sets an image. A placeholder has no result.
    private func put(_ image: Image?, _ result: ImageResult) {
        target.show(options.key, image, result.image == nil ? nil : result)
    }

    /// A new image ends the transitions of other loads in the slot.
    private func endOtherTransitions() {
        for other in target.others(than: self) { other.endTransition(finished: false) }
    }

    /// True when the transition is animated. An image that the starting call waits for is available as early as one from memory.
    private func animates(_ result: ImageResult) -> Bool {
        guard !options.transition.isNone, host.canAnimate else { return false }
        switch result.source {
        case .none, .network, .loader: return true
        // Waiting calls get images of the disk before they return.
        case .disk, .remote: return options.alwaysAnimates || !request.blockingReads.contains(.disk)
        case .memory: return options.alwaysAnimates
        }
    }

    /// Calls the host for a transition, and schedules its end.
    private func animate(_ image: Image?, _ result: ImageResult) {
        state.withLock { $0.isAnimating = true }
        host.prepareTransition(key, options.transition, image, result)
        // Each callback may end the load.
        if options.transitionSetsImage, !hasEnded { put(image, result) }
        if !hasEnded { host.animateTransition(key, options.transition, image) }
        if hasEnded { return }
        let end = MonotonicClock.now.addingSaturated(
            .saturatingNanoseconds(milliseconds: options.transition.durationMilliseconds))
        target.lease.engine.executor.schedule(at: end) { [weak self] in
            guard let self else { return }
            target.calls.perform { [self] in endTransition(finished: true) }
        }
    }

    /// Takes effect once per transition; then delivers the result that was waiting for its end.
    func endTransition(finished: Bool) {
        let (wasAnimating, waiting) = state.withLock { state in
            defer {
                state.isAnimating = false
                state.waiting = nil
            }
            return (state.isAnimating, state.waiting)
        }
        guard wasAnimating else { return }
        if !target.isClosed { host.endTransition(key, finished: finished) }
        if let (task, result) = waiting { return notify(task, result) }
        if state.withLock({ $0.isTold }) { target.forget(self) }
    }
}
