/// The part of a load that a blocking call waits for: the look-up in caches.
/// Made by `ImageManager.start` for requests with `blockingReads`; `Load` reports its result or its miss.
final class BlockingLookup: Sendable {
    /// Only the first change from `running` has an effect.
    private enum State {
        case running
        case found(ImageResult)
        case missed
    }

    private let monitor = Monitor(State.running)

    /// Passes the final result to the waiting call; false if the load has left the caches.
    /// The result must then be delivered by the task itself.
    func finish(_ result: ImageResult) -> Bool {
        let isWaiting = monitor.withLock { state -> Bool in
            guard case .running = state else { return false }
            state = .found(result)
            return true
        }
        monitor.signal()
        return isWaiting
    }

    /// Notes that the caches do not have the image.
    func miss() {
        monitor.withLock { state in if case .running = state { state = .missed } }
        monitor.signal()
    }

    /// The result, or nil if the load continued without one; blocks.
    func wait() -> ImageResult? {
        let end: State? = monitor.wait { state, _ in if case .running = state { nil } else { state } }
        if case .found(let result) = end { return result }
        return nil
    }
}
