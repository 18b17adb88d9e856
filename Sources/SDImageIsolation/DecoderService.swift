import CIsolation
import CSystem
import Glibc
import SDImage

/// The work of a worker process: receives calls on its first thread and makes them on another, so that a cancellation, or the
/// end of the host, is noticed during a call. The program `sdimage-decoder` runs it; nothing else happens in that process.
///
/// Messages of the host are trusted as far as they are well formed; an unexpected one ends the process.
package final class DecoderService: Sendable {
    /// Returns the coder of a name; opens its module if it has one.
    package typealias CoderSource = @Sendable (CoderName) throws(ImageError) -> any ImageCoder

    /// A received call, its time limit in nanoseconds, and the token that ends it.
    private struct Call {
        let number: UInt64
        var body: MessageReader
        let stop: CancellationToken
        let nanoseconds: UInt64
    }

    private struct State {
        /// The call that the other thread is to make.
        var waiting: Call?
        /// The token of the call under way.
        var current: (number: UInt64, stop: CancellationToken)?
        /// The bytes that a read asked for.
        var received: MessageReader?
        /// Pixels that the host may be copying. They remain until its next message.
        var held: [PixelBuffer] = []
    }

    /// Memory besides that mapped at the start, which leaves room for the default limits of several buffers; and processor time
    /// of a worker that survives its host.
    private static let limits = ciso_limits(memory: 6 << 30, cpu_seconds: 604_800, descriptors: 256)
    /// Nanoseconds until the first message.
    private static let startLimit: UInt64 = 10_000_000_000
    /// Nanoseconds that a host may take to read a message.
    private static let sendLimit: UInt64 = 10_000_000_000

    private let channel = Channel(CISO_SOCKET)
    private let state = Monitor(State())
    /// Performs the calls, on the thread `sdimage-decode`.
    private let sessions: WorkerSessions
    /// Pixels of results, which the host reads.
    private let memory: WorkerMemory

    private init(_ coders: [CoderName: OpenedCoder], _ memory: WorkerMemory, _ builtin: @escaping CoderSource) {
        self.memory = memory
        sessions = WorkerSessions(coders, builtin)
    }

    // MARK: Start

    /// Serves the host that started this process, until that ends; returns the exit status.
    package static func run(_ source: @escaping CoderSource) -> Int32 {
        var kind: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        // A program that is started by hand has no socket there.
        guard unsafe getsockopt(CISO_SOCKET, SOL_SOCKET, SO_TYPE, &kind, &length) == 0,
            kind == Int32(SOCK_SEQPACKET.rawValue)
        else { return 2 }
        // Before any thread: Landlock holds for the calling thread and those that it starts.
        guard ciso_prepare() == 0 else { return 3 }
        // Read by localtime(3), which Little CMS calls.
        unsafe setenv("TZ", "UTC0", 1)
        tzset()
        let channel = Channel(CISO_SOCKET)
        do throws(ImageError) {
            let coders = try open(channel, source)
            // Helpers for large images, as in a host with an engine.
            let lease = try Engine.acquire()
            let memory = WorkerMemory()
            SharedPixels.use(memory)
            let service = DecoderService(coders, memory, source)
            var mechanisms: UInt32 = 0
            var limits = limits
            let code = unsafe ciso_enter(&limits, &mechanisms)
            guard code == 0 else { throw ImageError(.unsupported, "decoder process: sandbox refused", systemError: code) }
            Sandbox.enter()
            // Behind the sandbox: the strict rules of Landlock hold for this thread and those that it starts from now on.
            try service.start()
            try sendReady(channel)
            withExtendedLifetime(lease) { service.receive() }
            return 0
        } catch {
            try? sendReady(channel, error)
            return 4
        }
    }

    /// Receives the start message, and opens the modules that it names, while files can still be opened.
    private static func open(
        _ channel: Channel, _ source: CoderSource
    ) throws(ImageError) -> [CoderName: OpenedCoder] {
        guard var message = try? channel.receive(deadline: MonotonicClock.now &+ startLimit), message.kind == .start else {
            throw .invalidMessage
        }
        var coders: [CoderName: OpenedCoder] = [:]
        for _ in 0..<(try message.body.count(1000)) {
            let name = try message.body.coderName()
            // A module that cannot be opened fails the calls that need it, and not those of others.
            let opened = OpenedCoder { () throws(ImageError) in try source(name) }
            coders[name] = opened
            if case .success(let coder) = opened { WarmUp.run(coder, name) }
        }
        if !coders.isEmpty { ciso_keep_fonts() }
        return coders
    }

    /// Reports to the host that calls can be made, or why not.
    private static func sendReady(_ channel: Channel, _ failure: ImageError? = nil) throws(ImageError) {
        var writer = MessageWriter()
        try writer.put(optional: failure) { writer, error throws(ImageError) in try writer.put(error) }
        try channel.send(.ready, 0, writer, deadline: MonotonicClock.now &+ sendLimit)
    }

    /// Starts the thread that makes the calls.
    private func start() throws(ImageError) {
        // The stack of a thread of the pool, which decodes in a host.
        pthread_detach(try LibraryThread.start("sdimage-decode", stackBytes: 8 << 20) { self.makeCalls() })
    }

    // MARK: First thread

    /// Handles messages until the host ends or sends an invalid one, which ends this process.
    private func receive() {
        while true {
            guard let message = try? channel.receive(deadline: .max), handle(message) else { return }
        }
    }

    /// False for a message that a host never sends.
    private func handle(_ message: Message) -> Bool {
        switch message.kind {
        case .call:
            var body = message.body
            guard let nanoseconds = try? body.number(UInt64.self) else { return false }
            let call = Call(number: message.number, body: body, stop: CancellationToken(), nanoseconds: nanoseconds)
            let isFree = state.withLock { state in
                // A host makes one call at a time.
                guard state.current == nil else { return false }
                state.waiting = call
                state.current = (call.number, call.stop)
                return true
            }
            state.broadcast()
            return isFree
        case .cancel:
            // The reply to the call may be on its way.
            state.withLock { $0.current.flatMap { $0.number == message.number ? $0.stop : nil } }?.cancel()
        case .bytes:
            state.withLock { if $0.current?.number == message.number { $0.received = message.body } }
            state.broadcast()
        case .trim: return trim(message.body)
        case .start, .ready, .reply, .read: return false
        }
        return true
    }

    /// False for a message that a host never sends.
    private func trim(_ body: MessageReader) -> Bool {
        // A trim comes between calls; there are no pixels that the host still reads.
        guard state.withLock({ $0.current == nil }) else { return false }
        var body = body
        do throws(ImageError) { try sessions.closeUnused(&body) } catch { return false }
        releaseHeld()
        memory.trim()
        PixelPool.shared.trim()
        csys_trim_heap()
        return true
    }

    /// Releases the pixels of the last reply, outside the lock. The host has copied them before it sends another message.
    private func releaseHeld() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        withExtendedLifetime(held) {}
    }

    // MARK: Thread of the calls

    /// Makes one call after another; never returns.
    private func makeCalls() {
        while true {
            let call = state.wait { state, _ -> Call? in
                defer { state.waiting = nil }
                return state.waiting
            }
            guard let call else { continue }
            reply(to: call)
        }
    }

    /// Makes a call and sends its result or error.
    private func reply(to call: Call) {
        releaseHeld()
        let deadline = MonotonicClock.now.addingSaturated(DecoderService.sendLimit)
        do throws(ImageError) {
            var writer = MessageWriter(memory)
            do throws(ImageError) {
                try writer.put(true)
                try sessions.perform(call.body, &writer, self, call.stop, nanoseconds: call.nanoseconds)
            } catch {
                // The writer may contain a part of the result.
                writer = MessageWriter()
                try writer.put(false)
                try writer.put(error)
            }
            // Before the reply: the next call may come at once.
            let (held, descriptors) = (writer.held, writer.descriptors)
            state.withLock { ($0.current, $0.received, $0.held) = (nil, nil, held) }
            // Also before it: a trim may follow at once.
            memory.noteSent(descriptors)
            try channel.send(.reply, call.number, writer, deadline: deadline)
        } catch {
            // The host has ended, or memory is so short that not even an error can be sent.
            exit(5)
        }
    }

    /// Bytes of the source of the call under way.
    func fetch(_ count: Int, at offset: UInt64) throws(ImageError) -> Bytes {
        guard let current = state.withLock({ $0.current }) else { throw .cancelled }
        var writer = MessageWriter()
        try writer.put(offset)
        try writer.put(count)
        let deadline = MonotonicClock.now.addingSaturated(DecoderService.sendLimit)
        try channel.send(.read, current.number, writer, deadline: deadline)
        let received = state.wait { state, _ -> MessageReader? in
            defer { state.received = nil }
            return state.received
        }
        guard var received else { throw .cancelled }
        guard try received.flag() else { throw try received.error() }
        return try received.bytes(limit: RemoteSource.mostBytes)
    }
}
