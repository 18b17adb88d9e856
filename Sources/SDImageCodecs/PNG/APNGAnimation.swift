import SDImage

/// Progressive decode of an APNG: frames are available as soon as they are complete.
struct APNGAnimation: ImageStream {
    private let options: DecodeOptions
    private var bytes = Bytes.empty
    private(set) var structure: APNGStructure
    private var colors: Colors?
    private var output: CanvasOutput?
    private var compositor: FrameCompositor?
    private var isFinished = false
    private(set) var properties = StreamProperties()

    /// Properties shared by all frames, from the chunks before the data.
    private struct Colors {
        let imageData: PNGImageData
        let metadata: PNGMetadata
        let transform: (any RowTransform)?
    }

    init(_ options: DecodeOptions) {
        self.options = options
        structure = APNGStructure(limits: options.limits)
    }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished else { return }
        self.bytes = try bytes.copiedIfLent()
        self.isFinished = isFinished
        if isFinished { properties.encoded = self.bytes }
        let known = structure.frames.count
        try structure.advance(bytes, isFinished: isFinished, stop: stop)
        guard structure.frames.count > known || isFinished else { return }
        try prepare(stop)
    }

    private mutating func prepare(_ stop: CancellationToken) throws(ImageError) {
        guard structure.frames.count > 0 else { return }
        // Relevant chunks may follow the image data.
        if colors == nil || isFinished { colors = try readColors(stop) }
        let output = try CanvasOutput(
            canvas: structure.canvas, orientation: colors?.metadata.orientation ?? .up, frames: shownFrames,
            transform: colors?.transform, options: options)
        if compositor == nil { compositor = try FrameCompositor(size: structure.canvas, limits: options.limits) }
        for frame in structure.frames.dropFirst(compositor?.layouts.count ?? 0) { compositor?.append(frame.layout) }
        self.output = output
        properties.size = output.size
        properties.frameCount = shownFrames
        properties.loopCount = shownFrames > 1 ? structure.loopCount : 0
        properties.durations = structure.frames.prefix(shownFrames).map { Int32(clamping: $0.layout.durationMilliseconds) }
    }

    private func readColors(_ stop: CancellationToken) throws(ImageError) -> Colors {
        let imageData = try PNGHeader(bytes).imageData
        let metadata = try PNGMetadata(bytes, limits: options.limits, stop: stop)
        let output = PixelFormat.resolved(source: .rgba8, wanted: options.pixelFormat)
        let transform =
            options.convertToSRGB
            ? PNGColor.transform(metadata, format: .rgba8, isGray: imageData.isGray, output: output) : nil
        return Colors(imageData: imageData, metadata: metadata, transform: transform)
    }

    private var shownFrames: Int { options.firstFrameOnly ? min(structure.frames.count, 1) : structure.frames.count }

    // MARK: Images

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        guard !structure.frames.isEmpty else { return nil }
        let image = try cachedFrame(at: 0, isCached: false, isIncremental: !structure.isEnded, stop: stop).image()
        guard isFinished, properties.frameCount > 1 else { return image }
        compositor?.keep(only: image.pixels)
        return image.with(frames: StreamDecoder(self))
    }

    mutating func rest() { compositor?.rest() }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        try cachedFrame(at: index, isCached: isCached, isIncremental: false, stop: stop)
    }

    private mutating func cachedFrame(
        at index: Int, isCached: Bool, isIncremental: Bool, stop: CancellationToken
    ) throws(ImageError) -> CachedFrame {
        guard let output, let colors, structure.frames.indices.contains(index), var compositor else {
            throw .noFrame(index, of: structure.frames.count)
        }
        // A second owner would cause a copy of everything that the compositor keeps.
        self.compositor = nil
        defer { self.compositor = compositor }
        let painter = APNGPainter(
            bytes: bytes, imageData: colors.imageData, frames: structure.frames, limits: options.limits)
        let canvas = try compositor.canvas(at: index, painter: painter, stop: stop)
        let indices = isCached ? compositor.indices(of: canvas, at: index) : nil
        var metadata = output.plan.metadata(
            format: .png, pixels: output.format, hasAlpha: !compositor.isOpaque(at: index),
            orientation: colors.metadata.orientation, options: options)
        metadata.isIncremental = isIncremental
        metadata.setColor(profile: colors.metadata.profile, codePoints: colors.metadata.codePoints, options: options)
        return try output.frame(canvas, indices, metadata, stop: stop)
    }
}
