import SDImage

/// Progressive decoder whose coder works in a worker process. Keeps the bytes by reference, to open it again in another worker.
/// Called from several threads, like every `ImageDecoder`; properties never wait for a call.
final class IsolatedDecoder: ImageDecoder {
    private struct State {
        /// nil before the first bytes, and once the image is complete.
        var session: Session?
        /// Number of bytes that the session has.
        var sent = 0
        /// All bytes so far.
        var arrived = EncodedImage(.empty)
        var isFinished = false
        var properties = StreamProperties()
        /// The image of all bytes.
        var image: Image?
        /// Decodes in this process, where no worker can be started.
        var substitute: (any ImageDecoder)?
    }

    private let coder: IsolatedCoder
    private let options: DecodeOptions
    /// Opens the decoder of the coder itself, in this process.
    private let openHere: @Sendable () throws(ImageError) -> any ImageDecoder
    private let state = Monitor(State())
    /// Held during a call: the calls of a decoder are serialized.
    private let turn = Monitor(false)

    init(
        _ coder: IsolatedCoder, options: DecodeOptions, openHere: @escaping @Sendable () throws(ImageError) -> any ImageDecoder
    ) {
        self.coder = coder
        self.options = options
        self.openHere = openHere
    }

    private var properties: StreamProperties { state.withLock { $0.properties } }
    private var substitute: (any ImageDecoder)? { state.withLock { $0.substitute } }
    /// The frames of the complete animation.
    private var frames: AnimationFrames? { state.withLock { $0.image?.frames } }

    /// The properties of the latest update, which are available while a call is under way.
    var size: PixelSize { substitute?.size ?? properties.size }
    var frameCount: Int { substitute?.frameCount ?? properties.frameCount }
    var loopCount: Int { substitute?.loopCount ?? properties.loopCount }
    var isSatisfied: Bool { substitute?.isSatisfied ?? properties.isSatisfied }
    var encoded: Bytes? { substitute?.encoded ?? frames?.encoded }

    func durationMilliseconds(at index: Int) -> Int {
        if let substitute { return substitute.durationMilliseconds(at: index) }
        return properties.durations.indices.contains(index) ? Int(properties.durations[index]) : 0
    }

