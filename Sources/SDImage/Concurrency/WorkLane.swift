/// Runs the jobs of Swift tasks on the workers of a pool: for tasks that go on with what workers do.
package final class WorkLane: TaskExecutor, Sendable {
    private let pool: WorkPool
    private let priority: LoadPriority

    init(_ pool: WorkPool, _ priority: LoadPriority) {
        self.pool = pool
        self.priority = priority
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The job can end the last lease, and with it this object, while it is still being handed over.
        let keptAlive = unsafe Unmanaged.passRetained(self)
        defer { unsafe keptAlive.release() }
        pool.submit(priority) { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
