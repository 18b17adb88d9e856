import SDImage

/// Decodes in a worker process as another coder does in this one. `WorkerIsolation` puts it in place of that coder for one
/// operation. Encoding and `canDecode` stay in this process.
final class IsolatedCoder: ImageCoder {
    /// The images that crashed workers, of all coders.
    private static let quarantine = Quarantine()

    /// The coder that it stands for.
    private let base: any ImageCoder
    /// Its name in the worker.
    let coder: CoderName

    init(_ base: any ImageCoder, _ coder: CoderName) {
        self.base = base
        self.coder = coder
    }

    var name: String { base.name }
    var libraryVersion: String { base.libraryVersion }
    var decodableFormats: [ImageFormat] { base.decodableFormats }
    var encodableFormats: [ImageFormat] { base.encodableFormats }
    func canDecode(_ bytes: Bytes) -> Bool { base.canDecode(bytes) }
    func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

    func encode(
        _ image: Image, format: ImageFormat, options: EncodeOptions, stop: CancellationToken
    ) throws(ImageError) -> Bytes { try base.encode(image, format: format, options: options, stop: stop) }

    /// An idle worker; nil if the system starts none and this process is to decode. Never nil after the loss of a worker, whose
    /// image this process must not decode.
    func worker(isFresh: Bool = false, _ stop: CancellationToken) throws(ImageError) -> DecoderProcess? {
        do throws(ImageError) { return try DecoderPool.shared.acquire(coder, isFresh: isFresh, stop) } catch {
            guard error.status == .unsupported, !isFresh, Isolation.decodesInProcess else { throw error }
            return nil
        }
    }

    /// Makes a call about `image`, and remembers a crash of the worker. Throws `lost` if another image may be its cause.
    func run<R>(
        _ call: WorkerCall, _ operation: Operation, about image: EncodedImage?,
        _ write: (inout MessageWriter) throws(ImageError) -> Void, _ read: (inout MessageReader) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        do throws(ImageError) { return try call.run(operation, write, read) } catch {
            // Other errors are those of the image or of the operation.
            guard error.status == .decoderCrashed else { throw error }
            if call.process.hasServedOthers { throw .lost }
            if let image { IsolatedCoder.quarantine.noteCrash(image) }
            throw error
        }
    }

    /// Throws `decoderCrashed` for an image that is in quarantine.
    func check(_ image: EncodedImage) throws(ImageError) { try IsolatedCoder.quarantine.check(image) }

    /// Runs `body`, and once again if the worker had decoded other images, one of which may have damaged it, or had not opened a
    /// library that this image needs. `body` is told whether it must use a fresh worker. The second attempt has all the time that
    /// was left: the first one may have failed because of another image.
    func repeating<R>(
        _ stop: CancellationToken, _ body: (_ isFresh: Bool) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let (end, now) = (stop.end, MonotonicClock.now)
        do throws(ImageError) { return try body(false) } catch {
            guard error === ImageError.lost || error.status == .moduleMissing else { throw error }
            if end != .max { stop.allow(nanoseconds: end > now ? end - now : 0) }
            if error.status == .moduleMissing { DecoderPool.shared.complete(coder) }
            return try body(true)
        }
    }

    func info(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> ImageInfo {
        let image = EncodedImage(bytes)
        try check(image)
        return try repeating(stop) { isFresh throws(ImageError) in
            guard let process = try worker(isFresh: isFresh, stop) else {
                return try base.info(bytes, options: options, stop: stop)
            }
            process.noteImage()
            let call = WorkerCall(process: process, stop: stop, limit: options.limits.workNanoseconds)
            return try run(
                call, .info, about: image,
                { [coder] writer throws(ImageError) in try writer.put(coder, options, bytes) },
                { reader throws(ImageError) in try reader.info(options.limits) })
        }
    }

    func decode(_ bytes: Bytes, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> Image {
        let image = EncodedImage(bytes)
        try check(image)
        return try repeating(stop) { isFresh throws(ImageError) in
            guard let process = try worker(isFresh: isFresh, stop) else {
                return try base.decode(bytes, options: options, stop: stop)
            }
            let decoded = try decode(image, options, on: process, stop)
            // Frames and vector images need the bytes later, in case the worker ends.
            guard let session = decoded.session else { return decoded.image }
            return IsolatedContent(self, try image.copiedIfLent(), options, session, decoded.properties).image(decoded)
        }
    }

    /// Decodes with an acquired worker, which stays acquired after a success if `keepsWorker`.
    func decode(
        _ image: EncodedImage, _ options: DecodeOptions, on process: DecoderProcess, keepsWorker: Bool = false,
        _ stop: CancellationToken
    ) throws(ImageError) -> DecodedImage {
        process.noteImage()
        var call = WorkerCall(process: process, stop: stop, limit: options.limits.workNanoseconds)
        call.keepsWorker = keepsWorker
        return try run(
            call, .decode, about: image,
            { [coder] writer throws(ImageError) in try writer.put(coder, options, image.bytes) },
            { reader throws(ImageError) in try reader.decodedImage(options.limits, process) })
    }

    func open(options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        // Known only with the first bytes: the worker is started then.
        IsolatedDecoder(self, options: options) { [base] () throws(ImageError) in
            try base.open(options: options, stop: stop) ?? base.whole(options: options)
        }
    }

    func open(source: any ByteSource, options: DecodeOptions, stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        let decoder = IsolatedSourceDecoder(self, source, options)
        return try repeating(stop) { isFresh throws(ImageError) in
            guard let process = try worker(isFresh: isFresh, stop) else {
                return try base.open(source: source, options: options, stop: stop)
            }
            return try decoder.start(process, stop) == nil ? nil : decoder
        }
    }
}

extension ImageError {
    /// The end of a worker that had decoded other images before.
    static let lost = ImageError(.decoderCrashed, "decoder process: ended")
}

extension MessageWriter {
    /// Bytes that cost less as a part of the message than as memory of their own.
    private static let mostInlineBytes = 32 << 10

    /// Writes the coder, its options and the bytes.
    mutating func put(_ coder: CoderName, _ options: DecodeOptions, _ bytes: Bytes) throws(ImageError) {
        try put(coder)
        try put(options)
        try put(shared: bytes)
    }

    /// Writes bytes: long ones as memory of their own.
    mutating func put(shared bytes: Bytes) throws(ImageError) {
        let isInline = bytes.count <= MessageWriter.mostInlineBytes
        try put(isInline)
        if isInline { return try put(bytes) }
        try put(bytes.count)
        try put(try SharedMemory.sealed(bytes))
    }
}

extension MessageReader {
    /// Reads bytes that `put(shared:)` wrote; maps memory without a copy.
    mutating func shared() throws(ImageError) -> Bytes {
        if try flag() { return try bytes(limit: MessageWriter.limit) }
        let count = try count()
        return try SharedMemory.bytes(of: try descriptor(), count: count)
    }
}
