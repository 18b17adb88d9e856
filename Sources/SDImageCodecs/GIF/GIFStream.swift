import SDImage

/// A GIF, still or animated, while its bytes arrive.
///
/// Until it is complete, the image is the received part of the first frame. Frames are available once they are complete. In a
/// truncated file, an incomplete last frame is dropped.
struct GIFStream: ImageStream {
    private let options: DecodeOptions
    private(set) var properties = StreamProperties()
    private var structure: GIFStructure
    private var bytes = Bytes.empty
    private var compositor: FrameCompositor?
    private var first: GIFIndices?
    private var isFinished = false

    init(_ options: DecodeOptions) {
        self.options = options
        structure = GIFStructure(frameLimit: options.firstFrameOnly ? 1 : options.limits.frames)
    }

    private var isAnimated: Bool { structure.isAnimated }
    /// True when no further data can change the image.
    private var isFinal: Bool { isFinished || properties.isSatisfied }

    // MARK: Bytes

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        self.bytes = bytes
        self.isFinished = isFinished
        if isFinished { properties.encoded = self.bytes }
        try structure.read(bytes, stop: stop)
        guard let frame = structure.firstFrame else {
            guard isFinished else { return }
            throw ImageError(.truncated, "gif: data ends before the first frame")
        }
        properties.size = try output().plan.scaledSize
        if compositor == nil {
            compositor = try FrameCompositor(size: structure.canvas, background: background, limits: options.limits)
        }
        // The last frame may be incomplete. If no frame is complete, the incomplete one is the image.
        if isFinished, structure.frames.isEmpty, !options.acceptPartial { try requireWhole(frame, stop) }
        addFrames()
    }

    private var background: UInt32? {
        guard structure.showsBackground else { return nil }
        let palette = GIFPalette(bytes, structure.palette, transparentIndex: nil, format: .rgba8)
        return palette[structure.backgroundIndex]
    }

    private mutating func requireWhole(_ frame: GIFFrame, _ stop: CancellationToken) throws(ImageError) {
        let indices = try indices(of: frame)
        try indices.decodeAll(bytes, stop: stop)
        if indices.isStarved { throw .truncatedGIF }
    }

    private mutating func addFrames() {
        for frame in structure.frames.dropFirst(compositor?.layouts.count ?? 0) {
            compositor?.append(frame.layout)
            properties.durations.append(Int32(clamping: frame.layout.durationMilliseconds))
        }
        properties.isSatisfied = structure.isEnded || options.firstFrameOnly && !structure.frames.isEmpty
        properties.frameCount = isFinal ? max(structure.frames.count, 1) : structure.frames.count
        properties.loopCount = structure.loopCount
        if options.firstFrameOnly || isFinal && !isAnimated { properties.durations = [] }
    }

    // MARK: Images

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        guard isFinal else { return try partialImage(stop: stop) }
        guard isAnimated else { return try stillImage(stop: stop) }
        let image = try frame(at: 0, isCached: false, stop: stop).image()
        compositor?.keep(only: image.pixels)
        return image.with(frames: StreamDecoder(self))
    }

    mutating func rest() { compositor?.rest() }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        guard isAnimated || !isFinal else {
            guard index == 0 else { throw .noFrame(index, of: properties.frameCount) }
            return CachedFrame(try stillImage(stop: stop))
        }
        guard var compositor, structure.frames.indices.contains(index) else {
            throw .noFrame(index, of: structure.frames.count)
        }
        // Moved out, so that its canvases have one owner.
        self.compositor = nil
        defer { self.compositor = compositor }
        let painter = GIFPainter(
            bytes: bytes, frames: structure.frames, canvas: compositor.size, options: options, first: first)
        let canvas = try compositor.canvas(at: index, painter: painter, stop: stop)
        if index == 0 { first = nil }
        let output = try output()
        let metadata = metadata(output, isOpaque: compositor.isOpaque(at: index))
        let indices = isCached ? compositor.indices(of: canvas, at: index) : nil
        return try output.frame(canvas, indices, metadata, stop: stop)
    }

    private func metadata(_ output: CanvasOutput, isOpaque: Bool) -> ImageMetadata {
        output.plan.metadata(format: .gif, pixels: output.format, hasAlpha: !isOpaque, orientation: .up, options: options)
    }

    private func output() throws(ImageError) -> CanvasOutput {
        try CanvasOutput(canvas: structure.canvas, frames: isAnimated ? structure.frames.count : 1, options: options)
    }

    // MARK: Stills and partial images

    private mutating func stillImage(stop: CancellationToken) throws(ImageError) -> Image {
        guard let frame = structure.firstFrame else { throw ImageError(.truncated, "gif: data ends before the first frame") }
        let plan = try output().plan
        let hasAlpha = structure.hasAlpha
        let format = PixelFormat.resolved(source: hasAlpha ? .rgba8 : .rgb8, wanted: options.pixelFormat)
        let run = GIFDecode(
            bytes: bytes, structure: structure, frame: frame, indices: try indices(of: frame), plan: plan, hasAlpha: hasAlpha,
            output: format, options: options, stop: stop)
        let (pixels, isWhole) = try run.decode()
        var metadata = plan.metadata(
            format: .gif, pixels: format, hasAlpha: hasAlpha, orientation: .up, options: options)
        metadata.isIncremental = !isWhole
        return Image(pixels: pixels, metadata: metadata)
    }

    private mutating func partialImage(stop: CancellationToken) throws(ImageError) -> Image? {
        guard let pending = structure.firstFrame else { return nil }
        guard structure.frames.isEmpty else {
            return try frame(at: 0, isCached: false, stop: stop).image().incomplete
        }
        let indices = try indices(of: pending)
        try indices.decodeAll(bytes, stop: stop)
        guard indices.count > 0, let canvas = try compositor?.startCanvas() else { return nil }
        // Damage is reported with the complete image.
        var tolerant = options
        tolerant.acceptPartial = true
        let painter = GIFPainter(bytes: bytes, frames: [pending], canvas: canvas.size, options: tolerant, first: indices)
        let frameCanvas = FrameCanvas(canvas, layout: pending.layout)
        _ = try painter.paint(0, onto: frameCanvas, stop: stop)
        if pending.isInterlaced {
            GIFPainter.fillGaps(indices, rows: pending.visibleRows(of: canvas.size), onto: frameCanvas)
        }
        let output = try output()
        let pixels = try output.pixels(from: canvas, stop: stop)
        return Image(pixels: pixels, metadata: metadata(output, isOpaque: false)).incomplete
    }

    private mutating func indices(of frame: GIFFrame) throws(ImageError) -> GIFIndices {
        if let first { return first }
        let indices = try GIFIndices(frame, canvas: structure.canvas, limits: options.limits)
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
