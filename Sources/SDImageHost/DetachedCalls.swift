import Glibc
import SDImage

/// Runs calls on separate threads. When the operation is cancelled or its time has passed, the call is left behind.
///
/// Intended for libraries that cannot be interrupted: the thread of the operation is free again, and the call ends when it
/// ends. `CoderFunctions` uses one for each coder whose table asks for a stack of its own.
package final class DetachedCalls: Sendable {
    /// Maximum number of calls left behind at a time: more than one, so that a single endless image does not block all others;
    /// few, because each may keep a processor busy without end.
    private static let limit = 4
    /// Nanoseconds that a further call waits for one of them to end, within its own budget.
    private static let longestWait: UInt64 = 500_000_000
    /// Nanoseconds between two checks of the budget.
    private static let pollInterval: UInt64 = 10_000_000
    /// Nanoseconds allowed for a cancelled call to return by itself.
    private static let grace: UInt64 = 100_000_000

    /// State that the calling thread and the new one share.
    private struct Call<R: Sendable>: Sendable {
        /// nil until the call returns.
        var result: Result<R, ImageError>?
        var isLeftBehind = false
    }

    /// Stack of each thread.
    private let stackBytes: Int
    /// Number of calls left behind that have not returned.
    private let left = Monitor(0)

    package init(stackBytes: Int) { self.stackBytes = stackBytes }

    /// Runs `body` on a new thread and waits for it, but not longer than the budget. `body` may go on after this call, so it owns
    /// all that it uses.
    package func run<R: Sendable>(
        _ budget: WorkBudget, _ body: @escaping @Sendable () -> Result<R, ImageError>
    ) throws(ImageError) -> R {
        try waitForOthers(budget)
        let call = Monitor(Call<R>())
        let thread = try LibraryThread.start("sdimage-coder", stackBytes: stackBytes) { [left] in
            let result = body()
            let isLeftBehind = call.withLock { state in
                state.result = result
                return state.isLeftBehind
            }
            call.signal()
            if isLeftBehind {
                left.withLock { $0 -= 1 }
                left.broadcast()
            }
        }
        let result = wait(for: call, budget)
        if call.withLock({ $0.isLeftBehind }) { pthread_detach(thread) } else { pthread_join(thread, nil) }
        return try result.get()
    }

    /// Waits while too many calls are left behind; throws `timeout` if none returns.
    private func waitForOthers(_ budget: WorkBudget) throws(ImageError) {
        let end = MonotonicClock.now &+ DetachedCalls.longestWait
        let isFree = left.wait(deadline: end) { count, wakeAt -> Bool? in
            if count < DetachedCalls.limit || budget.failure != nil { return true }
            wakeAt = MonotonicClock.now &+ DetachedCalls.pollInterval
            return nil
        }
        try budget.check()
        guard isFree ?? false else {
            throw ImageError(.timeout, "coder: \(DetachedCalls.limit) earlier calls have not returned")
        }
    }

    /// Waits for the result, or leaves the call behind when the budget is spent. The decision is made under the lock of the call,
    /// so the thread sees it when it returns.
    private func wait<R: Sendable>(for call: Monitor<Call<R>>, _ budget: WorkBudget) -> Result<R, ImageError> {
        var graceEnd: UInt64?
        let result = call.wait { state, wakeAt -> Result<R, ImageError>? in
            if let result = state.result { return result }
            let now = MonotonicClock.now
            wakeAt = now &+ DetachedCalls.pollInterval
            guard let failure = budget.failure else { return nil }
            if failure.status == .cancelled {
                let end = graceEnd ?? now &+ DetachedCalls.grace
                graceEnd = end
                if now < end { return nil }
            }
            state.isLeftBehind = true
            left.withLock { $0 += 1 }
            return .failure(failure)
        }
        return result ?? .failure(.cancelled)
    }
}
