import SDImage

/// The frames of an animation, or a vector image, in a worker. After the end of that worker they are opened again in another,
/// once for each call. Part of an image that `IsolatedCoder` or `IsolatedDecoder` returned. Thread-safe: the pool serializes the
/// calls.
final class IsolatedContent: FrameProvider, VectorImage {
    private let coder: IsolatedCoder
    /// The bytes of the image, from which a lost session is opened again.
    private let encodedImage: EncodedImage
    private let options: DecodeOptions
    /// The properties of the frames, which do not change any more.
    private let properties: StreamProperties
    /// nil after `rest`; replaced when its worker has ended.
    private let session: Lock<Session?>

    init(
        _ coder: IsolatedCoder, _ encodedImage: EncodedImage, _ options: DecodeOptions, _ session: Session,
        _ properties: StreamProperties
    ) {
        self.coder = coder
        self.encodedImage = encodedImage
        self.options = options
        self.properties = properties
        self.session = Lock(session)
    }

    /// The image with its frames, or as a vector image.
    func image(_ decoded: DecodedImage) -> Image {
        if decoded.isVector { return decoded.image.with(vector: self) }
        return properties.frameCount > 0 ? decoded.image.with(frames: self) : decoded.image
    }

    var frameCount: Int { properties.frameCount }
    var loopCount: Int { properties.loopCount }
    var encoded: Bytes? { encodedImage.bytes }

    func durationMilliseconds(at index: Int) -> Int {
        properties.durations.indices.contains(index) ? Int(properties.durations[index]) : 0
    }

    func frame(at index: Int, stop: CancellationToken) throws(ImageError) -> Image {
        guard index >= 0, index < frameCount else { throw .noFrame(index, of: frameCount) }
        return try call(.frame, stop) { writer throws(ImageError) in try writer.put(index) }
    }

    /// Draws the vector image at this size in the worker.
    func render(_ size: PixelSize) throws(ImageError) -> Image {
        // The same error as without isolation.
        guard !size.isEmpty, UInt32(exactly: size.width) != nil, UInt32(exactly: size.height) != nil else {
            throw ImageError(.invalidArgument, "image: invalid size \(size.width)x\(size.height)")
        }
        return try call(.render, CancellationToken()) { writer throws(ImageError) in try writer.put(size) }.with(vector: self)
    }

    /// Closes the session, whose canvases are memory; the next frame opens another.
    func rest() {
        let old = session.withLock { session in
            defer { session = nil }
            return session
        }
        withExtendedLifetime(old) {}
    }

    private func call(
        _ operation: Operation, _ stop: CancellationToken, _ write: (inout MessageWriter) throws(ImageError) -> Void
    ) throws(ImageError) -> Image {
        // Checked for each call: the image may have crashed another worker since it was decoded.
        try coder.check(encodedImage)
        return try coder.repeating(stop) { isFresh throws(ImageError) in
            try call(operation, isFresh: isFresh, stop, write)
        }
    }

    private func call(
        _ operation: Operation, isFresh: Bool, _ stop: CancellationToken,
        _ write: (inout MessageWriter) throws(ImageError) -> Void
    ) throws(ImageError) -> Image {
        let current = session.withLock { $0 }
        if !isFresh, let current, let process = try DecoderPool.shared.acquire(current.process, stop) {
            return try call(operation, current, process, stop, write)
        }
        // There is no session, its worker has ended, or a fresh one is required.
        guard let process = try coder.worker(isFresh: isFresh, stop) else {
            throw ImageError(.unsupported, "decoder process: ended, and no other can be started")
        }
        // Kept between the two calls: another decode could crash or replace it.
        let opened = try coder.decode(encodedImage, options, on: process, keepsWorker: true, stop).session
        // A second decode of the same bytes has the same frames, if the worker is sound.
        guard let opened else {
            DecoderPool.shared.release(process)
            throw .invalidMessage
        }
        session.withLock { $0 = opened }
        return try call(operation, opened, process, stop, write)
    }

    private func call(
        _ operation: Operation, _ session: Session, _ process: DecoderProcess, _ stop: CancellationToken,
        _ write: (inout MessageWriter) throws(ImageError) -> Void
    ) throws(ImageError) -> Image {
        let call = WorkerCall(process: process, stop: stop, limit: options.limits.workNanoseconds)
        return try coder.run(
            call, operation, about: encodedImage,
            { writer throws(ImageError) in
                try writer.put(session.number)
                try write(&writer)
            }, { [options] reader throws(ImageError) in try reader.image(options.limits) })
    }
}
