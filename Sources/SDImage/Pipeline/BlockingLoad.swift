/// The calls of a manager that wait.
/// They never block a thread of the library, because the work that they wait for may need that thread.
extension ImageManager {
    /// Loads on the calling thread; returns a result with an error too.
    /// Blocks until the load ends. Throws only if no load could be started.
    package func loadNow(_ prepared: PreparedRequest) throws(ImageError) -> ImageResult {
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "manager: blocking load on a library thread") }
        // A hit in memory needs no wait.
        let finding = found(prepared, isHandled: false, token: 0)
        if case .found(_, let result) = finding { return result }
        let hasMissed = if case .missed = finding { true } else { false }
        var request = prepared.request
        // There is no callback, so nothing needs a queue.
        request.dispatcher = .none
        let task = try load(PreparedRequest(request), handler: nil, token: 0, hasMissed: hasMissed)
        _ = task.waitForResult(deadline: .max)
        guard let result = task.result else { throw ImageError(.internalError, "manager: load ended without a result") }
        return result
    }

    /// Waits until no load is under way and the last callbacks have returned, except those that the program takes from a queue.
    /// `deadline`: monotonic nanoseconds. Throws `timeout` when it passes first.
    package func waitForAll(deadline: UInt64) throws(ImageError) {
        if Engine.isForked { throw .forked }
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "manager: wait on a library thread") }
        // Loads of a queue of the program are awaited up to their result only: their callbacks may need this thread.
        while let task = tasks.first(where: { !($0.isFinished && $0.isTakenByTheProgram) }) {
            let hasEnded =
                task.isTakenByTheProgram ? task.waitForResult(deadline: deadline) : task.waitForDelivery(deadline: deadline)
            if !hasEnded { throw ImageError(.timeout, "manager: loads are still under way") }
        }
    }

    /// Waits for the last callbacks of loads that `close` returned, and for queued encodes. On a library thread, which may be in
    /// such a callback, it returns at once.
    /// Throws `timeout` when callbacks are still running at `deadline`.
    package func finish(_ tasks: [LoadTask], deadline: UInt64) throws(ImageError) {
        if LibraryThread.isCurrent { return }
        finishEncodes(deadline: deadline)
        for task in tasks where !task.isWaitingFutile && !task.waitForDelivery(deadline: deadline) {
            throw ImageError(.timeout, "manager: callbacks still running")
        }
    }
}
