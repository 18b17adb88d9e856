import CSystem

/// Suspends the current task until the resumption passed to `body` is called: once, on any thread, maybe before `body` returns.
/// Swift tasks wait in this way for threads and callbacks; no thread blocks.
package func suspended<R: Sendable>(_ body: (Resumption<R>) -> Void) async -> R {
    var task: UInt = 0
    let result = unsafe await withUnsafeContinuation { (continuation: UnsafeContinuation<R, Never>) in
        let resumption = unsafe Resumption(continuation: continuation)
        task = resumption.task
        body(resumption)
    }
    // The Swift runtime does not inform ThreadSanitizer of a task that was resumed before it was suspended.
    unsafe csys_note_acquire(UnsafeRawPointer(bitPattern: task))
    return result
}

/// The same; `onCancel` is called when the task is cancelled, possibly before `body`. It is to resume the task early, or to end
/// what the task waits for.
/// `onCancel` runs on the thread that cancels, at most once.
package func suspended<R: Sendable>(
    _ body: (Resumption<R>) -> Void, onCancel: @escaping @Sendable () -> Void
) async -> R {
    await withTaskCancellationHandler {
        await suspended(body)
    } onCancel: {
        onCancel()
    }
}

/// Runs `body` with a token that is cancelled with the current task, for code that does not suspend.
package func withCancellationToken<R: Sendable>(_ body: (CancellationToken) async -> R) async -> R {
    let stop = CancellationToken()
    return await withTaskCancellationHandler {
        await body(stop)
    } onCancel: {
        stop.cancel()
    }
}

/// Resumes a suspended task with a value.
/// Must be called exactly once; a second call is undefined behavior.
@safe package struct Resumption<R: Sendable>: Sendable {
    fileprivate let continuation: UnsafeContinuation<R, Never>

    /// The address of the task, the only content of a continuation.
    fileprivate var task: UInt { unsafe unsafeBitCast(continuation, to: UInt.self) }

    /// Runs the task on its own executor, not on the calling thread.
    package func callAsFunction(_ value: R) {
        unsafe csys_note_release(UnsafeRawPointer(bitPattern: task))
        unsafe continuation.resume(returning: value)
    }
}

extension Resumption where R == Void {
    package func callAsFunction() { callAsFunction(()) }
}
