import CSystem
import Glibc
import Synchronization

/// Every thread that the library owns, shared by all managers and caches of the process and counted by reference.
///
/// The first lease makes it, the last release joins its threads. Threads start when first used.
package final class Engine: Sendable {
    /// Runs the `async` code of loads, and timers.
    package let executor = WorkerThread(name: "sdimage-async")
    /// Runs callbacks of the host that named no dispatcher, and every `destroy`.
    package let callbacks = WorkerThread(name: "sdimage-call")
    /// Writes and reads of the disk caches.
    package let disk = WorkerThread(name: "sdimage-disk")
    /// Codecs and kernels.
    package let work = WorkPool(name: "sdimage-work", threads: LibraryThread.availableProcessors)
    /// What may block for long: files of the user, hooks of the host.
    package let blocking = WorkPool(name: "sdimage-block", threads: 2)

    private let lanes: [LoadPriority: WorkLane]

    /// What has been loaded and is not decoded yet.
    package let backlog = Backlog()

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

    /// Runs `async` code on the workers.
    package func lane(_ priority: LoadPriority) -> any TaskExecutor { lanes[priority] ?? executor }

    /// True in a child of `fork` whose parent had a running engine: its threads and locks did not come along.
    @inline(__always)
    package static var isForked: Bool { csys_is_forked() }

    /// Keeps the engine alive as long as the lease lives.
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

    /// The running engine, if any.
    package static var current: Engine? {
        guard !isForked, live.load(ordering: .relaxed) else { return nil }
        return shared.withLock { $0.engine }
    }

    /// Runs work on pixels on the calling thread, with idle workers to help where an engine runs.
    package static func helped<R>(_ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        guard let pool = current?.work else { return try body() }
        return try pool.counting(body)
    }

    /// Calls a destructor of the host where no lock of the library can be held: on the callback thread, or here when
    /// no engine runs, because then nothing of the library is under way.
    package static func callLater(_ body: @escaping @Sendable () -> Void) {
        if let engine = current { engine.callbacks.submit(body) } else { body() }
    }

    /// A long-lived part with a thread of its own, such as the transfer loop; made once per engine.
    package func service<S: EngineService>(_ make: () throws(ImageError) -> S) throws(ImageError) -> S {
        let made: Result<any EngineService, ImageError> = services.withLock { services in
            if let existing = services[ObjectIdentifier(S.self)] { return .success(existing) }
            do throws(ImageError) {
                let service = try make()
                services[ObjectIdentifier(S.self)] = service
                return .success(service)
            } catch { return .failure(error) }
        }
        guard let service = try made.get() as? S else { throw ImageError(.internalError, "service of another kind") }
        return service
    }

    fileprivate static func release() {
        // The lock may have been held by a thread that did not come along.
        if isForked { return }
        let last = shared.withLock { state -> Engine? in
            state.leases -= 1
            guard state.leases == 0 else { return nil }
            defer { state.engine = nil }
            live.store(false, ordering: .relaxed)
            return state.engine
        }
        guard let last else { return }
        // A thread cannot join itself: hand the joining to a thread outside the engine.
        guard LibraryThread.isCurrent else { return last.stop() }
        do throws(ImageError) {
            let thread = try LibraryThread.start("sdimage-join") { last.stop() }
            _ = pthread_detach(thread)
        } catch {
            // Without a thread to join them the threads idle until the process ends; nothing is lost.
        }
    }

    /// In this order: those who hand work to others before those who receive it.
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

    /// Held across a fork: a child whose parent had no engine yet may start one.
    static func lockForFork() { shared.lock() }
    static func unlockAfterFork() { shared.unlock() }
}

/// A part of the engine with threads or descriptors of its own.
package protocol EngineService: AnyObject, Sendable {
    /// Ends its threads and closes its descriptors; blocks until done.
    func stop()
}

/// Keeps the engine alive.
package final class EngineLease: Sendable {
    package let engine: Engine

    fileprivate init(_ engine: Engine) { self.engine = engine }

    deinit { Engine.release() }
}
