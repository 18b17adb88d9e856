import SDImage

/// Decoder of a source whose coder works in a worker process, and asks for the bytes that it needs. Crashes are not remembered:
/// the quarantine knows images by all their bytes.
final class IsolatedSourceDecoder: ImageDecoder {
    private struct State {
        /// The session used last; nil before the first.
        var session: Session?
        /// Those of the latest reply.
        var properties = StreamProperties()
    }

    private let coder: IsolatedCoder
    private let source: any ByteSource
    private let options: DecodeOptions
    /// Never locked during a call.
    private let state = Monitor(State())

    init(_ coder: IsolatedCoder, _ source: any ByteSource, _ options: DecodeOptions) {
        self.coder = coder
        self.source = source
        self.options = options
    }

    private var properties: StreamProperties { state.withLock { $0.properties } }

    var size: PixelSize { properties.size }
    var frameCount: Int { properties.frameCount }
    var loopCount: Int { properties.loopCount }
    var isSatisfied: Bool { false }

    func durationMilliseconds(at index: Int) -> Int {
        properties.durations.indices.contains(index) ? Int(properties.durations[index]) : 0
    }

    /// Opens the source in an acquired worker; nil if the coder needs the bytes in memory. After a success, the worker stays
    /// acquired if `keepsWorker`.
    func start(
        _ process: DecoderProcess, keepsWorker: Bool = false, _ stop: CancellationToken
    ) throws(ImageError) -> Session? {
        process.noteImage()
        var call = call(process, stop)
        call.keepsWorker = keepsWorker
        let opened = try coder.run(
            call, .openSource, about: nil,
            { [coder, options, source] writer throws(ImageError) in
                try writer.put(coder.coder)
                try writer.put(options)
                try writer.put(source.size)
            },
            { reader throws(ImageError) in
                try reader.optional { reader throws(ImageError) in
                    (Session(process, try reader.number()), try reader.properties().0)
                }
            })
        guard let (session, properties) = opened else {
            if keepsWorker { DecoderPool.shared.release(process) }
            return nil
        }
        state.withLock { $0 = State(session: session, properties: properties) }
        return session
    }

    /// The source is complete from the start.
    func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {}

    /// The image with its frames, which this decoder makes.
    func image(stop: CancellationToken) throws(ImageError) -> Image? {
        let (image, hasFrames, properties) = try callSession(.image, stop, { _ throws(ImageError) in }) {
            [options] reader throws(ImageError) in try reader.partialImage(options.limits)
        }
        state.withLock { $0.properties = properties }
        return hasFrames ? image?.with(frames: self) : image
    }

    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        let count = frameCount
        guard index >= 0, index < count else { throw .noFrame(index, of: count) }
        return try callSession(.frame, stop, { writer throws(ImageError) in try writer.put(index) }) {
            [options] reader throws(ImageError) in try reader.image(options.limits)
        }
    }

    /// A call that serves the source.
    private func call(_ process: DecoderProcess, _ stop: CancellationToken) -> WorkerCall {
        WorkerCall(process: process, stop: stop, limit: options.limits.workNanoseconds, source: source)
    }

    /// Makes a call in a session; opens the source again if its worker was lost.
    private func callSession<R>(
        _ operation: Operation, _ stop: CancellationToken, _ write: (inout MessageWriter) throws(ImageError) -> Void,
        _ read: (inout MessageReader) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        try coder.repeating(stop) { isFresh throws(ImageError) in
            let session = try acquireSession(isFresh: isFresh, stop)
            return try coder.run(
                call(session.process, stop), operation, about: nil,
                { writer throws(ImageError) in
                    try writer.put(session.number)
                    try write(&writer)
                }, read)
        }
    }

    /// A session whose worker is acquired. Other calls may open further ones meanwhile.
    private func acquireSession(isFresh: Bool, _ stop: CancellationToken) throws(ImageError) -> Session {
        if !isFresh, let session = state.withLock({ $0.session }),
            try DecoderPool.shared.acquire(session.process, stop) != nil
        {
            return session
        }
        // Kept between the two calls: another decode could crash or replace it.
        guard let process = try coder.worker(isFresh: isFresh, stop), let session = try start(process, keepsWorker: true, stop)
        else { throw ImageError(.unsupported, "decoder process: ended, and no other can be started") }
        return session
    }
}
