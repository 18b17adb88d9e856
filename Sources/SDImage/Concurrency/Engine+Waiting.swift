/// Used by blocking functions of the C interface whose work is asynchronous.
extension Engine {
    /// Runs asynchronous work and blocks the calling thread until it ends. Throws `wouldDeadlock` on a thread of the library: the
    /// work may need that thread.
    package static func wait<R: Sendable>(
        for body: @escaping @Sendable () async throws(ImageError) -> R
    ) throws(ImageError) -> R {
        if isForked { throw .forked }
        if LibraryThread.isCurrent { throw ImageError(.wouldDeadlock, "library: blocking call on a library thread") }
        let lease = try acquire()
        // Fails here rather than by a task that no thread would run.
        try lease.engine.executor.ensureStarted()
        let outcome = Monitor<Result<R, ImageError>?>(nil)
        Task(executorPreference: lease.engine.executor) {
            let result: Result<R, ImageError>
            do throws(ImageError) { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            outcome.signal()
        }
        // Without the lease the engine could stop before the work starts.
        let result: Result<R, ImageError>? = withExtendedLifetime(lease) { outcome.wait { result, _ in result } }
        guard let result else { throw ImageError(.internalError, "library: wait ended without a result") }
        return try result.get()
    }
}
