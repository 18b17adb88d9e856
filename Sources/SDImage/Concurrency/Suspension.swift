import CSystem

/// Suspends the current task until the resumption passed to `body` is called: once, on any thread, maybe before `body` returns.
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

/// Resumes a suspended task with a value.
@safe package struct Resumption<R: Sendable>: Sendable {
    fileprivate let continuation: UnsafeContinuation<R, Never>

    /// The address of the task, the only content of a continuation.
    fileprivate var task: UInt { unsafe unsafeBitCast(continuation, to: UInt.self) }

    package func callAsFunction(_ value: R) {
        unsafe csys_note_release(UnsafeRawPointer(bitPattern: task))
        unsafe continuation.resume(returning: value)
    }
}

extension Resumption where R == Void {
    package func callAsFunction() { callAsFunction(()) }
}
