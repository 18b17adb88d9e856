import SDImage

/// A coder that a worker has opened, or the reason why it could not.
typealias OpenedCoder = Result<any ImageCoder, ImageError>

/// Performs the calls of a worker, and keeps the decoders and images of its sessions. Used by one thread at a time: that of the
/// calls, or the first thread for a trim between two calls.
final class WorkerSessions: Sendable {
    /// The object of a session.
    private enum Content {
        case decoder(any ImageDecoder)
        /// An image with frames, or a vector image.
        case image(Image)
    }

    private struct State {
        var contents: [UInt64: Content] = [:]
        /// The bytes that the decoders have received.
        var bytes: [UInt64: GrowingBytes] = [:]
        /// Number of the last session; numbers are not reused, and 0 is none.
        var lastNumber: UInt64 = 0

        mutating func add(_ content: Content) -> UInt64 {
            lastNumber += 1
            contents[lastNumber] = content
            return lastNumber
        }
    }

    private let coders: [CoderName: OpenedCoder]
    /// Makes built-in coders, which the start message does not name.
    private let builtin: DecoderService.CoderSource
    private let state = Monitor(State())

    init(_ coders: [CoderName: OpenedCoder], _ builtin: @escaping DecoderService.CoderSource) {
        self.coders = coders
        self.builtin = builtin
    }

    /// Reads a call after its time limit, and writes the result.
    func perform(
        _ body: MessageReader, _ writer: inout MessageWriter, _ service: DecoderService, _ stop: CancellationToken,
        nanoseconds: UInt64
    ) throws(ImageError) {
        var body = body
        // The message names them first: their memory is free for the call.
        try closeUnused(&body)
        stop.allow(nanoseconds: nanoseconds)
        switch try body.choice(Operation.self) {
        case .info: try info(&body, &writer, stop, nanoseconds)
        case .decode: try decode(&body, &writer, stop, nanoseconds)
        case .openSource: try openSource(&body, &writer, service, stop)
        case .update: try update(&body, &writer, stop, nanoseconds)
        case .image: try image(&body, &writer, stop)
        case .frame: try frame(&body, &writer, stop)
        case .render: try render(&body, &writer)
        }
    }

    /// Closes the sessions that a message names.
    func closeUnused(_ body: inout MessageReader) throws(ImageError) {
        for _ in 0..<(try body.count()) { close(try body.number()) }
    }

    /// Reads a name and returns its coder. A module must have been opened before the sandbox.
    private func coder(_ body: inout MessageReader) throws(ImageError) -> any ImageCoder {
        let name = try body.coderName()
        if let opened = coders[name.complete] ?? coders[name] { return try opened.get() }
        guard name.path.isEmpty else { throw ImageError(.unsupported, "decoder process: \(name.name) could not be opened") }
        return try builtin(name)
    }

    /// Reads coder, options and bytes; writes the properties of the image.
    private func info(
        _ body: inout MessageReader, _ writer: inout MessageWriter, _ stop: CancellationToken, _ nanoseconds: UInt64
    ) throws(ImageError) {
        let (coder, options, bytes) = (try coder(&body), try body.options(), try body.shared())
        stop.start(nanoseconds: nanoseconds, encodedBytes: bytes.count)
        try writer.put(try coder.info(bytes, options: options.accounted, stop: stop))
    }

    /// Reads coder, options and bytes; writes the image and the number of its session.
    private func decode(
        _ body: inout MessageReader, _ writer: inout MessageWriter, _ stop: CancellationToken, _ nanoseconds: UInt64
    ) throws(ImageError) {
        let (coder, options, bytes) = (try coder(&body), try body.options(), try body.shared())
        stop.start(nanoseconds: nanoseconds, encodedBytes: bytes.count)
        // Idle threads of this process help, as in a host.
        let image = try Engine.helped { () throws(ImageError) in
            try coder.decode(bytes, options: options.accounted, stop: stop)
        }
        try writer.put(image, session: session(of: image))
    }

    /// Opens a session for an image with frames or a vector image; 0 for others.
    private func session(of image: Image) -> UInt64 {
        guard image.frames != nil || image.vector != nil else { return 0 }
        return state.withLock { $0.add(.image(image)) }
    }

    /// Reads coder, options and the size of the source; writes a session and its properties, or that the coder needs bytes in
    /// memory.
    private func openSource(
        _ body: inout MessageReader, _ writer: inout MessageWriter, _ service: DecoderService, _ stop: CancellationToken
    ) throws(ImageError) {
        let (coder, options) = (try coder(&body), try body.options())
        let source = RemoteSource(size: try body.number(), service)
        let opened = try coder.open(source: source, options: options.accounted, stop: stop)
        try writer.put(opened != nil)
        guard let opened else { return }
        try writer.put(state.withLock { $0.add(.decoder(opened)) })
        try writer.put(StreamProperties(opened))
    }

    /// Reads the number of a session, 0 for a new one, and further bytes.
    private func update(
        _ body: inout MessageReader, _ writer: inout MessageWriter, _ stop: CancellationToken, _ nanoseconds: UInt64
    ) throws(ImageError) {
        var number = try body.number(UInt64.self)
        let isNew = number == 0
        if isNew { number = try open(&body, stop) }
        do throws(ImageError) { try update(number, isNew: isNew, &body, &writer, stop, nanoseconds) } catch {
            // The host does not know the number of a decoder that failed at once.
            if isNew { close(number) }
            throw error
        }
    }

