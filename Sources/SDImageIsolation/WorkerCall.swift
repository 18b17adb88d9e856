import Glibc
import SDImage

/// The operations of a worker. `WorkerSessions` performs them, and documents what each reads and writes.
enum Operation: UInt8, Equatable {
    case info = 1
    case decode = 2
    /// Opens a decoder of a source that the worker reads.
    case openSource = 3
    /// Passes further bytes to a decoder, or opens one.
    case update = 4
    /// Returns the image so far of a decoder.
    case image = 5
    /// Returns a frame of a session, and draws a vector image of a session.
    case frame = 6
    case render = 7
}

/// One call of a worker: sends its message, waits for the reply within the budget of the operation, and ends the worker if it
/// crashes, breaks the protocol or does not end in time. Runs on the thread of the operation, which waits.
struct WorkerCall {
    /// Nanoseconds between two checks of the cancellation.
    private static let pollInterval: UInt64 = 10_000_000
    /// Nanoseconds allowed for a cancelled call to end by itself; also after the time limit.
    private static let grace: UInt64 = 50_000_000

    let process: DecoderProcess
    let stop: CancellationToken
    /// Nanoseconds of work on one image.
    let limit: UInt64
    /// Bytes that the worker may ask for.
    var source: (any ByteSource)?
    /// Leaves the worker acquired after a success, for another call.
    var keepsWorker = false

    /// The outcome of a worker that cannot be used any longer.
    fileprivate enum Loss: Error {
        // The first two kill the worker, because its call would go on.
        case cancelled
        case timedOut
        case crashed
        case failed(ImageError)
    }

    /// Makes the call with an acquired worker, which is released or ended by it.
    func run<R>(
        _ operation: Operation, _ write: (inout MessageWriter) throws(ImageError) -> Void,
        _ read: (inout MessageReader) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        // All messages of the call have this number; another one breaks the protocol.
        let number = process.nextCall()
        let end = min(stop.end, MonotonicClock.now.addingSaturated(limit))
        let outcome: Result<R, ImageError>
        do throws(Loss) {
            try send(number, end) { writer throws(ImageError) in
                try writer.put(operation.rawValue)
                try write(&writer)
            }
            let reply = try wait(number, end)
            outcome = try result(reply, read)
        } catch {
            outcome = .failure(error.failure(process))
        }
        return try outcome.get()
    }

    /// Writes the time limit, the sessions to close and the call, and sends them.
    private func send(
        _ number: UInt64, _ end: UInt64, _ write: (inout MessageWriter) throws(ImageError) -> Void
    ) throws(Loss) {
        var writer = MessageWriter()
        do throws(ImageError) {
            let now = MonotonicClock.now
            // A duration, which the worker counts from the start of its work.
            try writer.put(end > now ? end - now : 0)
            try writer.put(unused: process.takeUnused())
            try write(&writer)
        } catch {
            throw .failed(error)
        }
        do throws(ImageError) {
            try process.channel.send(.call, number, writer, deadline: end)
        } catch { throw error.status == .decoderCrashed ? .crashed : .failed(error) }
    }

    /// Waits for the reply, and serves the bytes that the worker asks for.
    private func wait(_ number: UInt64, _ end: UInt64) throws(Loss) -> MessageReader {
        // The worker observes the same limit, so it usually replies with the error itself before this time.
        var killTime = end.addingSaturated(WorkerCall.grace)
        var isCancelled = false
        while true {
            let now = MonotonicClock.now
            if stop.isCancelled, !isCancelled {
                isCancelled = true
                killTime = now &+ WorkerCall.grace
                try? process.channel.send(.cancel, number, deadline: killTime)
            }
            guard now < killTime else { throw isCancelled ? .cancelled : .timedOut }
            do throws(ChannelFailure) {
                let message = try process.channel.receive(deadline: min(killTime, now &+ WorkerCall.pollInterval))
                guard message.number == number else { throw .invalid }
                if message.kind == .reply {
                    var body = message.body
                    body.worker = process
                    return body
                }
                // Only calls with a source may ask for bytes.
                guard message.kind == .read, let source else { throw .invalid }
                try sendBytes(message, source, killTime)
            } catch {
                switch error {
                case .timedOut: continue
                case .ended, .invalid: throw .crashed
                case .refused(let failure): throw .failed(failure)
                }
            }
        }
    }

