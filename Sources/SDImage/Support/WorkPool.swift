import Glibc

/// A bounded set of threads for work that computes or blocks: codecs and kernels, or hooks of the host.
///
/// A priority queue: high before normal before low, each in order. Low work, which nobody waits for, leaves one
/// thread free. Threads start as work arrives.
package final class WorkPool: Sendable {
    private struct State {
        var lanes: [FIFO<@Sendable () -> Void>] = [FIFO(), FIFO(), FIFO()]
        var threads: [pthread_t] = []
        var idle = 0
        var runningLow = 0
        var isStopping = false
    }

    private let name: String
    private let limit: Int
    private let monitor = Monitor(State())

    package init(name: String, threads limit: Int) {
        self.name = name
        self.limit = max(1, limit)
    }

    package func submit(_ priority: LoadPriority, _ body: @escaping @Sendable () -> Void) {
        let accepted = monitor.withLock { state -> Bool in
            guard !state.isStopping else { return false }
            let queued = state.lanes[0].count + state.lanes[1].count + state.lanes[2].count
            if queued >= state.idle, state.threads.count < limit, let thread = start() { state.threads.append(thread) }
            // Queued only where a thread will take it: what runs here must not run there too.
            if !state.threads.isEmpty { state.lanes[WorkPool.lane(priority)].append(body) }
            return !state.threads.isEmpty
        }
        // Stopped, or not even one thread to be had: better slow than never.
        if accepted { monitor.signal() } else { body() }
    }

    /// Runs `body` on a worker and returns what it returned.
    package func run<R: Sendable>(
        _ priority: LoadPriority, _ body: @escaping @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        let result: Result<R, ImageError> = unsafe await withUnsafeContinuation { continuation in
            submit(priority) {
                do throws(ImageError) {
                    unsafe continuation.resume(returning: .success(try body()))
                } catch {
                    unsafe continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Runs what is queued, then ends the threads. Must not be called on one of them.
    package func stop() {
        let threads = monitor.withLock { state in
            state.isStopping = true
            return state.threads
        }
        monitor.broadcast()
        for thread in threads { _ = pthread_join(thread, nil) }
    }

    private static func lane(_ priority: LoadPriority) -> Int {
        switch priority {
        case .high: 0
        case .normal: 1
        case .low: 2
        }
    }

    private func start() -> pthread_t? {
        do throws(ImageError) { return try LibraryThread.start(name) { [self] in loop() } } catch { return nil }
    }

    private func loop() {
        while let (body, isLow) = next() {
            body()
            if isLow {
                monitor.withLock { $0.runningLow -= 1 }
                monitor.signal()
            }
        }
    }

    private func next() -> (@Sendable () -> Void, Bool)? {
        var isWaiting = false
        return monitor.wait { state, _ -> (@Sendable () -> Void, Bool)?? in
            if isWaiting { state.idle -= 1 }
            isWaiting = false
            if let body = state.lanes[0].popFirst() ?? state.lanes[1].popFirst() { return (body, false) }
            if state.runningLow < max(1, limit - 1) || state.isStopping, let body = state.lanes[2].popFirst() {
                state.runningLow += 1
                return (body, true)
            }
            if state.isStopping { return .some(nil) }
            state.idle += 1
            isWaiting = true
            return nil
        } ?? nil
    }
}