    /// Closes a session; does nothing for a number that is not open.
    private func close(_ number: UInt64) { state.withLock { ($0.contents[number], $0.bytes[number]) = (nil, nil) } }

    /// Passes bytes to a decoder. Writes its number if it is new, its properties, and after the last bytes the image or the
    /// error.
    private func update(
        _ number: UInt64, isNew: Bool, _ body: inout MessageReader, _ writer: inout MessageWriter, _ stop: CancellationToken,
        _ nanoseconds: UInt64
    ) throws(ImageError) {
        let decoder = try decoder(number)
        let (piece, isFinished) = (try body.shared(), try body.flag())
        let bytes = try append(piece, to: number)
        stop.start(nanoseconds: nanoseconds, encodedBytes: bytes.count)
        var image: Image?
        var failure: ImageError?
        do throws(ImageError) {
            try decoder.update(bytes, isFinished: isFinished, stop: stop)
            if isFinished { image = try Engine.helped { () throws(ImageError) in try decoder.image(stop: stop) } }
        } catch {
            // Other errors fail the call. After MODULE_MISSING, the host repeats it in another worker.
            guard error.isLasting, error.status != .moduleMissing else { throw error }
            // The frames before damaged bytes count.
            failure = error
        }
        if isNew { try writer.put(number) }
        try writer.put(StreamProperties(decoder))
        try writer.put(optional: failure) { writer, error throws(ImageError) in try writer.put(error) }
        try writer.put(image != nil)
        if let image { try writer.put(image, session: session(of: image)) }
    }

    /// Reads coder and options, and opens a session with a decoder.
    private func open(_ body: inout MessageReader, _ stop: CancellationToken) throws(ImageError) -> UInt64 {
        let (coder, options) = (try coder(&body), try body.options().accounted)
        let decoder = try coder.open(options: options, stop: stop) ?? coder.whole(options: options)
        return state.withLock { state in
            let number = state.add(.decoder(decoder))
            // All bytes are kept here, because messages contain only the new ones.
            state.bytes[number] = GrowingBytes(limit: options.limits.workingBytes)
            return number
        }
    }

    /// All bytes of a decoder, without a copy of the first ones if they are complete.
    private func append(_ piece: Bytes, to number: UInt64) throws(ImageError) -> Bytes {
        try state.withLock { state throws(ImageError) in
            // A session without bytes is one of an image or of a source.
            guard var bytes = state.bytes[number] else { throw .invalidMessage }
            unsafe try piece.withUnsafeBytes { piece throws(ImageError) in unsafe try bytes.append(piece) }
            state.bytes[number] = bytes
            return bytes.bytes
        }
    }

    /// The decoder of a session; throws `invalidMessage` for an unknown number, and for a session of an image.
    private func decoder(_ number: UInt64) throws(ImageError) -> any ImageDecoder {
        guard case .decoder(let decoder) = state.withLock({ $0.contents[number] }) else { throw .invalidMessage }
        return decoder
    }

    /// Reads the number of a decoder; writes its image so far, and its properties.
    private func image(
        _ body: inout MessageReader, _ writer: inout MessageWriter, _ stop: CancellationToken
    ) throws(ImageError) {
        let decoder = try decoder(try body.number())
        let image = try Engine.helped { () throws(ImageError) in try decoder.image(stop: stop) }
        try writer.put(optional: image) { writer, image throws(ImageError) in try writer.put(image) }
        try writer.put(image?.frames != nil)
        try writer.put(StreamProperties(decoder))
    }

    /// Reads the number of a session and an index; writes the frame.
    private func frame(
        _ body: inout MessageReader, _ writer: inout MessageWriter, _ stop: CancellationToken
    ) throws(ImageError) {
        let (number, index) = (try body.number(UInt64.self), try body.count())
        let content = state.withLock { $0.contents[number] }
        let frame = try Engine.helped { () throws(ImageError) in
            switch content {
            case .decoder(let decoder): try decoder.frame(at: index, stop: stop)
            case .image(let image): try image.frame(at: index, stop: stop)
            case nil: throw .invalidMessage
            }
        }
        try writer.put(frame)
    }

    /// Reads the number of a session and a size; writes the vector image at that size.
    private func render(_ body: inout MessageReader, _ writer: inout MessageWriter) throws(ImageError) {
        let (number, size) = (try body.number(UInt64.self), try body.size())
        guard case .image(let image) = state.withLock({ $0.contents[number] }), let vector = image.vector else {
            throw .invalidMessage
        }
        try writer.put(try vector.render(size))
    }
}

extension DecodeOptions {
    /// The same options with the memory account of an operation.
    fileprivate var accounted: DecodeOptions {
        var options = self
        options.limits = limits.accounted
        return options
    }
}

extension StreamProperties {
    fileprivate init(_ decoder: any ImageDecoder) {
        self.init()
        size = decoder.size
        frameCount = decoder.frameCount
        loopCount = decoder.loopCount
        isSatisfied = decoder.isSatisfied
        encoded = decoder.encoded
        durations = (0..<frameCount).map { Int32(clamping: decoder.durationMilliseconds(at: $0)) }
    }
}
