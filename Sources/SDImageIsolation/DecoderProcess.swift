import CIsolation
import CSystem
import Glibc
import SDImage
import Synchronization

/// A worker process, as seen by its host. `DecoderPool` starts it and lends it to one call at a time; sessions of images keep
/// this object, even when the process has ended.
@safe final class DecoderProcess: Sendable {
    // Changed once, by `end`.
    private nonisolated(unsafe) let worker: UnsafeMutablePointer<ciso_worker>
    private let hasEnded = Atomic<Bool>(false)
    /// The process that started the worker: a forked child has no workers of its own.
    private let owner = getpid()
    /// The socket of the worker.
    let channel: Channel
    private let currentArena = Lock<RemoteArena?>(nil)
    /// The shared objects that it has opened.
    let modules: Set<CoderName>
    /// Number of the last call, which all its messages have.
    private let lastCall = Atomic<UInt64>(0)
    /// Number of images that it was given.
    private let images = Atomic<Int>(0)
    /// Sessions without a user; the next call closes them.
    private let unused = Lock<[UInt64]>([])

    /// Held while a worker has descriptors that a forked child would not close, at its start and its end. A monitor instead of a
    /// mutex, because the pool holds it across `fork`.
    static let descriptors = Monitor(())

    /// Nanoseconds until a started worker has opened its modules.
    private static let startLimit: UInt64 = 10_000_000_000
    /// Number of sessions that fit in a message without memory of its own.
    private static let mostTrimmed = 4096

    /// Starts the program and waits until it has entered its sandbox. Throws `unsupported` if the system can run no worker,
    /// `noMemory` if resources are short, and `timeout` after `startLimit`.
    init(program: String, modules: Set<CoderName>) throws(ImageError) {
        self.modules = modules
        let worker = UnsafeMutablePointer<ciso_worker>.allocate(capacity: 1)
        unsafe worker.initialize(to: ciso_worker())
        unsafe self.worker = unsafe worker
        let code = DecoderProcess.descriptors.withLock { _ in
            let code = unsafe DecoderProcess.start(program, worker)
            guard code == 0 else { return code }
            // A copy in a forked child would keep the worker from noticing the end of this process.
            unsafe csys_watch_fork(worker.pointee.socket)
            unsafe csys_watch_fork(worker.pointee.process)
            return 0
        }
        guard code == 0 else {
            unsafe worker.deallocate()
            // A program that is short of resources may have more of them at the next decode.
            let isShort = [EMFILE, ENFILE, EAGAIN, ENOMEM].contains(code)
            throw ImageError(
                isShort ? .noMemory : .unsupported, "decoder process: \(program) could not be started", systemError: code)
        }
        channel = unsafe Channel(worker.pointee.socket)
        try open()
    }

    /// Starts the program without arguments, and with an environment that only limits its kernels, if at all; returns an errno
    /// value.
    private static func start(_ program: String, _ worker: UnsafeMutablePointer<ciso_worker>) -> Int32 {
        let name = unsafe strdup(program)
        defer { unsafe free(name) }
        var arguments = unsafe [name, nil]
        let level = unsafe csys_environment("SDIMAGE_CPU").flatMap { unsafe strdup("SDIMAGE_CPU=" + String(cString: $0)) }
        defer { unsafe free(level) }
        var environment = unsafe [level, nil]
        return unsafe ciso_start(program, &arguments, &environment, worker)
    }

    /// Has the worker open its modules and enter its sandbox.
    private func open() throws(ImageError) {
        do throws(ImageError) {
            var writer = MessageWriter()
            try writer.put(modules.count)
            for module in modules { try writer.put(module) }
            let deadline = MonotonicClock.now.addingSaturated(DecoderProcess.startLimit)
            try channel.send(.start, 0, writer, deadline: deadline)
            try ready(deadline)
        } catch {
            // A program that exits, or makes a system call that is forbidden here, cannot run or has been refused its sandbox.
            // Others may start later.
            let signal = end().signal
            let isRefused = (signal == 0 || signal == SIGSYS) && error.status == .decoderCrashed
            throw ImageError(
                isRefused ? .unsupported : error.status, "decoder process: start failed (\(error.message.string))", cause: error)
        }
    }

