/// Decodes one picture from bytes that arrive piece by piece, or frame by frame: chooses the coder once enough bytes are
/// there to know the format, and then uses that one to the end.
package final class PictureDecoder: FrameProvider {
    private struct State {
        var bytes: GrowingBytes
        var decoder: (any ImageDecoder)?
        var isFinished = false
        /// Once all bytes are there.
        var picture: Image?
        /// Why no further byte is taken.
        var failure: ImageError?
    }

    /// Every signature that the sniffer knows is decided by so many bytes.
    private static let bytesToChoose = 64
    /// And a coder of the host is shown so many.
    private static let bytesOfSource = 4096

    private let registry: CoderRegistry
    private let options: DecodeOptions
    private let coder: (any ImageCoder)?
    /// The budget of updates whose caller has none; its amount is that of all updates together.
    private let ownStop = StopSignal()
    private let state: Monitor<State>

    /// `coder`: used in place of the registered ones.
    package init(_ registry: CoderRegistry, options: DecodeOptions, coder: (any ImageCoder)? = nil) {
        self.registry = registry
        var options = options
        options.limits = options.limits.accounted
        self.options = options
        self.coder = coder
        state = Monitor(State(bytes: GrowingBytes(limit: options.limits.workingBytes)))
    }

    /// All bytes of a source, at once: the coder reads what it needs, or else all are read here.
    package convenience init(
        _ registry: CoderRegistry, source: any ByteSource, options: DecodeOptions, coder: (any ImageCoder)? = nil
    ) throws(ImageError) {
        self.init(registry, options: options, coder: coder)
        let start = try source.bytes(PictureDecoder.bytesOfSource)
        ownStop.start(nanoseconds: options.limits.workNanoseconds, encodedBytes: Int(clamping: source.size))
        if let decoder = try registry.open(source, start: start, options: options, stop: ownStop, coder: coder) {
            state.withLock { state in
                state.decoder = decoder
                state.isFinished = true
            }
            return
        }
        let limit = options.limits.workingBytes
        guard source.size <= UInt64(limit) else { throw .tooLarge("encoded size in bytes", limit: limit) }
        let all = try source.bytes(Int(clamping: source.size))
        unsafe try all.withUnsafeBytes { bytes throws(ImageError) in unsafe try append(bytes, isFinished: true) }
    }

    private var decoder: (any ImageDecoder)? { state.withLock { $0.decoder } }

    package var size: PixelSize { decoder?.size ?? PixelSize(width: 0, height: 0) }
    package var frameCount: Int { decoder?.frameCount ?? 0 }
    package var loopCount: Int { decoder?.loopCount ?? 0 }
    package func durationMilliseconds(at index: Int) -> Int { decoder?.durationMilliseconds(at: index) ?? 0 }
    /// More bytes would change nothing.
    package var isSatisfied: Bool { decoder?.isSatisfied ?? false }
    package var isFinished: Bool { state.withLock { $0.isFinished } }
    /// All bytes so far.
    package var bytes: Bytes { state.withLock { $0.bytes.bytes } }

    /// The next bytes, copied; those after the last are ignored. By one thread at a time. `stop`: the budget of
    /// all updates, whose clock starts with each; nil for the decoder's own.
    package func append(
        _ piece: UnsafeRawBufferPointer, isFinished: Bool, stop: StopSignal? = nil
    ) throws(ImageError) {
        let all = try state.withLock { state throws(ImageError) -> Bytes? in
            if let failure = state.failure { throw failure }
            guard !state.isFinished else { return nil }
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

    /// All bytes so far in place of a piece, for those who keep them anyway; in place of `append` from the first on.
    package func show(_ all: Bytes, isFinished: Bool, stop: StopSignal? = nil) throws(ImageError) {
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

    private func update(_ all: Bytes, _ isFinished: Bool, _ stop: StopSignal) throws(ImageError) {
        stop.resume(nanoseconds: options.limits.workNanoseconds, encodedBytes: all.count)
        try stop.check()
        let chosen = decoder == nil ? try choose(all, isFinished, stop) : decoder
        guard let chosen else { return }
        try chosen.update(all, isFinished: isFinished, stop: stop)
        // Whether the picture is sound is known once it is decoded, which its first reader then need not do.
        guard isFinished else { return }
        let picture = try timed(stop) { () throws(ImageError) in try chosen.image(stop: stop) }
        guard let picture else { throw ImageError(.truncated, "no picture in the bytes") }
        state.withLock { $0.picture = picture }
    }

    /// nil until the format is known.
    private func choose(_ all: Bytes, _ isFinished: Bool, _ stop: StopSignal) throws(ImageError) -> (any ImageDecoder)? {
        guard isFinished || all.count >= PictureDecoder.bytesToChoose else { return nil }
        guard isFinished || coder != nil || registry.coder(for: all, hint: options.formatHint) != nil else { return nil }
        let decoder = try registry.open(all, options: options, stop: stop, coder: coder)
        state.withLock { $0.decoder = decoder }
        return decoder
    }

    /// The best picture so far; nil when more bytes are needed.
    package func image(stop: StopSignal = StopSignal()) throws(ImageError) -> Image? {
        let (decoder, picture, failure) = state.withLock { ($0.decoder, $0.picture, $0.failure) }
        if let failure { throw failure }
        if let picture { return picture }
        guard let decoder else { return nil }
        do throws(ImageError) {
            return try timed(stop) { () throws(ImageError) in try decoder.image(stop: stop) }.map { marked($0, decoder) }
        } catch {
            // What is wrong with the bytes is told with the last that count: of all of them it may be something else.
            guard isFinished || decoder.isSatisfied || !error.isLasting else { return nil }
            throw error
        }
    }

    /// What more bytes may still change says so, even where the first frame of several is whole.
    private func marked(_ image: Image, _ decoder: any ImageDecoder) -> Image {
        guard !isFinished, !decoder.isSatisfied else { return image }
        // The frames that are there can be played while the others come.
        let moving = decoder.frameCount > 1 && image.frames == nil ? image.with(frames: self) : image
        guard !moving.metadata.isIncremental else { return moving }
        var metadata = moving.metadata
        metadata.isIncremental = true
        return moving.with(metadata)
    }

    /// A frame composed to the whole canvas.
    package func frame(at index: Int, stop: StopSignal = StopSignal()) throws(ImageError) -> Image {
        let (decoder, picture) = state.withLock { ($0.decoder, $0.picture) }
        if let picture, index == 0 { return picture.frames == nil ? picture : picture.still }
        guard let decoder else { throw .noFrame(index, of: 0) }
        return try timed(stop) { () throws(ImageError) in try decoder.frame(at: index, stop: stop) }
    }

    package func keptFrame(at index: Int, stop: StopSignal) throws(ImageError) -> CachedFrame {
        guard index > 0, let decoder else { return CachedFrame(try frame(at: index, stop: stop)) }
        return try timed(stop) { () throws(ImageError) in try decoder.keptFrame(at: index, stop: stop) }
    }

    package func rest() { decoder?.rest() }

    /// More frames may come: neither the last byte is there nor a bad one.
    package var isGrowing: Bool {
        state.withLock { state in !state.isFinished && state.failure == nil && state.decoder?.isSatisfied != true }
    }

    package var encoded: Bytes? { bytes }

    private func timed<R>(_ stop: StopSignal, _ body: () throws(ImageError) -> R) throws(ImageError) -> R {
        stop.allow(nanoseconds: options.limits.workNanoseconds)
        return try Engine.helped(body)
    }
}
