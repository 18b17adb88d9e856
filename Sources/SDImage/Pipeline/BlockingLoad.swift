/// The calls of a manager that wait.
extension ImageManager {
    /// Loads on the calling thread; returns a result with an error too.
    package func loadNow(_ prepared: PreparedRequest) throws(ImageError) -> ImageResult {
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "manager: blocking load on a library thread") }
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
    package func waitForAll(deadline: UInt64) throws(ImageError) {
        if Engine.isForked { throw .forked }
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "manager: wait on a library thread") }
        while let task = tasks.first(where: { !($0.isFinished && $0.isTakenByTheProgram) }) {
            let hasEnded =
                task.isTakenByTheProgram ? task.waitForResult(deadline: deadline) : task.waitForDelivery(deadline: deadline)
            if !hasEnded { throw ImageError(.timeout, "manager: loads are still under way") }
        }
    }

    /// Waits for the last callbacks of loads that `close` returned, and for queued encodes. On a library thread, which may be in
    /// such a callback, it returns at once.
    package func finish(_ tasks: [LoadTask], deadline: UInt64) throws(ImageError) {
        if LibraryThread.isCurrent { return }
        finishEncodes(deadline: deadline)
        for task in tasks where !task.isWaitingFutile && !task.waitForDelivery(deadline: deadline) {
            throw ImageError(.timeout, "manager: callbacks still running")
        }
    }
}
