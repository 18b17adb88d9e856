import CSystem
import Glibc
import Synchronization

/// Owner of all threads of the library, shared by all managers and caches of the process and counted by reference.
///
/// The first lease creates it, the last release joins its threads. Threads start on first use.
package final class Engine: Sendable {
    /// Runs the `async` code of loads, and timers.
    package let executor = WorkerThread(name: "sdimage-async")
    /// Runs callbacks of the host that have no dispatcher, and every `destroy`.
    package let callbacks = WorkerThread(name: "sdimage-call")
    /// Writes the disk caches, and reads their index for calls that wait.
    package let disk = WorkerThread(name: "sdimage-disk")
    /// Runs codecs and kernels.
    package let work = WorkPool(name: "sdimage-work", threads: LibraryThread.availableProcessors)
    /// Runs work that may block for a long time: files of the user, hooks of the host.
    package let blocking = WorkPool(name: "sdimage-block", threads: 2)

    private let lanes: [LoadPriority: WorkLane]

    /// Bytes that are loaded and not decoded yet.
    package let backlog = Backlog()

    /// Images that are queued to be encoded for a cache. Closing waits for them, too.
    package let pendingEncodes = PendingStores()

    private let services = Lock<[ObjectIdentifier: any EngineService]>([:])

    private struct Shared {
        var engine: Engine?
        var leases = 0
    }

    private static let shared = Lock(Shared())
    private static let live = Atomic<Bool>(false)

    private init() {
        lanes = [
            .low: WorkLane(work, .low), .normal: WorkLane(work, .normal), .high: WorkLane(work, .high),
        ]
    }

    /// Executor that runs `async` code on the workers.
    package func lane(_ priority: LoadPriority) -> any TaskExecutor { lanes[priority] ?? executor }

    /// True in a child of `fork` whose parent had a running engine: the child has neither its threads nor its locks.
    @inline(__always)
    package static var isForked: Bool { csys_is_forked() }

    /// Returns a lease, which keeps the engine alive.
    package static func acquire() throws(ImageError) -> EngineLease {
        if isForked { throw .forked }
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
    package static var current: Engine? {
        guard !isForked, live.load(ordering: .relaxed) else { return nil }
        return shared.withLock { $0.engine }
    }

    /// Runs pixel work on the calling thread; idle workers help if an engine runs.
    package static func helped<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        guard let pool = current?.work else { return try body() }
        return try pool.counting(body)
    }

    /// Calls a destructor of the host where no lock of the library can be held: on the callback thread, or on the calling thread
    /// if no engine runs, because then the library is idle.
    package static func callLater(_ body: @escaping @Sendable () -> Void) {
        if let engine = current { engine.callbacks.submit(body) } else { body() }
    }

    /// Returns a long-lived service with its own thread, such as the transfer loop; created once per engine.
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

    fileprivate static func release() {
        // A thread that does not exist in the child may have held the lock.
        if isForked { return }
        let last = shared.withLock { state -> Engine? in
            state.leases -= 1
            guard state.leases == 0 else { return nil }
            defer { state.engine = nil }
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
    private func stop() {
        for service in services.withLock({ Array($0.values) }) { service.stop() }
        blocking.stop()
        work.stop()
        disk.stop()
        executor.stop()
        callbacks.stop()
    }

    static func markForked() {
        if live.load(ordering: .relaxed) { csys_mark_forked() }
    }

    /// The lock is held across a fork, so that a child whose parent had no engine can start one.
    static func lockForFork() { shared.lock() }
    static func unlockAfterFork() { shared.unlock() }
}

/// Part of the engine with its own threads or descriptors.
package protocol EngineService: AnyObject, Sendable {
    /// Ends its threads and closes its descriptors; blocks until done.
    func stop()
}

/// Reference that keeps the engine alive.
package final class EngineLease: Sendable {
    package let engine: Engine

    fileprivate init(_ engine: Engine) { self.engine = engine }

    deinit { Engine.release() }
}
