/// Callbacks of a prefetched list, called through the prefetcher's dispatcher.
package protocol PrefetchHandler: AnyObject, Sendable {
    /// One image of the list is done, possibly with an error.
    func fetched(_ group: PrefetchGroup, index: Int, result: ImageResult)
    /// The numbers after one more result was reported.
    func progress(_ group: PrefetchGroup, finished: Int, total: Int)
    /// The last callback. `group` is nil if the list was empty; `error` reports a cancellation.
    /// Called once, even after a cancellation.
    func completed(_ group: PrefetchGroup?, finished: Int, skipped: Int, error: ImageError?)
}

/// A list of URLs that is prefetched: its progress, its failures, and the guarantee that it completes once.
/// Made by `Prefetcher.start`, for prefetched lists and batches. Its state has a lock; callbacks run without it.
package final class PrefetchGroup: Sendable {
    /// An image that could not be loaded.
    package struct Failure: Sendable {
        package let index: Int
        package let error: ImageError
    }

    /// The number of finished loads, and of those without an image.
    struct Counts {
        var finished = 0
        var skipped = 0
    }

    /// Guarded by `monitor`.
    private struct State {
        /// Index of the next URL to load.
        var next = 0
        /// Loads under way, by index.
        var tasks: [Int: LoadTask] = [:]
        /// Counted when a load ends; `told` follows when the callback runs.
        var counts = Counts()
        /// The counts reported to the host.
        var told = Counts()
        var failures: [Failure] = []
        var isCancelled = false
        /// Number of images being written into the array.
        var writing = 0
        /// True after completion was reported to the host.
        var isCompleted = false
        var handler: (any PrefetchHandler)?
        /// Retained until completion was reported.
        var owner: (any Sendable & AnyObject)?
    }

    package let urls: [[UInt8]]
    /// The request for each image; its URL is replaced.
    let request: ImageRequest
    private let prefetcher: Prefetcher
    /// The array of a batch; nil for a list that is only cached.
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

    /// Includes images that could not be loaded.
    package var finishedCount: Int { monitor.withLock { $0.counts.finished } }
    package var skippedCount: Int { monitor.withLock { $0.counts.skipped } }
    package var failures: [Failure] { monitor.withLock { $0.failures } }
    package var isCancelled: Bool { monitor.withLock { $0.isCancelled } }
    /// True when no load and no write is under way, although callbacks may follow.
    package var isOver: Bool { monitor.withLock { isOver($0) && $0.writing == 0 } }

    private func isOver(_ state: borrowing State) -> Bool { state.isCancelled || state.counts.finished == urls.count }

    /// Cancels its loads; URLs that were not started are never loaded.
    package func cancel() { prefetcher.cancel(self) }

    /// Waits until no work of the group is under way; false if `deadline` passed first.
    /// `deadline`: monotonic nanoseconds.
    package func wait(deadline: UInt64) -> Bool {
        monitor.wait(deadline: deadline) { [self] state, _ in isOver(state) && state.writing == 0 ? true : nil } ?? false
    }
}

/// Functions for the prefetcher.
extension PrefetchGroup {
    /// The index of the next URL to load, and whether it is the last one; nil if there is none.
    /// Called under the lock of the prefetcher; it never calls back.
    func takeNext() -> (index: Int, isLast: Bool)? {
        monitor.withLock { state in
            guard !state.isCancelled, state.next < urls.count else { return nil }
            state.next += 1
            return (state.next - 1, state.next == urls.count)
        }
    }

    /// Stores a load, to cancel it with the group; false if the group is cancelled already.
    /// True for a load that has finished, which needs no cancellation.
    func attach(_ task: LoadTask, _ index: Int) -> Bool {
        monitor.withLock { state in
            guard !task.isFinished, !state.isCancelled else { return !state.isCancelled }
            state.tasks[index] = task
            return true
        }
    }

    /// The result after its image is written into the array; unchanged for a list without an array. Nothing is written after
    /// the list is cancelled.
    func placed(_ result: ImageResult, at index: Int) -> ImageResult {
        guard let array, let image = result.image else { return result }
        // Counted under the lock: `markCancelled` waits for writes that have begun, and none begins after it.
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

    /// Counts a result; false if the group was cancelled before, and the result must not be delivered.
    /// A load without an image and without an error comes from a policy that forbids loading; it counts as
    /// `notFound`.
    func note(_ result: ImageResult, at index: Int) -> Bool {
        let isCounted = monitor.withLock { state -> Bool in
            state.tasks[index] = nil
            guard !state.isCancelled else { return false }
            state.counts.finished += 1
            guard result.image == nil else { return true }
            state.counts.skipped += 1
            let error =
                result.error ?? ImageError(.notFound, "cache: no image, and the request does not allow loading", url: result.url)
            state.failures.append(Failure(index: index, error: error))
            return true
        }
        if isCounted { monitor.broadcast() }
        return isCounted
    }

    /// Cancels the group and returns its loads, to be cancelled; nil if it has ended. Waits for the rows that are being
    /// written: after this returns the array belongs to the caller.
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

    /// Counts one more result reported to the host; nil if completion was reported already.
    /// Called in the queue of callbacks, where the numbers only increase.
    func notify(_ result: ImageResult) -> (counts: Counts, handler: (any PrefetchHandler)?)? {
        monitor.withLock { state in
            guard !state.isCompleted else { return nil }
            state.told.finished += 1
            if result.image == nil { state.told.skipped += 1 }
            return (state.told, state.handler)
        }
    }

    /// Reports completion to the host, once.
    /// `error`: `cancelled`, or nil after all images are done. The counts no longer change; they include results whose report
    /// came too late. The handler and the owner are released after the call.
    func complete(_ error: ImageError?) {
        let (counts, handler, owner) = monitor.withLock { state in
            defer {
                state.isCompleted = true
                state.handler = nil
                state.owner = nil
            }
            return (state.counts, state.handler, state.owner)
        }
        handler?.completed(self, finished: counts.finished, skipped: counts.skipped, error: error)
        withExtendedLifetime(owner) {}
    }

    /// Ends without a report to the host. Releases the handler and the owner.
    func drop() {
        let released = monitor.withLock { state in
            defer { (state.isCompleted, state.handler, state.owner) = (true, nil, nil) }
            return (state.handler, state.owner)
        }
        withExtendedLifetime(released) {}
    }

    var isCompleted: Bool { monitor.withLock { $0.isCompleted } }
}
