/// Executor that runs Swift tasks on the workers of a pool, for tasks that continue the work of workers.
/// Made by `Engine`, one for each priority.
package final class WorkLane: TaskExecutor, Sendable {
    private let pool: WorkPool
    private let priority: LoadPriority

    init(_ pool: WorkPool, _ priority: LoadPriority) {
        self.pool = pool
        self.priority = priority
    }

    /// Called by the Swift runtime for each part of a task between two suspensions.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job can release the last lease, and with it this object, while it is still being submitted.
        let keptAlive = unsafe Unmanaged.passRetained(self)
        defer { unsafe keptAlive.release() }
        pool.submit(priority) { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