    /// Waits for `ready`, the first message of the worker.
    private func ready(_ deadline: UInt64) throws(ImageError) {
        do throws(ChannelFailure) {
            var message = try channel.receive(deadline: deadline)
            guard message.kind == .ready else { throw .invalid }
            let failure: ImageError?
            do throws(ImageError) {
                failure = try message.body.optional { reader throws(ImageError) in try reader.error() }
            } catch { throw .invalid }
            if let failure { throw .refused(failure) }
            guard message.body.isAtEnd else { throw .invalid }
        } catch {
            switch error {
            case .timedOut: throw ImageError(.timeout, "decoder process: no message")
            case .ended: throw ImageError(.decoderCrashed, "decoder process: ended")
            case .invalid: throw ImageError(.unsupported, "decoder process: invalid message")
            case .refused(let failure): throw failure
            }
        }
    }

    deinit {
        end()
        unsafe worker.deallocate()
    }

    /// Kills the process and waits for its end. Has an effect once.
    @discardableResult func end() -> (signal: Int32, status: Int32) {
        var end = ciso_end()
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return (0, 0) }
        // Sessions of images may keep this object.
        withExtendedLifetime(takeArena()) {}
        guard owner == getpid() else {
            // In a forked child, whose copies of the descriptors are closed.
            unsafe ciso_abandon(worker)
            return (0, 0)
        }
        // The end of a large process takes time: forks wait for the descriptors only.
        unsafe ciso_kill(worker)
        unsafe ciso_wait(worker, .max)
        DecoderProcess.descriptors.withLock { _ in
            unsafe csys_unwatch_fork(worker.pointee.process)
            csys_unwatch_fork(channel.socket)
            unsafe ciso_forget(worker, &end)
        }
        return (end.signal, end.status)
    }

    /// Kills the process without waiting for its end.
    func kill() { unsafe _ = ciso_kill(worker) }

    /// True while it runs and has sent nothing unexpected.
    var isUsable: Bool {
        !isOver && channel.isQuiet
    }

    /// False in a forked child of the process that started it.
    var isOfThisProcess: Bool { owner == getpid() }
    /// True if it can make no more calls.
    var isOver: Bool { hasEnded.load(ordering: .relaxed) || !isOfThisProcess }

    /// The memory from which results are copied; nil until the worker sends it.
    var arena: RemoteArena? {
        get { currentArena.withLock { $0 } }
        set {
            let old = currentArena.withLock { current in
                defer { current = newValue }
                return current
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Has the idle worker close unused sessions and return unused memory to the system. Without effect if it cannot be told at
    /// once: the next call then closes the sessions. Returns the arena, which the worker no longer uses.
    func trim() -> RemoteArena? {
        let sessions = takeUnused(atMost: DecoderProcess.mostTrimmed)
        do throws(ImageError) {
            var writer = MessageWriter()
            try writer.put(unused: sessions)
            try channel.send(.trim, 0, writer, deadline: 0)
            return takeArena()
        } catch {
            unused.withLock { $0 = sessions + $0 }
            return nil
        }
    }

    /// Removes the arena; the caller unmaps it by releasing it.
    private func takeArena() -> RemoteArena? {
        currentArena.withLock { arena in
            defer { arena = nil }
            return arena
        }
    }

    /// Counts an image that the worker is about to see.
    func noteImage() { images.add(1, ordering: .relaxed) }
    /// True if an image before the current one may be the cause of a crash.
    var hasServedOthers: Bool { images.load(ordering: .relaxed) > 1 }

    /// The number for a new call, from 1.
    func nextCall() -> UInt64 { lastCall.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Closes a session with the next call.
    func close(_ session: UInt64) { unused.withLock { $0.append(session) } }

    /// Removes sessions from the list of those to close.
    func takeUnused(atMost most: Int = .max) -> [UInt64] {
        unused.withLock { unused in
            let taken = Array(unused.prefix(most))
            unused.removeFirst(taken.count)
            return taken
        }
    }
}
