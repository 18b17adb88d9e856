import CSystem
import Glibc
import Synchronization

/// Owner of all threads of the library, shared by all managers and caches of the process and counted by reference.
///
/// The first lease creates it, the last release joins its threads. Threads start on first use.
/// Members start no thread before their first work.
package final class Engine: Sendable {
    /// Runs the `async` code of loads, and timers.
    package let executor = WorkerThread(name: "sdimage-async")
    /// Runs callbacks of the host that have no dispatcher, and every `destroy`.
    /// Calls are serialized, so a callback that blocks delays the others.
    package let callbacks = WorkerThread(name: "sdimage-call")
    /// Writes the disk caches, and reads their index for calls that wait.
    /// One thread, so that changes of one folder are written in order.
    package let disk = WorkerThread(name: "sdimage-disk")
    /// Runs codecs and kernels.
    /// One thread for each processor that the process may use.
    package let work = WorkPool(name: "sdimage-work", threads: LibraryThread.availableProcessors)
    // Work that may block for a long time. Two threads for each kind, because one that waits must not stop the other loads, and
    // one kind must not stop another: a loader of the host may scan a folder for minutes.
    /// Reads files of the user, and expands `data:` URLs.
    package let files = WorkPool(name: "sdimage-file", threads: 2)
    /// Starts loads in loaders and transports of the host.
    package let loaders = WorkPool(name: "sdimage-load", threads: 2)
    /// Runs hooks and caches of the host.
    package let hooks = WorkPool(name: "sdimage-hook", threads: 2)

    /// Workers as executors of Swift tasks, one for each priority.
    private let lanes: [LoadPriority: WorkLane]

    /// Bytes that are loaded and not decoded yet.
    package let backlog = Backlog()

    /// Images that are queued to be encoded for a cache. Closing waits for them, too.
    package let pendingEncodes = PendingStores()

    /// By type, at most one of each; stopped before the threads.
    private let services = Lock<[ObjectIdentifier: any EngineService]>([:])

    /// Guarded by `Engine.shared`.
    private struct Shared {
        /// nil while no lease exists.
        var engine: Engine?
        /// Number of leases.
        var leases = 0
    }

    private static let shared = Lock(Shared())
    /// True while an engine exists, for `current` without the lock.
    private static let live = Atomic<Bool>(false)

    private init() {
        lanes = [
            .low: WorkLane(work, .low), .normal: WorkLane(work, .normal), .high: WorkLane(work, .high),
        ]
    }

    /// Executor that runs `async` code on the workers.
    package func lane(_ priority: LoadPriority) -> any TaskExecutor { lanes[priority] ?? executor }

    /// True in a child of `fork` whose parent had a running engine: the child has neither its threads nor its locks.
    /// Checked by every call that needs threads or locks.
    @inline(__always)
    package static var isForked: Bool { csys_is_forked() }

    /// Returns a lease, which keeps the engine alive.
    /// Throws `forked` in a child of a process with an engine.
    package static func acquire() throws(ImageError) -> EngineLease {
        if isForked { throw .forked }
        // Must precede the first lock that a fork may find held.
        ForkHandlers.install()
        let engine = shared.withLock { state -> Engine in
            let engine = state.engine ?? Engine()
            state.engine = engine
            state.leases += 1
            live.store(true, ordering: .relaxed)
            return engine
        }
        return EngineLease(engine)
    }

    /// The running engine, or nil.
    /// Not retained by a lease: the engine may stop at any time, and then runs work on the caller.
    package static var current: Engine? {
        guard !isForked, live.load(ordering: .relaxed) else { return nil }
        return shared.withLock { $0.engine }
    }

    /// Runs pixel work on the calling thread; idle workers help if an engine runs.
    /// The calling thread counts as a busy worker, so that helpers do not exceed the processors.
    package static func helped<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        guard let pool = current?.work else { return try body() }
        return try pool.counting(body)
    }

    /// Calls a destructor of the host where no lock of the library can be held: on the callback thread, or on the calling thread
    /// if no engine runs, because then the library is idle, except for the setter that may be running on it.
    package static func callLater(_ body: @escaping @Sendable () -> Void) {
        if let engine = current { engine.callbacks.submit(body) } else { PostponedCalls.call(body) }
    }

    /// Returns a long-lived service with its own thread, such as the transfer loop; created once per engine.
    /// `make` runs under the lock of the services and must not request another one.
    package func service<S: EngineService>(_ make: () throws(ImageError) -> S) throws(ImageError) -> S {
        let made: Result<any EngineService, ImageError> = services.withLock { services in
            if let existing = services[ObjectIdentifier(S.self)] { return .success(existing) }
            do throws(ImageError) {
                let service = try make()
                services[ObjectIdentifier(S.self)] = service
                return .success(service)
            } catch { return .failure(error) }
        }
        guard let service = try made.get() as? S else { throw ImageError(.internalError, "library: service of another type") }
        return service
    }

    /// Called by the last reference to a lease, on any thread.
    fileprivate static func release() {
        // A thread that does not exist in the child may have held the lock.
        if isForked { return }
        let last = shared.withLock { state -> Engine? in
            state.leases -= 1
            guard state.leases == 0 else { return nil }
            defer { state.engine = nil }
            // Set under the lock, so that `current` and `acquire` agree about the engine.
            live.store(false, ordering: .relaxed)
            return state.engine
        }
        guard let last else { return }
        // A thread cannot join itself: a thread outside the engine joins it.
        guard LibraryThread.isCurrent else { return last.stop() }
        do throws(ImageError) {
            let thread = try LibraryThread.start("sdimage-join") { last.stop() }
            _ = pthread_detach(thread)
        } catch {
            // Without a joining thread the threads stay idle until the process ends; nothing is lost.
        }
    }

    /// Stops producers of work before its consumers.
    /// A service submits work to the pools, these to the disk, and all of them callbacks; so callbacks stop last.
    private func stop() {
        for service in services.withLock({ Array($0.values) }) { service.stop() }
        files.stop()
        loaders.stop()
        hooks.stop()
        work.stop()
        disk.stop()
        executor.stop()
        callbacks.stop()
    }

    /// Called in the child after a fork.
    static func markForked() {
        if live.load(ordering: .relaxed) { csys_mark_forked() }
    }

    /// The lock is held across a fork, so that a child whose parent had no engine can start one.
    static func lockForFork() { shared.lock() }
    static func unlockAfterFork() { shared.unlock() }
}

/// Part of the engine with its own threads or descriptors.
/// Implemented by the transfer loop and by monitors; found by type.
package protocol EngineService: AnyObject, Sendable {
    /// Ends its threads and closes its descriptors; blocks until done.
    func stop()
}

/// Reference that keeps the engine alive.
/// Held by managers, caches, tasks and other objects that need the threads. Released on any thread.
package final class EngineLease: Sendable {
    package let engine: Engine

    fileprivate init(_ engine: Engine) { self.engine = engine }

    deinit { Engine.release() }
}
