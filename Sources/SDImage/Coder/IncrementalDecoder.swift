/// Progressive decoder of one image. Chooses the coder when enough bytes have arrived to detect the format, and then keeps it.
/// Also provides the frames of an animation.
/// Used by progressive decodes, and by the decoder objects of the C interface. Updates come from one thread at a
/// time; images and frames may be requested from several.
package final class IncrementalDecoder: FrameProvider {
    /// Guarded by the monitor, which is not held while coders run.
    private struct State {
        /// Bytes that `append` received; empty if the caller keeps them.
        var bytes: GrowingBytes
        /// nil until the format is known.
        var decoder: (any ImageDecoder)?
        /// True after the last bytes.
        var isFinished = false
        /// True when the decoder has taken the last bytes.
        var isComplete = false
        /// Number of updates of the decoder, and whether one is under way.
        var updateCount = 0
        var isUpdating = false
        /// The decoded image; set when all bytes have arrived.
        var image: Image?
        /// The error that ended decoding; further bytes are refused.
        var failure: ImageError?
    }

    /// Number of bytes that is enough to match every signature known to the sniffer.
    private static let bytesToChoose = 64
    /// Number of bytes passed to the coder for recognition when decoding from a source.
    private static let bytesOfSource = 4096

    private let registry: CoderRegistry
    /// Options with a memory account of this decoder.
    private let options: DecodeOptions
    /// Options as given, for the images.
    private let record: DecodeRecord
    /// The coder of the request; nil for the registered ones.
    private let coder: (any ImageCoder)?
    /// Stop signal of updates whose caller passes none; its budget covers all updates together.
    private let ownStop = CancellationToken()
    private let state: Monitor<State>

    /// `coder` replaces the registered coders.
    package init(_ registry: CoderRegistry, options: DecodeOptions, coder: (any ImageCoder)? = nil) {
        self.registry = registry
        record = DecodeRecord(options)
        var options = options
        options.limits = options.limits.accounted
        self.options = options
        self.coder = coder
        state = Monitor(State(bytes: GrowingBytes(limit: options.limits.workingBytes)))
    }

    /// Decodes from a source that holds the complete data. The coder reads what it needs; if it cannot, all bytes are read here.
    /// Throws `tooLarge` if all bytes are needed and exceed the limit, and errors of the source.
    package convenience init(
        _ registry: CoderRegistry, source: any ByteSource, options: DecodeOptions, coder: (any ImageCoder)? = nil
    ) throws(ImageError) {
        self.init(registry, options: options, coder: coder)
        let start = try source.bytes(IncrementalDecoder.bytesOfSource)
        ownStop.start(nanoseconds: options.limits.workNanoseconds, encodedBytes: Int(clamping: source.size))
        if let decoder = try registry.open(source, start: start, options: options, stop: ownStop, coder: coder) {
            state.withLock { state in
                state.decoder = decoder
                (state.isFinished, state.isComplete) = (true, true)
            }
            return
        }
        let limit = options.limits.workingBytes
        guard source.size <= UInt64(limit) else { throw .tooLarge("decoder: source of \(source.size) bytes", limit: limit) }
        let all = try source.bytes(Int(clamping: source.size))
        unsafe try all.withUnsafeBytes { bytes throws(ImageError) in unsafe try append(bytes, isFinished: true) }
    }

    private var decoder: (any ImageDecoder)? { state.withLock { $0.decoder } }

    /// Empty until the header is known.
    package var size: PixelSize { decoder?.size ?? PixelSize(width: 0, height: 0) }
    package var frameCount: Int { decoder?.frameCount ?? 0 }
    package var loopCount: Int { decoder?.loopCount ?? 0 }
    /// 0 for a still, which is known once no further frame may arrive.
    package func durationMilliseconds(at index: Int) -> Int {
        guard let decoder, decoder.frameCount > 1 || isGrowing else { return 0 }
        return decoder.durationMilliseconds(at: index)
    }
    /// True when more bytes would not change the image.
    package var isSatisfied: Bool { decoder?.isSatisfied ?? false }
    /// True after the last piece, whether it was decoded or not.
    package var isFinished: Bool { state.withLock { $0.isFinished } }
    /// True when the image is made of all bytes.
    var isComplete: Bool { state.withLock { $0.isComplete } }
    /// All bytes received so far.
    package var bytes: Bytes { state.withLock { $0.bytes.bytes } }

    /// Appends a copy of the next bytes; bytes after the last piece are ignored. One thread at a time. `stop` is the budget of
    /// all updates, and its clock starts with each update; nil uses the decoder's own.
    package func append(
        _ piece: UnsafeRawBufferPointer, isFinished: Bool, stop: CancellationToken? = nil
    ) throws(ImageError) {
        let all = try state.withLock { state throws(ImageError) -> Bytes? in
            if let failure = state.failure { throw failure }
            guard !state.isFinished else { return nil }
            // Memory or the limit is exhausted: without these bytes the rest is useless.
            do throws(ImageError) { unsafe try state.bytes.append(piece) } catch {
                state.failure = error
                throw error
            }
            state.isFinished = isFinished
            return state.bytes.bytes
        }
        guard let all else { return }
        do throws(ImageError) { try update(all, isFinished, stop ?? ownStop) } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }

    /// Takes all bytes so far instead of a piece, for callers that keep them anyway. Use either this or `append` throughout.
    package func show(_ all: Bytes, isFinished: Bool, stop: CancellationToken? = nil) throws(ImageError) {
        let isOver = try state.withLock { state throws(ImageError) -> Bool in
            if let failure = state.failure { throw failure }
            defer { if isFinished { state.isFinished = true } }
            return state.isFinished
        }
        guard !isOver else { return }
        do throws(ImageError) { try update(all, isFinished, stop ?? ownStop) } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }

    /// Passes all bytes to the decoder, and keeps the final image.
    private func update(_ all: Bytes, _ isFinished: Bool, _ stop: CancellationToken) throws(ImageError) {
        stop.resume(nanoseconds: options.limits.workNanoseconds, encodedBytes: all.count)
        try stop.check()
        // Bytes that are too few to choose a coder wait for more.
        let chosen = decoder == nil ? try choose(all, isFinished, stop) : decoder
        guard let chosen else { return }
        state.withLock { ($0.updateCount, $0.isUpdating) = ($0.updateCount + 1, true) }
        defer { state.withLock { $0.isUpdating = false } }
        try chosen.update(all, isFinished: isFinished, stop: stop)
        // Errors in the data are only known after decoding; the image is kept, so that its first reader need not decode again.
        guard isFinished else { return }
        let image = try timed(stop) { () throws(ImageError) in try chosen.image(stop: stop)?.signal(options, stop: stop) }
        guard let image else { throw ImageError(.truncated, "decoder: no image in \(all.count) bytes") }
        let recorded = image.with(record)
        state.withLock { ($0.image, $0.isComplete) = (recorded, true) }
    }

    /// Chooses the coder and opens its decoder; nil until the format is known.
    /// With the last bytes, a coder must be found.
    private func choose(_ all: Bytes, _ isFinished: Bool, _ stop: CancellationToken) throws(ImageError) -> (any ImageDecoder)? {
        guard isFinished || all.count >= IncrementalDecoder.bytesToChoose else { return nil }
        guard isFinished || coder != nil || registry.coder(for: all, hint: options.formatHint) != nil else { return nil }
        let decoder = try registry.open(all, options: options, stop: stop, coder: coder)
        state.withLock { $0.decoder = decoder }
        return decoder
    }

    /// Returns the best image so far; nil when more bytes are needed.
    /// Throws the error that ended decoding, and errors that do not concern the data.
    package func image(stop: CancellationToken = CancellationToken()) throws(ImageError) -> Image? {
        let (decoder, image, failure) = state.withLock { ($0.decoder, $0.image, $0.failure) }
        if let failure { throw failure }
        if let image { return image }
        guard let decoder else { return nil }
        // Read first: while this thread decodes, another one may pass the last bytes to the decoder.
        let (isComplete, updates) = state.withLock { ($0.isComplete, $0.isUpdating ? nil : $0.updateCount) }
        do throws(ImageError) {
            let image = try timed(stop) { () throws(ImageError) in
                try decoder.image(stop: stop)?.signal(options, stop: stop)
            }
            let isFinal = isComplete || decoder.isSatisfied && state.withLock { $0.updateCount == updates }
            return image.map { (isFinal ? $0 : marked($0, decoder)).with(record) }
        } catch {
            // Errors in the data are reported with the last bytes only: the complete data may give another error.
            guard isComplete || decoder.isSatisfied || !error.isLasting else { return nil }
            throw error
        }
    }

    /// Marks an image that more bytes may still change as incremental, even if the first of several frames is complete.
    private func marked(_ image: Image, _ decoder: any ImageDecoder) -> Image {
        // The frames received so far can be played while the others arrive.
        let moving = decoder.frameCount > 1 && !options.firstFrameOnly ? image.with(frames: self) : image
        guard !moving.metadata.isIncremental else { return moving }
        var metadata = moving.metadata
        metadata.isIncremental = true
        return moving.with(metadata)
    }

    /// Returns a frame composed onto the whole canvas.
    /// Throws `noFrame` for a frame that does not exist yet.
    package func frame(at index: Int, stop: CancellationToken = CancellationToken()) throws(ImageError) -> Image {
        let (decoder, image) = state.withLock { ($0.decoder, $0.image) }
        if let image, index == 0 { return image.frames == nil ? image : image.still }
        guard let decoder else { throw .noFrame(index, of: 0) }
        return try timed(stop) { () throws(ImageError) in
            try decoder.frame(at: index, stop: stop).signal(options, stop: stop)
        }.with(record)
    }

    /// A frame with a transfer is converted, and counted with its source.
    package func cachedFrame(at index: Int, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        guard index > 0, let decoder else { return CachedFrame(try frame(at: index, stop: stop)) }
        let frame = try timed(stop) { () throws(ImageError) in try decoder.cachedFrame(at: index, stop: stop) }
        guard options.transfer != nil else { return frame }
        return CachedFrame(try frame.image().signal(options, stop: stop), from: frame)
    }

    package func rest() { decoder?.rest() }

    /// True while more frames may arrive: neither the last byte nor an error has been received.
    package var isGrowing: Bool {
        state.withLock { state in !state.isFinished && state.failure == nil && state.decoder?.isSatisfied != true }
    }

    /// nil for a source that the coder reads itself.
    package var encoded: Bytes? {
        let all = bytes
        return all.isEmpty ? nil : all
    }

    /// Runs `body` with a time limit of its own, and with the help of idle workers.
    private func timed<R>(_ stop: CancellationToken, _ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        stop.allow(nanoseconds: options.limits.workNanoseconds)
        return try Engine.helped(body)
    }
}
