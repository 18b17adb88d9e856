import SDImage

/// Progressive decode of a WebP animation. `WebPProgressiveDecoder` owns it, under the lock of its `StreamDecoder`;
/// `WebPCoder.decode` passes complete files in one update. The frames of a finished animation have a `StreamDecoder` of their
/// own.
struct WebPAnimationDecoder: ImageStream {
    private let options: DecodeOptions
    /// All bytes so far.
    private var bytes = Bytes.empty
    /// Finds frames cheaply as bytes arrive; libwebp then validates them.
    private var chunks: WebPChunkReader
    /// nil before the first frame has started.
    private var header: Header?
    /// Complete frames.
    private var frames: [WebPFrame] = []
    /// The first frame while it is incomplete.
    private var beginning: WebPFrame?
    private var compositor: FrameCompositor?
    private var isFinished = false
    /// Limits the attempts to parse before the first frame is complete.
    private var parseGate = GrowthGate()
    private(set) var properties = StreamProperties()

    /// Properties shared by all frames, from the container.
    private struct Header {
        let canvas: PixelSize
        let orientation: Orientation
        let profile: Bytes?
        let transform: (any RowTransform)?
        let loopCount: Int
        /// True when the container is complete.
        let isComplete: Bool
        /// Converts canvases to images.
        var output: CanvasOutput
    }

