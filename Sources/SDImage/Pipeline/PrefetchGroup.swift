/// Callbacks of a prefetched list, called through the prefetcher's dispatcher.
package protocol PrefetchHandler: AnyObject, Sendable {
    /// One of the list is done, be it with an error.
    func fetched(_ group: PrefetchGroup, index: Int, result: ImageResult)
    func progress(_ group: PrefetchGroup, finished: Int, total: Int)
    /// Nothing follows. Without a group the list was empty; `error` says that it was cancelled.
    func completed(_ group: PrefetchGroup?, finished: Int, skipped: Int, error: ImageError?)
}

/// A list of URLs that is prefetched: how far it is, what failed, and the promise that it completes once.
package final class PrefetchGroup: Sendable {
    /// One that could not be had.
    package struct Failure: Sendable {
        package let index: Int
        package let error: ImageError
    }

    /// How many are done, and how many of these without a picture.
    struct Counts {
        var finished = 0
        var skipped = 0
    }

    private struct State {
        var next = 0
        var tasks: [Int: LoadTask] = [:]
        var counts = Counts()
        /// The counts as the host was told.
        var told = Counts()
        var failures: [Failure] = []
        var isCancelled = false
        /// Pictures on their way into the array.
        var writing = 0
        /// The host was told that nothing follows.
        var isCompleted = false
        var handler: (any PrefetchHandler)?
        var owner: (any Sendable & AnyObject)?
    }

    package let urls: [[UInt8]]
    /// For each of them; the URL is replaced.
    let request: ImageRequest
    private let prefetcher: Prefetcher
    private let array: BatchArray?
    private let monitor: Monitor<State>

    init(
        _ urls: [[UInt8]], _ request: ImageRequest, _ prefetcher: Prefetcher, array: BatchArray?,
        handler: (any PrefetchHandler)?, owner: (any Sendable & AnyObject)?
    ) {
        self.array = array
        self.urls = urls
        self.request = request
        self.prefetcher = prefetcher
        var state = State()
        state.handler = handler
        state.owner = owner
        monitor = Monitor(state)
    }

    package var finishedCount: Int { monitor.withLock { $0.counts.finished } }
    package var skippedCount: Int { monitor.withLock { $0.counts.skipped } }
    package var failures: [Failure] { monitor.withLock { $0.failures } }
    package var isCancelled: Bool { monitor.withLock { $0.isCancelled } }
    package var isOver: Bool { monitor.withLock { isOver($0) && $0.writing == 0 } }

    private func isOver(_ state: borrowing State) -> Bool { state.isCancelled || state.counts.finished == urls.count }

    /// Ends its loads; what was not started never is.
    package func cancel() { prefetcher.cancel(self) }

    /// Waits until nothing of it is under way; false when `deadline` passed first.
    package func wait(deadline: UInt64) -> Bool {
        monitor.wait(deadline: deadline) { [self] state, _ in isOver(state) && state.writing == 0 ? true : nil } ?? false
    }
}

/// The side of the prefetcher.
extension PrefetchGroup {
    /// The place of the next URL to load, and whether it is the last one; nil when there is none.
    func takeNext() -> (index: Int, isLast: Bool)? {
        monitor.withLock { state in
            guard !state.isCancelled, state.next < urls.count else { return nil }
            state.next += 1
            return (state.next - 1, state.next == urls.count)
        }
    }

    /// Remembers a load, to be cancelled with the group; false when it is cancelled already.
    func attach(_ task: LoadTask, _ index: Int) -> Bool {
        monitor.withLock { state in
            guard !task.isFinished, !state.isCancelled else { return !state.isCancelled }
            state.tasks[index] = task
            return true
        }
    }

    /// The result once its picture is in the array; that of a list without one as it is. Nothing is written once the list is
    /// cancelled.
    func placed(_ result: ImageResult, at index: Int) -> ImageResult {
        guard let array, let image = result.image else { return result }
        let mayWrite = monitor.withLock { state in
            if !state.isCancelled { state.writing += 1 }
            return !state.isCancelled
        }
        guard mayWrite else { return result }
        defer {
            monitor.withLock { $0.writing -= 1 }
            monitor.broadcast()
        }
        do throws(ImageError) {
            try array.write(image, at: index)
            return result
        } catch {
            return ImageResult(kind: .final, error: error.about(url: result.url), url: result.url)
        }
    }

    /// False when it was cancelled before; its result is not delivered then.
    func note(_ result: ImageResult, at index: Int) -> Bool {
        let isCounted = monitor.withLock { state -> Bool in
            state.tasks[index] = nil
            guard !state.isCancelled else { return false }
            state.counts.finished += 1
            guard result.image == nil else { return true }
            state.counts.skipped += 1
            let error = result.error ?? ImageError(.notFound, "no picture, and loading is not allowed", url: result.url)
            state.failures.append(Failure(index: index, error: error))
            return true
        }
        if isCounted { monitor.broadcast() }
        return isCounted
    }

    /// The loads to cancel; nil when it is over already. Waits for the rows that are being written: after it the array is the
    /// caller's.
    func markCancelled() -> [LoadTask]? {
        let tasks = monitor.withLock { state -> [LoadTask]? in
            guard !isOver(state) else { return nil }
            state.isCancelled = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        _ = monitor.wait { state, _ in state.writing == 0 ? true : nil }
        monitor.broadcast()
        return tasks
    }

    var told: Counts { monitor.withLock { $0.told } }

    /// Counts one more that the host is told of; nil when it was told the end already.
    func tell(_ result: ImageResult) -> (counts: Counts, handler: (any PrefetchHandler)?)? {
        monitor.withLock { state in
            guard !state.isCompleted else { return nil }
            state.told.finished += 1
            if result.image == nil { state.told.skipped += 1 }
            return (state.told, state.handler)
        }
    }

    /// Tells the host the end, once.
    func complete(_ error: ImageError?) {
        let (counts, handler, owner) = monitor.withLock { state in
            defer {
                state.isCompleted = true
                state.handler = nil
                state.owner = nil
            }
            return (state.told, state.handler, state.owner)
        }
        handler?.completed(self, finished: counts.finished, skipped: counts.skipped, error: error)
        withExtendedLifetime(owner) {}
    }

    var isCompleted: Bool { monitor.withLock { $0.isCompleted } }
}
