import SDImage

/// Progressive decode of an APNG: frames are available as soon as they are complete. `PNGProgressiveDecoder` owns it, under the
/// lock of its `StreamDecoder`; the frames of a finished animation have a `StreamDecoder` of their own.
struct APNGAnimationDecoder: ImageStream {
    private let options: DecodeOptions
    /// All bytes so far.
    private var bytes = Bytes.empty
    private(set) var container: APNGContainer
    /// nil before the first frame is complete.
    private var colors: Colors?
    /// Converts canvases to images; replaced when further frames or chunks change it.
    private var output: CanvasOutput?
    /// Draws frames on canvases and keeps some of these.
    private var compositor: FrameCompositor?
    private var isFinished = false
    private(set) var properties = StreamProperties()

    /// Properties shared by all frames, from the chunks before the data.
    private struct Colors {
        let encodedImage: PNGEncodedImage
        let metadata: PNGDecodeMetadata
        let transform: (any RowTransform)?
    }

    init(_ options: DecodeOptions) {
        self.options = options
        container = APNGContainer(limits: options.limits)
    }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        if isFinished { properties.encoded = self.bytes }
        // Bytes that complete no frame change nothing else.
        let known = container.frames.count
        try container.advance(bytes, isFinished: isFinished, stop: stop)
        guard container.frames.count > known || isFinished else { return }
        try prepare(stop)
    }

    /// Updates output and properties for the frames so far. Throws if the canvas exceeds a limit.
    private mutating func prepare(_ stop: CancellationToken) throws(ImageError) {
        guard container.frames.count > 0 else { return }
        // Relevant chunks may follow the image data.
        if colors == nil || isFinished { colors = try readColors(stop) }
        let output = try CanvasOutput(
            canvas: container.canvas, orientation: colors?.metadata.orientation ?? .up, frames: shownFrames,
            transform: colors?.transform, options: options)
        if compositor == nil { compositor = try FrameCompositor(size: container.canvas, limits: options.limits) }
        compositor?.append(newOf: container.frames.lazy.map(\.layout))
        self.output = output
        properties.size = output.size
        properties.frameCount = shownFrames
        properties.loopCount = shownFrames > 1 ? container.loopCount : 0
        properties.durations = container.frames.prefix(shownFrames).map { Int32(clamping: $0.layout.durationMilliseconds) }
    }

    /// Reads header and color chunks. Canvases are RGBA, whatever the color type.
    private func readColors(_ stop: CancellationToken) throws(ImageError) -> Colors {
        let encodedImage = try PNGHeader(bytes).encodedImage
        let metadata = try PNGDecodeMetadata(bytes, limits: options.limits, stop: stop)
        let output = options.outputFormat(of: .rgba8)
        let transform =
            options.convertToSRGB
            ? metadata.transform(format: .rgba8, isGray: encodedImage.isGray, output: output) : nil
        return Colors(encodedImage: encodedImage, metadata: metadata, transform: transform)
    }

    /// Number of frames of the result.
    private var shownFrames: Int { options.firstFrameOnly ? min(container.frames.count, 1) : container.frames.count }

    // MARK: Images

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        guard !container.frames.isEmpty else { return nil }
        let image = try cachedFrame(at: 0, isCached: false, isIncremental: !container.isEnded, stop: stop).image()
        guard isFinished, properties.frameCount > 1 else { return image }
        // The decoder of the frames starts with a copy of this state.
        compositor?.keep(only: image.pixels)
        return image.with(frames: StreamDecoder(self))
    }

    mutating func rest() { compositor?.rest() }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        try cachedFrame(at: index, isCached: isCached, isIncremental: false, stop: stop)
    }

    /// Draws a frame; `isIncremental` marks the first frame of an animation that is arriving.
    private mutating func cachedFrame(
        at index: Int, isCached: Bool, isIncremental: Bool, stop: CancellationToken
    ) throws(ImageError) -> CachedFrame {
        guard let output, let colors, container.frames.indices.contains(index) else {
            throw .noFrame(index, of: container.frames.count)
        }
        let painter = APNGFramePainter(
            bytes: bytes, encodedImage: colors.encodedImage, frames: container.frames, limits: options.limits)
        var metadata = output.plan.metadata(
            format: .png, pixels: output.format, hasAlpha: true, orientation: colors.metadata.orientation, options: options)
        metadata.isIncremental = isIncremental
        metadata.setColor(profile: colors.metadata.profile, codePoints: colors.metadata.codePoints, options: options)
        let frame = try compositor?.frame(
            at: index, painter: painter, output: output, metadata: metadata, isCached: isCached, stop: stop)
        guard let frame else { throw .noFrame(index, of: container.frames.count) }
        return frame
    }
}
