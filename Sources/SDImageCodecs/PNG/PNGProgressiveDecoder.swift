import SDImage

/// Progressive decode of a PNG, still or animated. `PNGCoder.open` wraps it in a `StreamDecoder`, whose lock serializes all
/// calls.
struct PNGProgressiveDecoder: ImageStream {
    private let options: DecodeOptions
    /// Receives all bytes, because its container tells whether the file is animated.
    private var animation: APNGAnimationDecoder
    /// Receives bytes while no animation is announced.
    private var still: PNGProgressiveStill
    private var isFinished = false

    init(_ options: DecodeOptions) {
        self.options = options
        animation = APNGAnimationDecoder(options)
        still = PNGProgressiveStill(options)
    }

    var properties: StreamProperties { isStill ? still.properties : animation.properties }

    /// An animation is announced before the image data; only the complete data show whether it is one.
    private var isStill: Bool {
        isFinished ? !animation.container.isAnimated : animation.container.announcedFrames == 0
    }

    mutating func update(_ bytes: Bytes, isFinished: Bool, stop: CancellationToken) throws(ImageError) {
        guard !self.isFinished else { return }
        self.isFinished = isFinished
        // Comes first: its container tells whether the file is a still.
        try animation.update(bytes, isFinished: isFinished, stop: stop)
        // A truncated animation is an error, because frames are missing.
        let container = animation.container
        if isFinished, container.announcedFrames > 1, !container.isEnded, !options.acceptPartial {
            throw ImageError(.truncated, "png: data ends early")
        }
        if isStill { try still.update(bytes, isFinished: isFinished, stop: stop) }
    }

    mutating func image(stop: CancellationToken) throws(ImageError) -> Image? {
        guard isStill else { return try animation.image(stop: stop) }
        return try still.image(stop: stop)
    }

    mutating func frame(at index: Int, isCached: Bool, stop: CancellationToken) throws(ImageError) -> CachedFrame {
        guard isStill else { return try animation.frame(at: index, isCached: isCached, stop: stop) }
        return try still.frame(at: index, isCached: isCached, stop: stop)
    }

    mutating func rest() { animation.rest() }
}