    /// Passes the new bytes to the worker. After the last ones, the reply contains the final image.
    func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        if let substitute { return try substitute.update(bytes, isFinished: isFinished, stop: stop) }
        let arrived = EncodedImage(try bytes.copiedIfLent())
        try coder.check(arrived)
        try inTurn(stop) { () throws(ImageError) in
            // Set before the call: a worker that takes the place of a lost one needs all bytes.
            state.withLock { ($0.arrived, $0.isFinished) = (arrived, isFinished) }
            try coder.repeating(stop) { isFresh throws(ImageError) in _ = try send(isFresh: isFresh, stop) }
        }
    }

    /// The final image, or the best so far from the worker.
    func image(stop: CancellationToken) throws(ImageError) -> Image? {
        if let substitute { return try substitute.image(stop: stop) }
        return try inTurn(stop) { () throws(ImageError) in
            let partial = try callSession(.image, stop, { _ throws(ImageError) in }) {
                [options] reader throws(ImageError) in try reader.partialImage(options.limits)
            }
            // The image is complete, or this process has begun to decode it.
            guard let (image, _, properties) = partial else {
                if let image = state.withLock({ $0.image }) { return image }
                return try substitute?.image(stop: stop)
            }
            state.withLock { $0.properties = properties }
            // The frames that have arrived are added by the owner of this decoder.
            return image
        }
    }

    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        if let frame = try frameHere(index, stop) { return frame }
        let count = frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        let frame = try inTurn(stop) { () throws(ImageError) in
            try callSession(.frame, stop, { writer throws(ImageError) in try writer.put(index) }) {
                [options] reader throws(ImageError) in try reader.image(options.limits)
            }
        }
        if let frame { return frame }
        // The session ended meanwhile, because the image became complete.
        guard let frame = try frameHere(index, stop) else { throw .lost }
        return frame
    }

    /// A frame of the complete image, or of the decoder in this process; nil as long as the session decodes.
    private func frameHere(_ index: Int, _ stop: CancellationToken) throws(ImageError) -> Image? {
        let (substitute, image) = state.withLock { ($0.substitute, $0.image) }
        if let substitute { return try substitute.frame(at: index, stop: stop) }
        return try image?.frame(at: index, stop: stop)
    }

    func rest() { if let substitute { substitute.rest() } else { frames?.rest() } }

    // MARK: Calls

    /// Waits for the calls before. Like the wait for a worker, it ends with a cancellation and does not count as work.
    private func inTurn<R>(_ stop: CancellationToken, _ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        let start = MonotonicClock.now
        let hasTurn = turn.wait { isTaken, wakeAt -> Bool? in
            if stop.isCancelled { return false }
            wakeAt = MonotonicClock.now &+ DecoderPool.pollInterval
            if isTaken { return nil }
            isTaken = true
            return true
        }
        stop.extend(nanoseconds: MonotonicClock.now &- start)
        guard hasTurn == true else { throw .cancelled }
        defer {
            turn.withLock { $0 = false }
            turn.signal()
        }
        return try body()
    }

    /// Passes the bytes on that the session does not have; a lost session is opened again with all of them. Returns the worker
    /// that has the session, which stays acquired if `keepsWorker`.
    private func send(
        isFresh: Bool, keepsWorker: Bool = false, _ stop: CancellationToken
    ) throws(ImageError) -> DecoderProcess? {
        let current = state.withLock { $0.session }
        if !isFresh, let current, let process = try DecoderPool.shared.acquire(current.process, stop) {
            try send(process, current, keepsWorker: keepsWorker, stop)
            return process
        }
        guard let process = try coder.worker(isFresh: isFresh, stop) else {
            let (bytes, isFinished) = state.withLock { ($0.arrived.bytes, $0.isFinished) }
            // No worker can be started, and the program allows this process to decode.
            let decoder = try openHere()
            state.withLock { $0.substitute = decoder }
            try decoder.update(bytes, isFinished: isFinished, stop: stop)
            return nil
        }
        // A new session has none of the bytes.
        state.withLock { ($0.session, $0.sent) = (nil, 0) }
        process.noteImage()
        try send(process, nil, keepsWorker: keepsWorker, stop)
        return process
    }

    private func send(
        _ process: DecoderProcess, _ session: Session?, keepsWorker: Bool, _ stop: CancellationToken
    ) throws(ImageError) {
        let (arrived, sent, isFinished) = state.withLock { ($0.arrived, $0.sent, $0.isFinished) }
        let bytes = arrived.bytes
        var call = WorkerCall(process: process, stop: stop, limit: options.limits.workNanoseconds)
        call.keepsWorker = keepsWorker
        let (opened, properties, failure, image) = try coder.run(
            call, .update, about: arrived,
            { [coder, options] writer throws(ImageError) in
                // The order of `WorkerSessions.update`.
                try writer.put(session?.number ?? 0)
                if session == nil {
                    try writer.put(coder.coder)
                    try writer.put(options)
                }
                try writer.put(shared: bytes.slice(min(sent, bytes.count)..<bytes.count) ?? .empty)
                try writer.put(isFinished)
            },
            { [options] reader throws(ImageError) in
                // Owns the session of the worker from here on.
                let opened: Session = if let session { session } else { Session(process, try reader.number()) }
                let properties = try reader.properties().0
                let failure = try reader.optional { [call] reader throws(ImageError) in try reader.failure(of: call) }
                let image = try reader.optional { reader throws(ImageError) in
                    try reader.decodedImage(options.limits, process)
                }
                return (opened, properties, failure, image)
            })
        let result = image.map { decoded in
            guard let session = decoded.session else { return decoded.image }
            return IsolatedContent(coder, arrived, options, session, decoded.properties).image(decoded)
        }
        state.withLock { state in
            (state.session, state.sent, state.properties, state.image) = (opened, bytes.count, properties, result)
            // The content has a session of its own.
            if result != nil { state.session = nil }
        }
        guard let failure else { return }
        // The worker is sound: only the image is damaged.
        if keepsWorker { DecoderPool.shared.release(process) }
        throw failure
    }

    /// Makes a call about the bytes so far, in the session that has them; nil if the image is complete, or decoded here.
    private func callSession<R>(
        _ operation: Operation, _ stop: CancellationToken, _ write: (inout MessageWriter) throws(ImageError) -> Void,
        _ read: (inout MessageReader) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        let (arrived, isOver) = state.withLock { ($0.arrived, $0.image != nil || $0.substitute != nil) }
        if isOver { return nil }
        try coder.check(arrived)
        return try coder.repeating(stop) { isFresh throws(ImageError) in
            var (session, process) = isFresh ? (nil, nil) : try acquireSession(stop)
            if process == nil {
                // Kept between the two calls: another decode could crash or replace it.
                process = try send(isFresh: isFresh, keepsWorker: true, stop)
                session = state.withLock { $0.session }
            }
            guard let session, let process else {
                if let process { DecoderPool.shared.release(process) }
                return nil
            }
            let call = WorkerCall(process: process, stop: stop, limit: options.limits.workNanoseconds)
            return try coder.run(
                call, operation, about: arrived,
                { writer throws(ImageError) in
                    try writer.put(session.number)
                    try write(&writer)
                }, read)
        }
    }

    /// The session and its worker, which is acquired; without a worker if that has ended.
    private func acquireSession(_ stop: CancellationToken) throws(ImageError) -> (Session?, DecoderProcess?) {
        guard let session = state.withLock({ $0.session }) else { return (nil, nil) }
        return (session, try DecoderPool.shared.acquire(session.process, stop))
    }
}
