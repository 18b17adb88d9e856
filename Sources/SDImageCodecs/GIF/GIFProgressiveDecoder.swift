import SDImage

/// A GIF, still or animated, while its bytes arrive.
///
/// Until it is complete, the image is the received part of the first frame. Frames are available once they are complete. In a
/// truncated file, an incomplete last frame is dropped. `GIFCoder` wraps it in a `StreamDecoder`, whose lock serializes all
/// calls, and passes complete files to it, too.
struct GIFProgressiveDecoder: ImageStream {
    private let options: DecodeOptions
    private(set) var properties = StreamProperties()
    private var container: GIFContainer
    /// All bytes so far.
    private var bytes = Bytes.empty
    /// nil before the first frame has started.
    private var compositor: FrameCompositor?
    /// The indices of the first frame, as far as they are decoded; nil before that, and once the frame was composed.
    private var first: GIFRowDecoder?
    private var isFinished = false

    init(_ options: DecodeOptions) {
        self.options = options
        container = GIFContainer(frameLimit: options.firstFrameOnly ? 1 : options.limits.frames)
    }

    private var isAnimated: Bool { container.isAnimated }
    /// True when no further data can change the image.
    private var isFinal: Bool { isFinished || properties.isSatisfied }

    // MARK: Bytes

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        self.bytes = bytes
        self.isFinished = isFinished
        if isFinished { properties.encoded = self.bytes }
        try container.read(bytes, stop: stop)
        guard let frame = container.firstFrame else {
            guard isFinished else { return }
            throw ImageError(.truncated, "gif: data ends before the first frame")
        }
        properties.size = try output().plan.scaledSize
        if compositor == nil {
            compositor = try FrameCompositor(size: container.canvas, limits: options.limits)
        }
        // The last frame may be incomplete. If no frame is complete, the incomplete one is the image.
        if isFinished, container.frames.isEmpty, !options.acceptPartial { try requireWhole(frame, stop) }
        addFrames()
    }

    /// Throws `truncated` if the data of the only frame end early.
    private mutating func requireWhole(_ frame: GIFFrame, _ stop: CancellationToken) throws(ImageError) {
        let indices = try indices(of: frame)
        try indices.decodeAll(bytes, stop: stop)
        if indices.isStarved { throw .truncatedGIF }
    }

    /// Publishes the frames that are complete since the last call.
    private mutating func addFrames() {
        for frame in container.frames.dropFirst(compositor?.layouts.count ?? 0) {
            properties.durations.append(Int32(clamping: frame.layout.durationMilliseconds))
        }
        compositor?.append(newOf: container.frames.lazy.map(\.layout))
        properties.isSatisfied = container.isEnded || options.firstFrameOnly && !container.frames.isEmpty
        properties.frameCount = isFinal ? max(container.frames.count, 1) : container.frames.count
        properties.loopCount = container.loopCount
        if options.firstFrameOnly || isFinal && !isAnimated { properties.durations = [] }
    }

    // MARK: Images

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        guard isFinal else { return try partialImage(stop: stop) }
        guard isAnimated else { return try stillImage(stop: stop) }
        let image = try frame(at: 0, isCached: false, stop: stop).image()
        // The decoder of the frames starts with a copy of this state.
        compositor?.keep(only: image.pixels)
        return image.with(frames: StreamDecoder(self))
    }

    mutating func rest() { compositor?.rest() }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        guard isAnimated || !isFinal else {
            guard index == 0 else { throw .noFrame(index, of: properties.frameCount) }
            return CachedFrame(try stillImage(stop: stop))
        }
        guard container.frames.indices.contains(index) else { throw .noFrame(index, of: container.frames.count) }
        let output = try output()
        let painter = GIFFramePainter(
            bytes: bytes, frames: container.frames, canvas: container.canvas, options: options, first: first)
        let metadata = metadata(output)
        let frame = try compositor?.frame(
            at: index, painter: painter, output: output, metadata: metadata, isCached: isCached, stop: stop)
        // Releases the indices: the frame is decoded again if it is needed later.
        if index == 0 { first = nil }
        guard let frame else { throw .noFrame(index, of: container.frames.count) }
        return frame
    }

    private func metadata(_ output: CanvasOutput) -> ImageMetadata {
        output.plan.metadata(format: .gif, pixels: output.format, hasAlpha: true, orientation: .up, options: options)
    }

    /// Made for each use: the number of frames, which a limit of bytes depends on, grows.
    private func output() throws(ImageError) -> CanvasOutput {
        try CanvasOutput(canvas: container.canvas, frames: isAnimated ? container.frames.count : 1, options: options)
    }

    // MARK: Stills and partial images

    /// Decodes the only frame.
    private mutating func stillImage(stop: CancellationToken) throws(ImageError) -> Image {
        guard let frame = container.firstFrame else { throw ImageError(.truncated, "gif: data ends before the first frame") }
        let plan = try output().plan
        let hasAlpha = container.hasAlpha
        let format = options.outputFormat(of: hasAlpha ? .rgba8 : .rgb8)
        let run = GIFDecoder(
            bytes: bytes, container: container, frame: frame, indices: try indices(of: frame), plan: plan, hasAlpha: hasAlpha,
            output: format, options: options, stop: stop)
        let (pixels, isWhole) = try run.decode()
        var metadata = plan.metadata(
            format: .gif, pixels: format, hasAlpha: hasAlpha, orientation: .up, options: options)
        metadata.isIncremental = !isWhole
        return Image(pixels: pixels, metadata: metadata)
    }

    /// Returns the first frame as far as it has arrived; nil before its first pixel.
    private mutating func partialImage(stop: CancellationToken) throws(ImageError) -> Image? {
        guard let pending = container.firstFrame else { return nil }
        // The first frame is complete, and others are arriving.
        guard container.frames.isEmpty else {
            return try frame(at: 0, isCached: false, stop: stop).image().incomplete
        }
        let indices = try indices(of: pending)
        try indices.decodeAll(bytes, stop: stop)
        guard indices.count > 0, let canvas = try compositor?.startCanvas() else { return nil }
        // Damage is reported with the complete image.
        var tolerant = options
        tolerant.acceptPartial = true
        let painter = GIFFramePainter(bytes: bytes, frames: [pending], canvas: canvas.size, options: tolerant, first: indices)
        let frameCanvas = FrameCanvas(canvas, layout: pending.layout)
        _ = try painter.paint(0, onto: frameCanvas, stop: stop)
        if pending.isInterlaced {
            GIFFramePainter.fillGaps(indices, rows: pending.visibleRows(of: canvas.size), onto: frameCanvas)
        }
        let output = try output()
        let pixels = try output.pixels(from: canvas, stop: stop)
        return Image(pixels: pixels, metadata: metadata(output)).incomplete
    }

    /// Returns the decoder of the first frame, which continues where it stopped.
    private mutating func indices(of frame: GIFFrame) throws(ImageError) -> GIFRowDecoder {
        if let first { return first }
        let indices = try GIFRowDecoder(frame, canvas: container.canvas, limits: options.limits)
        first = indices
        return indices
    }
}

extension Image {
    /// The same image, marked as incremental.
    fileprivate var incomplete: Image {
        var metadata = metadata
        metadata.isIncremental = true
        return with(metadata)
    }
}