    /// Answers a request for bytes of the source, or reports the error of the source to the worker.
    private func sendBytes(_ message: Message, _ source: any ByteSource, _ deadline: UInt64) throws(ChannelFailure) {
        var body = message.body
        do throws(ImageError) {
            let offset = try body.number(UInt64.self)
            let count = try body.count(RemoteSource.mostBytes)
            var writer = MessageWriter()
            do throws(ImageError) {
                let bytes = try source.bytes(count, at: offset)
                try writer.put(true)
                try writer.put(bytes)
            } catch {
                writer = MessageWriter()
                try writer.put(false)
                try writer.put(error)
            }
            try process.channel.send(.bytes, message.number, writer, deadline: deadline)
        } catch { throw error.status == .decoderCrashed ? .invalid : .refused(error) }
    }

    /// Reads a reply: the result or error of a worker that goes on. Throws for one that must end.
    private func result<R>(
        _ reply: MessageReader, _ read: (inout MessageReader) throws(ImageError) -> R
    ) throws(Loss) -> Result<R, ImageError> {
        var reply = reply
        do throws(ImageError) {
            guard try reply.flag() else {
                let failure = try reply.failure(of: self)
                // A call that a library did not end may still be running there.
                if failure.status == .timeout { throw failure }
                DecoderPool.shared.release(process)
                return .failure(failure.limited)
            }
            let result = try read(&reply)
            guard reply.isAtEnd else { throw .invalidMessage }
            // Released after the result was read: pixels in the arena are valid until the next call.
            if !keepsWorker { DecoderPool.shared.release(process) }
            DecoderPool.shared.count { $0.calls += 1 }
            return .success(result)
        } catch {
            switch error.status {
            case .timeout: throw .timedOut
            case .decoderCrashed: throw .crashed
            default: throw .failed(error)
            }
        }
    }
}

extension MessageWriter {
    /// Writes the sessions to close.
    mutating func put(unused sessions: [UInt64]) throws(ImageError) {
        try put(sessions.count)
        for session in sessions { try put(session) }
    }
}

extension WorkerCall.Loss {
    /// Ends the worker, and returns the error of the call.
    fileprivate func failure(_ process: DecoderProcess) -> ImageError {
        switch self {
        case .cancelled:
            DecoderPool.shared.kill(process) { $0.kills += 1 }
            return .cancelled
        case .timedOut:
            DecoderPool.shared.kill(process) { ($0.kills, $0.timeouts) = ($0.kills + 1, $0.timeouts + 1) }
            return ImageError(.timeout, "decoder process: work exceeded its time limit")
        // The signal is known only after the end of the process.
        case .crashed:
            let signal = DecoderPool.shared.discard(process)
            DecoderPool.shared.count { $0.crashes += 1 }
            let reason =
                switch signal {
                case 0: "ended or broke the protocol"
                case SIGSYS: "made a forbidden system call"
                default: "ended by signal \(signal)"
                }
            return ImageError(.decoderCrashed, "decoder process: \(reason)", systemError: signal)
        case .failed(let error):
            DecoderPool.shared.discard(process)
            return error
        }
    }
}

extension ImageError {
    /// The limit of a worker's memory is one of this library, unless the system has none left.
    fileprivate var limited: ImageError {
        guard status == .noMemory, systemError != ENOMEM, systemError != ENOSPC else { return self }
        return ImageError(.tooLarge, "decoder process: memory exceeds its limit", cause: self)
    }
}
