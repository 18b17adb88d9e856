import CCurl
import Glibc
import SDImage

/// The single thread that runs all transfers of the process, and its command queue.
///
/// Other threads only post commands and wake it. Every libcurl handle belongs to this thread.
/// Made once for each engine. The state of the thread is in `CurlLoop`.
package final class CurlService: EngineService {
    /// Handled in the order of posting.
    enum Command: Sendable {
        case start(Download)
        case cancel(Download)
        /// Reply of a hook of the host about the current response.
        case hookReturned(Download, HookCall.Outcome)
        /// Event of an exchange that a transport of the host runs.
        case exchanged(Download, Exchange, Exchange.Event)
        /// Changes the priority of all transfers with this key.
        case prioritize(loader: UInt64, sharingKey: SharingKey, LoadPriority)
        /// New limits of a downloader for its transfers.
        case limit(loader: UInt64, QueueLimits)
        case cancelAll(loader: UInt64)
        /// The loader was freed; its idle handles can be freed too.
        case forget(loader: UInt64)
        /// The process ends; the closure is called once libcurl is no longer used.
        case releaseLibcurl(@Sendable () -> Void)
    }

    /// Guarded by `inbox`.
    private struct Inbox {
        var commands: [Command] = []
        var isStopping = false
        /// True while the thread sleeps, or is about to, and must be woken.
        var isAsleep = true
        /// nil before the first transfer and after `stop`.
        var thread: pthread_t?
    }

    /// Guarded by `running`.
    private struct Running {
        /// The services whose threads may be inside libcurl.
        var services: [CurlService] = []
        var isProcessEnding = false
    }

    private static let running = Monitor(Running())
    private let inbox = Lock(Inbox())
    /// An event descriptor, shared with the thread.
    private let wakeUp: Int32
    private let backlog: Backlog

    /// Initializes libcurl once per process; its initialization is thread-safe in all supported versions. Also registers
    /// `releaseLibcurl`: handlers of exit(3) run in reverse order, and OpenSSL has registered its own before.
    private static let isReady =
        process > 0 && ccurl_global_init() == CURLE_OK && atexit { CurlService.releaseLibcurl() } == 0
    /// The process that has initialized libcurl. `isReady` reads it first: a value first read in a forked child would be its own.
    private static let process = getpid()
    /// Nanoseconds that the end of the process waits for transfers to leave libcurl, which may wait for the look-up of a name.
    private static let longestRelease: UInt64 = 1_000_000_000

    package init(backlog: Backlog = Backlog()) throws(ImageError) {
        self.backlog = backlog
        guard CurlService.isReady else { throw ImageError(.internalError, "downloader: libcurl could not be initialized") }
        wakeUp = ccurl_make_wakeup()
        guard wakeUp >= 0 else {
            throw ImageError(.noMemory, "downloader: event descriptor could not be created", systemError: errno)
        }
        // Transfers that were held back may start.
        backlog.whenRoom { [weak self] in self?.wake() }
    }

    deinit { close(wakeUp) }

    /// Ends all transfers with `shutdown`, closes every connection and joins the thread.
    /// Called by the engine; must not run on the transfer thread.
    package func stop() {
        let thread = inbox.withLock { inbox -> pthread_t? in
            inbox.isStopping = true
            defer { inbox.thread = nil }
            return inbox.thread
        }
        wake()
        if let thread { _ = pthread_join(thread, nil) }
        // Commands that the thread has not taken.
        var commands: [Command] = []
        takeCommands(into: &commands)
        for case .start(let download) in commands { download.finish(.failure(.shutdown)) }
    }

    /// A `start` that cannot be accepted ends its download before this returns.
    func post(_ command: Command) {
        // After a fork, the lock may be held by a thread that does not exist in this process.
        if Engine.isForked {
            if case .start(let download) = command { download.finish(.failure(.forked)) }
            return
        }
        let (refusal, wasAsleep) = inbox.withLock { inbox -> (ImageError?, Bool) in
            if inbox.isStopping { return (.shutdown, false) }
            if inbox.thread == nil {
                // Other commands concern transfers, and before the first one there are none.
                guard case .start = command else { return (nil, false) }
                do throws(ImageError) { inbox.thread = try startThread() } catch { return (error, false) }
            }
            // Counted under the lock: a command that is posted because of the count follows the start.
            if case .start(let download) = command { download.count() }
            inbox.commands.append(command)
            // Only the first command after the thread fell asleep has to wake it.
            defer { inbox.isAsleep = false }
            return (nil, inbox.isAsleep)
        }
        if wasAsleep { wake() }
        if let refusal, case .start(let download) = command { download.finish(.failure(refusal)) }
    }

    private func startThread() throws(ImageError) -> pthread_t {
        let wakeUp = wakeUp, backlog = backlog
        // The strong capture keeps the service alive until `stop`.
        return try LibraryThread.start("sdimage-curl") { [self] in
            let loop = CurlLoop(wakeUp: wakeUp, backlog: backlog) { [weak self] in self?.post($0) }
            let isProcessEnding = CurlService.running.withLock { running in
                running.services.append(self)
                return running.isProcessEnding
            }
            if isProcessEnding { loop.releaseLibcurl { didReleaseLibcurl() } }
            loop.run { commands in
                takeCommands(into: &commands)
            } mayRest: {
                mayRest()
            } isStopping: {
                inbox.withLock { $0.isStopping }
            }
            didReleaseLibcurl()
        }
    }

    /// Notes that the thread no longer uses libcurl.
    private func didReleaseLibcurl() {
        CurlService.running.withLock { running in running.services.removeAll { $0 === self } }
        CurlService.running.broadcast()
    }

    /// True on the transfer thread.
    private var isCurrent: Bool { inbox.withLock { $0.thread } == pthread_self() }

    /// Ends the use of libcurl before its TLS library frees what all connections share, which would crash the transfer thread.
    /// Called by exit(3). In a forked child, the locks may be held by threads that do not exist.
    private static func releaseLibcurl() {
        guard getpid() == process else { return }
        let services = running.withLock { running in
            running.isProcessEnding = true
            return running.services
        }
        for service in services { service.post(.releaseLibcurl { service.didReleaseLibcurl() }) }
        let deadline = Durations.moment(MonotonicClock.now, after: longestRelease)
        _ = running.wait(deadline: deadline) { running, _ in running.services.allSatisfy(\.isCurrent) ? true : nil }
    }

    /// Exchanges an empty array, whose memory is used again, for the commands.
    private func takeCommands(into commands: inout [Command]) {
        let empty = commands
        commands = []
        commands = inbox.withLock { inbox in
            inbox.isAsleep = false
            defer { inbox.commands = empty }
            return inbox.commands
        }
    }

    /// True if no command is queued; the next `post` then wakes the thread.
    private func mayRest() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.commands.isEmpty
            return inbox.isAsleep
        }
    }

    /// Also called before the thread exists; the descriptor then stays readable.
    private func wake() {
        var one: UInt64 = 1
        _ = unsafe write(wakeUp, &one, 8)
    }
}