    init(_ options: DecodeOptions) {
        self.options = options
        chunks = WebPChunkReader(frameLimit: options.limits.frames)
    }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished, !properties.isSatisfied else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        if isFinished { properties.encoded = self.bytes }
        try chunks.advance(bytes, stop: stop)
        // libwebp parses the container from its start each time. Parsing after a sixteenth more frames costs a small multiple of
        // one parse of the whole file.
        let isDue =
            chunks.frames > 0 ? chunks.frames - frames.count > frames.count / 16 : parseGate.opens(at: bytes.count)
        guard isFinished || isDue else { return }
        // A container that is truncated so far may be complete later.
        do throws(ImageError) { try parse(stop: stop) } catch {
            if isFinished || error.status != .truncated { throw error }
        }
        if isFinished, !(header?.isComplete ?? false), !options.acceptPartial {
            throw ImageError(.truncated, "webp: data ends early")
        }
    }

    /// Reads the container so far, and adds its new frames.
    private mutating func parse(stop: CancellationToken) throws(ImageError) {
        if compositor == nil { try checkCanvas() }
        // Data after the last frame within the limit are not parsed.
        guard let seen = chunks.isFull ? bytes.slice(0..<chunks.end) : bytes else { return }
        let container = try WebPContainer(seen, stop: stop)
        let parts = try container.frames(chunks, from: frames.count, limit: options.limits.frames - frames.count)
        guard !parts.isEmpty || header != nil else { return }
        for part in parts {
            let frame = WebPFrame(part.frame, part.layout, after: frames.last, canvas: container.canvas)
            // Only the first frame is shown while it is incomplete; of later ones, complete frames exist.
            beginning = frames.isEmpty && !part.isWhole ? frame : nil
            if part.isWhole { frames.append(frame) }
        }
        let header = try readHeader(container)
        self.header = header
        if compositor == nil {
            compositor = try FrameCompositor(size: header.canvas, format: canvasFormat(header), limits: options.limits)
        }
        compositor?.append(newOf: frames.lazy.map(\.layout))
        read(header)
    }

    /// Checks the canvas before anything after the header is read, so that the result does not depend on the amount of data
    /// received.
    private func checkCanvas() throws(ImageError) {
        let canvas = try WebPContainer.canvas(of: bytes)
        _ = try DecodePlan(storedSize: canvas, orientation: .up, options: options)
        _ = try FrameCompositor.byteCount(canvas, limits: options.limits)
    }

    /// Reads what all frames share. Repeated with each parse, because EXIF and XMP follow the frames.
    private func readHeader(_ container: WebPContainer) throws(ImageError) -> Header {
        let limit = options.limits.metadataBytes
        let (profile, orientation) = (container.chunk("ICCP", limit: limit), container.orientation(limit: limit))
        let transform =
            options.convertToSRGB
            ? profile.flatMap {
                ColorConverter.transform(profile: $0, format: .rgba8, isGray: false, output: options.pixelFormat)
            } : nil
        let output = try CanvasOutput(
            canvas: container.canvas, orientation: orientation, frames: max(shownFrames, 1), transform: transform,
            options: options)
        return Header(
            canvas: container.canvas, orientation: orientation, profile: profile,
            transform: transform, loopCount: container.loopCount, isComplete: container.isComplete || chunks.isFull,
            output: output)
    }

    /// Returns the canvas format: premultiplied if the canvas needs no other conversion.
    private func canvasFormat(_ header: Header) -> PixelFormat {
        guard let wanted = options.pixelFormat, wanted.isPremultiplied, !options.wantsThumbnail, options.limitBytes == 0,
            header.transform == nil
        else { return .rgba8 }
        return wanted
    }

    /// Number of frames of the result.
    private var shownFrames: Int { options.firstFrameOnly ? min(frames.count, 1) : frames.count }

    /// Publishes the properties known so far.
    private mutating func read(_ header: Header) {
        properties.size = header.output.size
        properties.frameCount = shownFrames
        properties.loopCount = shownFrames > 1 ? header.loopCount : 0
        properties.durations = frames.prefix(shownFrames).map { Int32(clamping: $0.layout.durationMilliseconds) }
        properties.isSatisfied = header.isComplete
    }

    // MARK: Images

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        let isWhole = header?.isComplete ?? false
        if !frames.isEmpty {
            let image = try cachedFrame(at: 0, isCached: false, isIncremental: !isWhole, stop: stop).image()
            guard isFinished || isWhole, properties.frameCount > 1 else { return image }
            // The decoder of the frames starts with a copy of this state.
            compositor?.keep(only: image.pixels)
            return image.with(frames: StreamDecoder(self))
        }
        if let header, let beginning { return try preview(beginning, header, stop: stop) }
        if isFinished { throw ImageError(.truncated, "webp: animation has no frame") }
        return nil
    }

    mutating func rest() { compositor?.rest() }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        try cachedFrame(at: index, isCached: isCached, isIncremental: false, stop: stop)
    }

    private mutating func cachedFrame(
        at index: Int, isCached: Bool, isIncremental: Bool, stop: CancellationToken
    ) throws(ImageError) -> CachedFrame {
        guard let header, frames.indices.contains(index) else { throw .noFrame(index, of: frames.count) }
        let painter = painter(header)
        let metadata = metadata(header, isIncremental: isIncremental)
        let frame = try compositor?.frame(
            at: index, painter: painter, output: header.output, metadata: metadata, isCached: isCached, stop: stop)
        // Later frames can start from a frame that proves to be opaque.
        for opaque in painter.opaqueFrames { frames[opaque].layout.isOpaque = true }
        guard let frame else { throw .noFrame(index, of: frames.count) }
        return frame
    }

    /// Decodes the available rows of the first frame.
    private func preview(_ frame: WebPFrame, _ header: Header, stop: CancellationToken) throws(ImageError) -> Image {
        try frame.coded.checkLimits(options.limits)
        let painter = painter(header)
        let canvas = try PixelBuffer(
            size: header.canvas, format: painter.format, limit: options.limits.workingBytes, zeroed: true)
        try painter.replace(frame, on: FrameCanvas(canvas, layout: frame.layout), tolerant: true, stop: stop)
        let metadata = metadata(header, isIncremental: true)
        return Image(pixels: try header.output.pixels(from: canvas, stop: stop), metadata: metadata)
    }

    private func painter(_ header: Header) -> WebPFramePainter {
        WebPFramePainter(bytes: bytes, frames: frames, format: canvasFormat(header), limits: options.limits)
    }

    private func metadata(_ header: Header, isIncremental: Bool) -> ImageMetadata {
        var metadata = header.output.plan.metadata(
            format: .webp, pixels: header.output.format, hasAlpha: true, orientation: header.orientation, options: options)
        metadata.isIncremental = isIncremental
        metadata.setColor(profile: header.profile, options: options)
        return metadata
    }
}
