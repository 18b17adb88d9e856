import CSystem
import Glibc
import Synchronization

/// Creation, naming and counting of the threads that the library owns.
/// Used by `WorkerThread`, `WorkPool` and services with threads of their own.
package enum LibraryThread {
    /// Thread-specific value that marks threads of the library.
    /// Its value is the `Body` of the thread; the destructor is nil, because the thread's function releases it.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// True on every thread that the library started.
    /// Blocking calls refuse to wait on such a thread.
    package static var isCurrent: Bool { unsafe pthread_getspecific(key) != nil }

    private static let running = Atomic<Int>(0)

    /// Number of running threads of the library.
    package static var count: Int { running.load(ordering: .relaxed) }

    /// True on the threads that `owner` started.
    /// Compares by identity, so `owner` must exist while its threads run.
    package static func isOwned(by owner: AnyObject) -> Bool {
        guard let body = unsafe pthread_getspecific(key) else { return false }
        return unsafe Unmanaged<Body>.fromOpaque(body).takeUnretainedValue().owner == ObjectIdentifier(owner)
    }

    /// Starts a thread with signals blocked: handlers of the host never run on it, and SIGPIPE cannot end it.
    /// `stackBytes`: 0 for the default size of the process.
    /// The caller joins or detaches the thread. Throws `noMemory` with the code of the system.
    package static func start(
        _ name: String, of owner: AnyObject? = nil, stackBytes: Int = 0, _ body: @escaping @Sendable () -> Void
    ) throws(ImageError) -> pthread_t {
        let box = unsafe Unmanaged.passRetained(Body(name: name, owner: owner.map { ObjectIdentifier($0) }, run: body))
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        // A filter of system calls (seccomp) answers calls in a handler of this signal, and kills the process if it is blocked.
        unsafe sigdelset(&all, SIGSYS)
        // The new thread inherits the mask; that of the caller is restored at the end.
        unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if stackBytes > 0 { unsafe pthread_attr_setstacksize(&attributes, stackBytes) }
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                unsafe csys_name_thread(body.name)
                unsafe pthread_setspecific(LibraryThread.key, argument)
                // `isOwned` reads it while the thread runs.
                withExtendedLifetime(body) { body.run() }
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            // The thread that would have released it does not exist.
            unsafe box.release()
            throw ImageError(.noMemory, "library: thread could not be started", systemError: code)
        }
        return thread
    }

    /// Retained by the running thread. Counts in `running` from its creation to the end of the thread.
    private final class Body: Sendable {
        let name: String
        /// Identity of the owner, for `isOwned`.
        let owner: ObjectIdentifier?
        let run: @Sendable () -> Void

        init(name: String, owner: ObjectIdentifier?, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.owner = owner
            self.run = run
            LibraryThread.running.wrappingAdd(1, ordering: .relaxed)
        }

        deinit { LibraryThread.running.wrappingSubtract(1, ordering: .relaxed) }
    }

    /// Number of processors that this process may use: the CPU set, limited by the quota of its control group.
    /// Computed once.
    package static let availableProcessors: Int = {
        // The quota may be a fraction: 1.5 processors are worth two threads.
        var count = Int(csys_available_processors())
        if let quota = ControlGroup.processorQuota { count = min(count, max(1, Int(saturating: quota.rounded(.up)))) }
        return max(1, count)
    }()
}
